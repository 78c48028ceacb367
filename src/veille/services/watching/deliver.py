"""Delivers the changes to the sinks: each at its own pace, in order, from where it stopped."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.outgoing.delivery_attempts import Handover, is_waiting, next_try
from veille.core.records import Delivery
from veille.core.search.query import parse
from veille.errors import SinkError, StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.core.records import Parcel
    from veille.ports import Clock, Dossiers, DossierStore, Sink


#: How often to try for a sink that another worker has locked.
ASK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """How insistently to deliver."""

    #: Whether to wait for a sink that another worker delivers to, and to take over should it have died.
    wait: bool = False
    #: Whether to retry a failed sink before its back-off ends.
    at_once: bool = False
    #: Seconds after which a sink with changes left is postponed to the next time; None: deliver everything.
    limit_s: float | None = None
    #: Whether the process of another worker is known to have ended: its sink is then taken over at once.
    is_gone: Callable[[str], bool] = lambda _: False
    #: Whether to start nothing more.
    stop: Callable[[], bool] = lambda: False


class Courier:
    """Drains the outboxes. A sink that fails keeps its place, backs off, and delays no other."""

    def __init__(
        self, name: str, dossiers: Dossiers, sinks: Mapping[str, Sink], clock: Clock, *, lease_ms: int, batch: int
    ) -> None:
        self._name = name
        self._dossiers = dossiers
        self._sinks = sinks
        self._clock = clock
        self._lease_ms = lease_ms
        self._batch = batch
        self._stop = threading.Event()

    def deliver(self, dossier_ids: Iterable[str], pressure: Pressure | None = None) -> list[Delivery]:
        """Deliver to every sink; returns what each took from each of these dossiers."""
        ids = list(dossier_ids)
        if not self._sinks:
            return []
        # A thread for each sink, so that a slow one does not delay the others.
        with ThreadPoolExecutor(len(self._sinks), "veille-deliver") as threads:
            self._stop.clear()
            running = [threads.submit(self._round, name, ids, pressure or Pressure()) for name in self._sinks]
            try:
                rounds = [future.result() for future in running]
            except BaseException:
                # Ctrl-C, or a bug: finish what is in progress, start nothing more.
                self._stop.set()
                raise
        return [delivery for of_dossier in zip(*rounds, strict=True) for delivery in of_dossier]

    def _round(self, name: str, dossier_ids: Sequence[str], pressure: Pressure) -> list[Delivery]:
        deliveries, is_down = list[Delivery](), False
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                round_ = _Round(store, name, self._sinks[name], self._clock, self._batch)
                try:
                    deliveries.append(round_.report() if is_down else self._in_turn(round_, pressure))
                    # A sink that hangs would hang for every dossier: with a time limit, try only one.
                    is_down = is_down or (round_.has_failed and pressure.limit_s is not None)
                except StoreError as error:
                    if not error.is_busy:
                        raise
                    # A worker hung while it was writing there: continue with the other dossiers.
                    deliveries.append(replace(round_.report(), code=error.code, error=str(error)))
        return deliveries

    def _in_turn(self, round_: _Round, pressure: Pressure) -> Delivery:
        if pressure.stop() or (round_.is_paused and not pressure.at_once):
            return round_.report()
        while not (mine := self._turn(round_, pressure)) and pressure.wait:
            time.sleep(ASK_EVERY_S)
        if not mine:
            # Another worker delivers to this sink right now, and will take the waiting changes.
            return round_.report()
        started = time.monotonic()
        round_.begin()
        try:
            while round_.step(self._name):
                late = pressure.limit_s is not None and time.monotonic() - started > pressure.limit_s
                if late or pressure.stop() or self._stop.is_set() or not self._turn(round_, pressure):
                    break
        finally:
            round_.store.outbox.unlock(round_.name, self._name)
        return round_.report()

    def _turn(self, round_: _Round, pressure: Pressure) -> bool:
        now, outbox = self._clock(), round_.store.outbox
        if outbox.lock(round_.name, self._name, now + self._lease_ms, now):
            return True
        holder = outbox.holder(round_.name)
        if holder is None or not pressure.is_gone(holder):
            return False
        outbox.unlock(round_.name, holder)
        return outbox.lock(round_.name, self._name, now + self._lease_ms, now)


class _Round:
    """One sink and the changes of one dossier."""

    def __init__(self, store: DossierStore, name: str, sink: Sink, clock: Clock, batch: int) -> None:
        self.store = store
        self.name = name
        self._sink = sink
        self._clock = clock
        self._batch = min(batch, sink.batch or batch)
        self._looked_at = batch
        self._delivered = 0
        self._skipped = 0
        #: Whether a delivery failed in this round.
        self.has_failed = False
        self.begin()

    @property
    def is_paused(self) -> bool:
        failure = self._failure
        return failure is not None and failure.retry_at is not None and is_waiting(failure.retry_at, self._clock())

    def begin(self) -> None:
        """Read the last failure: at first, and again when no other worker can be delivering."""
        last = self.store.handovers.last(self.name)
        #: The failure that the sink has not recovered from.
        self._failure = last if last is not None and last.retry_at is not None else None

    def step(self, worker: str) -> bool:
        """Deliver the next changes; returns whether to continue."""
        parcels, wanted = self._next()
        if not parcels:
            self._failure = None
            return False
        handover = self._handed(parcels, wanted)
        self.store.handovers.record(handover)
        if handover.retry_at is not None:
            self._failure, self.has_failed = handover, True
            return False
        failpoint("before_outbox_mark")
        self.store.outbox.mark(self.name, worker, handover.last, self._clock())
        self._failure = None
        self._delivered += handover.delivered
        self._skipped += handover.changes - handover.delivered
        return True

    def report(self) -> Delivery:
        failure = self._failure
        return Delivery(
            dossier_id=self.store.id,
            sink=self.name,
            delivered=self._delivered,
            skipped=self._skipped,
            pending=self.store.outbox.pending(self.name),
            code=failure.code if failure else "",
            error=failure.error if failure else "",
            retry_at=failure.retry_at if failure else None,
        )

    def _next(self) -> tuple[list[Parcel], list[Parcel]]:
        """The next changes, and those of them to deliver."""
        if not self._sink.only_found:
            parcels = self.store.outbox.waiting(self.name, self._batch)
            return parcels, [one for one in parcels if self._sink.is_apart or not one.event.is_elsewhere]
        # Only few match: search in more changes than the sink takes at once.
        parcels = self._judged(self.store.outbox.waiting(self.name, self._looked_at))
        found = self._found([parcel.event.document_id for parcel in parcels])
        handed = self.store.alerts.handed(self.name, [parcel.event.seq for parcel in parcels])
        wanted = [one for one in parcels if one.event.document_id in found or one.event.seq in handed]
        if len(wanted) > self._batch:
            wanted = wanted[: self._batch]
            parcels = [parcel for parcel in parcels if parcel.event.seq <= wanted[-1].event.seq]
        return parcels, wanted

    def _judged(self, parcels: list[Parcel]) -> list[Parcel]:
        """Without those that rules have still to judge, if one of these hands changes to this sink."""
        if not any(rule.enabled and rule.actions.sink == self.name for rule in self.store.rules.all()):
            return parcels
        last, _ = self.store.alerts.judged()
        return [parcel for parcel in parcels if parcel.event.seq <= last]

    def _found(self, document_ids: Sequence[str]) -> set[str]:
        """Which of these documents are found by the saved searches that name this sink."""
        found: set[str] = set()
        for search in self.store.saved_searches.all():
            if search.sink == self.name:
                found |= self.store.index.matching(parse(search.query, self._clock()), document_ids)
        return found

    def _handed(self, parcels: Sequence[Parcel], wanted: Sequence[Parcel]) -> Handover:
        attempt = self._failure.attempt + 1 if self._failure else 1
        delivered, code, error, retry_at = 0, "", "", None
        started = time.monotonic()
        try:
            delivered = self._sink.deliver(wanted) if wanted else 0
        except SinkError as failure:
            code, error = failure.code, str(failure)
            if not failure.set_aside:
                share = random.random()  # noqa: S311 - jitter, not a secret
                retry_at = next_try(self._clock(), attempt, share, failure.retry_after)
        return Handover(
            sink=self.name,
            at=self._clock(),
            first=parcels[0].event.seq,
            last=parcels[-1].event.seq,
            changes=len(parcels),
            delivered=delivered,
            attempt=attempt,
            code=code,
            error=error,
            retry_at=retry_at,
            duration_ms=round((time.monotonic() - started) * 1000),
        )
