"""Pictures of the main pages, taken of the demo world: `make screenshots` writes them to `docs/screenshots/`.

Twelve pages, each in light and in dark, on a desktop and on a phone. They are looked at before they are committed: a
page that is ugly in its picture is ugly.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright

HERE = Path(__file__).resolve().parent
CHROMIUM = Path("/usr/bin/chromium")
SIZES = {"": ViewportSize(width=1280, height=860), "-phone": ViewportSize(width=390, height=844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
#: A document of the demo world that is worth looking at.
ARTICLE = re.compile("porpoise|whale", re.IGNORECASE)
#: How long the demo world goes on changing before the pictures are taken: values have a line then.
_WAIT_MS = 50_000
#: Colours of a picture: enough for letters and lines, at a third of the size.
_COLOURS = 256


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
        context = browser.new_context(base_url=link.partition("/setup")[0], viewport=SIZES[""])
        page = context.new_page()
        page.goto(link)
        with page.expect_navigation():
            page.get_by_role("button").click()
        page.wait_for_timeout(_WAIT_MS)
        for name, path in _paths(page).items():
            _picture(context, path, out / name)
        browser.close()


def _picture(context: BrowserContext, path: str, file: Path) -> None:
    """A page in all schemes and sizes."""
    page = context.new_page()
    _open(page, path)
    for name, size in SIZES.items():
        for scheme in SCHEMES:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            shot = file.with_name(f"{file.name}{name}{'-dark' if scheme == 'dark' else ''}.png")
            taken = Image.open(BytesIO(page.screenshot(scale="css", animations="disabled"))).convert("RGB")
            taken.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE).save(
                shot, optimize=True
            )
            print(f"{shot.name}: {shot.stat().st_size // 1024} KB")
    page.close()


def _paths(page: Page) -> dict[str, str]:
    """The main pages, by the names of their pictures."""
    page.goto("/")
    here = _href(page.locator("nav.rail a[href^='/d/']", has_text="demo").first)
    page.goto(here)
    changed = _href(page.locator("a[href*='/diff']", has_text=ARTICLE).first)
    page.goto(f"{here}/sources")
    tea = _href(page.get_by_role("link", name="Tea price").first)
    page.goto(f"{here}/documents")
    article = _href(page.get_by_role("link", name=ARTICLE).first)
    return {
        "changes": "/",
        "preview": f"{here}/add",
        "document": article,
        "diff": changed,
        "documents": f"{here}/documents",
        "alerts": f"{here}/alerts",
        "rule": f"{here}/rules/new",
        "sources": f"{here}/sources",
        "source": tea,
        "search": f"{here}/search?q=whales+OR+porpoises",
        "runs": f"{here}/runs",
        "figures": f"{here}/figures",
    }


def _href(link: Any) -> str:
    return str(link.get_attribute("href"))


def _open(page: Page, path: str) -> None:
    """Go to a page, and fill in what it is about."""
    if path.endswith("/add"):
        # The preview of something that the demo has read, but does not watch.
        page.goto(path.replace("/add", "/documents"))
        original = page.locator("[data-item]", has_text=ARTICLE).first.get_attribute("data-original")
        page.goto(path)
        page.fill("#paste", original or "")
        page.press("#paste", "Enter")
        page.wait_for_selector("main form button.primary")
        return
    page.goto(path)
    if path.endswith("/rules/new"):
        page.fill("#expression", "is changed or told by at least 3 sources")
        page.get_by_role("button", name="Try it on the past").click()
        page.wait_for_selector("#trial")
    page.wait_for_load_state("load")


if __name__ == "__main__":
    main()
