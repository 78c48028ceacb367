"""The numbers beside each dossier, on every page: counted seldom, remembered for some seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.services.people.access import Access
    from veille.services.reading.saved import SavedSearchService, SearchNews

#: How long a number is good.
_KEEP_S = 10.0
#: Of so many dossiers numbers are counted for one page; the others show the ones they had until their turn comes.
_AT_ONCE = 25
#: Before all times; after what has to be counted at once.
_NEVER = -1e18


@dataclass(frozen=True, slots=True)
class Counts:
    """What is unread in a dossier, and how many of its sources fail."""

    unread: int = 0
    ailing: int = 0
    #: Saved searches that found something since they last looked.
    news: tuple[SearchNews, ...] = ()


class Counters:
    """Of all people and dossiers that somebody looks at."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[str, str], tuple[float, Counts]] = {}

    def of(
        self, access: Access, dossiers: Iterable[Dossier], saved: SavedSearchService, here: str = ""
    ) -> dict[str, Counts]:
        """By the ids of the dossiers; one that is looked at now has its turn first, then those counted longest ago."""
        user_id, now = access.who.user_id, self._clock()
        ids = [dossier.id for dossier in dossiers]
        known = {one: self._known.get((user_id, one), (_NEVER, Counts())) for one in ids}
        turns = sorted(
            (one for one in ids if now - known[one][0] > _KEEP_S), key=lambda one: (one != here, known[one][0])
        )
        for one in turns[:_AT_ONCE]:
            known[one] = self._known[user_id, one] = (now, _count(access, saved, one))
        return {one: counts for one, (_, counts) in known.items()}

    def forget(self, user_id: str, dossier_ids: Collection[str] = ()) -> None:
        """They did something: count anew, these dossiers first; until then what was counted is better than nothing."""
        for (known_id, dossier_id), (at, counts) in list(self._known.items()):
            if known_id == user_id:
                begun = float("-inf") if dossier_id in dossier_ids else at - 2 * _KEEP_S
                self._known[user_id, dossier_id] = (begun, counts)


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
