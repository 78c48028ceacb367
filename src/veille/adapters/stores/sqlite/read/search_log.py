"""The last searches that were made in a dossier."""

from __future__ import annotations

from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.search.answers import SearchMade
from veille.errors import StoreError

_SEARCH = Columns(SearchMade, "id, query, result_count, searched_at")


class SqliteSearchLog(Part):
    """The port `SearchLog`."""

    def add(self, search: SearchMade, keep: int) -> None:
        if not keep and not self._db.value("SELECT 1 FROM search_log"):
            return
        try:
            with self._db.write(wait=False):
                self._db.execute(
                    f"INSERT INTO search_log ({_SEARCH}) VALUES ({_SEARCH.places})",
                    asdict(search),
                )
                self._db.execute("DELETE FROM search_log WHERE seq <= (SELECT max(seq) FROM search_log) - ?", (keep,))
        except StoreError as error:
            if error.code != "store.busy":
                raise

    def recent(self, limit: int) -> list[SearchMade]:
        rows = self._db.execute(f"SELECT {_SEARCH} FROM search_log ORDER BY seq DESC LIMIT ?", (limit,))
        return list(map(_SEARCH, rows))
