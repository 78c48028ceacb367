"""Repairs: applied as soon as a check proves them, recorded with what they changed, undone on request."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.core.addresses import refuse_in_address
from veille.core.change.batch import may_be_repaired
from veille.core.change.next_check import next_check
from veille.core.change.source_patch import asked_alike, begun_anew, current, repaired, well
from veille.core.fingerprint import uuid7
from veille.core.http.credentials import hidden, refuse_to_hand_over, would_hand_over
from veille.core.kinds import kind_names, kind_of_source
from veille.core.models import Change, Plan, Source, State
from veille.core.records import RepairRecord
from veille.core.repair import Case, Repair, Shown, Wanted, diagnosed
from veille.core.seek.candidates import Sought
from veille.core.traffic import Failure
from veille.core.urls import scheme_of
from veille.errors import AmbiguousError, ConfigError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.core.models import Dossier
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.repairing.probe import Looker
    from veille.services.repairing.seeking import Seeker

_HAND_OVER = (
    "Its credentials are for the old host: values in its headers must be entered again when its address is "
    "edited, and an owner binds its secrets to the new host."
)
#: Fetches that the rules may request for one source.
MAX_LOOKS = 8


def mend(store: DossierStore, plan: Plan, now: int) -> bool:
    """Apply what a check proves, in the check's own transaction; returns whether the rules need further fetches."""
    source = store.sources.get(plan.lease.source.id) if may_be_repaired(plan) else None
    if source is None:
        return False
    if source.state is State.BROKEN:
        # A user requested this check; no further one is scheduled.
        store.sources.retime(source.id, None)
        return False
    case = _case(store, source)
    verdict = diagnosed(case)
    if isinstance(verdict, Repair) and (can_be_probed(source) or "state" not in verdict.change):
        _settle(store, case, verdict, now)
    return isinstance(verdict, Wanted)


def can_be_probed(source: Source) -> bool:
    """Whether the sweeper can probe the source. Others are never marked broken, as nothing would find them recovered.

    Sources of outside services, questions and folders cannot be probed: only their next check shows how they are.
    """
    return scheme_of(source.url) in {"http", "https"} and source.kind in kind_names()


class RepairService:
    """The repairs of any dossier."""

    def __init__(
        self, dossiers: Dossiers, clock: Clock, vet: Callable[[Source], None], seeker: Callable[[], Seeker]
    ) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self._seeker = seeker
        #: Raises ConfigError if a source may not be watched with these properties.
        self._vet = vet

    def all(self, dossier_id: str, limit: int = 100, source_id: str | None = None) -> list[RepairRecord]:
        """Applied and proposed repairs, of one source if it is named, newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.repairs.all(limit, source_id)

    def open(self, dossier_id: str, limit: int = 1000) -> list[RepairRecord]:
        """Proposals that wait for a decision."""
        with self._dossiers.open(dossier_id) as store:
            return store.repairs.open(limit)

    def find(self, dossiers: Iterable[Dossier], repair_id: str) -> tuple[Dossier, RepairRecord]:
        """The repair whose id ends like this, in one of these dossiers; NotFoundError, AmbiguousError."""
        found = []
        for dossier in dossiers:
            with self._dossiers.open(dossier.id) as store, suppress(NotFoundError):
                found.append((dossier, store.repairs.find(repair_id)))
        if not found:
            raise NotFoundError(f"There is no repair {repair_id!r}; `veille repairs` lists them.", code="no_repair")
        if len(found) > 1:
            raise AmbiguousError(
                f"The ids of several repairs end with {repair_id!r}",
                [f"{repair.id} (in {dossier.name})" for dossier, repair in found],
                code="ambiguous_repair",
            )
        return found[0]

    def look_into(self, dossier_id: str, source_id: str, looker: Looker) -> None:
        """Run the rules again, with all the fetches they request, and apply the result."""
        looks: dict[Wanted, Shown] = {}
        for _ in range(MAX_LOOKS):
            with self._dossiers.open(dossier_id) as store, store.writing() as writer:
                source = store.sources.get(source_id)
                if source is None or not source.enabled:
                    return
                case = replace(_case(store, source), looks=looks, knows=lambda key: writer.named(key) is not None)
                verdict = diagnosed(case)
                # A broken source is not marked broken again.
                if isinstance(verdict, Repair) and (source.state is not State.BROKEN or "state" not in verdict.change):
                    _settle(store, case, verdict, self._clock())
            if not isinstance(verdict, Wanted):
                return
            looks[verdict] = self._shown(dossier_id, source, verdict, looker)

    def _shown(self, dossier_id: str, source: Source, wanted: Wanted, looker: Looker) -> Shown:
        look = looker.look(wanted.url, wanted.user_agent)
        if isinstance(look.answer, Failure):
            return Shown(answer=look.answer, robots=look.robots)
        if wanted.seek:
            found = self._seeker().found(dossier_id, source, Sought(wanted.seek), look.answer, looker)
            return Shown(answer=look.answer, robots=look.robots, found=found)
        seen = looker.examine(look.answer)
        return Shown(answer=look.answer, robots=look.robots, seen=None if isinstance(seen, Failure) else seen)

    def apply(self, dossier_id: str, repair_id: str) -> RepairRecord:
        """Apply a repair that is only proposed, or was undone."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            record = store.repairs.find(repair_id)
            if record.status == "applied":
                raise ConfigError("This repair is applied already; it can be undone.", code="repair_done")
            source = store.sources.find(record.source_id)
            wanted = repaired(source, record.after)
            if wanted.url != source.url:
                self._vet(wanted)
            _change(store, source, wanted, now)
            store.repairs.mark(record.id, applied_at=now, undone_at=None)
            return store.repairs.find(record.id)

    def undo(self, dossier_id: str, repair_id: str) -> RepairRecord:
        """Revert a repair; it is not applied again automatically."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            record = store.repairs.find(repair_id)
            source = store.sources.find(record.source_id)
            if record.status == "undone":
                raise ConfigError("This repair is undone already.", code="repair_done")
            if record.applied_at is not None:
                if is_stale(source, record):
                    raise ConfigError(
                        f"{source.name} was changed since; undo what came after, or edit the source itself.",
                        code="repair_stale",
                    )
                _change(store, source, repaired(source, record.before), now)
            store.repairs.mark(record.id, applied_at=record.applied_at, undone_at=now)
            return store.repairs.find(record.id)

    def reset(self, dossier_id: str, name_or_id: str) -> Source:
        """Start afresh: clear the failures, restore the original interval, and check the source at once."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            source = store.sources.find(name_or_id)
            anew = begun_anew(source)
            store.sources.update(replace(anew, updated_at=now))
            store.sources.retime(source.id, now, step=anew.interval_ms)
            return anew


