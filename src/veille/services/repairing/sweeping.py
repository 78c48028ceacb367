"""The sweeper: probes failing sources, and resets those that answer again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.models import Source, State
from veille.core.report.sweeps import Swept, sweep_of
from veille.core.traffic import Failure, Payload
from veille.core.urls import canonical
from veille.services.repairing.repairs import RepairService, can_be_probed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.ports import Clock, Dossiers, Sweeps
    from veille.services.repairing.probe import Looker

#: Timeout of one probe.
TIMEOUT_S = 10
#: Sources for which the repair rules run again in one sweep: each may take several fetches, one after the other.
MOST_LOOKED_INTO = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The result of a probe: whether an address answers now."""

    url: str
    status_code: int
    ok: bool
    code: str = ""
    error: str = ""


class Sweeper:
    """Probes sources. Its requests follow the same rules as all others."""

    def __init__(
        self, dossiers: Dossiers, repairs: RepairService, looker: Looker, sweeps: Sweeps, clock: Clock
    ) -> None:
        self._dossiers = dossiers
        self._sweeps = sweeps
        self._clock = clock
        self._repairs = repairs
        self._looker = looker

    def probe(self, text: str) -> Probe:
        """Request an address without reading its content. Statuses from 200 to 399 are fine."""
        url = canonical(text)
        return _probe(url, self._looker.probe([url])[url])

    def sweep(self, dossier_ids: Iterable[str]) -> list[Swept]:
        """Probe every source in error or broken; reset those that answer, run the repair rules for the others.

        The result replaces that of the previous sweep.
        """
        failing = [(dossier_id, source) for dossier_id in dossier_ids for source in self._failing(dossier_id)]
        answers = self._looker.probe(dict.fromkeys(source.url for _, source in failing))
        swept = []
        left = MOST_LOOKED_INTO
        for dossier_id, source in failing:
            probe = _probe(source.url, answers[source.url])
            if probe.ok:
                self._repairs.reset(dossier_id, source.id)
            elif left:
                left -= 1
                self._repairs.look_into(dossier_id, source.id, self._looker)
            swept.append(self._swept(dossier_id, source, probe))
        self._sweeps.put(sweep_of(swept, self._clock()))
        return swept

    def _failing(self, dossier_id: str) -> list[Source]:
        with self._dossiers.open(dossier_id) as store:
            found = store.sources.ailing()
        # That a suspect page answers proves nothing, and it is still checked on schedule.
        return [source for source in found if source.state is not State.SUSPECT and can_be_probed(source)]

    def _swept(self, dossier_id: str, source: Source, probe: Probe) -> Swept:
        with self._dossiers.open(dossier_id) as store:
            now = store.sources.get(source.id)
        state = source.state if now is None else now.state
        return Swept(
            dossier_id=dossier_id,
            source_id=source.id,
            source_name=source.name,
            url=source.url,
            status_code=probe.status_code,
            recovered=state is State.PENDING,
            state=state,
            error=probe.error,
        )


def _probe(url: str, answer: Payload | Failure) -> Probe:
    if isinstance(answer, Failure):
        return Probe(url=url, status_code=answer.status, ok=False, code=answer.code, error=answer.message)
    return Probe(url=url, status_code=answer.status, ok=True)
