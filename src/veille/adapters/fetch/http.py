"""HTTP(S): many addresses at once on one event loop in its own thread, in lanes per host."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import aiohttp

from veille.core.fingerprint import raw_hash
from veille.core.models import Failure, Order, Payload
from veille.core.urls import host_of

if TYPE_CHECKING:
    from veille.ports import Clock
    from veille.settings import FetchSettings


class HttpFetcher:
    """The port `Fetcher` for http and https."""

    def __init__(self, settings: FetchSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._answers: queue.SimpleQueue[tuple[str, Payload | Failure]] = queue.SimpleQueue()
        self._load = 0
        self._lanes: dict[str, _Lane] = {}
        self._session: aiohttp.ClientSession | None = None
        self._loop = _new_loop()
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._thread = threading.Thread(target=self._loop.run_forever, name="veille-fetch", daemon=True)
        self._thread.start()

    def submit(self, order: Order) -> None:
        self._load += 1
        asyncio.run_coroutine_threadsafe(self._run(order), self._loop)

    def collect(self, timeout: float) -> list[tuple[str, Payload | Failure]]:
        answers = []
        with suppress(queue.Empty):
            answers.append(self._answers.get(timeout=timeout))
            while True:
                answers.append(self._answers.get_nowait())
        self._load -= len(answers)
        return answers

    @property
    def load(self) -> int:
        return self._load

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._shutdown(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shutdown(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def _run(self, order: Order) -> None:
        lane = self._lanes.setdefault(
            host_of(order.url), _Lane(self._settings.host_concurrency, self._settings.host_delay_ms / 1000)
        )
        async with lane.slots, self._slots:
            await lane.turn()
            started = time.monotonic()
            answer = await self._exchange(order, started)
        self._answers.put((order.key, answer))

    async def _exchange(self, order: Order, started: float) -> Payload | Failure:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._get(order, started)
        except TimeoutError:
            seconds = self._settings.timeout_s
            return Failure(
                code="timeout",
                message=f"No complete answer within {seconds:g} s; it will be tried again.",
                retryable=True,
                duration_ms=_since(started),
            )
        except (aiohttp.ClientError, OSError) as error:
            return Failure(
                code="network", message=f"{type(error).__name__}: {error}", retryable=True, duration_ms=_since(started)
            )

    async def _get(self, order: Order, started: float) -> Payload | Failure:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={"User-Agent": self._settings.user_agent},
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        headers = dict(order.headers)
        if order.validators.etag:
            headers["If-None-Match"] = order.validators.etag
        if order.validators.last_modified:
            headers["If-Modified-Since"] = order.validators.last_modified
        async with self._session.get(order.url, headers=headers, max_redirects=5) as response:
            if response.status != 304 and not 200 <= response.status < 300:  # noqa: PLR2004 - HTTP's own numbers
                return _refused(response, started)
            body = await response.read()
            return Payload(
                url=order.url,
                status=response.status,
                body=body,
                fetched_at=self._clock(),
                final_url=str(response.url),
                media_type=response.content_type,
                charset=response.charset or "",
                etag=response.headers.get("ETag", ""),
                last_modified=response.headers.get("Last-Modified", ""),
                raw_hash=raw_hash(body) if body else "",
                redirects=tuple((hop.status, str(hop.url)) for hop in response.history),
                duration_ms=_since(started),
                wire_bytes=len(body),
            )


class _Lane:
    """One host's share: so many at once, so much time between two."""

    def __init__(self, concurrency: int, delay: float) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self._delay = delay
        self._next = 0.0

    async def turn(self) -> None:
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + self._delay
        if start > now:
            await asyncio.sleep(start - now)


def _refused(response: aiohttp.ClientResponse, started: float) -> Failure:
    status = response.status
    retryable = status in {408, 425, 429} or status >= 500  # noqa: PLR2004 - HTTP's own numbers
    return Failure(
        code=f"http.{status}",
        message=f"The server answered {status} {response.reason or ''}.".replace(" .", "."),
        retryable=retryable,
        status=status,
        duration_ms=_since(started),
    )


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop  # noqa: PLC0415 - absent on Windows
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
