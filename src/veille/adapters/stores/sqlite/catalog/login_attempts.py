"""Failed logins and one-time links, in the catalog database, so that a restart forgets neither."""

from __future__ import annotations

from veille.adapters.stores.sqlite._part import Part
from veille.core.access.accounts import INVITATION_LIFE
from veille.core.access.logins import REMEMBERED

GATE_SCHEMA = """
CREATE TABLE login_tries (
    account TEXT NOT NULL,       -- SHA-256 of what was typed: people type passwords into the wrong field
    address TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX login_tries_account ON login_tries (address, account, at);
CREATE INDEX login_tries_address ON login_tries (address, at);
CREATE INDEX login_tries_at ON login_tries (at);
CREATE TABLE links (
    digest TEXT PRIMARY KEY,     -- SHA-256 of what is in the link
    user_id TEXT NOT NULL REFERENCES users (id),
    until INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
"""


class SqliteTries(Part):
    """The port `Tries`."""

    def add(self, account: str, address: str, now: int) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM login_tries WHERE at <= ?", (now - REMEMBERED,))
            self._db.execute("INSERT INTO login_tries (account, address, at) VALUES (?, ?, ?)", (account, address, now))

    def failed(self, address: str, account: str) -> list[int]:
        rows = self._db.execute("SELECT at FROM login_tries WHERE address = ? AND account = ?", (address, account))
        return [row[0] for row in rows]

    def failed_for_any(self, address: str, since: int) -> list[int]:
        rows = self._db.execute("SELECT at FROM login_tries WHERE address = ? AND at > ?", (address, since))
        return [row[0] for row in rows]

    def forget(self, account: str, address: str) -> None:
        self._db.execute("DELETE FROM login_tries WHERE account = ? AND address = ?", (account, address))


class SqliteLinks(Part):
    """The port `Links`."""

    def add(self, digest: str, user_id: str, until: int) -> None:
        with self._db.write():
            # One that is made again takes the place of the one before.
            self._db.execute("DELETE FROM links WHERE user_id = ?", (user_id,))
            self._db.execute("INSERT INTO links (digest, user_id, until) VALUES (?, ?, ?)", (digest, user_id, until))

    def take(self, digest: str, now: int) -> str | None:
        rows = self._db.execute("DELETE FROM links WHERE digest = ? RETURNING user_id, until", (digest,))
        # No link lasts longer than an invitation, unless it was made while the clock was ahead.
        return rows[0][0] if rows and now < rows[0][1] <= now + INVITATION_LIFE else None
