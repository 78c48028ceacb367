"""A pool of `App` objects on one store: each request has its own while it is handled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from starlette.concurrency import run_in_threadpool

from veille.bootstrap import App, open_app
from veille.settings import Settings


class Apps:
    """Lends out `App` objects. Waiting for one takes no thread, so requests that have one can always continue."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.serve.requests)
        #: Requests that wait for other servers get at most a quarter of the pool.
        self._outside_turns = asyncio.Semaphore(max(1, settings.serve.requests // 4))
        self._idle: list[App] = []
        #: Set when the service is about to stop: long waits end early.
        self.is_stopping = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[App]:
        """Open the `App` on whose store all others are."""
        with await run_in_threadpool(open_app, self._settings) as self._first:
            try:
                yield self._first
            finally:
                while self._idle:
                    self._idle.pop().close()

    @asynccontextmanager
    async def one(self, *, asks_outside: bool = False) -> AsyncIterator[App]:
        """Borrow an `App`; `asks_outside`: for a request that waits for other servers."""
        async with self._outside_turns if asks_outside else nullcontext(), self._turns:
            app = self._idle.pop() if self._idle else await run_in_threadpool(self._first.beside)
            try:
                yield app
            finally:
                self._idle.append(app)
