"""Searches that a dossier keeps under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.answers import SavedSearch
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

SEARCHES_SCHEMA = """
CREATE TABLE saved_searches (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    query TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
"""


class SqliteSavedSearches:
    """The port `SavedSearches`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, search: SavedSearch) -> None:
        with self._db.write():
            if self._db.value("SELECT 1 FROM saved_searches WHERE name = ?", (search.name,)):
                raise ConfigError(f"There is a search called {search.name!r} already.", code="search_exists")
            self._db.execute(
                "INSERT INTO saved_searches VALUES (?, ?, ?, ?)",
                (search.id, search.name, search.query, search.created_at),
            )

    def all(self) -> list[SavedSearch]:
        rows = self._db.execute("SELECT id, name, query, created_at FROM saved_searches ORDER BY name")
        return [SavedSearch(id=row[0], name=row[1], query=row[2], created_at=row[3]) for row in rows]

    def find(self, search_id: str) -> SavedSearch:
        for search in self.all():
            if search.id == search_id:
                return search
        raise NotFoundError("There is no such saved search in this dossier.", code="no_search")

    def delete(self, search_id: str) -> None:
        self._db.execute("DELETE FROM saved_searches WHERE id = ?", (search_id,))
