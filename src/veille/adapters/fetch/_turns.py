"""Turns at hosts: redirects queue like all orders, and robots.txt is read before the first page."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.fetch._lanes import PATIENCE_MS, Lane, Lanes
from veille.adapters.fetch._retriever import Turn, TurnRefusedError
from veille.core.http.politeness import TROUBLE
from veille.core.http.robots import FRESH_MS, RETRY_MS, Robots, meaning
from veille.core.outcomes import failure
from veille.core.traffic import Failure, Order

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from veille.core.addresses import Url
    from veille.core.traffic import Payload
    from veille.ports import Clock
    from veille.settings import FetchSettings


class HostTurn(Turn):
    """A place in one lane at a time."""

    def __init__(
        self,
        lanes: Lanes,
        gate: RobotsGate,
        lane: Lane,
        sent: Callable[[Lane], None],
        is_ours: Callable[[Lane], bool],
        *,
        robots: bool,
    ) -> None:
        self._lanes = lanes
        self._gate = gate
        self._sent = sent
        self._is_ours = is_ours
        #: Whether robots.txt applies to the targets of redirects.
        self.robots = robots
        self._held: Lane | None = lane
        #: The lane that the answer counts for.
        self.last = lane
        #: Whether a request was sent in this turn.
        self._asked = False

    async def move(self, url: Url) -> float:
        loop = asyncio.get_running_loop()
        start = loop.time()
        await self.enter(self._lanes.get(url.host_key))
        if self.robots:
            await self._gate.check(url, self)
        return loop.time() - start

    def sending(self) -> float:
        self._asked = True
        # Before it is marked: from then on it may be saved.
        wait = self._lanes.sent(self.last)
        self._sent(self.last)
        return wait

    def check(self) -> None:
        if not self._is_ours(self.last):
            raise TurnRefusedError(failure("host_paused", "another program may ask it now", retry_after=1))

    def tells(self, answer: Payload | Failure) -> bool:
        """Whether the answer says something about the host; requests that we refuse to send do not."""
        return self._asked or not isinstance(answer, Failure) or answer.code in TROUBLE

    def end(self) -> None:
        """Release the place, if one is held."""
        if self._held is not None:
            held, self._held = self._held, None
            self._lanes.leave(held)

    async def enter(self, lane: Lane) -> None:
        """Wait for a place in this lane, and release the current one."""
        self.end()
        self.last = lane
        self._asked = False
        left = self._lanes.pause_left_ms(lane)
        if left > PATIENCE_MS:
            raise TurnRefusedError(failure("host_paused", retry_after=left // 1000 + 1))
        await self._lanes.enter(lane)
        self._held = lane


class RobotsGate:
    """Caches the robots.txt of each host; fetches it if it is unknown or too old."""

    def __init__(
        self,
        settings: FetchSettings,
        clock: Clock,
        ask: Callable[[Order, Turn], Awaitable[Payload | Failure]],
        changed: Callable[[Lane], None],
        observe: Callable[[Lane, Order, Payload | Failure], None],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._ask = ask
        self._changed = changed
        self._observe = observe
        self._asking: dict[Lane, asyncio.Event] = {}

    async def check(self, url: Url, turn: HostTurn) -> None:
        """Return once the address may be fetched, with a turn held; raise TurnRefusedError if it may not."""
        lane = turn.last
        while not self.knows(lane):
            await self._refresh(url, turn, lane)
            # The turn was used up by fetching robots.txt, or is stale after waiting for another order to fetch it.
            await turn.enter(lane)
        refusal = self.refusal(lane, url)
        if refusal is not None:
            raise TurnRefusedError(refusal)

    def knows(self, lane: Lane) -> bool:
        """Whether the host's robots.txt is cached and fresh."""
        return lane.state.robots_until > self._clock()

    def refusal(self, lane: Lane, url: Url) -> Failure | None:
        """The refusal of an address by the cached robots.txt; None if it allows it or must be fetched first."""
        state = lane.state
        left = state.robots_until - self._clock()
        if left <= 0:
            return None
        if state.robots is None:
            return failure("robots_unreachable", state.robots_error, retry_after=left // 1000 + 1)
        if lane.robots is None:
            lane.robots = Robots(state.robots, self._settings.user_agent)
        if lane.robots.allows(str(url)):
            return None
        lane.tally.refusals += 1
        self._changed(lane)
        return failure("robots", str(url))

    async def _refresh(self, url: Url, turn: HostTurn, lane: Lane) -> None:
        event = self._asking.get(lane)
        if event is not None:
            turn.end()
            await event.wait()
            return
        event = self._asking[lane] = asyncio.Event()
        applies, turn.robots = turn.robots, False
        try:
            order = Order(key="robots", url=f"{url.origin}/robots.txt")
            answer = await self._ask(order, turn)
            self._learn(turn, lane, order, answer)
        finally:
            turn.robots = applies
            del self._asking[lane]
            event.set()

    def _learn(self, turn: HostTurn, lane: Lane, order: Order, answer: Payload | Failure) -> None:
        body = b"" if isinstance(answer, Failure) else answer.body
        text = meaning(answer.status, body)
        now = self._clock()
        if text is not None:
            lane.robots = None
            lane.state = replace(lane.state, robots=text, robots_until=now + FRESH_MS, robots_error="")
            self._changed(lane)
            return
        if turn.tells(answer):
            self._observe(lane, order, answer)
        if not answer.status and isinstance(answer, Failure):
            # The host cannot be reached at all: this is the failure of the page itself.
            raise TurnRefusedError(answer)
        # The last known file stays valid while it cannot be read (RFC 9309 2.4).
        error = f"it answers with status {answer.status}"
        lane.state = replace(lane.state, robots_until=now + RETRY_MS, robots_error=error)
