"""Search for documents, in one dossier or several; and a log of the searches made through the API."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.search.answers import Ranking, SearchMade
from veille.core.search.query import Query, of_words, parse, spoken
from veille.core.search.question import check_mode, is_question, is_relaxed
from veille.core.search.refine import Facet, facets, loosened
from veille.core.search.spelling import Near, corrected, doubtful, written
from veille.core.text import visible
from veille.errors import ConfigError, NotFoundError, SinkError, StoreError
from veille.services.analyse.popular import RANKED as POPULAR
from veille.services.analyse.popular import by_popularity
from veille.services.meaning.blending import Blending

if TYPE_CHECKING:
    from veille.core.search.answers import Hit, Labels
    from veille.core.search.question import SearchMode, SearchOrder
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.contents import Index
    from veille.ports.meaning import Embedders


MAX_LIMIT = 1000
#: Hits that can be paged through, and over which facets are counted.
COUNTED = 500
#: How many hits by words are compared with those by meaning.
_COMPARED = 400
#: In how many dossiers typing errors are looked for, and in how many words of a search.
_SPELLED, _CORRECTED = 20, 5


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
    #: Whether they have any of the words, in any form, instead of all as written.
    by_any: bool
    #: The text with typing errors corrected, if there seem to be any; else empty.
    suggestion: str
    #: Those of several dossiers that cannot be read now.
    unreadable: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """A ranking, and what it was asked with."""

    ranking: Ranking
    query: Query
    is_loosened: bool = False
    by_any: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether there are hits, and they have all words as they are."""
        return bool(self.ranking.hits) and not self.is_loosened and not self.by_any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Where and how to rank; dossiers that fail are added to `unreadable`, if given, and left out."""

    dossier_ids: Sequence[str]
    #: What of it is a question, as it was typed.
    text: str
    limit: int
    order: SearchOrder = "best"
    unreadable: set[str] | None = None
    #: Whether any of its words are enough, however few it has.
    as_question: bool = False

    @property
    def newest(self) -> bool:
        return self.order == "newest"


class SearchService:
    """Search over the dossiers that the caller may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock, embedders: Embedders | None = None) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self._blending = None if embedders is None else Blending(dossiers, embedders)

    def search(
        self,
        dossier_ids: Sequence[str],
        text: str,
        limit: int = 20,
        *,
        order: SearchOrder = "best",
        mode: SearchMode | None = None,
        exact: bool = False,
    ) -> list[Hit]:
        """The best, newest or most popular hits first. Any text is a valid query; one without terms finds nothing.

        A question, and words that no document has all of, are ranked by any of them, in any form; not if `exact`.
        """
        limit = max(1, min(limit, MAX_LIMIT))
        ranked = max(limit, POPULAR) if order == "popular" else limit
        asked = _Asked(dossier_ids=dossier_ids, text=spoken(text), limit=ranked, order=order)
        return self._shown(self._answer(asked, parse(text, self._clock()), mode, exact=exact), 0, limit)

    def ranked(
        self, dossier_ids: Sequence[str], text: str, limit: int = 100, *, mode: SearchMode | None = None
    ) -> list[Hit]:
        """As `search`, for a question of any length in which no sign is an operator.

        Hits have no snippets, which cost more than ranking.
        """
        limit = max(1, min(limit, MAX_LIMIT))
        asked = _Asked(dossier_ids=dossier_ids, text=visible(text), limit=limit, as_question=True)
        return self._answer(asked, of_words(text), mode).ranking.hits

    def find(
        self,
        dossier_ids: Sequence[str],
        text: str,
        start: int,
        limit: int,
        *,
        order: SearchOrder = "best",
        mode: SearchMode | None = None,
    ) -> FoundPage:
        """A page of the hits, with facets to refine them. While words are typed, the last one may be unfinished."""
        now = self._clock()
        unreadable: set[str] | None = set() if len(dossier_ids) > 1 else None
        asked = _Asked(
            dossier_ids=dossier_ids, text=spoken(text), limit=COUNTED + 1, order=order, unreadable=unreadable
        )
        answer = self._answer(asked, parse(text, now), mode, loosens=True)
        counted = answer.ranking.hits[:COUNTED]
        return FoundPage(
            query=answer.query,
            hits=self._shown(answer, start, min(start + limit, COUNTED)),
            total=len(counted),
            facets=facets(text, answer.query, counted, now, self._labels(counted)),
            is_more=len(answer.ranking.hits) > COUNTED,
            is_cut=answer.ranking.is_cut,
            is_loosened=answer.is_loosened,
            by_any=answer.by_any,
            suggestion="" if answer.is_exact else self.suggestion(dossier_ids, text),
            unreadable=frozenset(unreadable or ()),
        )

    def facets(self, dossier_ids: Sequence[str], text: str, mode: SearchMode | None = None) -> list[Facet]:
        """What the hits of a search have in common, to refine it by."""
        return self.find(dossier_ids, text, 0, 0, mode=mode).facets

    def suggestion(self, dossier_ids: Sequence[str], text: str) -> str:
        """The text of a search with typing errors corrected; empty if there seem to be none.

        They are words that no document has, and that are one or two letters away from a word that some have; or half of
        such a word is, and its other half is known.
        """
        words = doubtful(parse(text, self._clock()))
        near: dict[str, Near] = {}
        for dossier_id in dossier_ids[:_SPELLED] if words else ():
            with suppress(NotFoundError, StoreError), self._dossiers.open(dossier_id) as store:
                words = store.index.unknown(words)
        for dossier_id in dossier_ids[:_SPELLED] if words else ():
            with suppress(NotFoundError, StoreError), self._dossiers.open(dossier_id) as store:
                for word in list(words)[:_CORRECTED]:
                    other = store.index.nearest(word)
                    if other.documents > near.get(word, Near()).documents:
                        other = other._replace(word=_written(store, other.word))
                        # Compounds of other words than nouns are as many as their forms.
                        if not other.half or (other.word.istitle() and _written(store, other.half).istitle()):
                            near[word] = other
        return corrected(text, near) if near else ""

    def by_meaning(self, dossier_ids: Sequence[str]) -> bool:
        """Whether any of these dossiers can be searched by meaning."""
        return self._blending is not None and self._blending.is_on(dossier_ids)

    def _answer(
        self, asked: _Asked, query: Query, mode: SearchMode | None, *, exact: bool = False, loosens: bool = False
    ) -> _Answer:
        """The answer in the order that was asked for."""
        answer = self._ranked_answer(asked, query, mode, exact=exact, loosens=loosens)
        if asked.order != "popular":
            return answer
        hits = by_popularity(self._dossiers, answer.ranking.hits, self._clock())
        return replace(answer, ranking=replace(answer.ranking, hits=hits))

    def _ranked_answer(
        self, asked: _Asked, query: Query, mode: SearchMode | None, *, exact: bool, loosens: bool
    ) -> _Answer:
        """The answer by words, by meaning, or by both; by default by both to questions, where meaning is known."""
        check_mode(mode)
        if mode in {"meaning", "both"}:
            # Who looks for what something means does not look for each of a few words.
            asked = replace(asked, as_question=True)
        if exact or not self._may_blend(asked, query, mode):
            return self._by_words(asked, query, exact=exact, loosens=loosens)
        # The first hits are the same however many are wanted, and what meaning finds has its own score by words, too.
        answer = self._by_words(replace(asked, limit=max(asked.limit, _COMPARED)), query, exact=exact, loosens=loosens)
        hits = self._blended(asked, query, mode, answer)
        if hits is None:
            return replace(answer, ranking=replace(answer.ranking, hits=answer.ranking.hits[: asked.limit]))
        return replace(answer, query=query, is_loosened=False, ranking=Ranking(hits[: asked.limit]))

    def _may_blend(self, asked: _Asked, query: Query, mode: SearchMode | None) -> bool:
        """Whether hits by meaning may be joined with those by words."""
        if mode == "words" or asked.newest or not is_relaxed(query) or self._blending is None:
            return False
        return mode is not None or self._blending.is_on(asked.dossier_ids)

    def _blended(self, asked: _Asked, query: Query, mode: SearchMode | None, answer: _Answer) -> list[Hit] | None:
        """The hits by words and meaning, or by meaning alone; None if words are all that helps."""
        if self._blending is None or (mode is None and not (is_question(query) or answer.by_any)):
            return None
        try:
            return self._blending.blended(
                asked.dossier_ids,
                (query, asked.text),
                answer.ranking.hits,
                asked.limit,
                by_words=mode != "meaning",
            )
        except (SinkError, ConfigError):
            # An embedder that cannot be used now is no reason to find nothing, unless it was asked for.
            if mode is not None:
                raise
            return None

    def _by_words(self, asked: _Asked, query: Query, *, exact: bool, loosens: bool) -> _Answer:
        """The first of these with hits: a question by any word; all words; the last one unfinished; any of them."""
        is_asked = is_question(query) or (asked.as_question and is_relaxed(query))
        if not exact and is_asked and (found := self._by_any(asked, query)).hits:
            return _Answer(ranking=found, query=query, by_any=True)
        found = self._by_all(asked, query)
        if found.hits or exact:
            return _Answer(ranking=found, query=query)
        looser = loosened(query) if loosens else None
        if looser is not None and (some := self._by_all(asked, looser)).hits:
            return _Answer(ranking=some, query=looser, is_loosened=True)
        if is_relaxed(query) and not is_asked and (some := self._by_any(asked, query)).hits:
            return _Answer(ranking=some, query=query, by_any=True)
        return _Answer(ranking=found, query=query)

    def _by_all(self, asked: _Asked, query: Query) -> Ranking:
        """The hits with all words of a query, as they are written."""
        limit, newest = asked.limit, asked.newest
        return self._ranked(asked, lambda index, floor: index.ranked(query, limit, newest=newest, floor=floor))

    def _by_any(self, asked: _Asked, query: Query) -> Ranking:
        """The hits with any of the words of a query, in any form; the newest are the newest of the best."""
        return self._ranked(asked, lambda index, floor: index.answering(query, asked.limit, floor=floor))

    def _ranked(self, asked: _Asked, rank: Callable[[Index, float], Ranking]) -> Ranking:
        """The hits of all dossiers."""
        hits: list[Hit] = []
        is_cut = False
        best: list[float] = []
        limit, unreadable = asked.limit, asked.unreadable
        for dossier_id in asked.dossier_ids:
            # Once there are enough hits, only those at least as good as the worst of them matter.
            floor = best[-1] if len(best) == limit else float("-inf")
            try:
                with self._dossiers.open(dossier_id) as store:
                    found = rank(store.index, floor)
            except (NotFoundError, StoreError) as error:
                if unreadable is None:
                    raise
                # A dossier that is not found was deleted meanwhile.
                unreadable |= {dossier_id} if isinstance(error, StoreError) else set()
                continue
            hits += found.hits
            is_cut = is_cut or found.is_cut
            best = nlargest(limit, chain(best, (hit.score for hit in found.hits)))
        order = (
            (lambda hit: (-hit.dated_at, -hit.score)) if asked.newest else (lambda hit: (-hit.score, -hit.changed_at))
        )
        return Ranking(sorted(hits, key=order)[:limit], is_cut)

    def _labels(self, hits: Sequence[Hit]) -> dict[tuple[str, str], Labels]:
        """The topics and tags of hits, by dossier and document."""
        found: dict[tuple[str, str], Labels] = {}
        for dossier_id, some in _by_dossier(hits).items():
            with self._dossiers.open(dossier_id) as store:
                labels = store.index.labels([hit.document_id for hit in some])
            found |= {(dossier_id, document_id): one for document_id, one in labels.items()}
        return found

    def _shown(self, answer: _Answer, start: int, end: int) -> list[Hit]:
        """Some of the hits with snippets, in the same order."""
        hits = answer.ranking.hits[start:end]
        shown: dict[tuple[str, str], Hit] = {}
        for dossier_id, some in _by_dossier(hits).items():
            with self._dossiers.open(dossier_id) as store:
                found = store.index.with_snippets(answer.query, some, any_form=answer.by_any)
            shown |= {(dossier_id, hit.document_id): hit for hit in found}
        return [shown[hit.dossier_id, hit.document_id] for hit in hits]


def _by_dossier(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        found[hit.dossier_id].append(hit)
    return found


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


def _written(store: DossierStore, word: str) -> str:
    """A word of the index as it stands in the document that has it most."""
    for hit in store.index.answering(of_words(word), 1).hits:
        revision = store.records.revision(hit.document_id)
        return written(word, f"{revision.title}\n{revision.text}")
    return word
