"""Turns at hosts that nobody here has leased: robots.txt after a redirect, a page for a reader, a picture, a preview.

Only who has a host asks it, on any machine. So a host is borrowed from all others for a short turn, with all that is
known of it, and given back with what was learned.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from veille.core.outcomes import failure
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.adapters.fetch._lanes import Lane, Lanes
    from veille.core.http.politeness import HostState
    from veille.ports import Clock, Hosts

#: A turn begins no request after this time, if others may be waiting; the host is then borrowed anew.
TURN_S = 5.0
#: What was begun in a turn is sent so long before the host may be another's.
_EARLY_S = 1.0
#: How often a host is asked for that another program has.
_AGAIN_S = 0.1
#: How often a lane whose lease may be over looks whether it was renewed.
_HELD_S = 0.2
#: A host that has nothing to do is kept for so long: after its robots.txt comes a page.
_LINGER_S = 0.02


class Loans:
    """The hosts that one fetcher borrows. Runs on its loop, and asks the store in threads."""

    def __init__(
        self, hosts: Hosts, clock: Clock, lanes: Lanes, timeout_s: float, save: Callable[[list[Lane]], None]
    ) -> None:
        self._hosts = hosts
        self._clock = clock
        self._lanes = lanes
        self._timeout_s = timeout_s
        self._save = save
        #: Until when what is leased may be sent.
        self.send_until: int | None = None
        self._guest = f"guest:{secrets.token_hex(8)}"
        self._threads = ThreadPoolExecutor(4, "veille-turns")
        self._tasks: dict[Lane, asyncio.Task[None]] = {}

    def may_send(self, lane: Lane) -> bool:
        """Whether the host is ours now: leased to our worker, or borrowed. If not, its lane goes on later."""
        if lane.leased and not lane.is_lent:
            if self.send_until is None or self._clock() < self.send_until:
                return True
            self._lanes.later(lane, _HELD_S)
            return False
        if lane.borrowed_at is not None and asyncio.get_running_loop().time() < lane.borrowed_at + TURN_S:
            return True
        self._ask(lane)
        return False

    def is_ours(self, lane: Lane) -> bool:
        """Whether the host is ours still, right before a request is sent: this process may have stood still."""
        if lane.leased and not lane.is_lent:
            return self.send_until is None or self._clock() < self.send_until
        is_borrowed, now = lane.borrowed_at is not None, asyncio.get_running_loop().time()
        return is_borrowed and now < (lane.borrowed_at or 0) + TURN_S + self._timeout_s - _EARLY_S

    def _ask(self, lane: Lane) -> None:
        """Borrow the host, then go on with its lane; orders that wait too long are sent back."""
        # If it is borrowed and its turn is over, it is given back when its last request has ended.
        if lane not in self._tasks and not (lane.borrowed_at is not None and lane.running):
            self._begin(lane, self._borrow(lane))

    def idle(self, lane: Lane) -> None:
        """Nothing is left to do at this host."""
        if lane.borrowed_at is not None and lane not in self._tasks:
            self._begin(lane, self._finish(lane))

    async def close(self) -> None:
        # A host that is being asked for is ours a moment later, and then nobody is left to give it back.
        ours = {*self._tasks, *(lane for lane in self._lanes.all() if lane.borrowed_at is not None)}
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._threads.shutdown()
        for lane in ours:
            lane.borrowed_at = None
            if not self._returned(lane):
                break

    def _begin(self, lane: Lane, work: asyncio._CoroutineLike[None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[lane] = task
        task.add_done_callback(lambda _: self._end(lane))

    def _end(self, lane: Lane) -> None:
        del self._tasks[lane]
        # What came meanwhile is looked at once more.
        self._lanes.pump(lane)

    async def _borrow(self, lane: Lane) -> None:
        if lane.borrowed_at is not None:
            await self._give_back(lane)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout_s
        while (state := await loop.run_in_executor(self._threads, self._taken, lane.state.key)) is None:
            if loop.time() > deadline:
                self._lanes.send_back(lane, failure("host_paused", "another program asks it", retry_after=1))
            if lane.idle or (lane.leased and not lane.is_lent):
                return
            await asyncio.sleep(_AGAIN_S)
        lane.borrowed_at = loop.time()
        self._lanes.adopt(state, always=True)

    def _taken(self, key: str) -> HostState | None:
        """The state of the host, if we have it now. Without its store, nobody is asked anything."""
        now = self._clock()
        until = now + round((TURN_S + self._timeout_s) * 1000)
        try:
            return self._hosts.load(key) if self._hosts.borrow(key, self._guest, now, until) else None
        except StoreError:
            return None

    async def _finish(self, lane: Lane) -> None:
        await asyncio.sleep(_LINGER_S)
        if lane.idle:
            await self._give_back(lane)

    async def _give_back(self, lane: Lane) -> None:
        lane.borrowed_at = None
        await asyncio.get_running_loop().run_in_executor(self._threads, self._returned, lane)

    def _returned(self, lane: Lane) -> bool:
        """Whether the store knows that the host is free. If not, its lease ends by itself, later."""
        try:
            if lane.dirty:
                self._save([lane])
            self._hosts.give_back(lane.state.key, self._guest)
        except StoreError:
            return False
        return True
