"""The frame of all pages: places, dossiers, the menu, and the five places of phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browsing import PHONE, visitor
from paper import attribute, shown, words
from service import Here
from veille.core.access.access import Role
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLACES = ("alerts", "documents", "sources", "searches", "ask")


@pytest.fixture(scope="module")
def two(office: Here) -> tuple[str, str]:
    """Two dossiers with something in each, one of them with a source that fails."""
    with Site() as site:
        made = office.dossier("harbour"), office.dossier("market")
        for dossier_id, name in zip(made, ("ferries", "prices"), strict=True):
            site.article(f"/{name}", f"About {name}", f"{name} " * 60)
            office.watch(dossier_id, f"{site.url}/{name}")
        office.watch(made[1], f"{site.url}/missing")
        for dossier_id in made:
            office.look(dossier_id)
    return made


def test_places_are_of_all_dossiers_until_one_is_open(office: Here, two: tuple[str, str]) -> None:
    ada = office.person("ada@example.org", is_admin=True)
    everywhere, inside = (shown(ada, path).css(".rail ul")[0].css("a") for path in ("/", f"/d/{two[0]}"))
    assert [attribute(one, "href") for one in everywhere] == ["/", *(f"/{part}" for part in PLACES)]
    assert [attribute(one, "href") for one in inside] == [f"/d/{two[0]}", *(f"/d/{two[0]}/{part}" for part in PLACES)]
    assert "1 failing" in words(everywhere[3])
    assert "failing" not in words(inside[3])


def test_what_is_newest_in_all_dossiers_stands_on_one_page(office: Here, two: tuple[str, str]) -> None:
    ada = office.person("ada@example.org", is_admin=True)
    documents = {words(one) for one in shown(ada, "/documents").css(".items .title")}
    assert documents == {"About ferries", "About prices"}
    sources = shown(ada, "/sources")
    assert [attribute(one, "href").rpartition("/sources/")[0] for one in sources.css(".items .title")] == [
        f"/d/{two[1]}"
    ]
    assert "Nothing fired yet" in words(shown(ada, "/alerts"))
    assert "No search is saved yet" in words(shown(ada, "/searches"))


def test_of_several_dossiers_one_is_asked(office: Here, two: tuple[str, str]) -> None:
    ada = office.person("ada@example.org", is_admin=True)
    form = shown(ada, "/ask", q="What ferries are there?").css("form.ask")[0]
    assert attribute(form.css("input")[0], "value") == "What ferries are there?"
    assert [attribute(one, "value") for one in form.css("option")] == list(two)
    answer = ada.ask("GET", "/ask", headers={"Accept": "text/html"}, q="What ferries are there?", dossier=two[0])
    assert (answer.status, answer.headers["location"]) == (303, f"/d/{two[0]}/ask?q=What+ferries+are+there%3F")
    stranger = office.person("mallory@example.org")
    answer = stranger.ask("GET", "/ask", headers={"Accept": "text/html"}, q="What?", dossier=two[0])
    assert (answer.status, answer.headers.get("location")) == (200, None)


def test_whoever_has_one_dossier_is_led_into_it(office: Here, two: tuple[str, str]) -> None:
    eve = office.person("eve@example.org")
    office.give("eve@example.org", two[0], Role.READER)
    for part in PLACES:
        answer = eve.ask("GET", f"/{part}", None, {"Accept": "text/html"})
        assert (answer.status, answer.headers["location"]) == (303, f"/d/{two[0]}/{part}")


def test_readers_are_not_shown_the_queue(office: Here, two: tuple[str, str]) -> None:
    ada, eve = office.person("ada@example.org", is_admin=True), office.person("eve@example.org")
    office.give("eve@example.org", two[0], Role.READER)
    assert "Queue" in words(shown(ada, f"/d/{two[0]}").css(".strip")[0])
    assert words(shown(eve, f"/d/{two[0]}").css(".strip")[0]) == ""


def test_the_menu_is_gone_through_with_keys_and_closes_like_one(page: Page) -> None:
    page.goto("/")
    page.locator(".account summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "What you keep"
    page.keyboard.press("Escape")
    assert not page.locator(".account[open]").count()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    page.locator("h1").click()
    assert not page.locator(".account[open]").count()


def test_on_a_phone_a_wide_table_is_slips_with_nothing_cut(
    browser: Browser, office: Here, two: tuple[str, str]
) -> None:
    """Rows whose figures have their names; nothing has to be scrolled sideways."""
    office.person("ada@example.org", is_admin=True)
    with visitor(browser, office, viewport=PHONE) as page:
        for path in (f"/d/{two[0]}/runs", f"/d/{two[0]}/settings", "/settings", "/users", "/hosts", "/admin", "/now"):
            page.goto(path)
            cut = page.evaluate(
                "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).length"
            )
            assert (path, cut, page.locator(".slips").count() > 0) == (path, 0, True)
        label = page.locator(".slips td[data-label]").first
        assert "due" in label.evaluate("one => getComputedStyle(one, '::before').content")


def test_a_phone_shows_content_first_and_five_places(browser: Browser, office: Here, two: tuple[str, str]) -> None:
    with visitor(browser, office, viewport=PHONE) as page:
        page.goto(f"/d/{two[0]}")
        first = page.locator("[data-item]").first.bounding_box()
        assert first is not None
        assert first["y"] < PHONE["height"] / 2
        assert page.locator(".phone a").all_inner_texts() == ["Changes", "Alerts", "Watch", "Search", "More"]
        assert not page.locator(".rail").is_visible()
        page.get_by_role("link", name="More").click()
        page.get_by_role("link", name="Statistics").wait_for()
        page.keyboard.press("Escape")
        assert not page.locator(".rail").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
