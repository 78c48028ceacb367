"""The sweeper: asks after sources that fail, and lets those that answer again begin anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.models import Failure, Source, State
from veille.services.repairs import RepairService, can_be_probed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.ports import Dossiers
    from veille.services.looks import Looker

#: Longest time for one probe.
TIMEOUT_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Whether an address answers now."""

    url: str
    status_code: int
    ok: bool
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What became of one failing source."""

    dossier_id: str
    source_id: str
    source_name: str
    url: str
    status_code: int
    #: Whether it answers again, and so begins anew.
    recovered: bool
    #: How it is now.
    state: State
    error: str = ""


class Sweeper:
    """Probes sources. What it asks goes through the same door as everything, with the same rules."""

    def __init__(self, dossiers: Dossiers, repairs: RepairService, looker: Looker) -> None:
        self._dossiers = dossiers
        self._repairs = repairs
        self._looker = looker

    def probe(self, url: str) -> Probe:
        """Ask an address without looking at its content. Statuses from 200 to 399 are fine."""
        answer = self._looker.probe(url)
        if isinstance(answer, Failure):
            return Probe(url=url, status_code=answer.status, ok=False, code=answer.code, error=answer.message)
        return Probe(url=url, status_code=answer.status, ok=True)

    def sweep(self, dossier_ids: Iterable[str]) -> list[Swept]:
        """Probe every source in error or broken; what answers is reset, for the rest the rules are asked again."""
        return [self._swept(dossier_id, source) for dossier_id in dossier_ids for source in self._failing(dossier_id)]

    def _failing(self, dossier_id: str) -> list[Source]:
        with self._dossiers.open(dossier_id) as store:
            found = store.sources.ailing()
        # That a suspect page answers proves nothing, and it is looked at anyway.
        return [source for source in found if source.state is not State.SUSPECT and can_be_probed(source)]

    def _swept(self, dossier_id: str, source: Source) -> Swept:
        probe = self.probe(source.url)
        if probe.ok:
            self._repairs.reset(dossier_id, source.id)
        else:
            self._repairs.look_into(dossier_id, source.id, self._looker)
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
