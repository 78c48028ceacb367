"""The one door to the outside: takes orders from any thread, processes them in its own loop, returns answers.

The loop runs in a background thread so that everything above stays plain, synchronous code. The stored state of
hosts is read and written on the caller's thread, in `submit` and `collect`, so the loop never waits for a disk.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import random
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from veille.adapters.fetch._connect import system_resolve
from veille.adapters.fetch._lanes import FetchJob, Hooks, Lane, Lanes
from veille.adapters.fetch._loans import Loans
from veille.adapters.fetch._policy import PolicySource
from veille.adapters.fetch._retriever import (
    Resolve,
    Retriever,
    Surroundings,
    Turn,
    TurnRefusedError,
    retriever_of,
    scheme_of,
)
from veille.adapters.fetch._turns import HostTurn, RobotsGate
from veille.core.addresses import AddressError, parse
from veille.core.http.politeness import HostCounts, HostState, merged
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order, Payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.ports import Clock, Hosts
    from veille.settings import FetchSettings

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

#: Worth a retry within seconds: the connection broke, which says little about the host.
QUICK = frozenset({"connect", "reset", "truncated"})
_SAVE_EVERY_MS = 1000
#: With more orders than this in progress, answers are gathered for this long after the first.
_BUSY = 32
_GATHER_S = 0.01
#: The maximum number of retries that may be saved up.
_MAX_BUDGET = 10.0


class Door:
    """A Fetcher. `resolve` replaces the system's resolver in tests; `hosts` stores the state of hosts between runs."""

    def __init__(
        self, settings: FetchSettings, clock: Clock, hosts: Hosts | None = None, resolve: Resolve = system_resolve
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._hosts = hosts
        self._around = Surroundings(settings, PolicySource(settings), clock, resolve)
        self._retrievers: dict[str, Retriever] = {}
        self._inbox: deque[FetchJob] = deque()
        #: Answers of one round of the loop are handed over together: waking the caller costs more than a page.
        self._done: list[tuple[str, Payload | Failure]] = []
        self._results: queue.SimpleQueue[list[tuple[str, Payload | Failure]]] = queue.SimpleQueue()
        self._load = 0
        self._known: set[str] = set()
        self._dirty: deque[Lane] = deque()
        self._saved_at = 0
        self._budget = 1.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._awake = False
        self._closed = False
        self._loop = _new_loop()
        self._saving = threading.Lock()
        hooks = Hooks(
            start=self._begin,
            refuse=self._answer,
            objection=self._objection,
            may_send=self._may_send,
            idle=self._idle,
        )
        self._lanes = Lanes(settings, clock, hooks)
        self._loans = None if hosts is None else Loans(hosts, clock, self._lanes, settings.timeout_s, self._save)
        self._gate = RobotsGate(settings, clock, self._robots_answer, self._mark, self._observe)
        self._thread = threading.Thread(target=self._serve, name="veille-fetch", daemon=True)
        self._thread.start()

    def submit(self, order: Order) -> None:
        job = _job(order)
        # Of a host that is borrowed, the state is loaded then.
        if self._hosts is not None and job.url is not None and order.leased and job.key not in self._known:
            self._known.add(job.key)
            job.state = self._hosts.load(job.key)
        self._load += 1
        self._inbox.append(job)
        if not self._awake:
            self._awake = True
            self._loop.call_soon_threadsafe(self._take)

    def collect(self, timeout: float) -> list[tuple[str, Payload | Failure]]:
        answers: list[tuple[str, Payload | Failure]] = []
        try:
            answers += self._results.get(timeout=timeout) if timeout > 0 else self._results.get_nowait()
            if timeout > 0 and self._load > _BUSY:
                # More answers are about to arrive: together they cost fewer hand-overs, and fewer transactions later.
                time.sleep(_GATHER_S)
            while True:
                answers += self._results.get_nowait()
        except queue.Empty:
            pass
        self._load -= len(answers)
        if self._hosts is not None:
            self._remember()
        return answers

    @property
    def load(self) -> int:
        return self._load

    def send_until(self, at: int) -> None:
        if self._loans is not None:
            self._loans.send_until = at

    def pause(self, hosts: Iterable[str]) -> list[str]:
        lanes = self._on_loop(lambda: self._lanes.lend(hosts))
        if self._hosts is not None:
            self._save(lanes)
        return [lane.state.key for lane in lanes]

    def rest(self, hosts: Iterable[str]) -> list[str]:
        # A redirect from elsewhere may be under way there; one that comes later borrows the host.
        lanes = self._on_loop(lambda: [lane for lane in map(self._lanes.get, hosts) if not lane.running])
        if self._hosts is not None and (dirty := [lane for lane in lanes if lane.dirty]):
            self._save(dirty)
        return [lane.state.key for lane in lanes]

    def resume(self, hosts: Iterable[str]) -> None:
        states = [self._hosts.load(host) if self._hosts is not None else HostState(key=host) for host in hosts]
        self._on_loop(lambda: self._lanes.take_back(states))

    def drop(self) -> None:
        if self._closed:
            return
        self._on_loop(self._drop)
        if self._hosts is not None:
            self._dirty.clear()
            self._save([lane for lane in self._lanes.all() if lane.dirty])

    def _on_loop(self, work: Callable[[], _T]) -> _T:
        async def done() -> _T:
            return work()

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def _drop(self) -> None:
        self._take()
        self._lanes.drop(failure("host_paused", "the lease is over"))

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result(timeout=10)
        except TimeoutError:
            _log.warning("The store or a browser did not answer in time: hosts of this fetcher are free a little later")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._loop.close()
        if self._hosts is not None:
            self._save([lane for lane in self._lanes.all() if lane.dirty])

    # On the caller's thread: the stored state of hosts

    def _remember(self) -> None:
        """Save changed state: at once for hosts without orders in progress, as other workers may get them next."""
        now = self._clock()
        waited = not 0 <= now - self._saved_at < _SAVE_EVERY_MS
        lanes = [self._dirty.popleft() for _ in range(len(self._dirty))]
        # What was stored meanwhile may be another's now, who knows more.
        lanes = [lane for lane in lanes if lane.dirty]
        ready = [lane for lane in lanes if waited or lane.idle or lane.urgent]
        self._dirty.extend(lane for lane in lanes if not (waited or lane.idle or lane.urgent))
        if ready:
            self._saved_at = now
            self._save(ready)

    def _save(self, lanes: list[Lane]) -> None:
        # One after the other: of two states of a host, the older must not be written last.
        with self._saving:
            self._save_in_turn(lanes)

    def _save_in_turn(self, lanes: list[Lane]) -> None:
        records = []
        now = self._clock()
        for lane in lanes:
            lane.dirty = lane.urgent = False
            # Swapped, not cleared: the loop may be adding to the old one.
            tally, lane.tally = lane.tally, HostCounts()
            state = lane.snapshot(now)
            if not lane.loaded and self._hosts is not None:
                state = merged(self._hosts.load(state.key), state)
            records.append((state, tally))
            if not lane.is_ours:
                # Must be loaded again, as another worker may update it meanwhile.
                self._known.discard(lane.state.key)
        if self._hosts is not None:
            self._hosts.save(records)
        if not self._closed:
            self._loop.call_soon_threadsafe(self._lanes.tidy)

    # On the loop's thread

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _take(self) -> None:
        self._awake = False
        while self._inbox:
            job = self._inbox.popleft()
            if job.state is not None:
                self._lanes.adopt(job.state)
            self._lanes.add(job)

    def _begin(self, job: FetchJob, lane: Lane) -> None:
        task = self._loop.create_task(self._work(job, lane))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer(self, job: FetchJob, answer: Payload | Failure) -> None:
        self._lanes.answered(job)
        lane = self._lanes.get(job.key)
        if not (lane.is_ours or lane.dirty):
            # Others may have the host next, so what they learn is read before it is asked again.
            self._known.discard(job.key)
        if not self._done:
            self._loop.call_soon(self._hand_over)
        self._done.append((job.order.key, answer))

    def _hand_over(self) -> None:
        done, self._done = self._done, []
        self._results.put(done)

    def _may_send(self, lane: Lane) -> bool:
        return self._loans is None or self._loans.may_send(lane)

    def _is_ours(self, lane: Lane) -> bool:
        return self._loans is None or self._loans.is_ours(lane)

    def _idle(self, lane: Lane) -> None:
        if self._loans is not None:
            self._loans.idle(lane)

    def _objection(self, job: FetchJob, lane: Lane) -> Failure | None:
        if not self._settings.robots or job.url is None:
            return None
        refusal = self._gate.refusal(lane, job.url)
        job.cleared = refusal is None and self._gate.knows(lane)
        return refusal

    async def _work(self, job: FetchJob, lane: Lane) -> None:
        order = job.order
        robots = order.robots and self._settings.robots
        turn = HostTurn(self._lanes, self._gate, lane, self._sent, self._is_ours, robots=robots)
        try:
            answer = await self._retrieved(job, turn)
            if turn.tells(answer):
                self._observe(turn.last, order, answer)
        except TurnRefusedError as error:
            answer = error.failure
        except Exception:  # noqa: BLE001 - one order must never break the others
            _log.exception("An order for %s failed inside the fetcher", job.key)
            answer = failure("internal")
        finally:
            turn.end()
        self._answer(job, answer)

    async def _retrieved(self, job: FetchJob, turn: HostTurn) -> Payload | Failure:
        order = job.order
        scheme = scheme_of(order.url)
        retriever = self._retriever(scheme)
        if retriever is None:
            return failure("bad_scheme", f"{scheme[:20]!r} is not known")
        if order.robots and self._settings.robots and job.url is not None and not job.cleared:
            await self._gate.check(job.url, turn)
        started = self._loop.time()
        answer = await retriever.retrieve(order, turn, self._settings.timeout_s)
        for _ in range(self._settings.retries):
            left = self._settings.timeout_s - (self._loop.time() - started)
            if not self._try_again(answer, left):
                break
            await asyncio.sleep(random.random() * min(1, left / 4))  # noqa: S311 - jitter
            # Start again at the order's address, whichever host failed.
            await turn.enter(self._lanes.get(job.key))
            answer = await retriever.retrieve(order, turn, left)
        return answer

    async def _robots_answer(self, order: Order, turn: Turn) -> Payload | Failure:
        retriever = self._retriever("http")
        assert retriever is not None, "http is always there"  # noqa: S101 - the type cannot express it
        return await retriever.retrieve(order, turn, self._settings.timeout_s)

    def _try_again(self, answer: Payload | Failure, left: float) -> bool:
        self._budget = min(self._budget + self._settings.retry_budget, _MAX_BUDGET)
        if isinstance(answer, Payload) or answer.code not in QUICK or left < 1 or self._budget < 1:
            return False
        self._budget -= 1
        return True

    def _sent(self, lane: Lane) -> None:
        lane.tally.requests += 1
        # A host that only redirects has no answer to be recorded. State that was never loaded must not be overwritten.
        if lane.loaded:
            self._mark(lane)

    def _observe(self, lane: Lane, order: Order, answer: Payload | Failure) -> None:
        if lane.is_host:
            self._lanes.observe(lane, answer, order.url, order.validators.size)
            self._mark(lane)

    def _mark(self, lane: Lane) -> None:
        if not lane.dirty:
            lane.dirty = True
            # What is borrowed is saved when it is given back.
            if lane.borrowed_at is None:
                self._dirty.append(lane)

    def _retriever(self, scheme: str) -> Retriever | None:
        if scheme not in self._retrievers:
            kind = retriever_of(scheme)
            if kind is None:
                return None
            self._retrievers[scheme] = kind(self._around)
        return self._retrievers[scheme]

    async def _shut(self) -> None:
        self._lanes.close()
        if self._loans is not None:
            await self._loans.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for retriever in self._retrievers.values():
            await retriever.close()
        await self._loop.shutdown_asyncgens()


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - not available for Windows
    except ImportError:
        return asyncio.new_event_loop()
    return new_event_loop()


def _job(order: Order) -> FetchJob:
    """Addresses that cannot be parsed share a lane: they are refused before anything is sent."""
    try:
        url = parse(order.url)
    except AddressError:
        return FetchJob(order, f"{scheme_of(order.url)[:20]}:", None)
    return FetchJob(order, url.host_key, url)
