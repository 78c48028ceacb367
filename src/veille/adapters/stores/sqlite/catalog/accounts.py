"""Users, sessions and tokens, in the catalog database."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.catalog.audit_log import SqliteAuditLog
from veille.adapters.stores.sqlite.catalog.login_attempts import SqliteLinks, SqliteTries
from veille.adapters.stores.sqlite.catalog.members import SqliteMembers
from veille.core.access.accounts import Session, Token, User, Visit
from veille.errors import ConfigError
from veille.ports.accounts import Accounts

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database, Row


def _listed(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


_PERSON = Columns(
    User,
    "id, email, name, is_admin, password_hash IS NOT NULL AS has_password, created_at, removed_at",
    is_admin=bool,
    has_password=bool,
)
_VISIT = Columns(Visit, "address, agent")
_SIGNED_IN = Columns(Session, "digest, user_id, created_at, seen_at")
_TICKET = Columns(
    Token,
    "id, user_id, name, scopes, dossiers, networks, created_at, expires_at, used_at, revoked_at",
    scopes=_listed,
    dossiers=lambda text: None if text is None else _listed(text),
    networks=_listed,
)


class SqliteAccounts(Accounts):
    """The port `Accounts` on the catalog."""

    def __init__(self, catalog: Database) -> None:
        self._db = catalog
        self.users = SqliteUsers(catalog)
        self.sessions = SqliteSessions(catalog)
        self.tokens = SqliteTokens(catalog)
        self.members = SqliteMembers(catalog)
        self.tries = SqliteTries(catalog)
        self.links = SqliteLinks(catalog)
        self.audit = SqliteAuditLog(catalog)

    def writing(self) -> AbstractContextManager[object]:
        return self._db.write()


class SqliteUsers(Part):
    """The port `Users`."""

    def add(self, user: User, password_hash: str | None) -> None:
        with self._db.write():
            if self.find(user.email):
                raise ConfigError(f"{user.email} is a user already.", code="user_exists")
            self._db.execute(
                "INSERT INTO users (id, email, name, password_hash, is_admin, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                (user.id, user.email, user.name, password_hash, user.is_admin, user.created_at),
            )

    def get(self, user_id: str) -> User | None:
        return self._one("id = ?", user_id)

    def find(self, email: str) -> User | None:
        return self._one("email = ? AND removed_at IS NULL", email)

    def _one(self, condition: str, value: str) -> User | None:
        rows = self._db.execute(f"SELECT {_PERSON} FROM users WHERE {condition}", (value,))
        return _PERSON(rows[0]) if rows else None

    def all(self) -> list[User]:
        return list(map(_PERSON, self._db.execute(f"SELECT {_PERSON} FROM users ORDER BY email, created_at")))

    def password_hash(self, user_id: str) -> str | None:
        found: str | None = self._db.value("SELECT password_hash FROM users WHERE id = ?", (user_id,))
        return found

    def set_password_hash(self, user_id: str, password_hash: str) -> None:
        self._db.execute("UPDATE users SET password_hash = ? WHERE id = ?", (password_hash, user_id))

    def set_name(self, user_id: str, name: str) -> None:
        self._db.execute("UPDATE users SET name = ? WHERE id = ?", (name, user_id))

    def set_admin(self, user_id: str, is_admin: bool) -> None:  # noqa: FBT001 - what it sets
        self._db.execute("UPDATE users SET is_admin = ? WHERE id = ?", (is_admin, user_id))

    def remove(self, user_id: str, now: int) -> None:
        with self._db.write():
            self._db.execute(
                "UPDATE users SET removed_at = ?, password_hash = NULL, is_admin = 0 "
                "WHERE id = ? AND removed_at IS NULL",
                (now, user_id),
            )
            self._db.execute(
                "UPDATE tokens SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", (now, user_id)
            )
            for table in ("sessions", "members", "links"):
                self._db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))


class SqliteSessions(Part):
    """The port `Sessions`."""

    def add(self, session: Session) -> None:
        self._db.execute(
            f"INSERT INTO sessions ({_SIGNED_IN}, {_VISIT}) VALUES ({_SIGNED_IN.places}, {_VISIT.places})",
            asdict(session) | asdict(session.visit),
        )

    def get(self, digest: str) -> Session | None:
        rows = self._db.execute(f"SELECT {_SIGNED_IN}, {_VISIT} FROM sessions WHERE digest = ?", (digest,))
        return _session(rows[0]) if rows else None

    def of(self, user_id: str) -> list[Session]:
        rows = self._db.execute(
            f"SELECT {_SIGNED_IN}, {_VISIT} FROM sessions WHERE user_id = ? ORDER BY seen_at DESC", (user_id,)
        )
        return list(map(_session, rows))

    def touch(self, digest: str, now: int) -> None:
        self._db.execute("UPDATE sessions SET seen_at = ? WHERE digest = ?", (now, digest))

    def end(self, digest: str) -> None:
        self._db.execute("DELETE FROM sessions WHERE digest = ?", (digest,))

    def end_all(self, user_id: str) -> None:
        self._db.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))


class SqliteTokens(Part):
    """The port `Tokens`."""

    def add(self, token: Token, digest: str) -> None:
        lists = {
            "scopes": json.dumps(token.scopes),
            "networks": json.dumps(token.networks),
            "dossiers": None if token.dossiers is None else json.dumps(token.dossiers),
        }
        self._db.execute(
            f"INSERT INTO tokens ({_TICKET}, digest) VALUES ({_TICKET.places}, :digest)",
            asdict(token) | lists | {"digest": digest},
        )

    def get(self, token_id: str) -> tuple[Token, str] | None:
        rows = self._db.execute(f"SELECT {_TICKET}, digest FROM tokens WHERE id = ?", (token_id,))
        return (_TICKET(rows[0]), rows[0][-1]) if rows else None

    def of(self, user_id: str) -> list[Token]:
        rows = self._db.execute(f"SELECT {_TICKET} FROM tokens WHERE user_id = ? ORDER BY created_at, id", (user_id,))
        return list(map(_TICKET, rows))

    def touch(self, token_id: str, now: int) -> None:
        self._db.execute("UPDATE tokens SET used_at = ? WHERE id = ?", (now, token_id))

    def revoke(self, token_id: str, now: int) -> None:
        self._db.execute("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (now, token_id))


def _session(row: Row) -> Session:
    return _SIGNED_IN(row, visit=_VISIT(row[len(_SIGNED_IN) :]))
