"""The flow: claim, fetch, read, decide, commit. Everything a worker does, in the order it is done."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veille.core.change.batch import decide_again, decide_all, waves
from veille.core.change.poison import set_aside
from veille.core.fingerprint import uuid7
from veille.core.models import Lease, Plan, Reading, Scope
from veille.core.records import Run
from veille.core.traffic import Failure, Payload
from veille.core.urls import host_of
from veille.core.workload import Room
from veille.errors import StoreError
from veille.failpoints import failpoint
from veille.services.watching.repairs import mend
from veille.services.watching.request_builder import Orders

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, Fetcher, InHand, Queue, Workshop

#: How long to wait for the first answer before looking at the clock, the queue and the stop signal again.
WAIT_S = 0.25
#: The same for a reading, while answers may come in beside it.
GLANCE_S = 0.05
#: Objects made before Python looks whether some of them are garbage that holds itself; its own number is 700.
_OBJECTS_PER_LOOK = 10_000

Progress = Callable[[Plan], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPace:
    """How a worker works: its name on leases, how long those last, and how much it takes on at once."""

    name: str
    lease_ms: int
    room: int
    room_per_host: int
    #: How many requests may really be under way at once.
    capacity: int


@dataclass(slots=True)
class _Held:
    """What this worker has under way."""

    leases: dict[str, Lease] = field(default_factory=dict)
    hosts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    dossiers: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, key: str, lease: Lease) -> None:
        self.leases[key] = lease
        self.hosts[host_of(lease.request.url)] += 1
        self.dossiers[lease.dossier_id] += 1

    def drop(self, key: str) -> Lease | None:
        lease = self.leases.pop(key, None)
        if lease is not None:
            self.hosts[host_of(lease.request.url)] -= 1
            self.dossiers[lease.dossier_id] -= 1
        return lease

    def idle_hosts(self) -> list[str]:
        idle = [host for host, count in self.hosts.items() if not count]
        for host in idle:
            del self.hosts[host]
        return idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a worker works with: who writes its orders, who fetches them, where the answers are read.

    `beat` is called again and again while the work goes on, for whoever watches over this process. `is_gone` says of
    another worker whether its process is known to have ended; `in_hand` what it died of.
    """

    orders: Orders
    fetcher: Fetcher
    workshop: Workshop
    in_hand: InHand
    beat: Callable[[], None] = lambda: None
    is_gone: Callable[[str], bool] = lambda _: False


