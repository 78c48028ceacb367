"""What the services of accounts need from the outside, and what each side promises."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.access.access import Role
    from veille.core.access.accounts import AuditLine, Member, Session, Token, User


class Accounts(Protocol):
    """People, their ways in and their roles. What proves somebody is kept as a hash only."""

    @property
    def users(self) -> Users: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def members(self) -> Members: ...
    @property
    def tries(self) -> Tries: ...
    @property
    def links(self) -> Links: ...
    @property
    def audit(self) -> AuditLog: ...

    def writing(self) -> AbstractContextManager[object]:
        """One transaction: all of it is kept when the context ends well, nothing of it otherwise.

        Making and deleting a dossier can be part of it. Inside another one it is part of that. Others' writes wait for
        its end, and until then nobody else sees any of it.
        """


class Users(Protocol):
    """Those who can log in, and those who could. What is set about an unknown user changes nothing."""

    def add(self, user: User, password_hash: str | None) -> None:
        """Save a new user. ConfigError `user_exists` if somebody who is not removed has the address."""

    def get(self, user_id: str) -> User | None:
        """By id, also a removed one; None when there is none."""

    def find(self, email: str) -> User | None:
        """The one with that address who is not removed; None when there is none."""

    def all(self) -> list[User]:
        """By address, also removed ones."""

    def password_hash(self, user_id: str) -> str | None:
        """None for a user without a password, and for an unknown one."""

    def set_password_hash(self, user_id: str, password_hash: str) -> None: ...
    def set_name(self, user_id: str, name: str) -> None: ...
    def set_admin(self, user_id: str, is_admin: bool) -> None: ...  # noqa: FBT001 - what it sets

    def remove(self, user_id: str, now: int) -> None:
        """Nothing of theirs opens anything from now on; the record stays. A second time changes nothing.

        Password, admin rights, sessions, roles and links are gone; their tokens are revoked.
        """


class Sessions(Protocol):
    """Browsers that are logged in, by the digest of their cookie. Whether one is too old is for the caller to judge."""

    def add(self, session: Session) -> None: ...

    def get(self, digest: str) -> Session | None:
        """None when there is none, or it was ended, by whatever process."""

    def of(self, user_id: str) -> list[Session]:
        """Those of a user, last seen first."""

    def touch(self, digest: str, now: int) -> None:
        """It was seen now. One that was ended stays so."""

    def end(self, digest: str) -> None:
        """Does nothing when there is none."""

    def end_all(self, user_id: str) -> None: ...


class Tokens(Protocol):
    """The tokens of programs, by id. None is ever deleted; an unknown one is not touched or revoked."""

    def add(self, token: Token, digest: str) -> None: ...

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """With the digest of its secret; also one that is revoked or over."""

    def of(self, user_id: str) -> list[Token]:
        """Those of a user, oldest first, also those revoked."""

    def touch(self, token_id: str, now: int) -> None:
        """It was used now."""

    def revoke(self, token_id: str, now: int) -> None:
        """Revoke it now; one that was revoked before keeps that time."""


class Members(Protocol):
    """Roles in dossiers. They are deleted with their dossier. A role that ended counts nowhere."""

    def put(self, member: Member) -> None:
        """Takes the place of the role they had in that dossier."""

    def role(self, user_id: str, dossier_id: str, now: int) -> Role | None:
        """None when they have none, or it ended."""

    def of_user(self, user_id: str, now: int) -> list[Member]:
        """By the ids of the dossiers."""

    def of_dossier(self, dossier_id: str, now: int) -> list[Member]:
        """By the ids of the users."""

    def remove(self, user_id: str, dossier_id: str) -> None:
        """Does nothing when they have none."""

    def ownerless(self) -> list[str]:
        """The ids of the dossiers that nobody owns; whoever is an owner for some time only does not count."""


class Tries(Protocol):
    """Failed logins, remembered across restarts."""

    def add(self, account: str, address: str, now: int) -> None:
        """Also forgets those of anybody that are too old to matter (`core.access.logins.REMEMBERED`)."""

    def failed(self, address: str, account: str) -> list[int]:
        """When it failed for this account from this address, in any order."""

    def failed_for_any(self, address: str, since: int) -> list[int]:
        """When it failed from this address after that time, whatever the account, in any order."""

    def forget(self, account: str, address: str) -> None:
        """Forget those of this account from this address."""


class Links(Protocol):
    """One-time links, by the digest of what is in them."""

    def add(self, digest: str, user_id: str, until: int) -> None:
        """Takes the place of the link that the user had."""

    def take(self, digest: str, now: int) -> str | None:
        """The id of the user it lets in; None when there is no such link, or its time is over.

        However it ends, the link is used up. Of any number who take it at once, one gets it. A link that would last
        longer than any (`core.access.accounts.INVITATION_LIFE`) was made while the clock was ahead, and lets nobody in.
        """


class AuditLog(Protocol):
    """Lines are added, never changed or removed; they outlive the users and dossiers they are about."""

    def add(self, line: AuditLine) -> None:
        """Keep it under the next number, its detail without secrets (`core.access.accounts.without_secrets`)."""

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        """Newest first: of one dossier, if it is named; those with lower numbers than `before`, if it is given."""


class PasswordHasher(Protocol):
    """Slow on purpose, and equally slow whoever it is about."""

    def hash(self, password: str) -> str:
        """Another one each time, of the same password too."""

    def verify(self, password_hash: str | None, password: str) -> bool:
        """False without a hash, after the same time."""

    def common(self) -> frozenset[str]:
        """The passwords that are tried first, as `guesses`."""

    def is_outdated(self, password_hash: str) -> bool:
        """Whether it was made with less work than is asked now."""


class LinkFile(Protocol):
    """Where the operator finds the newest one-time link; nobody else can read it."""

    def write(self, text: str) -> None:
        """In place of what is there. StoreError when it cannot be written."""

    def clear(self) -> None:
        """Does nothing when there is none."""
