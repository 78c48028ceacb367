"""The browser in a thread of its own, on a loop that can start programs and end with them.

uvloop, on which the door fetches, can do neither for sure: it forks as if there were no other threads, so that the new
program may wait for ever for a lock that one of them holds, and it closes only when all its programs have ended.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any

from veille.adapters.fetch._browser import Browser, Rendered

if TYPE_CHECKING:
    from veille.adapters.fetch._retriever import Surroundings
    from veille.core.browsing.visit import PageVisit
    from veille.core.traffic import Failure

_log = logging.getLogger(__name__)

#: How long the browser may take to close, and its programs to end after that; how often these are looked at. Together
#: less than the door waits for its retrievers.
_CLOSE_S, _ENDED_S, _TICK_S = 4.0, 1.0, 0.01


class _ProgramLoop(asyncio.SelectorEventLoop):
    """Knows the programs that it started."""

    def __init__(self) -> None:
        super().__init__()
        self.programs: list[asyncio.SubprocessTransport] = []

    async def subprocess_exec(self, *given: Any, **options: Any) -> tuple[Any, Any]:
        transport, protocol = await super().subprocess_exec(*given, **options)
        self.programs.append(transport)
        return transport, protocol


class BrowserThread:
    """A `Browser` to be used from another loop."""

    def __init__(self, around: Surroundings) -> None:
        self._browser = Browser(around)
        self._loop = _ProgramLoop()
        self._thread = threading.Thread(target=self._serve, name="veille-browser", daemon=True)
        self._thread.start()

    async def render(self, url: str, seconds: float, visit: PageVisit | None = None) -> Rendered | Failure:
        """The page after its scripts ran and the steps of the visit were taken."""
        rendering = self._browser.render(url, seconds, visit)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(rendering, self._loop))

    async def close(self) -> None:
        """End the browser and its thread, within seconds."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join, _CLOSE_S + 4 * _ENDED_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._browser.close()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a browser that is to end
            _log.debug("The browser did not close by itself: %s", error)
        await self._programs_ended()
        for program in self._running():
            program.kill()
        await self._programs_ended()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_ENDED_S)
        for program in self._loop.programs:
            program.close()

    def _running(self) -> list[asyncio.SubprocessTransport]:
        return [program for program in self._loop.programs if program.get_returncode() is None]

    async def _programs_ended(self) -> None:
        """Wait until the loop knows how its programs ended, but not for ever."""
        for _ in range(round(_ENDED_S / _TICK_S)):
            if not self._running():
                return
            await asyncio.sleep(_TICK_S)