def _case(store: DossierStore, source: Source) -> Case:
    return Case(source=source, history=store.runs.history(source.id))


def _settle(store: DossierStore, case: Case, repair: Repair, now: int) -> None:
    """Apply a repair, or record it as a proposal if it is one or cannot be applied; skip it if a user rejected it."""
    source = case.source
    known = store.repairs.last(source.id, repair.rule, repair.change)
    if known is not None and (known.status == "proposed" or _is_unwanted(known, case)):
        return
    is_automatic, proof = repair.automatic, repair.proof
    if would_hand_over(source.config, source.url, repair.change.get("url", source.url)):
        is_automatic, proof = False, f"{proof} {_HAND_OVER}"
    record = RepairRecord(
        id=uuid7(now, source.id, repair.rule, repair.proof),
        source_id=source.id,
        source_name=source.name,
        rule=repair.rule,
        before=current(source, repair.change),
        after=repair.change,
        proof=proof,
        at=now,
    )
    if is_automatic:
        try:
            _change(store, source, repaired(source, repair.change), now)
            record = replace(record, applied_at=now)
        except ConfigError as error:
            # Another source watches the new address, or an option conflicts with the rest.
            record = replace(record, proof=f"{repair.proof} It could not be applied: {error}")
    store.repairs.note(record)


def _is_unwanted(record: RepairRecord, case: Case) -> bool:
    """Whether a user undid it. An undone state or interval is forgotten once the source was well; an address is not."""
    undone_at = record.undone_at
    if undone_at is None:
        return False
    passes = record.after.keys() & {"state", "interval_ms"}
    was_well = any(item.at > undone_at and item.change is not Change.ERROR for item in case.history)
    return not (passes and was_well)


def _change(store: DossierStore, source: Source, wanted: Source, now: int) -> None:
    known = source.config.get("headers") or {}
    refuse_to_hand_over(known, hidden(known), source.url, wanted.url)
    wanted = replace(wanted, updated_at=now)
    if wanted.url != source.url:
        # The address comes from an answer, not from a user.
        refuse_in_address(wanted.url)
        kind_of_source(wanted).address(wanted.url)
    if wanted.state is State.BROKEN:
        store.sources.update(wanted)
        store.sources.retime(wanted.id, None, step=0)
        return
    if wanted.config != source.config and asked_alike(wanted, source):
        store.sources.update(wanted)
        return
    if not asked_alike(wanted, source) or source.state is State.BROKEN:
        # Another address or other options: start afresh, and check at once.
        fresh = well(wanted)
        store.sources.update(fresh, list(kind_of_source(fresh).start(fresh)))
        store.sources.retime(wanted.id, now)
        return
    store.sources.update(wanted)
    store.sources.retime(wanted.id, next_check(wanted, now, wanted.id))


def is_stale(source: Source, record: RepairRecord) -> bool:
    """Whether what the repair changed was changed again since, so that it cannot be reverted."""
    return current(source, record.after) != record.after
