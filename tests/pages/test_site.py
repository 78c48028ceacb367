"""`make site`: the documentation as a site that needs no server and no other site."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def _named(page: Path) -> list[str]:
    """Everything that a page links to or loads."""
    return [unescape(one) for one in re.findall(r'(?:href|src)="([^"]+)"', page.read_text(encoding="utf-8"))]


def test_links_lead_somewhere(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 80
    broken = {
        f"{page.relative_to(site)}: {target}"
        for page in pages
        for target in _named(page)
        if not urlsplit(target).scheme
        and urlsplit(target).path
        and not (page.parent / unquote(urlsplit(target).path)).resolve().exists()
    }
    assert broken == set()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)"', page.read_text(encoding="utf-8"))
        loaded += re.findall(r'<link[^>]+rel="stylesheet"[^>]+href="(https?:[^"]+)"', page.read_text(encoding="utf-8"))
        assert loaded == [], page


def test_it_is_searched_without_a_server(site: Path, browser: Browser) -> None:
    with browser.new_page() as page:
        page.goto((site / "howto" / "watch-a-site.html").as_uri())
        page.wait_for_load_state("networkidle")
        page.keyboard.press("/")
        page.keyboard.type("retention")
        page.get_by_text("matching documents").wait_for()
        page.locator('.md-search-result__link[href*="keep-what-you-need.html"]').first.wait_for()


def test_every_page_is_in_the_menu_under_its_title(site: Path) -> None:
    menu = {unquote(one) for one in _named(site / "index.html")}
    pages = {str(page.relative_to(site)) for page in site.rglob("*.html")} - {"404.html"}
    assert pages - menu == set()
    assert re.search(r"Command line\s*</span>", (site / "index.html").read_text(encoding="utf-8"))
