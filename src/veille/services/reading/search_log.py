"""A log of the last searches made through the API, in their dossier."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.search.answers import SearchMade

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers


class SearchLogService:
    """Keeps the last `keep` searches; with 0 none, and deletes those there are."""

    def __init__(self, dossiers: Dossiers, clock: Clock, keep: int) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self._keep = keep

    def note(self, dossier_id: str, query: str, found: int) -> None:
        now = self._clock()
        made = SearchMade(
            id=uuid7(now, dossier_id, secrets.token_hex(8)), query=query, result_count=found, searched_at=now
        )
        with self._dossiers.open(dossier_id) as store:
            store.search_log.add(made, self._keep)

    def recent(self, dossier_id: str, limit: int = 50) -> list[SearchMade]:
        """Newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.search_log.recent(limit)
