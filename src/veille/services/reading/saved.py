"""Saved searches, and feeds of a dossier or of a saved search."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.models import Change
from veille.core.search.answers import SavedSearch
from veille.core.search.query import parse
from veille.core.show.syndication import FeedItem
from veille.core.told import NOTHING_TOLD, value_lines, why_gone
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.records import Event, Revision
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.reading.search import SearchService

MAX_NAME = 200
MAX_QUERY = 2000
#: Changes matched in one step, and steps in one call; the rest is matched by the next call.
_STEP = 1000
_STEPS = 5
#: The states of documents that a feed has: what repeats another one is not told twice.
_TOLD = frozenset({"current", "removed"})
#: How much of a text a feed shows.
_TEXT_CHARS = 2000


@dataclass(frozen=True, slots=True)
class SearchNews:
    """A saved search, and how many new hits it has since the user last looked."""

    dossier_id: str
    search: SavedSearch
    fresh: int


class SavedSearchService:
    """Saves searches, and lists what they and their dossiers have, latest change first."""

    def __init__(self, dossiers: Dossiers, searches: SearchService, clock: Clock) -> None:
        self._dossiers = dossiers
        self._searches = searches
        self._clock = clock

    def add(self, dossier_id: str, name: str, query: str) -> SavedSearch:
        if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise ConfigError(f"A search's name has 1 to {MAX_NAME} printable characters.", code="bad_name")
        if not query.strip() or len(query) > MAX_QUERY:
            raise ConfigError(f"A search has 1 to {MAX_QUERY} characters.", code="bad_query")
        now = self._clock()
        search = SavedSearch(id=uuid7(now, dossier_id, secrets.token_hex(8)), name=name, query=query, created_at=now)
        with self._dossiers.open(dossier_id) as store:
            store.saved_searches.add(search)
        return search

    def all(self, dossier_id: str) -> list[SavedSearch]:
        with self._dossiers.open(dossier_id) as store:
            return store.saved_searches.all()

    def find(self, dossier_id: str, search_id: str) -> SavedSearch:
        with self._dossiers.open(dossier_id) as store:
            return store.saved_searches.find(search_id)

    def delete(self, dossier_id: str, search_id: str) -> int:
        """Delete a search with its results, until it is restored; returns when."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            store.trashed_setups.put("search", store.saved_searches.find(search_id).id, now)
        return now

    def set_sink(self, dossier_id: str, search_id: str, sink: str, sinks: Collection[str]) -> None:
        """Deliver new hits to one of these sinks; with an empty name, to none."""
        if sink and sink not in sinks:
            raise ConfigError(
                f"There is no sink {sink!r} for what searches find: the operator sets up one that is `only_found`.",
                code="no_sink",
            )
        with self._dossiers.open(dossier_id) as store:
            store.saved_searches.find(search_id)
            store.saved_searches.set_sink(search_id, sink)

    def news(self, dossier_id: str, user_id: str) -> list[SearchNews]:
        """The searches of a dossier, each with its new hits since the user last looked."""
        with self._dossiers.open(dossier_id) as store:
            searches = store.saved_searches.all()
            if not searches:
                return []
            self._match(store, searches)
            fresh = store.saved_searches.fresh(user_id)
        return [SearchNews(dossier_id, search, fresh.get(search.id, 0)) for search in searches]

    def look(self, dossier_id: str, user_id: str, search_id: str, limit: int) -> tuple[list[Event], int]:
        """The hits of a search since it was saved, latest first, and the last change that the user saw before."""
        with self._dossiers.open(dossier_id) as store:
            self._match(store, [store.saved_searches.find(search_id)])
            events = store.outbox.numbered(store.saved_searches.alerts(search_id, limit))
            return events, store.saved_searches.look(user_id, search_id, events[0].seq if events else 0)

    def _match(self, store: DossierStore, searches: Sequence[SavedSearch]) -> None:
        """Match the changes since the last time against the searches."""
        last, matched = store.outbox.last_seq(), store.saved_searches.matched()
        for search in searches:
            query, since = parse(search.query, self._clock()), matched.get(search.id, last)
            for _ in range(_STEPS):
                if since >= last:
                    break
                events = store.outbox.events(since, _STEP)
                changed = {event.document_id: event.seq for event in events if not event.changed_metadata}
                found = store.index.matching(query, list(changed))
                since = events[-1].seq if len(events) == _STEP else last
                hits = {document_id: changed[document_id] for document_id in found}
                store.saved_searches.note(search.id, since, hits, changed.keys() - found)

    def items(self, dossier_id: str, limit: int) -> list[FeedItem]:
        """The documents of a dossier, also those that were removed; the last changed first."""
        with self._dossiers.open(dossier_id) as store:
            found = [one for one in store.records.documents(limit=limit) if one.state in _TOLD]
            last = store.changes.last_of([one.document_id for one in found])
        return [_item(one, last.get(one.document_id)) for one in found]

    def found_items(self, dossier_id: str, search_id: str, limit: int) -> list[FeedItem]:
        """The documents that a search finds."""
        query = self.find(dossier_id, search_id).query
        hits = self._searches.search([dossier_id], query, limit, order="newest", exact=True)
        with self._dossiers.open(dossier_id) as store:
            found = [store.records.revision(hit.document_id) for hit in hits]
            last = store.changes.last_of([one.document_id for one in found])
        return [_item(one, last.get(one.document_id)) for one in found]


def _item(revision: Revision, last: Event | None) -> FeedItem:
    if last is not None and last.change is Change.REMOVED:
        return FeedItem(
            # Feed readers tell once what has one id.
            id=f"{revision.id}-gone-{last.seq}",
            url=revision.url,
            title=f"Gone: {revision.title or revision.url}",
            text=revision.text[:_TEXT_CHARS],
            changed_at=last.at,
            lang=revision.lang,
            lines=(why_gone(last.told) or "It was removed from its source.",),
        )
    told = last.told if last is not None else NOTHING_TOLD
    return FeedItem(
        id=revision.id,
        url=revision.url,
        title=revision.title,
        text=revision.text[:_TEXT_CHARS],
        changed_at=revision.extracted_at,
        lang=revision.lang,
        # The lead of a new document is in its text.
        edits=told.excerpt if last is not None and last.change is Change.CHANGED else (),
        lines=tuple(value_lines(told)),
    )
