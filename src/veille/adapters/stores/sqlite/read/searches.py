"""The saved searches of a dossier, what they found since, what each user has seen of that; and a log of searches."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.search.answers import KEPT_ALERTS, SavedSearch, SearchMade
from veille.errors import ConfigError, NotFoundError, StoreError

_SEARCH = Columns(SavedSearch, "id, name, query, created_at, sink")
_MADE = Columns(SearchMade, "id, query, result_count, searched_at")
_LAST_SEQ = "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)"


class SqliteSavedSearches(Part):
    """The port `SavedSearches`."""

    def add(self, search: SavedSearch) -> None:
        with self._db.write():
            if self._db.value("SELECT 1 FROM saved_searches WHERE name = ?", (search.name,)):
                raise ConfigError(f"There is a search called {search.name!r} already.", code="search_exists")
            self._db.execute(
                f"INSERT INTO saved_searches ({_SEARCH}, matched_seq) VALUES ({_SEARCH.places}, {_LAST_SEQ})",
                asdict(search),
            )

    def all(self) -> list[SavedSearch]:
        return self._all(_SEARCH, "FROM saved_searches ORDER BY name")

    def find(self, search_id: str) -> SavedSearch:
        for search in self.all():
            if search.id == search_id:
                return search
        raise NotFoundError("There is no such saved search in this dossier.", code="no_search")

    def set_sink(self, search_id: str, sink: str) -> None:
        self._db.execute("UPDATE saved_searches SET sink = ? WHERE id = ?", (sink, search_id))

    def matched(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT id, matched_seq FROM saved_searches"))

    def note(self, search_id: str, seq: int, found: Mapping[str, int], lost: Collection[str] = ()) -> None:
        with self._db.write():
            before = self._db.value("SELECT matched_seq FROM saved_searches WHERE id = ?", (search_id,))
            if before is None or before >= seq:
                # Deleted meanwhile, or another process was faster.
                return
            self._db.execute("UPDATE saved_searches SET matched_seq = ? WHERE id = ?", (seq, search_id))
            self._db.many(
                "INSERT INTO search_alerts VALUES (?1, ?2, ?3) "
                "ON CONFLICT DO UPDATE SET seq = max(search_alerts.seq, ?3)",
                [(search_id, document_id, of) for document_id, of in found.items()],
            )
            self._db.execute(
                "DELETE FROM search_alerts WHERE search_id = ? AND document_id IN (SELECT value FROM json_each(?))",
                (search_id, json.dumps(list(lost))),
            )
            self._db.execute(
                "DELETE FROM search_alerts WHERE search_id = ?1 AND seq <= coalesce((SELECT seq FROM search_alerts "
                "WHERE search_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2), 0)",
                (search_id, KEPT_ALERTS),
            )

    def alerts(self, search_id: str, limit: int) -> list[int]:
        latest = "SELECT seq FROM search_alerts WHERE search_id = ? ORDER BY seq DESC LIMIT ?"
        return self._db.column(latest, (search_id, limit))

    def fresh(self, user_id: str) -> dict[str, int]:
        rows = self._db.execute(
            "SELECT saved_searches.id, (SELECT count(*) FROM search_alerts WHERE search_id = saved_searches.id "
            "AND search_alerts.seq > coalesce(search_looks.seq, 0)) FROM saved_searches "
            "LEFT JOIN search_looks ON search_id = saved_searches.id AND user_id = ?",
            (user_id,),
        )
        return dict(rows)

    def look(self, user_id: str, search_id: str, seq: int) -> int:
        before = self._db.value(
            "SELECT seq FROM search_looks WHERE user_id = ? AND search_id = ?", (user_id, search_id)
        )
        if (before or 0) < seq:
            self._db.execute(
                "INSERT INTO search_looks VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET seq = ?3",
                (user_id, search_id, seq),
            )
        return before or 0


class SqliteSearchLog(Part):
    """The port `SearchLog`."""

    def add(self, search: SearchMade, keep: int) -> None:
        if not keep and not self._db.value("SELECT 1 FROM search_log"):
            return
        try:
            with self._db.write(wait=False):
                self._db.execute(f"INSERT INTO search_log ({_MADE}) VALUES ({_MADE.places})", asdict(search))
                self._db.execute(
                    "DELETE FROM search_log WHERE seq <= "
                    "(SELECT seq FROM search_log ORDER BY seq DESC LIMIT 1 OFFSET ?)",
                    (keep,),
                )
        except StoreError as error:
            if not error.is_busy:
                raise

    def recent(self, limit: int) -> list[SearchMade]:
        return self._all(_MADE, "FROM search_log ORDER BY seq DESC LIMIT ?", (limit,))
