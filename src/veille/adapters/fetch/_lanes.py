"""One lane per host: which order runs next, and when. Everything runs on the door's loop, so nothing is locked."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.adapters.fetch._retriever import TurnRefusedError
from veille.core.http import politeness
from veille.core.http.politeness import HostCounts, HostState
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order, Payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.core.addresses import Url
    from veille.core.http.robots import Robots
    from veille.ports import Clock
    from veille.settings import FetchSettings

#: Orders wait this long for a paused host; longer pauses are returned as failures, to be retried later.
PATIENCE_MS = 5_000
MAX_LANES = 2000
_MAX_FAILED = 16


@dataclass(slots=True)
class FetchJob:
    """An order in its lane."""

    order: Order
    key: str
    #: None if the address cannot be parsed; it is refused when its turn comes.
    url: Url | None
    #: The stored state of the host, on the first order for it.
    state: HostState | None = None
    #: Whether robots.txt was checked already.
    cleared: bool = False
    #: Of the leases that it came under.
    era: int = 0


@dataclass(slots=True, eq=False)
class Lane:
    """The queue and the state of one host."""

    state: HostState
    tally: HostCounts = field(default_factory=HostCounts)
    queue: deque[FetchJob] = field(default_factory=deque)
    #: Redirects that arrived from elsewhere, served before new orders.
    waiters: deque[asyncio.Future[None]] = field(default_factory=deque)
    running: int = 0
    timer: asyncio.TimerHandle | None = None
    robots: Robots | None = None
    failed: set[str] = field(default_factory=set)
    #: When the next turn may be granted, and when the last request was sent; in seconds of the monotonic clock,
    #: as the wall clock may be set back.
    free_at: float = 0.0
    sent_at: float = float("-inf")
    dirty: bool = False
    #: Whether the state was loaded from the store.
    loaded: bool = False
    #: The longest delay that an order requested.
    wished_ms: int = 0
    #: Orders whose host is leased to this worker.
    leased: int = 0
    #: Since when the host is borrowed, in seconds of the loop's clock.
    borrowed_at: float | None = None
    #: Whether nothing is begun, as another program waits for the host or has it; and whether it has it.
    is_paused: bool = False
    is_lent: bool = False
    #: Whether its state must be known to others at once: it asked for a pause.
    urgent: bool = False

    def snapshot(self, now: int) -> HostState:
        """The state for storage; other processes have another loop, so waits become times of day."""
        wait = self.free_at - time.monotonic() if self.free_at else 0.0
        next_at = now + round(wait * 1000) if wait > 0 else 0
        return replace(self.state, next_at=next_at)

    @property
    def idle(self) -> bool:
        return not (self.running or self.queue or self.waiters)

    @property
    def is_ours(self) -> bool:
        """Whether the host is in use here. Orders that wait until it can be borrowed know nothing of it."""
        return bool(self.running or self.leased) or self.borrowed_at is not None

    @property
    def is_host(self) -> bool:
        """Whether this is a real host; files and unparsable addresses share lanes named `scheme:`."""
        return not self.state.key.endswith(":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What the lanes need of their fetcher."""

    start: Callable[[FetchJob, Lane], None]
    refuse: Callable[[FetchJob, Failure], None]
    objection: Callable[[FetchJob, Lane], Failure | None]
    #: Whether the host is ours now; if not, the lane is pumped again later.
    may_send: Callable[[Lane], bool]
    #: Called when nothing is left to do in a lane.
    idle: Callable[[Lane], None]


