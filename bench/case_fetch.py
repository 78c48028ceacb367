"""Fetching 10,000 pages of 5 KB on loopback: CPU per page of the door, against bare aiohttp, httpx and Scrapy.

The door's figure includes everything it does: address checks, robots.txt, the host ledger in SQLite, hashing, limits.
Each contestant runs in a process of its own, against a server in another, and its own CPU time is what counts.

    python bench/case_fetch.py [pages] [repeats]
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

PAGES = 10_000
REPEATS = 3
CONCURRENCY = 64
GOAL = 2.0
BODY = b"<html><title>Page</title><main>" + b"<p>Some text of a page. </p>" * 180 + b"</main></html>"


class _Server(asyncio.Protocol):
    """As little as HTTP allows, so that the server is not what is measured."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._left = b""

    def data_received(self, data: bytes) -> None:
        data = self._left + data
        while (end := data.find(b"\r\n\r\n")) >= 0:
            missing = data.startswith(b"GET /robots.txt")
            data = data[end + 4 :]
            self._transport.write(_MISSING if missing else _PAGE)  # type: ignore[attr-defined]
        self._left = data


_PAGE = (
    b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "a"\r\nContent-Length: %d\r\n\r\n' % len(BODY)
) + BODY
_MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Server, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def serve(_: str, __: int) -> None:
    import uvloop

    uvloop.run(_serve())


def veille(url: str, pages: int) -> None:
    from ipaddress import ip_network

    from veille.adapters.fetch import Door
    from veille.adapters.stores.sqlite.catalog.catalog import SqliteCatalog
    from veille.adapters.stores.sqlite.catalog.hosts import SqliteHosts
    from veille.core.traffic import Order, Payload
    from veille.settings import FetchSettings

    settings = FetchSettings(
        host_delay_ms=0,
        concurrency=CONCURRENCY,
        host_concurrency=CONCURRENCY,
        allow_networks=(ip_network("127.0.0.0/8"),),
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SqliteCatalog(Path(folder))) as catalog,
        closing(Door(settings, lambda: time.time_ns() // 1_000_000, SqliteHosts(catalog.db))) as door,
    ):
        good = sent = 0
        while sent < pages or door.load:
            for _ in range(min(pages - sent, 4 * CONCURRENCY - door.load)):
                door.submit(Order(key=str(sent), url=f"{url}/{sent}", robots=True))
                sent += 1
            good += sum(isinstance(answer, Payload) for _, answer in door.collect(1))
    assert good == pages, good


def aiohttp(url: str, pages: int) -> None:
    import uvloop
    from aiohttp import ClientSession, TCPConnector

    async def run() -> None:
        async with ClientSession(connector=TCPConnector(limit=CONCURRENCY)) as session:

            async def work(numbers: Iterator[int]) -> None:
                for number in numbers:
                    async with session.get(f"{url}/{number}") as response:
                        await response.read()

            numbers = iter(range(pages))
            await asyncio.gather(*(work(numbers) for _ in range(CONCURRENCY)))

    uvloop.run(run())


def httpx(url: str, pages: int) -> None:
    import httpx as library  # noqa: TID251 - measured, not used

    async def run() -> None:
        limits = library.Limits(max_connections=CONCURRENCY)
        async with library.AsyncClient(limits=limits, timeout=60) as client:

            async def work(numbers: Iterator[int]) -> None:
                for number in numbers:
                    await client.get(f"{url}/{number}")

            numbers = iter(range(pages))
            await asyncio.gather(*(work(numbers) for _ in range(CONCURRENCY)))

    asyncio.run(run())


def scrapy(url: str, pages: int) -> None:
    import scrapy as library
    from scrapy.crawler import CrawlerProcess

    class Spider(library.Spider):
        name = "bench"
        start_urls = [f"{url}/{number}" for number in range(pages)]  # noqa: RUF012 - Scrapy's way
        custom_settings = {  # noqa: RUF012
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": True,
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
        }

        def parse(self, response: library.http.Response) -> None:
            pass

    process = CrawlerProcess()
    process.crawl(Spider)
    process.start()


CONTESTANTS: dict[str, Callable[[str, int], None]] = {
    "aiohttp": aiohttp, "veille": veille, "httpx": httpx, "scrapy": scrapy
}  # fmt: skip


@contextmanager
def _server() -> Iterator[str]:
    command = [sys.executable, __file__, "serve", "", "0"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()


def _measured(name: str, url: str, pages: int) -> float:
    """CPU milliseconds per page: what `pages` cost on top of what none costs (imports, set-up)."""
    command = [sys.executable, __file__, name, url]
    totals = []
    for count in (1, pages):
        done = subprocess.run([*command, str(count)], check=True, capture_output=True, text=True)
        totals.append(float(json.loads(done.stdout.splitlines()[-1])))
    return (totals[1] - totals[0]) * 1000 / (pages - 1)


def main(pages: int = PAGES, repeats: int = REPEATS) -> dict[str, float]:
    """Measure side by side, turn by turn, and print the ratios; medians, as the machine is shared."""
    found: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
    with _server() as url:
        for _ in range(repeats):
            for name, costs in found.items():
                costs.append(_measured(name, url, pages if name in {"aiohttp", "veille"} else max(pages // 10, 100)))
    cost = {name: statistics.median(costs) for name, costs in found.items()}
    print(f"{pages} pages of {len(BODY)} bytes, {repeats} turns; CPU per page, and as a ratio to bare aiohttp")
    for name, value in cost.items():
        print(f"  {name:8} {value:7.3f} ms  {value / cost['aiohttp']:6.2f}")
    print(f"  goal for veille: at most {GOAL}")
    return {name: value / cost["aiohttp"] for name, value in cost.items()}


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].isdigit():
        {**CONTESTANTS, "serve": serve}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
        print(json.dumps(_cpu()))
    else:
        main(*map(int, sys.argv[1:3]))
