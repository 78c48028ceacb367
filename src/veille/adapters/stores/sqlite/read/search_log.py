"""The last searches that were made in a dossier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.search.answers import SearchMade
from veille.errors import StoreError

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

SEARCH_LOG_SCHEMA = """
CREATE TABLE search_log (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    query TEXT NOT NULL,
    result_count INTEGER NOT NULL,
    searched_at INTEGER NOT NULL
) STRICT;
"""


class SqliteSearchLog:
    """The port `SearchLog`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, search: SearchMade, keep: int) -> None:
        if not keep and not self._db.value("SELECT 1 FROM search_log"):
            return
        try:
            with self._db.at_once(), self._db.write():
                self._db.execute(
                    "INSERT INTO search_log (id, query, result_count, searched_at) VALUES (?, ?, ?, ?)",
                    (search.id, search.query, search.result_count, search.searched_at),
                )
                self._db.execute("DELETE FROM search_log WHERE seq <= (SELECT max(seq) FROM search_log) - ?", (keep,))
        except StoreError as error:
            if error.code != "store.busy":
                raise

    def recent(self, limit: int) -> list[SearchMade]:
        rows = self._db.execute(
            "SELECT id, query, result_count, searched_at FROM search_log ORDER BY seq DESC LIMIT ?", (limit,)
        )
        return [SearchMade(id=row[0], query=row[1], result_count=row[2], searched_at=row[3]) for row in rows]
