"""Background work that continues after its response: a first check, the import of a long list.

An errand runs on behalf of the user who asked for it; their access is checked again when it begins, and it has its
own `App`. Errands end with the service.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio.from_thread

from veille.errors import VeilleError
from veille.interfaces.programs import too_often
from veille.interfaces.web.requests.calls import Call, Patience

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.interfaces.web.requests.calls import Apps


log = logging.getLogger("veille.web")

#: Errands that run at once, of all users and of one; and the most that may run or wait.
_AT_ONCE = 4
_OF_ONE = 2
_WAITING = 100


class Errands:
    """The errands of a service."""

    def __init__(self, apps: Apps) -> None:
        self._apps = apps
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._own: dict[str, asyncio.Semaphore] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_stopping(self) -> bool:
        """Whether the service is stopping, so that errands should end."""
        return self._apps.is_stopping

    def send(self, call: Call, work: Callable[[Call], None], end: Callable[[], None] = lambda: None) -> None:
        """Start an errand, from the handler of a page; ThrottledError when too many wait already.

        `end` is always called, whether the work was done, failed, or did not start before the service stopped.
        """
        if len(self._tasks) >= _WAITING:
            raise too_often(call.app, "Too many background tasks are waiting: try again soon.")
        user_id = call.access.who.user_id
        anyio.from_thread.run_sync(self._begin, Patience(call.request, call.auth), user_id, work, end)

    async def finish(self) -> None:
        """Stop all errands and wait for them."""
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
                # The user sees it elsewhere: at the source, or in the report of the list.
                log.info("An errand failed: %s [%s]", error, error.code)
            except Exception:
                log.exception("An errand failed.")


def check_soon(call: Call, dossier_id: str, source: Source) -> int:
    """Check a source in the background, so that its first document is there in seconds; returns the start time.

    It is made due before the errand begins: a page that is asked for meanwhile must not find it checked already.
    """
    errands = call.request.app.state.errands
    began = call.services.sources.make_due(dossier_id, source.id)

    def check(later: Call) -> None:
        later.app.check_armed(later.access.dossier(dossier_id, scope="write").id, source.id, errands.is_stopping)

    errands.send(call, check)
    return began
