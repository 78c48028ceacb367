"""Pages that need a browser: Playwright drives the system's Chromium; all its connections go through our proxy.

The page gets no configured headers, and no earlier cookies but those of a login that its own steps made. Each page has
limits of time and size, the browser of memory; whatever exceeds them is closed, and nothing is left behind when the
fetcher closes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veille.adapters.fetch._proxy import CheckedProxy
from veille.adapters.fetch._shots import redacted, shot_of
from veille.adapters.fetch._steps import Walk
from veille.core.browsing.logins import MOST_STATE, KeptLogin, login_steps
from veille.core.browsing.visit import WINDOW, PageVisit, Shot
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
#: Of these, what a picture needs all the same.
_SEEN = frozenset({"image", "font"})
#: The share of its time that a visit may spend with a kept login before its steps log in anew.
_REUSE_SHARE = 0.4
#: Statuses of pages that may have a form to log in.
_LOGIN = frozenset({401, 403})


def available(path: Path) -> bool:
    """Whether the extra and a Chromium are installed."""
    return find_spec("playwright") is not None and path.exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page as the browser shows it: its HTML after its scripts and steps, its final address, and a picture."""

    body: bytes
    final_url: str
    shot: Shot | None = None
    #: The login of the visit as it is now, if it is to be kept.
    login: KeptLogin | None = None


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

    async def render(self, url: str, seconds: float, visit: PageVisit | None = None) -> Rendered | Failure:
        """The page after its scripts ran and the steps of the visit were taken."""
        try:
            async with asyncio.timeout(seconds), self._slots:
                return await self._rendered(url, asyncio.get_running_loop().time() + seconds, visit)
        except TimeoutError:
            return failure("timeout", f"the browser had {seconds:.0f} s")

    async def close(self) -> None:
        await self._stop()
        if self._driver is not None:
            await self._driver.stop()
            self._driver = None
        await self._proxy.close()

    async def _rendered(self, url: str, end: float, visit: PageVisit | None) -> Rendered | Failure:
        """The page; with a kept login first, and if that is not taken, with all steps."""
        login = visit.login if visit is not None else None
        if visit is None or login is None or not login.state:
            return await self._in_context(url, end, visit)
        if login.is_usable:
            now = asyncio.get_running_loop().time()
            rest = replace(visit, steps=visit.steps[login_steps(visit.steps) :])
            shown = await self._in_context(url, now + (end - now) * _REUSE_SHARE, rest)
            if isinstance(shown, Rendered):
                return shown
            _log.debug("A kept login was not taken: the steps log in again.")
            login = replace(login, refused=login.refused + 1)
        return await self._in_context(url, end, replace(visit, login=replace(login, state="")))

    async def _in_context(self, url: str, end: float, visit: PageVisit | None) -> Rendered | Failure:
        """One visit in a browser context of its own, which begins with the login of the visit."""
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        await self._started()
        context = await self._chromium.new_context(
            user_agent=self._around.settings.user_agent,
            service_workers="block",
            accept_downloads=False,
            viewport={"width": WINDOW[0], "height": WINDOW[1]},
            reduced_motion="reduce" if visit else None,
            storage_state=json.loads(visit.login.state) if visit and visit.login and visit.login.state else None,
        )
        self._pages += 1
        try:
            return await self._shown(await context.new_page(), url, end - asyncio.get_running_loop().time(), visit)
        except Error as error:
            return failure("render", redacted(" ".join(str(error).split()), visit)[:200])
        finally:
            self._pages -= 1
            await context.close()
            await self._keep_small()

    async def _shown(self, page: Any, url: str, seconds: float, visit: PageVisit | None) -> Rendered | Failure:
        end = asyncio.get_running_loop().time() + seconds
        needs_pictures = visit is not None and (visit.picture is not None or visit.records)
        await page.context.route("**/*", _skip_but_seen if needs_pictures else _skip)
        response = await page.goto(url, wait_until="domcontentloaded", timeout=seconds * 1000)
        is_kept = visit is not None and visit.login is not None and bool(visit.login.state)
        is_login = visit is not None and visit.steps and not is_kept and response and response.status in _LOGIN
        # Known at once, before a step waits in vain.
        has_ended = is_kept and await _asks_for_password(page)
        if response is None or has_ended or not (response.ok or is_login):
            return failure("render", f"status {response.status if response else 'none'}")
        if visit is not None and visit.steps:
            walk = Walk(page, visit, end - asyncio.get_running_loop().time())
            problem = await walk.take()
            if problem is not None:
                return problem
            page = walk.page
        await _settled(page)
        if not page.url.startswith(("http://", "https://")):
            return failure("render", "the steps end on a page without an address")
        if is_kept and await _asks_for_password(page):
            return failure("render", "the kept login has ended")
        shot = await shot_of(page, visit) if visit is not None else None
        login = await _login_after(page, visit, visit.login) if visit is not None and visit.login is not None else None
        body = redacted(await page.content(), visit).encode()
        limit = self._around.settings.max_bytes
        if len(body) > limit:
            return failure("too_large", f"more than {limit} bytes")
        return Rendered(body=body, final_url=redacted(page.url, visit), shot=shot, login=login)

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


async def _asks_for_password(page: Any) -> bool:
    """Whether there is a form to log in."""
    return bool(await page.locator("input[type=password]").filter(visible=True).count())


async def _login_after(page: Any, visit: PageVisit, login: KeptLogin) -> KeptLogin:
    """The login as the visit leaves it; nothing is kept of a site that keeps the password itself in the browser."""
    state = json.dumps(await page.context.storage_state())
    is_fit = len(state) <= MOST_STATE and redacted(state, visit) == state
    return replace(login, state=state if is_fit else "", refused=0 if login.state else login.refused)


async def _settled(page: Any) -> None:
    """Wait until the page has loaded what it wants, but not for ever."""
    from playwright.async_api import TimeoutError as Late  # noqa: PLC0415 - an extra

    try:
        await page.wait_for_load_state("networkidle", timeout=_SETTLE_S * 1000)
    except Late:
        _log.debug("A page went on loading after %s s", _SETTLE_S)


async def _skip(route: Any) -> None:
    if route.request.resource_type in _SKIPPED:
        await route.abort()
    else:
        await route.continue_()


async def _skip_but_seen(route: Any) -> None:
    if route.request.resource_type in _SKIPPED - _SEEN:
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
