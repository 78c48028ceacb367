"""Pages that need a browser: Playwright drives the system's Chromium; all its connections go through our proxy.

The page gets no configured headers and no earlier cookies. Each page has limits of time and size, the browser of
memory; whatever exceeds them is closed, and nothing is left behind when the fetcher closes.
"""

from __future__ import annotations

import asyncio
import logging
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veille.adapters.fetch._proxy import CheckedProxy
from veille.core.outcomes import failure
from veille.core.traffic import Failure

if TYPE_CHECKING:
    from veille.adapters.fetch._retriever import Surroundings

_log = logging.getLogger(__name__)

#: How long a page may continue loading after its document has arrived.
_SETTLE_S = 3.0
_MB = 1024 * 1024
_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-quic",  # would bypass the proxy
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=256",
    "--no-first-run",
    "--no-pings",
)
#: Not needed for the text, and most of the traffic.
_SKIPPED = frozenset({"image", "media", "font"})


def available(path: Path) -> bool:
    """Whether the extra and a Chromium are installed."""
    return find_spec("playwright") is not None and path.exists()


class Browser:
    """One Chromium, started when first needed, restarted if it grew too large or died."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._slots = asyncio.Semaphore(around.settings.browser_pages)
        self._starting = asyncio.Lock()
        self._proxy = CheckedProxy(around)
        self._driver: Any = None
        self._chromium: Any = None
        self._pages = 0

    async def render(self, url: str, seconds: float) -> tuple[bytes, str] | Failure:
        """The page's HTML after its scripts ran, and its final address."""
        try:
            async with asyncio.timeout(seconds), self._slots:
                return await self._rendered(url, seconds)
        except TimeoutError:
            return failure("timeout", f"the browser had {seconds:.0f} s")

    async def close(self) -> None:
        await self._stop()
        if self._driver is not None:
            await self._driver.stop()
            self._driver = None
        await self._proxy.close()

    async def _rendered(self, url: str, seconds: float) -> tuple[bytes, str] | Failure:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        await self._started()
        context = await self._chromium.new_context(
            user_agent=self._around.settings.user_agent, service_workers="block", accept_downloads=False
        )
        self._pages += 1
        try:
            return await self._shown(await context.new_page(), url, seconds)
        except Error as error:
            return failure("render", " ".join(str(error).split())[:200])
        finally:
            self._pages -= 1
            await context.close()
            await self._keep_small()

    async def _shown(self, page: Any, url: str, seconds: float) -> tuple[bytes, str] | Failure:
        from playwright.async_api import TimeoutError as Late  # noqa: PLC0415 - an extra

        await page.route("**/*", _skip)
        response = await page.goto(url, wait_until="domcontentloaded", timeout=seconds * 1000)
        if response is None or not response.ok:
            return failure("render", f"status {response.status if response else 'none'}")
        try:
            await page.wait_for_load_state("networkidle", timeout=_SETTLE_S * 1000)
        except Late:
            _log.debug("A page went on loading after %s s", _SETTLE_S)
        html = (await page.content()).encode()
        limit = self._around.settings.max_bytes
        return failure("too_large", f"more than {limit} bytes") if len(html) > limit else (html, page.url)

    async def _started(self) -> None:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - an extra

        async with self._starting:
            if self._chromium is not None and self._chromium.is_connected():
                return
            if self._driver is None:
                await self._proxy.start()
                self._driver = await async_playwright().start()
            as_root = os.geteuid() == 0
            if as_root:
                _log.warning("Chromium runs without its own sandbox, because it runs as root: use another user.")
            self._chromium = await self._driver.chromium.launch(
                executable_path=str(self._around.settings.browser_path),
                args=list(_ARGUMENTS),
                chromium_sandbox=not as_root,
                # "<-loopback>": without it Chromium would connect to this machine without the proxy.
                proxy={
                    "server": self._proxy.server,
                    "username": self._proxy.user,
                    "password": self._proxy.password,
                    "bypass": "<-loopback>",
                },
            )

    async def _keep_small(self) -> None:
        if self._pages == 0 and _memory_mb() > self._around.settings.browser_memory_mb:
            await self._stop()

    async def _stop(self) -> None:
        if self._chromium is not None:
            chromium, self._chromium = self._chromium, None
            await chromium.close()


async def _skip(route: Any) -> None:
    if route.request.resource_type in _SKIPPED:
        await route.abort()
    else:
        await route.continue_()


def _memory_mb() -> float:
    """The memory of all processes below this one, including the browser's; shared pages count once per process."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)], sizes[int(folder.name)] = int(fields[1]), int(fields[21])
    ours = {os.getpid()}
    below: set[int] = set()
    while ours:
        ours = {pid for pid, parent in parents.items() if parent in ours} - below
        below |= ours
    return sum(sizes[pid] for pid in below) * os.sysconf("SC_PAGE_SIZE") / _MB
