"""Which documents are popular and why, and a digest of what happened: one entry for each story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from veille.core.analyse.analysis import MOST_CHARS, Analysis
from veille.core.analyse.popularity import Popularity, popularity, reasons, standing
from veille.core.analyse.summary import summary
from veille.core.records import DocumentFilter
from veille.core.schedule import DAY
from veille.core.search.query import parse
from veille.core.text import printed
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.records import DocumentLine, Event
    from veille.core.search.answers import Hit
    from veille.ports import Clock, Dossiers, DossierStore

#: As many documents are compared for a digest, the last changed ones.
COMPARED: Final = 5000
_WEEK: Final = 7 * DAY
#: As many of the best hits of a search are ordered by popularity: the others have little to do with it.
RANKED: Final = 100
MOST_BRANDS: Final = 50
_MOST_BRAND: Final = 60
_NOTHING: Final = Analysis()


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestEntry:
    """One thing that happened: the document that tells it, and what speaks for it."""

    place: int
    document_id: str
    #: Empty if no other document tells it.
    story_id: str
    title: str
    url: str
    source_id: str
    source_name: str
    published_at: int | None
    changed_at: int
    summary: str
    #: `rules` or the name of a model; empty if the document was not analysed, and its first sentences are shown.
    summary_by: str
    tone: str
    topics: tuple[str, ...]
    tags: tuple[str, ...]
    score: float
    #: Why it stands where it does, part by part.
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What happened since a time, the most popular first."""

    since_at: int
    until_at: int
    #: How many documents were new or changed, and how many stories they tell; no more than are compared.
    documents: int
    stories: int
    entries: tuple[DigestEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestWish:
    """Which time, and of what: 0 for the last week."""

    since: int = 0
    source_id: str = ""
    tag: str = ""
    limit: int = 10


class PopularService:
    """The popularity of the documents that the caller may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def of(self, dossier_id: str, document_ids: Sequence[str]) -> dict[str, Popularity]:
        """The popularity of these documents."""
        with self._dossiers.open(dossier_id) as store:
            return popularity_of(store, document_ids)

    def standings(self, dossier_id: str, document_ids: Sequence[str]) -> dict[str, tuple[float, tuple[str, ...]]]:
        """Where these documents stand in a list, the larger the higher, and why."""
        now = self._clock()
        found = self.of(dossier_id, document_ids)
        return {document_id: (standing(one, now), reasons(one, now)) for document_id, one in found.items()}

    def digest(self, dossier_id: str, wish: DigestWish) -> Digest:
        """What happened since a time: the most popular stories, each with the document that is most popular in it."""
        now = self._clock()
        since = wish.since or now - _WEEK
        with self._dossiers.open(dossier_id) as store:
            ids = store.signals.recent(since, COMPARED, wish.source_id, wish.tag)
            found = popularity_of(store, ids)
            stories = store.stories.of_many(ids)
            best: dict[str, str] = {}
            for document_id in sorted(ids, key=lambda one: (-standing(found[one], now), one)):
                best.setdefault(stories.get(document_id, document_id), document_id)
            entries = _entries(store, tuple(best.values())[: wish.limit], found, now)
        return Digest(since_at=since, until_at=now, documents=len(ids), stories=len(best), entries=entries)

    def changes(self, dossier_id: str, since: int, limit: int) -> list[tuple[Event, tuple[float, tuple[str, ...]]]]:
        """The last change of the most popular documents that changed after a number, each with where it stands and why.

        Only the last changes of a dossier are compared.
        """
        with self._dossiers.open(dossier_id) as store:
            events = [one for one in store.outbox.latest(None, COMPARED) if one.seq > since]
        last = {one.document_id: one for one in reversed(events)}
        found = self.standings(dossier_id, list(last))
        ranked = sorted(found, key=lambda one: (-found[one][0], -last[one].seq))
        return [(last[document_id], found[document_id]) for document_id in ranked[:limit]]

    def brands(self, dossier_id: str) -> tuple[str, ...]:
        """The names whose mention makes a document more popular."""
        with self._dossiers.open(dossier_id) as store:
            return store.analyses.brands()

    def set_brands(self, dossier_id: str, brands: Sequence[str]) -> tuple[str, ...]:
        """Save these names; ConfigError if one cannot be looked for."""
        wanted = tuple(dict.fromkeys(printed(brand).replace('"', "") for brand in brands))
        if len(wanted) > MOST_BRANDS or any(not _is_brand(brand) for brand in wanted):
            raise ConfigError(
                f"A dossier has up to {MOST_BRANDS} brands, each a name of up to {_MOST_BRAND} characters with a "
                "letter or a digit.",
                code="bad_brands",
            )
        with self._dossiers.open(dossier_id) as store:
            store.analyses.set_brands(wanted)
        return wanted


def since_of(text: str, now: int) -> int:
    """The time that `7d` or a date means; ConfigError if it is none.

    >>> since_of("1970-01-02", 0)
    86400000
    """
    found = parse(f"after:{text.strip()}", now).after
    if found is None:
        raise ConfigError(f"{text[:40]!r} is no time: write 1d, 7d, 4w or 2026-05-01.", code="bad_time")
    return found


def popularity_of(store: DossierStore, document_ids: Sequence[str]) -> dict[str, Popularity]:
    """The popularity of these documents, with the brands that they name: some queries, however many there are."""
    ids = list(document_ids)
    named: dict[str, list[str]] = {}
    for brand in store.analyses.brands():
        for document_id in store.index.matching(parse(f'"{brand}"', 0), ids):
            named.setdefault(document_id, []).append(brand)
    signals = store.signals.of(ids)
    return {
        document_id: popularity(replace(one, brands=tuple(named.get(document_id, ()))))
        for document_id, one in signals.items()
    }


def by_popularity(dossiers: Dossiers, hits: Sequence[Hit], now: int) -> list[Hit]:
    """The best hits of a search with the most popular first, each with why; further ones stay behind them."""
    best, rest = hits[:RANKED], hits[RANKED:]
    ids: dict[str, list[str]] = {}
    for hit in best:
        ids.setdefault(hit.dossier_id, []).append(hit.document_id)
    places: dict[tuple[str, str], tuple[float, tuple[str, ...]]] = {}
    for dossier_id, some in ids.items():
        with dossiers.open(dossier_id) as store:
            found = popularity_of(store, some)
        places |= {(dossier_id, name): (standing(one, now), reasons(one, now)) for name, one in found.items()}
    told = [(places.get((hit.dossier_id, hit.document_id), (float("-inf"), ())), hit) for hit in best]
    told.sort(key=lambda one: -one[0][0])
    return [replace(hit, why=why) for (_, why), hit in told] + list(rest)


def most_popular(
    store: DossierStore, lines: Sequence[DocumentLine], limit: int, now: int
) -> tuple[list[DocumentLine], dict[str, tuple[str, ...]]]:
    """So many of these documents, the most popular first; and why each stands where it does."""
    found = popularity_of(store, [line.id for line in lines])
    places = {document_id: standing(one, now) for document_id, one in found.items()}
    ranked = sorted(lines, key=lambda line: -places.get(line.id, float("-inf")))[:limit]
    return ranked, {line.id: reasons(found[line.id], now) for line in ranked if line.id in found}


def _entries(
    store: DossierStore, ids: tuple[str, ...], found: dict[str, Popularity], now: int
) -> tuple[DigestEntry, ...]:
    lines, _ = store.records.lines(DocumentFilter(only=ids), None, max(1, len(ids)))
    by_id = {line.id: line for line in lines}
    analyses, stories = store.analyses.of(ids), store.changes.tellers(ids)
    entries = []
    for place, document_id in enumerate(ids, start=1):
        line, made = by_id.get(document_id), analyses.get(document_id)
        if line is None:
            # It was deleted a moment ago.
            continue
        told, known = found[document_id], made.analysis if made is not None else _NOTHING
        entries.append(
            DigestEntry(
                place=place,
                document_id=document_id,
                story_id=stories.get(document_id, ("", 0))[0],
                title=line.title,
                url=line.url,
                source_id=line.source_id,
                source_name=line.source_name,
                published_at=line.published_at,
                changed_at=line.changed_at,
                summary=known.summary or summary(line.title, store.records.revision(line.id).text[:MOST_CHARS]),
                summary_by=made.made_by if made is not None else "",
                tone=known.tone_word,
                topics=known.topics,
                tags=known.tags,
                score=told.score,
                why=reasons(told, now),
            )
        )
    return tuple(entries)


def _is_brand(brand: str) -> bool:
    return len(brand) <= _MOST_BRAND and any(sign.isalnum() for sign in brand)
