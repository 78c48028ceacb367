"""Find documents again, in one dossier or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veille.core.query import parse

if TYPE_CHECKING:
    from veille.core.answers import Hit
    from veille.ports import Clock, Dossiers

MAX_LIMIT = 1000


class SearchService:
    """Search over the dossiers that the caller may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def search(self, dossier_ids: Sequence[str], text: str, limit: int = 20) -> list[Hit]:
        """The best hits first. Any text is a query; one that means nothing finds nothing."""
        query = parse(text, self._clock())
        limit = max(1, min(limit, MAX_LIMIT))
        hits: list[Hit] = []
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                hits += store.index.search(query, limit)
        return sorted(hits, key=lambda hit: (-hit.score, -hit.changed_at))[:limit]
