"""Search for documents, in one dossier or several; and a log of the searches made through the API."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.search.answers import Ranking, SearchMade
from veille.core.search.query import Query, parse
from veille.core.search.refine import Facet, facets, loosened
from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.search.answers import Hit
    from veille.ports import Clock, Dossiers


MAX_LIMIT = 1000
#: Hits that can be paged through, and over which facets are counted.
COUNTED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page of hits, and the facets of all of them."""

    query: Query
    hits: list[Hit]
    #: How many hits there are, up to `COUNTED`.
    total: int
    facets: list[Facet]
    #: Whether there are more hits than that.
    is_more: bool
    #: Whether there are so many that only the newest matches were ranked.
    is_cut: bool
    #: Whether nothing matched, so that the last word was taken as a prefix.
    is_loosened: bool
    #: Those of several dossiers that cannot be read now.
    unreadable: frozenset[str]


class SearchService:
    """Search over the dossiers that the caller may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def search(self, dossier_ids: Sequence[str], text: str, limit: int = 20, *, newest: bool = False) -> list[Hit]:
        """The best, or the newest, hits first. Any text is a valid query; one without terms finds nothing."""
        query = parse(text, self._clock())
        limit = max(1, min(limit, MAX_LIMIT))
        found = self._ranked(dossier_ids, query, limit, newest=newest)
        return self._shown(query, found.hits[:limit])

    def find(self, dossier_ids: Sequence[str], text: str, start: int, limit: int, *, newest: bool = False) -> FoundPage:
        """A page of the hits, with facets to refine them."""
        now = self._clock()
        query = parse(text, now)
        unreadable: set[str] | None = set() if len(dossier_ids) > 1 else None
        found = self._ranked(dossier_ids, query, COUNTED + 1, unreadable, newest=newest)
        looser = None if found.hits else loosened(query)
        if looser is not None:
            found, query = self._ranked(dossier_ids, looser, COUNTED + 1, unreadable, newest=newest), looser
        counted = found.hits[:COUNTED]
        return FoundPage(
            query=query,
            hits=self._shown(query, counted[start : start + limit]),
            total=len(counted),
            facets=facets(text, query, counted, now),
            is_more=len(found.hits) > COUNTED,
            is_cut=found.is_cut,
            is_loosened=looser is not None and bool(counted),
            unreadable=frozenset(unreadable or ()),
        )

    def _ranked(
        self,
        dossier_ids: Sequence[str],
        query: Query,
        limit: int,
        unreadable: set[str] | None = None,
        *,
        newest: bool,
    ) -> Ranking:
        """The hits of all dossiers; those that fail are added to `unreadable`, if given, and left out."""
        hits: list[Hit] = []
        is_cut = False
        best: list[float] = []
        for dossier_id in dossier_ids:
            # Once there are enough hits, only those at least as good as the worst of them matter.
            floor = best[-1] if len(best) == limit else float("-inf")
            try:
                with self._dossiers.open(dossier_id) as store:
                    found = store.index.ranked(query, limit, newest=newest, floor=floor)
            except (NotFoundError, StoreError) as error:
                if unreadable is None:
                    raise
                # A dossier that is not found was deleted meanwhile.
                unreadable |= {dossier_id} if isinstance(error, StoreError) else set()
                continue
            hits += found.hits
            is_cut = is_cut or found.is_cut
            best = nlargest(limit, chain(best, (hit.score for hit in found.hits)))
        order = (lambda hit: (-hit.dated_at, -hit.score)) if newest else (lambda hit: (-hit.score, -hit.changed_at))
        return Ranking(sorted(hits, key=order)[:limit], is_cut)

    def _shown(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """The hits with snippets, in the same order."""
        by_dossier: dict[str, list[Hit]] = defaultdict(list)
        for hit in hits:
            by_dossier[hit.dossier_id].append(hit)
        shown: dict[tuple[str, str], Hit] = {}
        for dossier_id, some in by_dossier.items():
            with self._dossiers.open(dossier_id) as store:
                shown |= {(dossier_id, hit.document_id): hit for hit in store.index.with_snippets(query, some)}
        return [shown[hit.dossier_id, hit.document_id] for hit in hits]


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
