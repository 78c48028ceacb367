"""A real Chromium that looks at our pages, and minds what they do: whatever is odd fails the test that saw it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright

from watching import HEADLESS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Dialog, Page

    from service import Office

CHROMIUM = Path("/usr/bin/chromium")
_AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
_RUN_AXE = "() => axe.run(document, { resultTypes: ['violations'] })"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
# A machine that runs four tests at once on two cores takes its time.
_TIMEOUT_MS = 45_000
expect.set_options(timeout=_TIMEOUT_MS)


@dataclass
class Seen:
    """What a page did beyond showing itself."""

    faults: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext, own: str) -> None:
        context.on("request", lambda request: self._asked(request.url, own))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        context.on("dialog", self._asked_back)

    def _asked_back(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _asked(self, url: str, own: str) -> None:
        if not url.startswith("data:") and urlsplit(url).netloc != urlsplit(own).netloc:
            self.outside.append(url)


def serious(page: Page) -> list[str]:
    """What axe finds on a page, and takes for serious."""
    page.evaluate(_AXE)
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in page.evaluate(_RUN_AXE)["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium as the system has it, which shows no windows."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=HEADLESS, chromium_sandbox=os.geteuid() != 0, args=["--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@contextmanager
def visitor(browser: Browser, office: Office, email: str = "ada@example.org", **given: Any) -> Iterator[Page]:
    """A page of somebody who is logged in. Errors of scripts and requests to elsewhere fail at the end."""
    seen = Seen()
    client = office.person(email, is_admin=given.pop("is_admin", True))
    context = browser.new_context(base_url=office.url, **({"viewport": DESK} | given))
    context.set_default_timeout(_TIMEOUT_MS)
    name, _, value = client.headers["Cookie"].partition("=")
    context.add_cookies([{"name": name, "value": value, "url": office.url}])
    seen.watch(context, office.url)
    try:
        page = context.new_page()
        page.seen = seen  # type: ignore[attr-defined]  # for tests that expect a dialog
        yield page
    finally:
        context.close()
    assert not seen.outside, seen.outside
    assert not seen.faults, seen.faults
