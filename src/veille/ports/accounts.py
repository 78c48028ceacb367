"""The ports of the account services: users, sessions, tokens, roles, the audit log; and what leaves with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.core.access.access import Role
    from veille.core.access.accounts import AuditLine, Member, Session, Token, User
    from veille.core.models import Json


class Accounts(ABC):
    """Users, their sessions, tokens and roles. Of passwords and secrets only hashes are stored."""

    users: Users
    sessions: Sessions
    tokens: Tokens
    app_passwords: AppPasswords
    members: Members
    tries: Tries
    links: Links
    audit: AuditLog

    @abstractmethod
    def writing(self) -> AbstractContextManager[object]:
        """One transaction: committed when the context ends without an error, rolled back otherwise.

        It can include creating and deleting a dossier. A nested one joins the outer transaction. Other writers wait
        until it ends, and nobody else sees uncommitted changes.
        """


class Users(Protocol):
    """Users, including removed ones. Setters do nothing for an unknown user."""

    def add(self, user: User, password_hash: str | None) -> None:
        """Save a new user. ConfigError `user_exists` if a user who is not removed has the address."""

    def get(self, user_id: str) -> User | None:
        """The user of that id, even if removed; None if there is none."""

    def find(self, email: str) -> User | None:
        """The user with that address who is not removed; None if there is none."""

    def all(self) -> list[User]:
        """All users, including removed ones, sorted by address."""

    def password_hash(self, user_id: str) -> str | None:
        """The hash; None for a user without a password, and for an unknown user."""

    def set_password_hash(self, user_id: str, password_hash: str) -> None: ...
    def set_name(self, user_id: str, name: str) -> None: ...
    def set_admin(self, user_id: str, is_admin: bool) -> None: ...  # noqa: FBT001 - what it sets

    def remove(self, user_id: str, now: int) -> None:
        """End all access of the user, but keep the record. A second call changes nothing.

        Deletes password, admin rights, sessions, roles and links; revokes the tokens.
        """


class Sessions(Protocol):
    """Sessions of browsers, by the digest of their cookie. The caller checks whether one has expired."""

    def add(self, session: Session) -> None: ...

    def get(self, digest: str) -> Session | None:
        """The session; None if there is none, or any process has ended it."""

    def of(self, user_id: str) -> list[Session]:
        """The sessions of a user, last seen first."""

    def touch(self, digest: str, now: int) -> None:
        """Set the time the session was last used. An ended session stays ended."""

    def end(self, digest: str) -> None:
        """End the session; does nothing if there is none."""

    def end_all(self, user_id: str) -> None: ...


class Tokens(Protocol):
    """The tokens of programs, by id. Tokens are never deleted; calls for an unknown one do nothing."""

    def add(self, token: Token, digest: str) -> None: ...

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """The token and the digest of its secret, even if revoked or expired; None if there is none."""

    def of(self, user_id: str) -> list[Token]:
        """The tokens of a user, oldest first, including revoked ones."""

    def touch(self, token_id: str, now: int) -> None:
        """Set the time the token was last used."""

    def revoke(self, token_id: str, now: int) -> None:
        """Revoke the token; if it is revoked already, the first time is kept."""


class AppPasswords(Protocol):
    """The passwords of reader apps. Each is another form of a token, with which it ends."""

    def add(self, token_id: str, digest: str, fever: str) -> None:
        """Save a password by two digests: of itself, and of the key that Fever apps make of it."""

    def by_password(self, digest: str) -> str | None:
        """The id of the token of a password; None if there is none."""

    def by_fever(self, digest: str) -> str | None:
        """The id of the token of a Fever key; None if there is none."""


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
        """Store a failure, and delete all that are too old to matter (`core.access.logins.REMEMBERED`)."""

    def failed(self, address: str, account: str) -> list[int]:
        """The times of failures for this account from this address, in any order."""

    def failed_for_any(self, address: str, since: int, but: str = "") -> list[int]:
        """The times of failures from this address after that time, for all accounts but that one, in any order."""

    def forget(self, account: str, address: str) -> None:
        """Delete the failures for this account from this address."""


class Links(Protocol):
    """One-time links, by the digest of their secret."""

    def add(self, digest: str, user_id: str, until: int, spare: int | None = None) -> None:
        """Store a link, replacing the old ones of the user, but for those that end after `spare`."""

    def take(self, digest: str, now: int) -> str | None:
        """The id of the user that the link signs in; None if there is no such link, or it has expired.

        In any case the link is used up, and with it the user's others. If several callers take it at once, only one
        gets it. A link that is valid for longer than `core.access.accounts.INVITATION_LIFE` was made while the clock
        was ahead, and is refused.
        """


class AuditLog(Protocol):
    """Append-only log: lines are never changed, and stay when their user or dossier is deleted."""

    def add(self, line: AuditLine) -> None:
        """Store a line under the next number, without secrets (`core.access.accounts.without_secrets`)."""

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        """Lines, newest first: only those of `dossier_id` and with numbers below `before`, if given."""


class PasswordHasher(Protocol):
    """Hashes passwords; slow on purpose, and equally slow for existing and unknown users."""

    def hash(self, password: str) -> str:
        """A hash with a new salt: different each time, even for the same password."""

    def verify(self, password_hash: str | None, password: str) -> bool:
        """Whether the password matches. Without a hash: False, after the same time as with one."""

    def common(self) -> frozenset[str]:
        """The most common passwords, in the form that `guesses` gives."""

    def is_outdated(self, password_hash: str) -> bool:
        """Whether the hash was made with weaker parameters than the current ones."""


class LinkFile(Protocol):
    """The file with the newest one-time link; only the operator can read it."""

    def write(self, text: str) -> None:
        """Replace the content of the file. StoreError if it cannot be written."""

    def clear(self) -> None:
        """Delete the file; does nothing if there is none."""


class LeavingRows(Protocol):
    """The stored rows by the name of the file they leave in: without secrets, and without what is made again."""

    def of_dossier(self, dossier_id: str, user_id: str | None) -> Iterator[tuple[str, Iterator[Json]]]:
        """All rows of a dossier; of what people read and keep only this person's, or everybody's (None)."""

    def files_of(self, dossier_id: str) -> Iterator[tuple[str, bytes]]:
        """The pictures and kept bodies of a dossier, each under the name of its file."""

    def document_ids(self, dossier_id: str) -> Iterator[str]:
        """The ids of all documents of a dossier, whatever their state; without those that moved to another dossier."""

    def of_person(self, dossier_id: str, user: User) -> Iterator[tuple[str, Iterator[Json]]]:
        """What a dossier has that a person did."""

    def of_account(self, user: User) -> Iterator[tuple[str, Iterator[Json]]]:
        """What the catalog has about a person."""

    def erase_in(self, dossier_id: str, user: User) -> None:
        """Delete what a dossier has about a person, or unlink it from them if it is the dossier's."""

    def erase_account(self, user: User) -> None:
        """Delete the account. Lines of the audit log stay, without name, address and details."""
