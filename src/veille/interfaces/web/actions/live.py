"""What every page shows of each dossier: unread changes, failing sources, and the current activity.

Counting opens a dossier, so counts are cached for some seconds, and for one page only some dossiers are counted anew.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlencode

from veille.core.schedule import DAY
from veille.core.workload import Pulse
from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.core.report.tags import TagUse
    from veille.services.container import Services
    from veille.services.reading.saved import SearchNews

#: How long activity is fresh: for a stream, and for a page, which a stream will update.
FRESH_S, PAGE_S = 1.5, 10.0
#: How long the counts beside dossiers are fresh.
_KEEP_S = 10.0
#: At most so many dossiers are counted at once; the others show their previous counts, and come next.
_AT_ONCE = 25
#: Tags in the rail; the page of sources has all.
_RAIL_TAGS = 20
#: Most dossiers in the cache of activity.
_MOST = 5000
#: Before all times, but after -inf, which marks dossiers to count first.
_NEVER = -1e18

_Value = TypeVar("_Value")


class _Cache(Generic[_Value]):
    """A value for each dossier."""

    def __init__(self, empty: _Value, clock: Callable[[], float] = time.monotonic) -> None:
        self._empty = empty
        self._clock = clock
        #: When each was counted, and its value.
        self.known: dict[str, tuple[float, _Value]] = {}

    def get(self, dossier_id: str) -> tuple[float, _Value]:
        return self.known.get(dossier_id, (_NEVER, self._empty))

    def of(
        self, dossiers: Iterable[Dossier], count: Callable[[str], _Value], keep_s: float, here: str = ""
    ) -> dict[str, _Value]:
        """Values at most `keep_s` old; the dossier `here` is counted first, then those counted longest ago."""
        now = self._clock()
        found = {dossier.id: self.get(dossier.id) for dossier in dossiers}
        stale = [one for one, (at, _) in found.items() if now - at > keep_s]
        for one in sorted(stale, key=lambda one: (one != here, found[one][0]))[:_AT_ONCE]:
            try:
                value = count(one)
            except (NotFoundError, StoreError):
                # Deleted meanwhile, or its file is damaged: the dossier's own page shows the error.
                value = self._empty
            found[one] = self.known[one] = (now, value)
        return {one: value for one, (_, value) in found.items()}


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of unread changes in a dossier, and of its failing sources."""

    unread: int = 0
    ailing: int = 0
    #: Alerts of the last day.
    alerts: int = 0
    #: Saved searches with finds that this user has not seen.
    news: tuple[SearchNews, ...] = ()
    tags: tuple[TagUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RailTag:
    """A tag in the rail: where it leads, and how many documents with it are unread."""

    name: str
    href: str
    unread: int
    dossier_name: str


def rail_tags(counts: Mapping[str, Counts], dossiers: Iterable[Dossier], here: Dossier | None) -> list[RailTag]:
    """The tags of the dossier on screen; elsewhere those of all dossiers with something unread, most unread first."""
    found = [
        RailTag(
            name=one.name,
            href=f"/d/{dossier.id}?{urlencode({'tag': one.name})}",
            unread=one.unread,
            dossier_name=dossier.name,
        )
        for dossier in ([here] if here else dossiers)
        if dossier.id in counts
        for one in counts[dossier.id].tags
        if here or one.unread
    ]
    return found[:_RAIL_TAGS] if here else sorted(found, key=lambda one: -one.unread)[:_RAIL_TAGS]


class Counters:
    """The counts beside each dossier, by user."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._caches: dict[str, _Cache[Counts]] = defaultdict(lambda: _Cache(Counts(), clock))

    def of(self, services: Services, user_id: str, dossiers: Iterable[Dossier], here: str = "") -> dict[str, Counts]:
        """Counts by dossier id; the dossier on screen (`here`) is counted first."""
        return self._caches[user_id].of(dossiers, partial(_counts, services, user_id), _KEEP_S, here)

    def saw(self, user_id: str, unread: Mapping[str, int]) -> None:
        """A page has just counted these unread changes itself: beside the dossiers stands the same."""
        known = self._caches[user_id].known
        for dossier_id, count in unread.items():
            if dossier_id in known:
                at, counts = known[dossier_id]
                known[dossier_id] = (at, replace(counts, unread=count))

    def forget(self, user_id: str, dossier_ids: Collection[str] = ()) -> None:
        """Mark a user's counts as stale after an action, these dossiers first; old counts are shown until recounted."""
        known = self._caches[user_id].known
        for dossier_id, (at, counts) in list(known.items()):
            known[dossier_id] = (float("-inf") if dossier_id in dossier_ids else at - 2 * _KEEP_S, counts)


def _counts(services: Services, user_id: str, dossier_id: str) -> Counts:
    with services.reading(dossier_id) as reading:
        unread, ailing = reading.marks.unread(user_id), len(reading.sources.ailing())
        alerts = reading.alerts.since(services.clock() - DAY)
        tags = tuple(reading.tags.used(user_id))
    news = tuple(one for one in services.saved.news(dossier_id, user_id) if one.fresh)
    return Counts(unread, ailing, alerts, news, tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """Current activity, summed over dossiers."""

    due: int
    leased: int
    next_due: int | None
    #: Running worker processes of this service.
    workers: int
    #: Sequence number of the last change, by dossier.
    seqs: dict[str, int] = field(default_factory=dict)

    def seq(self, dossier_id: str = "") -> int:
        """A number that grows by one with every change: of one dossier, or the sum over all."""
        return self.seqs.get(dossier_id, 0) if dossier_id else sum(self.seqs.values())


class Live:
    """The activity of dossiers, for all users together."""

    def __init__(self, workers: Callable[[], tuple[int, int]]) -> None:
        self._workers = workers
        self._pulses = _Cache(Pulse())
        #: Number of open streams by user.
        self.listeners: Counter[str] = Counter()

    def of(self, services: Services, dossiers: Iterable[Dossier], keep_s: float) -> Now:
        """Activity of these dossiers, which the caller may see, by counts at most `keep_s` old."""
        if len(self._pulses.known) > _MOST:
            self._pulses.known = {}
        found = self._pulses.of(dossiers, partial(_pulse, services), keep_s)
        coming = [pulse.next_due for pulse in found.values() if pulse.next_due is not None]
        return Now(
            due=sum(pulse.due for pulse in found.values()),
            leased=sum(pulse.leased for pulse in found.values()),
            next_due=min(coming, default=None),
            workers=self._workers()[0],
            seqs={dossier_id: pulse.last_seq for dossier_id, pulse in found.items()},
        )

    def saw(self, seqs: Mapping[str, int]) -> None:
        """Note that changes up to these numbers were just shown, so that streams do not announce them as new."""
        for dossier_id, seq in seqs.items():
            at, pulse = self._pulses.get(dossier_id)
            self._pulses.known[dossier_id] = (at, replace(pulse, last_seq=max(pulse.last_seq, seq)))


def _pulse(services: Services, dossier_id: str) -> Pulse:
    with services.reading(dossier_id) as reading:
        return reading.waiting.pulse(services.clock())
