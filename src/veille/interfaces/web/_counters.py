"""The numbers beside each dossier, on every page: counted seldom, remembered for some seconds."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.services.access import Access
    from veille.services.saved import SavedSearchService, SearchNews

#: How long a number is good.
_KEEP_S = 10.0
#: Of so many dossiers numbers are counted for one page; the others show the ones they had.
_AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Counts:
    """What is unread in a dossier, and how many of its sources fail."""

    unread: int = 0
    ailing: int = 0
    #: Saved searches that found something since they last looked.
    news: tuple[SearchNews, ...] = ()


class Counters:
    """Of all people and dossiers that somebody looks at."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[float, Counts]] = {}

    def of(self, access: Access, dossiers: Iterable[Dossier], saved: SavedSearchService) -> dict[str, Counts]:
        """By the ids of the dossiers."""
        user_id, now, counted = access.who.user_id, time.monotonic(), 0
        found = {}
        for dossier in dossiers:
            at, counts = self._known.get((user_id, dossier.id), (float("-inf"), Counts()))
            if now - at > _KEEP_S and counted < _AT_ONCE:
                counts, counted = _count(access, saved, dossier.id), counted + 1
                self._known[user_id, dossier.id] = (now, counts)
            found[dossier.id] = counts
        return found

    def forget(self, user_id: str) -> None:
        """They did something: count anew."""
        for key in [key for key in list(self._known) if key[0] == user_id]:
            self._known.pop(key, None)


def _count(access: Access, saved: SavedSearchService, dossier_id: str) -> Counts:
    user_id = access.who.user_id
    try:
        with access.open(dossier_id) as store:
            unread, ailing = store.marks.unread(user_id), len(store.sources.ailing())
        news = tuple(one for one in saved.news(dossier_id, user_id) if one.fresh)
        return Counts(unread, ailing, news)
    except (NotFoundError, StoreError):
        # Deleted meanwhile, or its file is damaged: the page that opens it says so.
        return Counts()
