"""newsboat, a real reader app, through each of the protocols that it speaks: its counts are those of the pages.

It speaks that of Google Reader (as FeedHQ's, and from 2.24 on as FreshRSS's) and that of Miniflux, with stars from 2.35
on. No version speaks Fever.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from newsboat import FEEDHQ, FRESHRSS, MINIFLUX, Newsboat, version
from reading_apps import READ, STARRED, Desk

_SERVICES = [FEEDHQ, MINIFLUX, *([FRESHRSS] if version() >= (2, 24) else [])]
_CTRL_E, _BACKSPACE = "\x05", "\x7f"


@pytest.mark.parametrize("service", _SERVICES)
def test_newsboat_reads_marks_and_stars(desk: Desk, tmp_path: Path, service: str) -> None:
    if not version() and "CI" not in os.environ:
        pytest.skip("newsboat is not installed: `make test` installs it")
    app = desk.app()

    def boat(name: str) -> Newsboat:
        return Newsboat(tmp_path / name, app.url, app.login, app.password, service)

    first = boat("first")
    assert first.reload() == f"{app.unread_on_pages()} unread articles" == "4 unread articles"
    # An article is opened: it is read.
    first.keys(("Feed", "\n"), ("On ", "\n"), ("All about", "q"), (lambda: app.unread() == 3, "q"), ("Prices", "q"))
    assert app.unread_on_pages() == 3
    if first.stars:
        # Another is starred; then not any more.
        star: list[tuple[str, str]] = [("Feed", "\n"), ("On ", _CTRL_E)]
        first.keys(*star, ("lags:", "s\n"), (lambda: len(app.ids(s=STARRED)) == 1, "q"), ("Prices", "q"))
        assert app.kept_on_pages() == set(app.titles(s=STARRED))
        first.keys(*star, ("lags:", f"{_BACKSPACE}\n"), (lambda: not app.ids(s=STARRED), "q"), ("Prices", "q"))
        assert app.kept_on_pages() == set()
    # The two others are marked as read, the last of them as unread again; then the whole feed as read.
    first.keys(
        ("Feed", "\n"),
        ("On ", "N"),
        (lambda: app.unread() == 2, "N"),
        (lambda: app.unread() == 1, "N"),
        (lambda: app.unread() == 2, "q"),
        ("Prices", "q"),
    )
    assert app.unread_on_pages() == 2
    first.keys(("Feed", "A"), (lambda: app.unread() == 1, "q"))
    assert app.unread_on_pages() == 1
    assert app.titles(xt=READ) == ["Prices"]
    # What is read elsewhere is read here. It does not take over that something is unread which it has read itself.
    app.edit(i=app.item("Prices"), a=READ)
    assert first.reload() == f"{app.unread_on_pages()} unread articles" == "0 unread articles"
    app.edit(i=app.item("On rain"), r=READ)
    assert boat("second").reload() == f"{app.unread_on_pages()} unread articles" == "1 unread articles"
