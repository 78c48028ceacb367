"""Which document a page is when addresses are given up, reused, or only stand before what was there."""

from __future__ import annotations

import pytest

from samples import STORY as LONG
from veille.core.models import Change
from veille.core.schedule import CONFIRM_AFTER
from watching import Watch, told
from world import Page

STORY = LONG.strip()
OTHER = "An entirely different page about the lighthouse keepers and their long winters on the rock in the sea."


def _page(watch: Watch, path: str, text: str, *links: str, head: str = "") -> None:
    anchors = "".join(f"<a href='{link}'>{link}</a> " for link in links)
    watch.site[path] = (
        f"<html lang=en><head><title>A page</title>{head}</head><body><main><p>{text}</p></main>"
        f"<nav>{anchors}</nav></body></html>"
    )


def _leads(watch: Watch, path: str, to: str) -> None:
    watch.site[path] = Page(b"", status=301, headers={"Location": to}, validates=False)


def _texts(watch: Watch) -> dict[str, str]:
    """The texts of the current documents, but for the start page."""
    with watch.app.dossiers.open(watch.dossier_id) as store:
        found = [store.records.revision(known.document_id) for known in store.records.documents(limit=100)]
        current = {one.url.removeprefix(watch.site.url) or "/": one.text for one in found if one.state == "current"}
        return {path: text for path, text in current.items() if path != "/"}


def _id(watch: Watch, path: str) -> str:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return store.records.find(watch.site.url + path)


@pytest.fixture
def moved(watch: Watch) -> Watch:
    """A site whose page `/a` moved to `/c`."""
    _page(watch, "/", "The start page of the site.", "/a")
    _page(watch, "/a", STORY)
    watch.add("/", "site", sitemaps=False)
    watch.run()
    _leads(watch, "/a", "/c")
    _page(watch, "/c", STORY)
    watch.turn()
    assert set(_texts(watch)) == {"/c"}
    assert _id(watch, "/c") == _id(watch, "/a")
    return watch


def test_an_old_address_with_another_page_is_another_document(moved: Watch) -> None:
    before = _id(moved, "/c")
    _page(moved, "/a", OTHER)
    report, _ = moved.turn()
    assert told(report)[Change.NEW] == 1
    assert Change.CHANGED not in told(report)
    assert (_id(moved, "/c"), _id(moved, "/a") != before) == (before, True)
    for path, text in (("/c", f"Edited. {STORY}"), ("/a", f"Edited. {OTHER}")):
        _page(moved, path, text)
        assert told(moved.turn()[0])[Change.CHANGED] == 1
        assert Change.CHANGED not in told(moved.turn()[0]), "they do not take turns"
    assert _texts(moved) == {"/c": f"Edited. {STORY}", "/a": f"Edited. {OTHER}"}


def test_a_former_address_that_shows_the_page_again_can_go_without_it(moved: Watch) -> None:
    _page(moved, "/a", STORY)
    assert set(told(moved.turn()[0])) == {Change.SAME}
    del moved.site.pages["/a"]
    for _ in range(2):
        assert Change.REMOVED not in told(moved.turn()[0])
    assert _id(moved, "/c")


def test_a_page_that_moves_back_is_still_the_same(moved: Watch) -> None:
    before = _id(moved, "/c")
    _page(moved, "/a", STORY)
    _leads(moved, "/c", "/a")
    assert not set(told(moved.turn()[0])) & {Change.NEW, Change.CHANGED, Change.REMOVED}
    _page(moved, "/a", f"Edited. {STORY}")
    report, _ = moved.turn()
    assert told(report)[Change.CHANGED] == 1
    assert Change.NEW not in told(report)
    assert (_id(moved, "/a"), _texts(moved)) == (before, {"/a": f"Edited. {STORY}"})


def test_an_address_that_comes_back_after_its_page_went_is_that_page(moved: Watch) -> None:
    before = _id(moved, "/c")
    del moved.site.pages["/c"]
    moved.turn()
    moved.now += CONFIRM_AFTER
    assert told(moved.run())[Change.REMOVED] == 1
    _page(moved, "/a", STORY)
    moved.turn()
    assert (_id(moved, "/a"), set(_texts(moved))) == (before, {"/a"})


def test_a_page_that_no_longer_names_another_as_its_home_is_one_itself(watch: Watch) -> None:
    _page(watch, "/", "The start page of the site.", "/a", "/b")
    _page(watch, "/a", STORY)
    _page(watch, "/b", STORY, head="<link rel=canonical href='/a'>")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    assert _id(watch, "/a") == _id(watch, "/b")
    _page(watch, "/b", OTHER)
    assert told(watch.turn()[0])[Change.NEW] == 1
    assert _texts(watch) == {"/a": STORY, "/b": OTHER}


@pytest.mark.parametrize("gate", ["/login?next=/a", "/cookie-consent", "/start?returnUrl=%2Fa"])
def test_a_page_behind_a_gate_has_not_moved_there(watch: Watch, gate: str) -> None:
    _page(watch, "/", "The start page of the site.", "/a")
    _page(watch, "/a", STORY)
    watch.add("/", "site", sitemaps=False)
    watch.run()
    before = _id(watch, "/a")
    _leads(watch, "/a", gate)
    _page(watch, gate, "Please log in to read this page of ours; it takes a minute only.")
    for _ in range(2):
        assert Change.CHANGED not in told(watch.turn()[0])
    assert _texts(watch)["/a"] == STORY
    _page(watch, "/a", STORY)
    assert set(told(watch.turn()[0])) == {Change.SAME}
    assert _id(watch, "/a") == before
