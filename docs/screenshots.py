"""Pictures of the main pages, taken of the demo world: `make screenshots` writes them to `docs/screenshots/`.

They are looked at before they are committed: a page that is ugly in its picture is ugly.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, sync_playwright

HERE = Path(__file__).resolve().parent
CHROMIUM = Path("/usr/bin/chromium")
SIZE = ViewportSize(width=1280, height=860)
PHONE = ViewportSize(width=390, height=844)
#: A document of the demo world that is worth looking at.
ARTICLE = re.compile("porpoise|whale", re.IGNORECASE)


def main() -> None:
    """Run the demo, serve it, and go through the pages."""
    out = HERE / "screenshots"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="veille-demo-") as folder:
        command = [sys.executable, "-m", "veille", "demo", "--serve", "--data", folder]
        demo = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            _take(_link(demo), out)
        finally:
            demo.terminate()
            demo.wait()


def _link(demo: subprocess.Popen[str]) -> str:
    """The link to come in by, which the demo prints when its pages are served."""
    for line in demo.stdout or ():
        if found := re.search(r"http://\S+/setup\?token=\S+", line):
            return found[0]
    raise SystemExit("The demo did not say where its pages are.")


def _take(link: str, out: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        context = browser.new_context(base_url=link.partition("/setup")[0], viewport=SIZE)
        page = context.new_page()
        page.goto(link)
        with page.expect_navigation():
            page.get_by_role("button").click()
        for name, path in _paths(page).items():
            _shot(page, path, out / f"{name}.png")
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="dark")
        _shot(page, "/", out / "phone-dark.png")
        browser.close()


def _paths(page: Page) -> dict[str, str]:
    """The main pages, by the names of their pictures."""
    page.goto("/")
    here = _first(page, "nav.rail a[href^='/d/']")
    page.goto(here)
    changed = _first(page, "a.title[href*='/diff']")
    page.goto(f"{here}/sources")
    gazette = _href(page.get_by_role("link", name="The Estuary Gazette").first)
    page.goto(f"{here}/documents")
    article = _href(page.get_by_role("link", name=ARTICLE).first)
    return {
        "changes": "/",
        "preview": f"{here}/add",
        "document": article,
        "diff": changed,
        "documents": f"{here}/documents",
        "sources": f"{here}/sources",
        "source": gazette,
        "search": f"{here}/search?q=whales+OR+porpoises",
        "rule": f"{here}/rules/new",
        "runs": f"{here}/runs",
        "figures": f"{here}/figures",
    }


def _first(page: Page, selector: str) -> str:
    return _href(page.locator(selector).first)


def _href(link: Any) -> str:
    return str(link.get_attribute("href"))


def _shot(page: Page, path: str, file: Path) -> None:
    page.goto(path)
    if path.endswith("/add"):
        # The preview of something that the demo has read, but does not watch.
        page.goto(path.replace("/add", "/documents"))
        original = page.locator("[data-item]", has_text=ARTICLE).first.get_attribute("data-original")
        page.goto(path)
        page.fill("#paste", original or "")
        page.press("#paste", "Enter")
        page.wait_for_selector("main form button.primary")
    if path.endswith("/rules/new"):
        page.fill("#expression", "is changed or told by at least 3 sources")
        page.get_by_role("button", name="Try it on the past").click()
        page.wait_for_selector("#trial")
    page.screenshot(path=file)
    print(f"{file.name}: {file.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
