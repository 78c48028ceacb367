"""The how-to pages are true: their file, dropped into its folder of a copy of the package, does what they show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from world import Page, Site

ROOT = Path(__file__).parent.parent.parent
PAGES = ROOT / "docs" / "howto"
TEXT = "The old harbour bridge was closed after the flood and is being rebuilt by engineers from three countries."


def _blocks(page: str) -> tuple[str, str, str]:
    """Where the file goes, the file, and the program that uses it."""
    text = (PAGES / f"{page}.md").read_text()
    places = re.findall(r"`src/(veille/[\w/]+\.py)`", text)
    code, usage = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(places) == 1
    return places[0], code, usage


def _follow(page: str, site: Site, folder: Path) -> list[str]:
    """Do what the page says; what its program prints."""
    place, code, usage = _blocks(page)
    package = shutil.copytree(
        ROOT / "src" / "veille", folder / "src" / "veille", ignore=shutil.ignore_patterns("__pycache__")
    )
    target = package.parent / place
    assert not target.exists()
    target.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(package.parent), "VEILLE_FETCH__HOST_DELAY_MS": "0"}
    environment["VEILLE_FETCH__ALLOW_NETWORKS"] = '["127.0.0.0/8"]'
    program = usage.replace("https://example.org", site.url)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("add-*.md")))
def test_an_example_is_one_file_under_forty_lines(page: str) -> None:
    _, code, usage = _blocks(page)
    assert len(code.splitlines()) < 40
    assert len(usage.splitlines()) < 20


def test_a_kind_is_added_with_one_file(site: Site, tmp_path: Path) -> None:
    site["/list.txt"] = Page(b"// fruit\napples\npears\n\nplums\n", type="text/plain")
    assert _follow("add-a-kind", site, tmp_path) == ["new: 3", "found: pears"]


def test_a_sink_is_added_with_one_file(site: Site, tmp_path: Path) -> None:
    site.article("/page", "A page", TEXT)
    assert _follow("add-a-sink", site, tmp_path) == ["first audit 1", "second audit 0"]
    (written,) = (tmp_path / "audit").rglob("*.*")
    assert '"change": "new"' in written.read_text()


def test_an_extractor_is_added_with_one_file(site: Site, tmp_path: Path) -> None:
    site["/page"] = f"<title>T</title><main><p>{'Around it. ' * 9}</p></main><div itemprop=articleBody><p>{TEXT}</div>"
    assert _follow("add-an-extractor", site, tmp_path) == [f"microdata: {TEXT}"]


def test_a_repair_is_added_with_one_file(site: Site, tmp_path: Path) -> None:
    site.article("/page", "A page", TEXT)
    assert _follow("add-a-repair", site, tmp_path) == [
        "quiet {'interval_ms': 7200000} The last 10 checks found nothing new."
    ]
