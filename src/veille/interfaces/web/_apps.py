"""A pool of `App` objects: each request has its own while it is handled, all on the same data folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from starlette.concurrency import run_in_threadpool

from veille.bootstrap import App, open_app
from veille.settings import Settings

#: Dossier files that one `App` keeps open; there are as many of them as concurrent requests.
_OPEN_DOSSIERS = 8


class Apps:
    """Lends out `App` objects. Waiting for one takes no thread, so requests that have one can always continue."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.model_copy(update={"open_dossiers": min(settings.open_dossiers, _OPEN_DOSSIERS)})
        self._turns = asyncio.Semaphore(settings.serve.requests)
        #: Requests that wait for other servers get at most a quarter of the pool.
        self._outside_turns = asyncio.Semaphore(max(1, settings.serve.requests // 4))
        self._idle: list[App] = []
        #: Set when the service is about to stop: long waits end early.
        self.is_stopping = False

    @asynccontextmanager
    async def one(self, *, asks_outside: bool = False) -> AsyncIterator[App]:
        """Borrow an `App`; `asks_outside`: for a request that waits for other servers."""
        async with self._outside_turns if asks_outside else nullcontext(), self._turns:
            app = self._idle.pop() if self._idle else await run_in_threadpool(open_app, self.settings)
            try:
                yield app
            finally:
                self._idle.append(app)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
