"""The counts beside each dossier on every page, cached for some seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.services.container import Services
    from veille.services.reading.saved import SearchNews

#: How long a count is fresh.
_KEEP_S = 10.0
#: At most so many dossiers are recounted for one page; the others show their previous counts.
_AT_ONCE = 25
#: Before all times, but after -inf, which marks dossiers to count first.
_NEVER = -1e18


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of unread changes in a dossier, and of its failing sources."""

    unread: int = 0
    ailing: int = 0
    #: Saved searches with finds that this user has not seen.
    news: tuple[SearchNews, ...] = ()


class Counters:
    """Cached counts, by user and dossier."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[str, str], tuple[float, Counts]] = {}

    def of(self, services: Services, user_id: str, dossiers: Iterable[Dossier], here: str = "") -> dict[str, Counts]:
        """Counts by dossier id; the dossier on screen (`here`) is counted first, then those counted longest ago."""
        now = self._clock()
        ids = [dossier.id for dossier in dossiers]
        known = {one: self._known.get((user_id, one), (_NEVER, Counts())) for one in ids}
        turns = sorted(
            (one for one in ids if now - known[one][0] > _KEEP_S), key=lambda one: (one != here, known[one][0])
        )
        for one in turns[:_AT_ONCE]:
            known[one] = self._known[user_id, one] = (now, _count(services, user_id, one))
        return {one: counts for one, (_, counts) in known.items()}

    def forget(self, user_id: str, dossier_ids: Collection[str] = ()) -> None:
        """Mark a user's counts as stale after an action, these dossiers first; old counts are shown until recounted."""
        for (known_id, dossier_id), (at, counts) in list(self._known.items()):
            if known_id == user_id:
                begun = float("-inf") if dossier_id in dossier_ids else at - 2 * _KEEP_S
                self._known[user_id, dossier_id] = (begun, counts)


def _count(services: Services, user_id: str, dossier_id: str) -> Counts:
    try:
        with services.reading(dossier_id) as reading:
            unread, ailing = reading.marks.unread(user_id), len(reading.sources.ailing())
        news = tuple(one for one in services.saved.news(dossier_id, user_id) if one.fresh)
        return Counts(unread, ailing, news)
    except (NotFoundError, StoreError):
        # Deleted meanwhile, or its file is damaged: the dossier's own page shows the error.
        return Counts()
