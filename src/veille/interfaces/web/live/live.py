"""Current activity of dossiers: counted at most every few seconds, for all users together."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.workload import Pulse
from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.services.container import Services

#: How long counts are fresh: for a stream, and for a page, which a stream will update.
FRESH_S, PAGE_S = 1.5, 10.0
#: At most so many dossiers are recounted at once; the others come next.
_AT_ONCE = 25
#: Most dossiers in the cache.
_MOST = 5000
_UNKNOWN = (float("-inf"), Pulse())


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
    """Cached pulses of dossiers."""

    def __init__(self, workers: Callable[[], tuple[int, int]]) -> None:
        self._workers = workers
        self._known: dict[str, tuple[float, Pulse]] = {}
        #: Number of open streams by user.
        self.listeners: Counter[str] = Counter()

    def of(self, services: Services, dossiers: Iterable[Dossier], keep_s: float) -> Now:
        """Activity of these dossiers, which the caller may see, by counts at most `keep_s` old."""
        found = self._pulses(services, dossiers, keep_s)
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
            at, pulse = self._known.get(dossier_id, _UNKNOWN)
            self._known[dossier_id] = (at, replace(pulse, last_seq=max(pulse.last_seq, seq)))

    def _pulses(self, services: Services, dossiers: Iterable[Dossier], keep_s: float) -> dict[str, Pulse]:
        now = time.monotonic()
        if len(self._known) > _MOST:
            self._known = {}
        found = {dossier.id: self._known.get(dossier.id, _UNKNOWN) for dossier in dossiers}
        stale = sorted((at, dossier_id) for dossier_id, (at, _) in found.items() if now - at > keep_s)
        for _, dossier_id in stale[:_AT_ONCE]:
            found[dossier_id] = self._known[dossier_id] = (now, _count(services, dossier_id))
        return {dossier_id: pulse for dossier_id, (_, pulse) in found.items()}


def _count(services: Services, dossier_id: str) -> Pulse:
    try:
        with services.reading(dossier_id) as reading:
            return reading.waiting.pulse(services.clock())
    except (NotFoundError, StoreError):
        # Deleted meanwhile, or its file is damaged: the dossier's own page shows the error.
        return Pulse()