class Lanes:
    """Starts jobs as fast as every host, and the worker as a whole, allows."""

    def __init__(self, settings: FetchSettings, clock: Clock, hooks: Hooks) -> None:
        self._settings = settings
        self._clock = clock
        self._hooks = hooks
        self._lanes: dict[str, Lane] = {}
        self._running = 0
        #: Lanes that could start a job if the worker had capacity.
        self._held: deque[Lane] = deque()
        self._closed = False
        #: How often the leases were dropped; orders of before have none any more.
        self._era = 0

    def close(self) -> None:
        """Start nothing from now on, even if turns are returned."""
        self._closed = True
        for lane in self.all():
            if lane.timer is not None:
                lane.timer.cancel()

    def get(self, key: str) -> Lane:
        """The lane of a host, created if it is new."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(HostState(key=key))
        return lane

    def adopt(self, state: HostState, *, always: bool = False) -> None:
        """Load the stored state of a host, unless it is in use here: then ours is newer, if it is not `always`."""
        lane = self.get(state.key)
        if lane.is_ours and not always:
            return
        if lane.state.robots != state.robots:
            lane.robots = None
        now = self._clock()
        lane.state = state.brought_back(now)
        lane.loaded = True
        wait = min(lane.state.next_at - now, self._settings.max_delay_ms)
        if wait > 0:
            lane.free_at = max(lane.free_at, time.monotonic() + wait / 1000)

    def all(self) -> list[Lane]:
        return list(self._lanes.values())

    def tidy(self) -> None:
        """Drop lanes whose state was saved, if there are many."""
        if len(self._lanes) > MAX_LANES:
            for lane in self.all():
                if lane.idle and not lane.dirty and lane.borrowed_at is None:
                    del self._lanes[lane.state.key]

    def pause_left_ms(self, lane: Lane) -> int:
        """How long the host must still be left alone."""
        return lane.state.paused_until - self._clock() if lane.state.paused_until else 0

    def add(self, job: FetchJob) -> None:
        lane = self.get(job.key)
        lane.queue.append(job)
        lane.leased += job.order.leased
        job.era = self._era
        lane.wished_ms = max(lane.wished_ms, job.order.delay_ms)
        self.pump(lane)

    def answered(self, job: FetchJob) -> None:
        """An order is done."""
        if job.era == self._era:
            self.get(job.key).leased -= job.order.leased

    async def enter(self, lane: Lane) -> None:
        """Wait for a turn in a lane, ahead of its queue.

        Raises TurnRefusedError as soon as the host must be left alone.
        """
        waiter = asyncio.get_running_loop().create_future()
        lane.waiters.append(waiter)
        self.pump(lane)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in lane.waiters:
                lane.waiters.remove(waiter)
            elif not waiter.cancelled() and waiter.exception() is None:
                self.leave(lane)
            self.settle(lane)
            raise

    def leave(self, lane: Lane) -> None:
        """Return a turn."""
        lane.running -= 1
        self._running -= 1
        self.pump(lane)
        self.settle(lane)
        while self._held and self._running < self._settings.concurrency:
            self.pump(self._held.popleft())

    def lend(self, keys: Iterable[str]) -> list[Lane]:
        """Begin nothing at these hosts; those with nothing under way, which others may have now."""
        lanes = [self.get(key) for key in keys]
        for lane in lanes:
            lane.is_paused = True
            lane.is_lent = not lane.running
        return [lane for lane in lanes if lane.is_lent]

    def take_back(self, states: Iterable[HostState]) -> None:
        """Go on at these hosts; what others learned while they had one is newer."""
        for state in states:
            lane = self.get(state.key)
            if lane.is_lent and lane.borrowed_at is None:
                self.adopt(state, always=True)
            lane.is_paused = lane.is_lent = False
            self.pump(lane)

    def drop(self, reason: Failure) -> None:
        """Answer all leased orders that wait; those under way have to borrow their host from now on."""
        self._era += 1
        for lane in self.all():
            lane.is_paused = lane.is_lent = False
            lane.leased = 0
            waiting, lane.queue = lane.queue, deque(job for job in lane.queue if not job.order.leased)
            for job in waiting:
                if job.order.leased:
                    self._hooks.refuse(job, reason)

    def settle(self, lane: Lane) -> None:
        """Tell if nothing is left to do in a lane."""
        if lane.idle and not self._closed:
            self._hooks.idle(lane)

    def pump(self, lane: Lane) -> None:
        """Start whatever may start in this lane now, and schedule the rest."""
        # A host that our worker lent may be lent to ourselves: for a redirect, while its own requests are read.
        if self._closed or (lane.is_paused and lane.borrowed_at is None):
            return
        # Also here: the clock may be set back while the lane is in use.
        lane.state = lane.state.brought_back(self._clock())
        if (lane.queue or lane.waiters) and self.pause_left_ms(lane) > PATIENCE_MS:
            seconds = self.pause_left_ms(lane) // 1000 + 1
            self.send_back(lane, failure("host_paused", f"for {seconds} s", retry_after=seconds))
        while (lane.queue or lane.waiters) and lane.running < self._width(lane):
            if not lane.waiters and self._turned_away(lane):
                continue
            if lane.is_host and not self._hooks.may_send(lane):
                return
            wait = self._wait_s(lane)
            if wait > 0:
                self.later(lane, wait)
                return
            if self._running >= self._settings.concurrency:
                self._held.append(lane)
                return
            self._grant(lane)

    def delay_ms(self, lane: Lane) -> int:
        """The current delay between two requests to this host."""
        if not lane.is_host:
            return 0
        asked = min(lane.robots.delay_ms, self._settings.max_delay_ms) if lane.robots is not None else 0
        return max(self._settings.host_delay_ms, asked, lane.state.delay_ms, lane.wished_ms)

    def sent(self, lane: Lane) -> float:
        """Record that a request is sent; returns how many seconds it must wait to keep the delay to the last one."""
        now = time.monotonic()
        delay = self.delay_ms(lane) / 1000
        at = max(now, lane.sent_at + delay) if delay else now
        lane.sent_at = at
        if delay:
            lane.free_at = max(lane.free_at, at + delay)
        return at - now

    def observe(self, lane: Lane, answer: Payload | Failure, url: str, saved: int) -> None:
        """Update statistics, back-off and circuit breaker from an answer."""
        tally = lane.tally
        now = self._clock()
        state = lane.state
        tally.bytes += answer.wire_bytes
        if isinstance(answer, Payload):
            if answer.not_modified:
                tally.not_modified += 1
                tally.bytes_saved += saved
            state = politeness.succeeded(state, self._settings.host_delay_ms)
            lane.failed.clear()
        else:
            state = self._failed(lane, answer, url, now)
        lane.urgent |= state.paused_until > lane.state.paused_until
        lane.state = replace(state, last_status=answer.status, last_at=now)

    def _failed(self, lane: Lane, answer: Failure, url: str, now: int) -> HostState:
        lane.tally.errors += 1
        lane.tally.refusals += answer.status in politeness.REFUSALS
        share = random.random()  # noqa: S311 - jitter, not a secret
        base = self._settings.host_delay_ms
        if answer.status in politeness.SLOW_DOWN:
            return politeness.slowed(lane.state, now, share, base, answer.retry_after)
        if answer.code in politeness.TROUBLE or answer.status >= politeness.SERVER_ERROR:
            if len(lane.failed) < _MAX_FAILED:
                lane.failed.add(url)
            return politeness.failed(lane.state, now, share, len(lane.failed))
        # It answered, though not as wanted: the host is healthy.
        return politeness.succeeded(lane.state, base) if answer.status else lane.state

    def send_back(self, lane: Lane, reason: Failure) -> None:
        """Answer everything that waits in a lane."""
        while lane.queue:
            self._hooks.refuse(lane.queue.popleft(), reason)
        while lane.waiters:
            waiter = lane.waiters.popleft()
            if not waiter.done():
                waiter.set_exception(TurnRefusedError(reason))

    def _turned_away(self, lane: Lane) -> bool:
        """Whether the next order is refused without a request: it must not use up a turn of the others."""
        job = lane.queue[0]
        objection = self._hooks.objection(job, lane) if job.order.robots else None
        if objection is None:
            return False
        self._hooks.refuse(lane.queue.popleft(), objection)
        return True

    def _width(self, lane: Lane) -> int:
        return 1 if politeness.on_probation(lane.state) else self._settings.host_concurrency

    def _wait_s(self, lane: Lane) -> float:
        wait = lane.free_at - time.monotonic() if lane.free_at else 0.0
        return max(wait, self.pause_left_ms(lane) / 1000) if lane.state.paused_until else wait

    def later(self, lane: Lane, wait: float) -> None:
        """Pump a lane after so many seconds."""
        if lane.timer is None:
            lane.timer = asyncio.get_running_loop().call_later(wait, self._woken, lane)

    def _woken(self, lane: Lane) -> None:
        lane.timer = None
        self.pump(lane)

    def _grant(self, lane: Lane) -> None:
        lane.running += 1
        self._running += 1
        delay = self.delay_ms(lane)
        if delay:
            lane.free_at = time.monotonic() + delay / 1000
        if lane.waiters:
            lane.waiters.popleft().set_result(None)
        else:
            self._hooks.start(lane.queue.popleft(), lane)
