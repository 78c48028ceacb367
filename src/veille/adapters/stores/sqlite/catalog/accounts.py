"""Accounts, in the catalog database: users, sessions, tokens, roles, failed logins, one-time links, the audit log."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.core.access.access import Role
from veille.core.access.accounts import (
    INVITATION_LIFE,
    AuditLine,
    Member,
    Session,
    Token,
    User,
    Visit,
    without_secrets,
)
from veille.core.access.logins import REMEMBERED
from veille.errors import ConfigError
from veille.ports.accounts import Accounts

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database, Row


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
_MEMBER = Columns(Member, "user_id, dossier_id, role, until", role=Role)
_LIVES = "(until IS NULL OR until > ?)"
_LINE = Columns(AuditLine, "at, user_id, who, way, action, dossier_id, detail, address", detail=json.loads)


class SqliteAccounts(Accounts):
    """The port `Accounts`."""

    def __init__(self, catalog: Database) -> None:
        self._db = catalog
        self.users = SqliteUsers(catalog)
        self.sessions = SqliteSessions(catalog)
        self.tokens = SqliteTokens(catalog)
        self.app_passwords = SqliteAppPasswords(catalog)
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
        return self._first(_PERSON, "FROM users WHERE id = ?", (user_id,))

    def find(self, email: str) -> User | None:
        return self._first(_PERSON, "FROM users WHERE email = ? AND removed_at IS NULL", (email,))

    def all(self) -> list[User]:
        return self._all(_PERSON, "FROM users ORDER BY email, created_at")

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
        return self._all(_TICKET, "FROM tokens WHERE user_id = ? ORDER BY created_at, id", (user_id,))

    def touch(self, token_id: str, now: int) -> None:
        self._db.execute("UPDATE tokens SET used_at = ? WHERE id = ?", (now, token_id))

    def revoke(self, token_id: str, now: int) -> None:
        self._db.execute("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (now, token_id))


class SqliteAppPasswords(Part):
    """The port `AppPasswords`."""

    def add(self, token_id: str, digest: str, fever: str) -> None:
        self._db.execute(
            "INSERT INTO app_passwords (digest, fever, token_id) VALUES (?, ?, ?)", (digest, fever, token_id)
        )

    def by_password(self, digest: str) -> str | None:
        return self._token("digest", digest)

    def by_fever(self, digest: str) -> str | None:
        return self._token("fever", digest)

    def _token(self, column: str, digest: str) -> str | None:
        found: str | None = self._db.value(f"SELECT token_id FROM app_passwords WHERE {column} = ?", (digest,))
        return found


class SqliteMembers(Part):
    """The port `Members`."""

    def put(self, member: Member) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO members ({_MEMBER}) VALUES ({_MEMBER.places})",
            asdict(member) | {"role": member.role.value},
        )

    def role(self, user_id: str, dossier_id: str, now: int) -> Role | None:
        found = self._db.value(
            f"SELECT role FROM members WHERE user_id = ? AND dossier_id = ? AND {_LIVES}", (user_id, dossier_id, now)
        )
        return Role(found) if found else None

    def of_user(self, user_id: str, now: int) -> list[Member]:
        return self._all(_MEMBER, f"FROM members WHERE user_id = ? AND {_LIVES} ORDER BY dossier_id", (user_id, now))

    def of_dossier(self, dossier_id: str, now: int) -> list[Member]:
        return self._all(_MEMBER, f"FROM members WHERE dossier_id = ? AND {_LIVES} ORDER BY user_id", (dossier_id, now))

    def remove(self, user_id: str, dossier_id: str) -> None:
        self._db.execute("DELETE FROM members WHERE user_id = ? AND dossier_id = ?", (user_id, dossier_id))

    def ownerless(self) -> list[str]:
        return self._db.column(
            "SELECT id FROM dossiers WHERE NOT EXISTS (SELECT 1 FROM members "
            "WHERE dossier_id = dossiers.id AND role = 'owner' AND until IS NULL) ORDER BY id"
        )


class SqliteTries(Part):
    """The port `Tries`."""

    def add(self, account: str, address: str, now: int) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM login_tries WHERE at <= ?", (now - REMEMBERED,))
            self._db.execute("INSERT INTO login_tries (account, address, at) VALUES (?, ?, ?)", (account, address, now))

    def failed(self, address: str, account: str) -> list[int]:
        return self._db.column("SELECT at FROM login_tries WHERE address = ? AND account = ?", (address, account))

    def failed_for_any(self, address: str, since: int, but: str = "") -> list[int]:
        return self._db.column(
            "SELECT at FROM login_tries WHERE address = ? AND at > ? AND account <> ?", (address, since, but)
        )

    def forget(self, account: str, address: str) -> None:
        self._db.execute("DELETE FROM login_tries WHERE account = ? AND address = ?", (account, address))


class SqliteLinks(Part):
    """The port `Links`."""

    def add(self, digest: str, user_id: str, until: int, spare: int | None = None) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM links WHERE user_id = ? AND until <= coalesce(?, until)", (user_id, spare))
            self._db.execute("INSERT INTO links (digest, user_id, until) VALUES (?, ?, ?)", (digest, user_id, until))

    def take(self, digest: str, now: int) -> str | None:
        with self._db.write():
            rows = self._db.execute("DELETE FROM links WHERE digest = ? RETURNING user_id, until", (digest,))
            self._db.many("DELETE FROM links WHERE user_id = ?", [(user_id,) for user_id, _ in rows])
        # A link that lasts longer than an invitation was made while the clock was ahead: refuse it.
        return rows[0][0] if rows and now < rows[0][1] <= now + INVITATION_LIFE else None


class SqliteAuditLog(Part):
    """The port `AuditLog`. The database itself refuses to change or remove a line."""

    def add(self, line: AuditLine) -> None:
        detail = json.dumps(without_secrets(line.detail), ensure_ascii=False)
        self._db.execute(f"INSERT INTO audit ({_LINE}) VALUES ({_LINE.places})", asdict(line) | {"detail": detail})

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        # Two statements, so that each can use an index.
        chosen = "dossier_id = ?1" if dossier_id is not None else "?1 IS NULL"
        rows = self._db.execute(
            f"SELECT {_LINE}, seq FROM audit WHERE {chosen} AND seq < ?3 ORDER BY seq DESC LIMIT ?2",
            (dossier_id, limit, END if before is None else before),
        )
        return [_LINE(row, seq=row[-1]) for row in rows]


def _session(row: Row) -> Session:
    return _SIGNED_IN(row, visit=_VISIT(row[len(_SIGNED_IN) :]))
