"""The loop of a worker: claim, fetch, read, decide, commit."""

from __future__ import annotations

import gc
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.change.batch import decide_again, decide_all, waves
from veille.core.change.poison import set_aside
from veille.core.fingerprint import uuid7
from veille.core.models import Lease, Plan, Reading, Scope
from veille.core.records import Run
from veille.core.traffic import Failure, Payload
from veille.core.urls import host_of
from veille.core.workload import Room
from veille.errors import ConfigError, StoreError
from veille.failpoints import failpoint
from veille.services.repairing.repairs import mend
from veille.services.watching.host_turns import HostTurns
from veille.services.watching.request_builder import Orders

if TYPE_CHECKING:
    from veille.core.browsing.logins import KeptLogin
    from veille.ports import Clock, Dossiers, Fetcher, InHand, Queue, Workshop

#: How long to wait for the first answer before checking the clock, the queue and the stop signal again.
WAIT_S = 0.25
#: How long to wait for the first reading while answers may arrive as well.
GLANCE_S = 0.05
#: While more requests than `_FEW` are in progress, readings are gathered, as they are committed together: up to this
#: many, or as long as each look brings some. In batches of 24, indexing a page takes a third more time than in batches
#: of 48; in larger ones it takes more again.
BATCH, _LOOKS, _FEW = 48, 8, 8
#: Generation-0 threshold of the garbage collector; CPython's default is 700.
_OBJECTS_PER_LOOK = 10_000