class Worker:
    """One worker: it owns what it claims until it commits it, and nothing after its lease ran out."""

    def __init__(self, pace: WorkerPace, *, dossiers: Dossiers, queue: Queue, tools: Tools, clock: Clock) -> None:
        self.name = pace.name
        self._dossiers = dossiers
        self._queue = queue
        self._fetcher = tools.fetcher
        self._workshop = tools.workshop
        self._orders = tools.orders
        self._beat = tools.beat
        self._is_gone = tools.is_gone
        self._in_hand = tools.in_hand
        self._clock = clock
        self._pace = pace
        self._renewed = clock()
        self._held = _Held()
        #: What failed before anything was sent.
        self._settled: list[tuple[str, Payload | Failure]] = []
        self._run_id = uuid7(clock(), pace.name)
        #: The dossiers this worker committed to; their sinks have something to do.
        self.touched: set[str] = set()
        #: Sources that repair rules want to look into, by dossier.
        self.doubtful: set[tuple[str, str]] = set()

    def drain(
        self,
        scope: Scope,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
        *,
        wait: bool = False,
    ) -> None:
        """Work until nothing in scope can be claimed. What is not committed when it ends is given back.

        What workers hold whose process is known to have ended is taken over at once.

        With `wait`, until nothing in scope is due or leased at all: what other workers hold is waited for, and taken
        over should they have died.
        """
        try:
            with _few_collections():
                self._take_over()
                while not stop():
                    claimed = self._claim(scope)
                    if not claimed and not self._held.leases and not (wait and self._others_at_work(scope)):
                        return
                    self._work(self._readings(), progress)
                    self._renew()
        finally:
            self._queue.release(self.name, self._clock())
            self._held = _Held()
            self._in_hand.close()

    def finish(self) -> list[Run]:
        """Close the run in every dossier it touched, and report."""
        reports = []
        for dossier_id in sorted(self.touched):
            with self._dossiers.open(dossier_id) as store:
                store.runs.finish(self._run_id, self._clock())
                report = store.runs.report(self._run_id)
            reports += [report] if report is not None else []
        return reports

    def _readings(self) -> list[Reading]:
        """Everything read by now. Waits for the first reading; for the first answer when nothing is being read."""
        settled, self._settled = self._settled, []
        answers = settled + self._fetcher.collect(0 if settled or self._workshop.load else WAIT_S)
        if answers:
            failpoint("after_fetch")
        done = []
        for key, answer in answers:
            # Answers to what was given back when an earlier drain was stopped may still come in.
            lease = self._held.leases.get(key)
            reading = self._workshop.submit(key, lease, answer) if lease else None
            done += [(key, reading)] if reading is not None else []
        if not done and self._workshop.load:
            # Answers are looked for now and then, too: while a slow one is read, others may have come.
            done += self._workshop.collect(GLANCE_S if self._fetcher.load else WAIT_S)
        else:
            done += self._workshop.collect(0)
        return [reading for key, reading in done if self._held.drop(key)]

    def _others_at_work(self, scope: Scope) -> bool:
        now = self._clock()
        self._queue.take_back(self._is_gone, now)
        # Due, but not to be claimed: somebody else has the host. The backlog also mends hints a killed worker left.
        backlog = self._queue.backlog(now, scope)
        return bool(backlog.due or backlog.leased)

    def _claim(self, scope: Scope) -> int:
        total = self._pace.room - self._fetcher.load - self._workshop.load
        if total <= 0:
            return 0
        # A slow host must not fill the worker: the others would wait behind it.
        full = frozenset(host for host, count in self._held.hosts.items() if count > self._pace.room_per_host // 2)
        room = Room(
            total=total,
            per_host=self._pace.room_per_host,
            full_hosts=full,
            capacity=self._pace.capacity,
            held=self._held.dossiers,
        )
        leases = self._queue.claim(self.name, self._clock(), room, scope)
        if leases:
            failpoint("after_claim")
        if any(not lease.request.validators.raw_hash for lease in leases):
            # What was never read will be: its reader starts while it is fetched.
            self._workshop.prepare()
        for lease in leases:
            key = f"{lease.dossier_id}/{lease.request.id}/{lease.epoch}"
            self._held.add(key, lease)
            order = set_aside(lease.request) or self._orders.make(key, lease, self._clock())
            if isinstance(order, Failure):
                self._settled.append((key, order))
            else:
                self._fetcher.submit(order)
        return len(leases)

    def _work(self, readings: list[Reading], progress: Progress | None) -> None:
        if not readings:
            return
        batches: dict[str, list[Reading]] = defaultdict(list)
        for reading in readings:
            batches[reading.lease.dossier_id].append(reading)
        for dossier_id, batch in _alone_if_suspect(batches):
            for plan in self._committed(dossier_id, batch):
                if progress is not None:
                    progress(plan)
            # Much may have been read at once, and on a busy machine a lease is shorter than the writing of it.
            self._renew()
        self._queue.rest(self.name, self._held.idle_hosts())

    def _committed(self, dossier_id: str, readings: list[Reading]) -> list[Plan]:
        """The committed plans; none where another worker froze while it wrote: those are read again later."""
        try:
            return self._commit(dossier_id, readings)
        except StoreError as error:
            if not error.is_busy:
                raise
            return []
        except Exception:
            if len(readings) > 1:
                # A bug that one of them triggers: alone, each shows whether it is the one.
                return [plan for reading in readings for plan in self._committed(dossier_id, [reading])]
            # It ends the worker as a crash does.
            self._queue.blame(dossier_id, readings[0].lease.request.id)
            raise
        finally:
            self._in_hand.put_down()

    def _commit(self, dossier_id: str, readings: Sequence[Reading]) -> list[Plan]:
        """Decide, and write what was decided in one transaction; what was written meanwhile is taken into account."""
        plans: list[Plan] = []
        with self._dossiers.open(dossier_id) as store:
            version = store.version()
            decisions = decide_all(readings, store.recall, self._clock(), self._attend)
            # Whoever is killed while it waits for its turn to write has nothing in hand.
            self._in_hand.put_down()
            with store.writing() as writer:
                is_stale = store.version() != version
                # Inside the transaction: a worker that was frozen before this line sees that its time has run out.
                now = self._clock()
                held = writer.held([reading.lease for reading in readings], now)
                decisions = [one for one in decisions if one.reading.lease.request.id in held]
                if held and dossier_id not in self.touched:
                    store.runs.start(self._run_id, now)
                if is_stale:
                    decisions = decide_again(decisions, writer.recall, now, self._attend)
                for wave in waves(decisions, writer.recall, now, self._attend):
                    some = [one.plan for one in wave]
                    self._in_hand.take(dossier_id, *(plan.lease.request.id for plan in some))
                    writer.apply(some, self._run_id, now)
                    for plan in some:
                        if mend(store, plan, now):
                            self.doubtful.add((dossier_id, plan.lease.source.id))
                    plans += some
        if plans:
            self.touched.add(dossier_id)
        return plans

    def _attend(self, reading: Reading) -> None:
        """Should this reading end the process, others can tell."""
        self._in_hand.take(reading.lease.dossier_id, reading.lease.request.id)
        self._beat()

    def _renew(self) -> None:
        self._beat()
        now = self._clock()
        # Also when the clock was set back: the leases would run out before it is where it was.
        if not 0 <= now - self._renewed < self._pace.lease_ms // 3:
            self._queue.renew(self.name, now)
            self._take_over()
            self._renewed = now

    def _take_over(self) -> None:
        """What workers left whose processes ended; first of all, what they ended with."""
        for dossier_id, request_id in self._in_hand.dropped():
            self._queue.blame(dossier_id, request_id)
        self._queue.take_back(self._is_gone, self._clock())


def _alone_if_suspect(batches: Mapping[str, list[Reading]]) -> Iterator[tuple[str, list[Reading]]]:
    """The batches; what was in hand when a worker died is committed alone, so that it is known which of them it was."""
    for dossier_id, readings in batches.items():
        suspects = [reading for reading in readings if reading.lease.request.deaths]
        yield from ((dossier_id, [suspect]) for suspect in suspects)
        if len(suspects) < len(readings):
            yield dossier_id, [reading for reading in readings if not reading.lease.request.deaths]


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let Python look for circles of objects less often, and not among what was there before.

    A page is read into thousands of objects that go with it, and none stays: looking takes a twentieth of all time.
    """
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_LOOK, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
