"""The icons of sites: fetched after the page, kept, and served only as what they are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paper import attribute, shown, words
from service import Client, Here
from veille.adapters import icon_folder
from veille.adapters.icon_folder import IconFolder
from world import Page, Site

ICO = b"\x00\x00\x01\x00" + b"\1" * 60
PNG = b"\x89PNG\r\n\x1a\n" + b"\1" * 60
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    with Here(tmp_path_factory.mktemp("icons")) as running:
        yield running


def _icons(ada: Client, dossier_id: str) -> list[str]:
    return [attribute(one, "src") for one in shown(ada, f"/d/{dossier_id}/sources").css("td .mark img")]


def _watched(office: Here, site: Site, name: str) -> str:
    site.article("/one", "One", "word " * 60)
    dossier_id = office.dossier(name)
    office.watch(dossier_id, f"{site.url}/one", name="Gazette")
    office.look(dossier_id)
    return dossier_id


def _asked(site: Site) -> int:
    return sum(one.path == "/favicon.ico" for one in site.seen)


def _until_asked(site: Site) -> None:
    deadline = time.monotonic() + 30
    while not _asked(site) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _asked(site)


@pytest.mark.parametrize(("body", "media_type"), [(ICO, "image/x-icon"), (PNG, "image/png")], ids=["ico", "png"])
def test_a_letter_stands_there_until_the_icon_does(office: Here, body: bytes, media_type: str) -> None:
    ada = office.person("ada@example.org", is_admin=True)
    with Site() as site:
        site["/favicon.ico"] = Page(body, type="text/html")
        dossier_id = _watched(office, site, f"shown {media_type}")
        first = shown(ada, f"/d/{dossier_id}/sources")
        assert [words(one) for one in first.css("td .mark")] == ["G"]
        deadline = time.monotonic() + 30
        while not (found := _icons(ada, dossier_id)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert _asked(site) == 1, "asked for once, however many pages want it"
    answer = ada.ask("GET", found[0])
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, body, media_type)
    assert "sandbox" in answer.headers["content-security-policy"]
    eve = office.person("eve@example.org")
    assert eve.ask("GET", found[0], None, BROWSER).status == 404


@pytest.mark.parametrize("body", [SVG, b"<script>alert(1)</script>", PNG + b"\0" * 70_000], ids=["svg", "html", "huge"])
def test_what_is_no_small_picture_is_not_shown(office: Here, body: bytes) -> None:
    ada = office.person("ada@example.org", is_admin=True)
    with Site() as site:
        site["/favicon.ico"] = Page(body, type="image/x-icon")
        dossier_id = _watched(office, site, f"refused {len(body)}")
        _icons(ada, dossier_id)
        _until_asked(site)
        assert _icons(ada, dossier_id) == []


def test_the_oldest_icons_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icon_folder, "MOST", 3)
    shelf = IconFolder(tmp_path / "icons")
    for number in range(5):
        shelf.write(f"{number}", b"x")
    assert sum(shelf.read(f"{number}") is not None for number in range(5)) == 3
    assert shelf.age_s("4") is not None
    assert shelf.read("none") is None
    assert shelf.age_s("none") is None
