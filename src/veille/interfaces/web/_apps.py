"""The program for many requests at once: each has one of its own, on the same data folder, while it is worked on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from starlette.concurrency import run_in_threadpool

from veille.bootstrap import App, open_app
from veille.settings import Settings

#: Dossier files that one of the programs keeps open; there are as many programs as requests at once.
_OPEN_DOSSIERS = 8


class Apps:
    """Lends out programs. Waiting for one takes no thread, so those who have one can always go on."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.model_copy(update={"open_dossiers": min(settings.open_dossiers, _OPEN_DOSSIERS)})
        self._turns = asyncio.Semaphore(settings.serve.requests)
        #: Somebody outside who does not answer has no more than a quarter of the programs.
        self._outside_turns = asyncio.Semaphore(max(1, settings.serve.requests // 4))
        self._idle: list[App] = []
        #: Set when the service is about to end: whoever waits for something stops waiting.
        self.is_stopping = False

    @asynccontextmanager
    async def one(self, *, asks_outside: bool = False) -> AsyncIterator[App]:
        """A program; `asks_outside`: for a request that waits for others than us."""
        async with self._outside_turns if asks_outside else nullcontext(), self._turns:
            app = self._idle.pop() if self._idle else await run_in_threadpool(open_app, self.settings)
            try:
                yield app
            finally:
                self._idle.append(app)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
