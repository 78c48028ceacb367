"""Failed logins and one-time links, in the catalog database, so that they survive a restart."""

from __future__ import annotations

from veille.adapters.stores.sqlite._part import Part
from veille.core.access.accounts import INVITATION_LIFE
from veille.core.access.logins import REMEMBERED


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
            # A new link replaces the user's previous one.
            self._db.execute("DELETE FROM links WHERE user_id = ?", (user_id,))
            self._db.execute("INSERT INTO links (digest, user_id, until) VALUES (?, ?, ?)", (digest, user_id, until))

    def take(self, digest: str, now: int) -> str | None:
        rows = self._db.execute("DELETE FROM links WHERE digest = ? RETURNING user_id, until", (digest,))
        # A link that lasts longer than an invitation was made while the clock was ahead: refuse it.
        return rows[0][0] if rows and now < rows[0][1] <= now + INVITATION_LIFE else None
