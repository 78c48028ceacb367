"""What goes on after its answer was sent: a first look, a long list that is taken in. It ends with the service.

An errand is done on behalf of whoever asked for it, checked anew when it begins, and with a program of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio.from_thread

from veille.errors import ThrottledError, VeilleError
from veille.interfaces.web.requests.calls import Call, Patience

if TYPE_CHECKING:
    from veille.interfaces.web._apps import Apps
    from veille.interfaces.web.actions.show import Show

log = logging.getLogger("veille.web")

#: So many are under way at once, of all people and of one; further ones wait, and not too many of these.
_AT_ONCE = 4
_OF_ONE = 2
_WAITING = 100
_AGAIN_MS = 30_000


class Errands:
    """The errands of a service."""

    def __init__(self, apps: Apps) -> None:
        self._apps = apps
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._own: dict[str, asyncio.Semaphore] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_stopping(self) -> bool:
        """Whether it is time to leave off."""
        return self._apps.is_stopping

    def send(self, show: Show, work: Callable[[Call], None], end: Callable[[], None] = lambda: None) -> None:
        """Begin, from the handler of a page; ThrottledError when too much waits already.

        Once begun it comes to its end, whether the work was done, failed, or had no turn before the service ended.
        """
        if len(self._tasks) >= _WAITING:
            raise ThrottledError(
                "Too much is under way already: try again soon.",
                code="too_often",
                retry_at=show.call.app.clock() + _AGAIN_MS,
            )
        anyio.from_thread.run_sync(self._begin, Patience(show.request, show.call.auth), show.user_id, work, end)

    async def finish(self) -> None:
        """Wait until all have left off."""
        self._apps.is_stopping = True
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, patience: Patience, user_id: str, work: Callable[[Call], None], end: Callable[[], None]) -> None:
        task = asyncio.get_running_loop().create_task(self._run(patience, user_id, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: end())

    async def _run(self, patience: Patience, user_id: str, work: Callable[[Call], None]) -> None:
        own = self._own.setdefault(user_id, asyncio.Semaphore(_OF_ONE))
        async with own, self._turns:
            if self.is_stopping():
                return
            try:
                await patience.ask(work)
            except VeilleError as error:
                # Told where it belongs: at the source, in the report of the list.
                log.info("An errand failed: %s [%s]", error, error.code)
            except Exception:
                log.exception("An errand failed.")
