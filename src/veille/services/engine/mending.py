"""Repair of failing sources: on demand, after a check that failed, and every few hours."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from veille.core.schedule import HOUR
from veille.core.workload import by_turns
from veille.services.reading.retention import keep_rules
from veille.services.repairing.sweeping import TIMEOUT_S, Sweeper
from veille.services.watching.trash import purge_expired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from veille.core.report.sweeps import Swept
    from veille.ports import Clock, Store
    from veille.services.repairing.probe import Looker
    from veille.services.repairing.repairs import RepairService

#: The name of the duty: only one of all programs sweeps.
SWEEP = "sweep"
#: Deleting for good what was deleted long ago, and what is no longer to be kept.
_PURGE, _PURGE_MS = "purge", 6 * HOUR


@dataclass(frozen=True, slots=True)
class Mender:
    """Probes and repairs failing sources."""

    _store: Store
    _repairs: RepairService
    _looker: Callable[[float | None], AbstractContextManager[Looker]]
    _clock: Clock
    #: Interval of the sweep over all failing sources; 0: never.
    _every_ms: int

    @contextmanager
    def sweeper(self) -> Iterator[Sweeper]:
        """A sweeper with its own fetcher, which is closed with the context."""
        with self._looker(TIMEOUT_S) as looker:
            yield Sweeper(self._store.dossiers, self._repairs, looker, self._store.sweeps, self._clock)

    def is_sweep_due(self) -> bool:
        """Whether a sweep may be due; another worker may still claim it first."""
        return bool(self._every_ms) and self._store.duties.is_due(SWEEP, self._clock(), self._every_ms)

    def sweep_if_due(self) -> list[Swept]:
        """Probe the failing sources of all dossiers if that is due; only one of all workers does it."""
        if not self._every_ms or not self._store.duties.take(SWEEP, self._clock(), self._every_ms):
            return []
        with self.sweeper() as sweeper:
            return sweeper.sweep(dossier.id for dossier in self._store.dossiers.all())

    def is_purge_due(self) -> bool:
        """Whether what was deleted long ago, or is no longer to be kept, may have to be deleted for good."""
        return self._store.duties.is_due(_PURGE, self._clock(), _PURGE_MS)

    def purge_if_due(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Delete for good what can no longer be restored, and carry out the rules of retention, if that is due.

        Only one of all workers does it. Returns how many sources were deleted.
        """
        if not self._store.duties.take(_PURGE, self._clock(), _PURGE_MS):
            return 0
        purged = purge_expired(self._store.dossiers, self._clock())
        keep_rules(self._store.dossiers, self._clock, stop)
        return purged

    def look_into(self, doubtful: Iterable[tuple[str, str]], stop: Callable[[], bool] = lambda: False) -> None:
        """Run the repair rules for sources whose last check alone is not conclusive, alternating between dossiers."""
        wanted = by_turns(doubtful)
        if wanted:
            with self._looker(None) as looker:
                for dossier_id, source_id in takewhile(lambda _: not stop(), wanted):
                    self._repairs.look_into(dossier_id, source_id, looker)
