"""The links by which documents are shared."""

from __future__ import annotations

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.show.shared_link import ShareLink

_SHARE = Columns(
    ShareLink,
    "shares.id, shares.document_id, coalesce(nullif(documents.title, ''), documents.url) AS title, made_by, "
    "created_at, until",
)
_FROM = "FROM shares JOIN documents ON documents.id = document_id"
_OFF = "SELECT EXISTS (SELECT 1 FROM options WHERE name = 'sharing' AND value = 'off')"


class SqliteShares(Part):
    """The port `Shares`."""

    def add(self, link: ShareLink, hashed: str) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM shares WHERE until <= ?", (link.created_at,))
            self._db.execute(
                "INSERT INTO shares (id, hash, document_id, made_by, created_at, until) VALUES (?, ?, ?, ?, ?, ?)",
                (link.id, hashed, link.document_id, link.made_by, link.created_at, link.until),
            )

    def all(self, now: int, limit: int) -> list[ShareLink]:
        return self._all(_SHARE, f"{_FROM} WHERE until > ? ORDER BY created_at DESC, shares.id LIMIT ?", (now, limit))

    def find(self, hashed: str, now: int) -> ShareLink | None:
        return self._first(_SHARE, f"{_FROM} WHERE hash = ? AND until > ? AND NOT ({_OFF})", (hashed, now))

    def delete(self, share_id: str) -> bool:
        with self._db.write():
            self._db.execute("DELETE FROM shares WHERE id = ?", (share_id,))
            return bool(self._db.changes())

    def is_allowed(self) -> bool:
        return not self._db.value(_OFF)

    def allow(self, *, is_allowed: bool) -> None:
        with self._db.write():
            value = "on" if is_allowed else "off"
            self._db.execute("INSERT OR REPLACE INTO options (name, value) VALUES ('sharing', ?)", (value,))
