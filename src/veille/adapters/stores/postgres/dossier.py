"""One dossier in the database: the parts of the SQLite store, and those that PostgreSQL does in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from veille.adapters.stores.sqlite.catalog.catalog import WAKE
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.registry import later

if TYPE_CHECKING:
    from veille.adapters.stores.postgres._db import PostgresDatabase

_SEARCH = "adapters.stores.postgres.search"


class PostgresDossier(SqliteDossier):
    """The port `DossierStore`, given the rows of one dossier."""

    index = later(f"{_SEARCH}:PostgresIndex", "db", "id")
    meaning = later(f"{_SEARCH}:PostgresMeaning", "db", "_tell_meaning")
    analyses = later(f"{_SEARCH}:PostgresAnalyses", "db")
    db: PostgresDatabase

    def _wake_after(self, at: int) -> None:
        """In the round trip of the commit."""
        self.db.send_behind(cast("PostgresDatabase", self._catalog.db), WAKE, (at, self.id))
