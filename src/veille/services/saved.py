"""Searches kept under a name, and feeds of what a dossier or a search has."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from veille.core.answers import Hit, SavedSearch
from veille.core.fingerprint import uuid7
from veille.core.syndication import FeedItem
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.records import Revision
    from veille.ports import Clock, Dossiers
    from veille.services.search import SearchService

MAX_NAME = 200
MAX_QUERY = 2000
#: How much of a text a feed shows.
_TEXT_CHARS = 2000


class SavedSearchService:
    """Keeps searches, and tells what they and their dossiers have, the latest change first."""

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

    def delete(self, dossier_id: str, search_id: str) -> None:
        with self._dossiers.open(dossier_id) as store:
            store.saved_searches.find(search_id)
            store.saved_searches.delete(search_id)

    def hits(self, dossier_id: str, search_id: str, limit: int) -> list[Hit]:
        return self._searches.search([dossier_id], self.find(dossier_id, search_id).query, limit)

    def items(self, dossier_id: str, limit: int) -> list[FeedItem]:
        """The documents of a dossier."""
        with self._dossiers.open(dossier_id) as store:
            found = store.records.documents(limit=limit)
        return [_item(one) for one in found if one.state == "current"]

    def found_items(self, dossier_id: str, search_id: str, limit: int) -> list[FeedItem]:
        """What a search finds."""
        hits = sorted(self.hits(dossier_id, search_id, limit), key=lambda hit: -hit.changed_at)
        with self._dossiers.open(dossier_id) as store:
            found = [store.records.revision(hit.document_id) for hit in hits]
        return list(map(_item, found))


def _item(revision: Revision) -> FeedItem:
    return FeedItem(
        id=revision.id,
        url=revision.url,
        title=revision.title,
        text=revision.text[:_TEXT_CHARS],
        changed_at=revision.extracted_at,
        lang=revision.lang,
    )
