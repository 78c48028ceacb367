"""Repair of failing sources: on demand, beside a worker's work, and every few hours."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from veille.bootstrap._outside import Outside
from veille.core.workload import by_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
    from veille.core.report.sweeps import Swept
    from veille.ports import Sweeps
    from veille.services.watching.repairs import RepairService
    from veille.services.watching.sweeping import Sweeper


class Mending(Outside):
    """Mixin: the handling of failing sources; the subclass provides dossiers and repairs."""

    dossiers: SqliteDossiers
    repairs: RepairService
    _catalog: Catalog

    @contextmanager
    def sweeper(self) -> Iterator[Sweeper]:
        """Probes failing sources."""
        from veille.services.watching.sweeping import TIMEOUT_S, Sweeper  # noqa: PLC0415 - seldom needed

        with self.looker(TIMEOUT_S) as looker:
            yield Sweeper(self.dossiers, self.repairs, looker, self.sweeps, self.clock)

    @cached_property
    def sweeps(self) -> Sweeps:
        """What the last sweep found."""
        from veille.adapters.stores.sqlite.catalog.sweeps import SqliteSweeps  # noqa: PLC0415 - needed by few commands

        return SqliteSweeps(self._catalog.db)

    def sweep_if_due(self) -> list[Swept]:
        """Probe the failing sources of all dossiers if that is due; only one of all workers does it."""
        every_ms = self._sweep_every_ms
        if not every_ms or not self._catalog.take_duty("sweep", self.clock(), every_ms):
            return []
        with self.sweeper() as sweeper:
            return sweeper.sweep(dossier.id for dossier in self.dossiers.all())

    def look_into(self, doubtful: Iterable[tuple[str, str]], stop: Callable[[], bool] = lambda: False) -> None:
        """Run the repair rules for sources whose last check alone is not conclusive, alternating between dossiers."""
        wanted = by_turns(doubtful)
        if wanted:
            with self.looker(self.settings.reader_timeout_s) as looker:
                for dossier_id, source_id in takewhile(lambda _: not stop(), wanted):
                    self.repairs.look_into(dossier_id, source_id, looker)

    def is_sweep_due(self) -> bool:
        """Whether a sweep may be due: another worker may still be the one that does it."""
        every_ms = self._sweep_every_ms
        return bool(every_ms) and self._catalog.is_duty_due("sweep", self.clock(), every_ms)

    @property
    def _sweep_every_ms(self) -> int:
        return round(self.settings.sweep_every_s * 1000)
