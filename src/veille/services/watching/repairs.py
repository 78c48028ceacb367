"""Repairs: applied as soon as a check proves them, kept with what they changed, undone at will."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from veille.core.addresses import refuse_in_address
from veille.core.change.next_check import is_backed_off, next_check
from veille.core.change.source_patch import asked_alike, begun_anew, current, repaired, well
from veille.core.fingerprint import uuid7
from veille.core.http.credentials import hidden, refuse_to_hand_over, would_hand_over
from veille.core.kinds import kind_names, kind_of_source
from veille.core.models import Change, Plan, Source, State
from veille.core.records import RepairRecord
from veille.core.repair import Case, Repair, Shown, Wanted, diagnosed, proposals
from veille.core.traffic import Failure, Payload
from veille.core.urls import scheme_of
from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.watching.probe import Looker

_HAND_OVER = (
    "Its credentials are for the old host: values in its headers are written anew when somebody edits its address, and "
    "secrets are bound to the new host by an owner."
)
#: Looks that a rule may ask for about one source.
MAX_LOOKS = 8


def mend(store: DossierStore, plan: Plan, now: int) -> bool:
    """Apply what a check proves, in the check's own transaction; whether more has to be looked at to tell."""
    before = plan.lease.source
    is_its_own = plan.lease.request.purpose == "root" and plan.lease.request.url == before.url and not plan.deferred
    is_news = plan.failure is not None or is_backed_off(before) or (plan.moved_to and plan.moved_to == before.moved_to)
    source = store.sources.get(before.id) if is_its_own and is_news else None
    if source is None:
        return False
    if source.state is State.BROKEN:
        # Somebody had it looked at once more; it waits for the next who does.
        store.sources.retime(source.id, None)
        return False
    case = _case(store, source)
    verdict = diagnosed(case)
    if isinstance(verdict, Repair) and (can_be_probed(source) or "state" not in verdict.change):
        _settle(store, case, verdict, now)
    return isinstance(verdict, Wanted)


def can_be_probed(source: Source) -> bool:
    """Whether the sweeper can ask after it. What it cannot is never broken: nobody would find it well again.

    What outside services fetch, questions and folders are such sources: they fail at their next turn, or do not.
    """
    return scheme_of(source.url) in {"http", "https"} and source.kind in kind_names()


class RepairService:
    """The repairs of any dossier."""

    def __init__(self, dossiers: Dossiers, clock: Clock, vet: Callable[[Source], None]) -> None:
        self._dossiers = dossiers
        self._clock = clock
        #: ConfigError when a source may not be watched so.
        self._vet = vet

    def all(self, dossier_id: str, limit: int = 100) -> list[RepairRecord]:
        """What was repaired and what is proposed, newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.repairs.all(limit)

    def open(self, dossier_id: str) -> list[RepairRecord]:
        """What is proposed and waits for somebody to decide."""
        with self._dossiers.open(dossier_id) as store:
            return store.repairs.open(limit=1000)

    def proposals(self, dossier_id: str) -> list[Repair]:
        """What the rules would do about every source as it is now; nothing is changed, and nothing looked at."""
        with self._dossiers.open(dossier_id) as store:
            return [repair for source in store.sources.all() for repair in proposals(_case(store, source))]

    def look_into(self, dossier_id: str, source_id: str, looker: Looker) -> None:
        """Ask the rules again, with all the looks they want, and apply what that proves."""
        looks: dict[Wanted, Shown] = {}
        for _ in range(MAX_LOOKS):
            with self._dossiers.open(dossier_id) as store, store.writing() as writer:
                source = store.sources.get(source_id)
                if source is None or not source.enabled:
                    return
                case = replace(_case(store, source), looks=looks, knows=lambda key: writer.named(key) is not None)
                verdict = diagnosed(case)
                # What is broken is not called so once more.
                if isinstance(verdict, Repair) and (source.state is not State.BROKEN or "state" not in verdict.change):
                    _settle(store, case, verdict, self._clock())
            if not isinstance(verdict, Wanted):
                return
            look = looker.look(verdict.url, verdict.user_agent)
            seen = looker.examine(look.answer) if isinstance(look.answer, Payload) else None
            looks[verdict] = Shown(
                answer=look.answer, robots=look.robots, seen=None if isinstance(seen, Failure) else seen
            )

    def apply(self, dossier_id: str, repair_id: str) -> RepairRecord:
        """Apply what was only proposed, or was undone."""
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
        """Put back what a repair changed; the same is not done again by itself."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            record = store.repairs.find(repair_id)
            source = store.sources.find(record.source_id)
            if record.status == "undone":
                raise ConfigError("This repair is undone already.", code="repair_done")
            if record.applied_at is not None:
                _refuse_stale(source, record)
                _change(store, source, repaired(source, record.before), now)
            store.repairs.mark(record.id, applied_at=record.applied_at, undone_at=now)
            return store.repairs.find(record.id)

    def reset(self, dossier_id: str, name_or_id: str) -> Source:
        """Begin anew: failures are forgotten, the original interval counts, and it is looked at at once."""
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
    """Apply it, or keep it as a proposal if it is no more than that or cannot be; unless somebody said no before."""
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
            # The new address is watched by another source, or an option does not go with the rest.
            record = replace(record, proof=f"{repair.proof} It could not be applied: {error}")
    store.repairs.note(record)


def _is_unwanted(record: RepairRecord, case: Case) -> bool:
    """Whether somebody undid it. That it failed once is forgotten when it was well since; an address is not."""
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
        # Whoever answered there chose the address, and nobody has typed it in.
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
        # Another address or other options deserve a fresh look, at once.
        fresh = well(wanted)
        store.sources.update(fresh, list(kind_of_source(fresh).start(fresh)))
        store.sources.retime(wanted.id, now)
        return
    store.sources.update(wanted)
    store.sources.retime(wanted.id, next_check(wanted, now, wanted.id))


def is_stale(source: Source, record: RepairRecord) -> bool:
    """Whether the source was changed since where the repair changed it: then it cannot be put back."""
    return current(source, record.after) != record.after


def _refuse_stale(source: Source, record: RepairRecord) -> None:
    if is_stale(source, record):
        raise ConfigError(
            f"{source.name} was changed since; undo what came after, or edit the source itself.", code="repair_stale"
        )
