"""newsboat, a real reader app, through each of the protocols that it speaks: its counts are those of the pages.

It speaks that of Google Reader (as FeedHQ's, and from 2.24 on as FreshRSS's) and that of Miniflux, with stars from 2.35
on. No version speaks Fever: for that it runs the program of our how-to.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from newsboat import FEEDHQ, FRESHRSS, MINIFLUX, Newsboat, version
from reading_apps import READ, STARRED, Desk

_SERVICES = [FEEDHQ, MINIFLUX, *([FRESHRSS] if version() >= (2, 24) else [])]
pytestmark = pytest.mark.skipif(
    not version() and "CI" not in os.environ, reason="newsboat is not installed: `make test` installs it"
)
_CTRL_E, _BACKSPACE = "\x05", "\x7f"
_PAGE = Path(__file__).parents[2] / "docs" / "howto" / "read-on-your-phone.md"


@pytest.mark.parametrize("service", _SERVICES)
def test_newsboat_reads_marks_and_stars(desk: Desk, tmp_path: Path, service: str) -> None:
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


def test_by_the_bridge_of_the_how_to_newsboat_reads_marks_and_stars_through_fever(desk: Desk, tmp_path: Path) -> None:
    app = desk.app()
    boat = Newsboat(tmp_path, app.url, app.login, app.password)
    text = _PAGE.read_text(encoding="utf-8").replace("~/.newsboat", str(tmp_path))
    for ours, theirs in {
        "https://veille.example.org/fever/": f"{app.url}/fever/",
        "ada@example.org": app.login,
        "k3f8m-…": app.password,
    }.items():
        text = text.replace(ours, theirs)
    _account, program, urls, macros = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "fever").write_text(program, encoding="utf-8")
    (tmp_path / "fever").chmod(0o700)
    (tmp_path / "urls").write_text(urls)
    (tmp_path / "config").write_text(f"confirm-exit no\nshow-read-articles yes\ngoto-next-feed no\n{macros}")

    def titles(mark: str) -> set[str]:
        return {item["title"] for item in app.fever("items")["items"] if item[mark]}

    def keyed(*macros: str) -> None:
        # The list of articles is drawn again when the program has ended.
        boat.keys(("veille", "\n"), *(("Prices", macro) for macro in macros), ("Prices", "q"), ("veille", "q"))

    assert boat.reload() == f"{app.unread_on_pages()} unread articles" == "4 unread articles"
    keyed(",s")
    assert app.kept_on_pages() == titles("is_saved")
    assert len(titles("is_saved")) == 1
    keyed(",u")
    assert app.kept_on_pages() == titles("is_saved") == set()
    keyed(",s", ",r")
    assert app.unread_on_pages() == 3
    assert app.kept_on_pages() == titles("is_saved") == titles("is_read")
    assert boat.reload() == f"{app.unread_on_pages()} unread articles" == "3 unread articles"
    # Whoever begins now is told of what is unread, whoever read the rest.
    (tmp_path / "cache.db").unlink()
    app.edit(i=app.ids(xt=READ)[0], a=READ)
    assert boat.reload() == f"{app.unread_on_pages()} unread articles" == "2 unread articles"
