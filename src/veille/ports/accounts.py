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
        """One transaction; making and deleting a dossier can be part of it. Others' writes wait for its end."""


class Users(Protocol):
    """Those who can log in, and those who could."""

    def add(self, user: User, password_hash: str | None) -> None:
        """The address must be free among those who are not removed."""

    def get(self, user_id: str) -> User | None:
        """Also a removed one."""

    def find(self, email: str) -> User | None:
        """The one who is not removed."""

    def all(self) -> list[User]:
        """Also removed ones, by address."""

    def password_hash(self, user_id: str) -> str | None: ...
    def set_password_hash(self, user_id: str, password_hash: str) -> None: ...
    def set_name(self, user_id: str, name: str) -> None: ...
    def set_admin(self, user_id: str, is_admin: bool) -> None: ...  # noqa: FBT001 - what it sets

    def remove(self, user_id: str, now: int) -> None:
        """Nothing of theirs opens anything from now on; the record stays."""


class Sessions(Protocol):
    """Browsers that are logged in, by the digest of their cookie."""

    def add(self, session: Session) -> None: ...
    def get(self, digest: str) -> Session | None: ...
    def of(self, user_id: str) -> list[Session]: ...
    def touch(self, digest: str, now: int) -> None: ...
    def end(self, digest: str) -> None: ...
    def end_all(self, user_id: str) -> None: ...


class Tokens(Protocol):
    """The tokens of programs, by id."""

    def add(self, token: Token, digest: str) -> None: ...

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """With the digest of its secret."""

    def of(self, user_id: str) -> list[Token]: ...
    def touch(self, token_id: str, now: int) -> None: ...
    def revoke(self, token_id: str, now: int) -> None: ...


class Members(Protocol):
    """Roles in dossiers. They go with their dossier."""

    def put(self, member: Member) -> None:
        """Takes the place of the role they had."""

    def role(self, user_id: str, dossier_id: str, now: int) -> Role | None: ...

    def of_user(self, user_id: str, now: int) -> list[Member]: ...
    def of_dossier(self, dossier_id: str, now: int) -> list[Member]: ...
    def remove(self, user_id: str, dossier_id: str) -> None: ...

    def ownerless(self) -> list[str]:
        """The dossiers that nobody owns."""


class Tries(Protocol):
    """Failed logins, remembered across restarts."""

    def add(self, account: str, address: str, now: int) -> None:
        """Also forgets those that are too old to matter."""

    def failed(self, address: str, account: str) -> list[int]:
        """When it failed for this account from this address."""

    def failed_for_any(self, address: str, since: int) -> list[int]:
        """When it failed from this address since then, whatever the account."""

    def forget(self, account: str, address: str) -> None: ...


class Links(Protocol):
    """One-time links, by the digest of what is in them."""

    def add(self, digest: str, user_id: str, until: int) -> None: ...

    def take(self, digest: str, now: int) -> str | None:
        """The user it lets in. Of any number who take it at once, one gets it."""


class AuditLog(Protocol):
    """Lines are added, never changed or removed."""

    def add(self, line: AuditLine) -> None: ...

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        """Newest first; those before a number."""


class PasswordHasher(Protocol):
    """Slow on purpose, and equally slow whoever it is about."""

    def hash(self, password: str) -> str: ...

    def verify(self, password_hash: str | None, password: str) -> bool:
        """False without a hash, after the same time."""

    def common(self) -> frozenset[str]:
        """The passwords that are tried first, as `guesses`."""

    def is_outdated(self, password_hash: str) -> bool:
        """Whether it was made with less work than is asked now."""


class LinkFile(Protocol):
    """Where the operator finds the newest one-time link; nobody else can read it."""

    def write(self, text: str) -> None: ...
    def clear(self) -> None: ...
