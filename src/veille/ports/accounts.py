"""What the services of accounts need from the outside, and what each side promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.access.access import Role
    from veille.core.access.accounts import AuditLine, Member, Session, Token, User


class Accounts(ABC):
    """People, their ways in and their roles. What proves somebody is kept as a hash only."""

    users: Users
    sessions: Sessions
    tokens: Tokens
    members: Members
    tries: Tries
    links: Links
    audit: AuditLog

    @abstractmethod
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
        """End all access of the user; the record stays. A second call changes nothing.

        Password, admin rights, sessions, roles and links are gone; their tokens are revoked.
        """


class Sessions(Protocol):
    """Sessions of browsers, by the digest of their cookie. The caller judges whether one has expired."""

    def add(self, session: Session) -> None: ...

    def get(self, digest: str) -> Session | None:
        """The session; None if there is none, or any process has ended it."""

    def of(self, user_id: str) -> list[Session]:
        """The sessions of a user, last seen first."""

    def touch(self, digest: str, now: int) -> None:
        """Store that it was seen now. An ended session stays ended."""

    def end(self, digest: str) -> None:
        """Does nothing when there is none."""

    def end_all(self, user_id: str) -> None: ...


class Tokens(Protocol):
    """The tokens of programs, by id. None is ever deleted; calls for an unknown one do nothing."""

    def add(self, token: Token, digest: str) -> None: ...

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """The token and the digest of its secret; also if it is revoked or expired."""

    def of(self, user_id: str) -> list[Token]:
        """The tokens of a user, oldest first, including revoked ones."""

    def touch(self, token_id: str, now: int) -> None:
        """Store that it was used now."""

    def revoke(self, token_id: str, now: int) -> None:
        """Revoke it now; one that is revoked already keeps its time."""


class Members(Protocol):
    """Roles in dossiers. They are deleted with their dossier. A role that has ended is ignored everywhere."""

    def put(self, member: Member) -> None:
        """Set a role, replacing the old one in that dossier."""

    def role(self, user_id: str, dossier_id: str, now: int) -> Role | None:
        """The role of a user in a dossier; None if there is none, or it has ended."""

    def of_user(self, user_id: str, now: int) -> list[Member]:
        """The roles of a user, sorted by the ids of the dossiers."""

    def of_dossier(self, dossier_id: str, now: int) -> list[Member]:
        """The members of a dossier, sorted by the ids of the users."""

    def remove(self, user_id: str, dossier_id: str) -> None:
        """Remove a role; does nothing if there is none."""

    def ownerless(self) -> list[str]:
        """The ids of the dossiers without an owner; temporary owners do not count."""


class Tries(Protocol):
    """Failed sign-ins, stored across restarts."""

    def add(self, account: str, address: str, now: int) -> None:
        """Store one, and delete all that are too old to matter (`core.access.logins.REMEMBERED`)."""

    def failed(self, address: str, account: str) -> list[int]:
        """The times of failures for this account from this address, in any order."""

    def failed_for_any(self, address: str, since: int) -> list[int]:
        """The times of failures from this address after that time, for all accounts, in any order."""

    def forget(self, account: str, address: str) -> None:
        """Delete the failures for this account from this address."""


class Links(Protocol):
    """One-time links, by the digest of their secret."""

    def add(self, digest: str, user_id: str, until: int) -> None:
        """Store a link, replacing the old one of the user."""

    def take(self, digest: str, now: int) -> str | None:
        """The id of the user that it signs in; None if there is no such link, or it has expired.

        In any case the link is used up. If several callers take it at once, only one gets it. A link that is valid for
        longer than `core.access.accounts.INVITATION_LIFE` was made while the clock was ahead, and is refused.
        """


class AuditLog(Protocol):
    """Lines are added, never changed or removed; they stay when their user or dossier is deleted."""

    def add(self, line: AuditLine) -> None:
        """Store a line under the next number, without secrets (`core.access.accounts.without_secrets`)."""

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        """Lines, newest first: only those of `dossier_id` and with numbers below `before`, if given."""


class PasswordHasher(Protocol):
    """Hashes passwords; slow on purpose, and equally slow for existing and unknown users."""

    def hash(self, password: str) -> str:
        """A hash with a new salt: different each time, even for the same password."""

    def verify(self, password_hash: str | None, password: str) -> bool:
        """Whether the password matches; False without a hash, after the same time."""

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