Progress = Callable[[Plan], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPace:
    """Settings of a worker: its name on leases, how long these last, and how many requests it claims at once."""

    name: str
    lease_ms: int
    room: int
    room_per_host: int
    #: How many requests the worker can process at once.
    capacity: int


@dataclass(slots=True)
class _Held:
    """The leases of this worker, and how many it has per host and dossier."""

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
        return [host for host, count in self.hosts.items() if not count]

    def forget(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            del self.hosts[host]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The services a worker uses: they build its HTTP requests, fetch them, and read the answers.

    `beat` is the heartbeat for the supervisor of this process. `is_gone` tells whether the process of another worker is
    known to have ended; `in_hand` records the requests being processed, to find those that crash a worker.
    """

    orders: Orders
    fetcher: Fetcher
    workshop: Workshop
    in_hand: InHand
    beat: Callable[[], None] = lambda: None
    is_gone: Callable[[str], bool] = lambda _: False
    #: Whether the leases of the queue are for the hosts as they are known to the fetcher.
    leases_hosts: bool = True


class Worker:
    """One worker: it owns a claimed request until it commits it or the lease expires."""

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
        self._leases_hosts = tools.leases_hosts
        self._turns = HostTurns(pace, tools.fetcher, queue)
        #: Requests that failed before they were sent.
        self._settled: list[tuple[str, Payload | Failure]] = []
        self._run_id = uuid7(clock(), pace.name)
        #: The dossiers this worker committed to; their sinks may have changes to deliver.
        self.touched: set[str] = set()
        #: Dossier and source ids of sources that repair rules want to examine.
        self.doubtful: set[tuple[str, str]] = set()

    def drain(
        self,
        scope: Scope,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
        *,
        wait: bool = False,
        batch: int = BATCH,
    ) -> None:
        """Work until nothing in scope can be claimed; then release the leases of uncommitted requests.

        About `batch` requests are committed at once; `stop` is asked after each commit.

        Leases of workers whose process is known to have ended are taken over at once.

        With `wait`, work until nothing in scope is due or leased at all: wait for the leases of other workers, and take
        them over if these died.
        """
        try:
            with _few_collections():
                self._take_over()
                while not stop():
                    claimed = self._claim(scope)
                    if not claimed and not self._held.leases and not self._is_worth_waiting(scope, wait=wait):
                        return
                    self._work(self._readings(batch), progress)
                    self._renew()
        finally:
            self._let_go()
            self._in_hand.close()

    def _let_go(self) -> None:
        """Send nothing more of what is leased, and release it."""
        self._held = _Held()
        # What led here may have waited for the store, as this does.
        self._beat()
        self._turns.end()
        self._queue.release(self.name, self._clock())

    def finish(self) -> list[Run]:
        """Close the run in every touched dossier, and return the reports."""
        reports = []
        for dossier_id in sorted(self.touched):
            with self._dossiers.open(dossier_id) as store:
                store.runs.finish(self._run_id, self._clock())
                report = store.runs.report(self._run_id)
            reports += [report] if report is not None else []
        return reports

    def _readings(self, batch: int = BATCH) -> list[Reading]:
        """Finished readings, gathered for one commit."""
        found = more = self._finished()
        for _ in range(_LOOKS):
            if not more or len(found) >= batch or self._fetcher.load + self._workshop.load <= _FEW:
                break
            more = self._finished()
            found = found + more
        return found

    def _finished(self) -> list[Reading]:
        """All finished readings. Waits for the first one; if nothing is being read, for the first answer."""
        settled, self._settled = self._settled, []
        answers = settled + self._fetcher.collect(0 if settled or self._workshop.load else WAIT_S)
        if answers:
            failpoint("after_fetch")
        done = []
        for key, answer in answers:
            # Answers may still arrive for leases that an earlier, stopped drain released.
            lease = self._held.leases.get(key)
            reading = self._workshop.submit(key, lease, self._beside_kept(lease, answer)) if lease else None
            done += [(key, reading)] if reading is not None else []
        if not done and self._workshop.load:
            # Wait only briefly while requests are in flight: answers may arrive while a slow one is read.
            done += self._workshop.collect(GLANCE_S if self._fetcher.load else WAIT_S)
        else:
            done += self._workshop.collect(0)
        return [reading for key, reading in done if self._held.drop(key)]

    def _beside_kept(self, lease: Lease, answer: Payload | Failure) -> Payload | Failure:
        """The answer without its login, which is kept; with the pictures that its own is compared with, if needed."""
        if isinstance(answer, Payload) and answer.login is not None:
            self._keep_login(lease, answer.login)
            answer = replace(answer, login=None)
        if isinstance(answer, Failure) or answer.shot is None or not lease.source.config.get("watch_picture"):
            return answer
        with self._dossiers.open(lease.dossier_id) as store:
            kept, first = store.pictures.to_compare(lease.source.id, lease.request.id)
        first = first if lease.request.glimpse else b""
        return replace(answer, shot=replace(answer.shot, kept=kept, first=first))

    def _keep_login(self, lease: Lease, login: KeptLogin) -> None:
        try:
            with self._dossiers.open(lease.dossier_id) as store:
                store.vault.keep_login(lease.source.id, login.dumped(), self._clock())
        except (ConfigError, StoreError) as error:
            # Another worker writes for too long, there is no key, or the dossier is gone: the steps log in again.
            _log.debug("A login was not kept: %s", error.code)

    def _is_worth_waiting(self, scope: Scope, *, wait: bool) -> bool:
        """Whether others have what is due. Who borrows a host gives it back soon, so that is always waited for."""
        return (wait or self._queue.has_guests(self._clock())) and self._others_at_work(scope)

    def _others_at_work(self, scope: Scope) -> bool:
        now = self._clock()
        self._queue.take_back(self._is_gone, now)
        # Due requests may not be claimable, as another worker has the host. `backlog` also repairs the hints that a
        # killed worker left.
        backlog = self._queue.backlog(now, scope)
        return bool(backlog.due or backlog.leased)

    def _claim(self, scope: Scope) -> int:
        total = self._pace.room - self._fetcher.load - self._workshop.load
        if total <= 0:
            return 0
        # A slow host must not fill the worker: other hosts would wait for it.
        full = {host for host, count in self._held.hosts.items() if count > self._pace.room_per_host // 2}
        room = Room(
            total=total,
            per_host=self._pace.room_per_host,
            full_hosts=frozenset(full | self._turns.lent),
            capacity=self._pace.capacity,
            held=self._held.dossiers,
        )
        now = self._clock()
        leases = self._queue.claim(self.name, now, room, scope)
        if leases:
            failpoint("after_claim")
            self._turns.claimed(now)
        if any(not lease.request.validators.raw_hash for lease in leases):
            # New requests will need a reader process: start it while they are fetched.
            self._workshop.prepare()
        for lease in leases:
            key = f"{lease.dossier_id}/{lease.request.id}/{lease.epoch}"
            self._held.add(key, lease)
            order = set_aside(lease.request) or self._orders.make(key, lease, self._clock())
            if isinstance(order, Failure):
                self._settled.append((key, order))
            else:
                self._fetcher.submit(replace(order, leased=self._leases_hosts or order.by_operator))
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
            # Renew after each batch: on a busy machine, leases may expire before all batches are written.
            self._renew()
        if (idle := self._held.idle_hosts()) and (free := self._fetcher.rest(idle)):
            self._held.forget(free)
            self._queue.rest(self.name, free)

    def _committed(self, dossier_id: str, readings: list[Reading]) -> list[Plan]:
        """The committed plans; none if another worker holds the write lock too long: the requests are retried later."""
        try:
            return self._commit(dossier_id, readings)
        except StoreError as error:
            if not error.is_busy:
                raise
            return []
        except Exception:
            if len(readings) > 1:
                # One of the readings triggers a bug: commit each alone to find it.
                return [plan for reading in readings for plan in self._committed(dossier_id, [reading])]
            # The exception ends the worker, so it counts as a crash.
            self._queue.blame(dossier_id, readings[0].lease.request.id)
            raise
        finally:
            self._in_hand.put_down()

    def _commit(self, dossier_id: str, readings: Sequence[Reading]) -> list[Plan]:
        """Decide, and write the plans in one transaction; decide again if others have written in between."""
        plans: list[Plan] = []
        with self._dossiers.open(dossier_id) as store:
            before = store.recollection()
            decisions = decide_all(readings, before.recall, self._clock(), self._attend)
            # A worker that is killed while it waits for the write lock did not crash on these requests.
            self._in_hand.put_down()
            with store.writing() as writer:
                # Read the clock inside the transaction: a worker that was frozen before sees that its leases expired.
                now = self._clock()
                held = writer.held([reading.lease for reading in readings], now)
                is_stale = before.is_stale()
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
        """Record the request, so that other workers know if it crashes this process."""
        self._in_hand.take(reading.lease.dossier_id, reading.lease.request.id)
        self._beat()

    def _renew(self) -> None:
        self._beat()
        now = self._clock()
        if self._turns.are_over(now):
            # Somebody else may have these hosts by now; their requests are claimed again, by anybody.
            self._let_go()
        self._turns.share(self._held.hosts, now)
        # Renew also if the clock was set back: the leases would expire before it reaches the old time again.
        if not 0 <= now - self._renewed < self._pace.lease_ms // 3:
            self._queue.renew(self.name, now)
            self._turns.renewed(now)
            self._take_over()
            self._renewed = now

    def _take_over(self) -> None:
        """Free the leases of dead workers; before that, count a crash for the requests they were processing."""
        for dossier_id, request_id in self._in_hand.dropped():
            self._queue.blame(dossier_id, request_id)
        self._queue.take_back(self._is_gone, self._clock())


def _alone_if_suspect(batches: Mapping[str, list[Reading]]) -> Iterator[tuple[str, list[Reading]]]:
    """The batches, with each request that a worker died on in a batch of its own, to identify the one that crashes."""
    for dossier_id, readings in batches.items():
        suspects = [reading for reading in readings if reading.lease.request.deaths]
        yield from ((dossier_id, [suspect]) for suspect in suspects)
        if len(suspects) < len(readings):
            yield dossier_id, [reading for reading in readings if not reading.lease.request.deaths]


@contextmanager
def _few_collections() -> Iterator[None]:
    """Run the garbage collector less often, and exclude the objects that exist already.

    A page is read into thousands of objects that are freed with it: collecting takes a twentieth of all time.
    """
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_LOOK, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
