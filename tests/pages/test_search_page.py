from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from paper import alert, attribute, refused, sent, shown, words
from service import Here
from veille.core.access.access import Role
from veille.interfaces.web.pages.search import _PAGE
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

ADA = "ada@example.org"
BROWSER = {"Accept": "text/html"}
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def library(office: Here) -> str:
    """A dossier with enough hits for two pages, from two sources."""
    dossier_id = office.dossier("library")
    with Site() as site:
        for n in range(_PAGE + 5):
            place = "north" if n % 5 else "south"
            site.article(
                f"/{place}/{n}", f"Harbour {n} {EVIL}", f"The ferry of {place} number{n} {EVIL}. " + "sea " * 60
            )
        for n in range(_PAGE + 5):
            place = "north" if n % 5 else "south"
            office.watch(dossier_id, f"{site.url}/{place}/{n}", name=f"{place} {n}" if n % 5 else f"south{n}")
        office.look(dossier_id)
    return dossier_id


def test_hits_are_marked_paged_and_nothing_of_them_is_markup(office: Here, library: str) -> None:
    ada = office.person(ADA)
    page = shown(ada, f"/d/{library}/search", q="FERRY")
    assert f"{_PAGE + 5} hits" in words(page)
    assert len(page.css("li.hit")) == _PAGE
    assert page.css("li.hit .snippet mark")[0].text() == "ferry"
    assert not page.css("li.hit img")
    assert EVIL in words(page)
    (more,) = page.css(".pager a[rel=next]")
    second = shown(ada, attribute(more, "href"))
    assert len(second.css("li.hit")) == 5
    first = {attribute(one, "href") for one in page.css("li.hit .title")}
    assert not first & {attribute(one, "href") for one in second.css("li.hit .title")}


def test_facets_refine_and_are_taken_back(office: Here, library: str) -> None:
    ada = office.person(ADA)
    page = shown(ada, f"/d/{library}/search", q="ferry")
    facets = {one.css("h2")[0].text(): one for one in page.css(".facets section")}
    assert set(facets) == {"Source", "Kind", "Language"}
    choice = facets["Source"].css("a")[0]
    assert words(choice).split()[-1] == "1"
    narrow = shown(ada, attribute(choice, "href"))
    assert len(narrow.css("li.hit")) == 1
    chosen = narrow.css(".facets a[aria-current]")[0]
    assert parse_qs(urlsplit(attribute(chosen, "href")).query)["q"] == ["ferry"]


def test_a_search_in_all_dossiers_says_which_and_shows_no_others(office: Here, library: str) -> None:
    assert "library" in words(shown(office.person(ADA), "/search", q="ferry").css("li.hit")[0])
    stranger = office.person("nobody@example.org")
    assert not shown(stranger, "/search", q="ferry").css("li.hit")
    assert shown(office.person(ADA), f"/d/{library}/search", q="ferry", sort="date").css("li.hit")


def test_a_word_that_is_not_there_yet_finds_those_that_begin_with_it(office: Here, library: str) -> None:
    ada = office.person(ADA)
    page = shown(ada, f"/d/{library}/search", q="ferr")
    assert "begin with it" in words(page)
    assert page.css("li.hit .snippet mark")[0].text() == "ferry"
    nothing = shown(ada, f"/d/{library}/search", q="zebra")
    assert "Nothing found" in words(nothing)
    assert "Search help" in words(nothing)


def test_a_part_is_the_results_alone(office: Here, library: str) -> None:
    answer = office.person(ADA).ask(
        "GET", f"/d/{library}/search?q=ferry", headers={"X-Part": "1", "Accept": "text/html"}
    )
    assert b"<mark>ferry</mark>" in answer.body
    assert b"<html" not in answer.body


@pytest.mark.covers("R-214")
def test_a_kept_search_tells_what_came_since_somebody_looked(office: Here) -> None:
    ada, dossier_id = office.person(ADA, is_admin=True), office.dossier("told")
    with Site() as site:
        site.article("/old", "Old", "A whale was here long before. " + "sea " * 60)
        office.watch(dossier_id, f"{site.url}/old")
        office.look(dossier_id)
        where = sent(ada, f"/d/{dossier_id}/searches", q="whale", name="Whales").headers["location"]
        site.article("/whale", "New whale", "A whale was seen. " + "sea " * 60)
        site.article("/boat", "New boat", "A boat was seen. " + "sea " * 60)
        office.watch(dossier_id, f"{site.url}/whale")
        office.watch(dossier_id, f"{site.url}/boat")
        office.look(dossier_id)
    page = shown(ada, where)
    assert [words(one) for one in page.css("td .count")] == ["1"]
    (link,) = page.css("th a")
    assert [words(one) for one in page.css(".rail a[href$='/searches'] .count")] == ["1"]
    search = shown(ada, attribute(link, "href"))
    assert [words(one) for one in search.css(".item.unread .title")] == ["New whale"]
    feed = attribute(search.css("a[href$='feed.rss']")[0], "href")
    assert b"New whale" in ada.ask("GET", urlsplit(feed).path).body
    again = shown(ada, where)
    assert not again.css("td .count")
    eve = office.person("eve@example.org")
    office.give("eve@example.org", dossier_id, Role.READER)
    assert [words(one) for one in shown(eve, where).css("td .count")] == ["1"]
    sent(eve, f"{attribute(link, 'href')}/delete", 404)
    sent(ada, f"{attribute(link, 'href')}/delete")
    assert "No search is saved" in words(shown(ada, where))


def test_an_address_in_the_box_leads_to_its_preview_and_fetches_nothing(office: Here, library: str) -> None:
    ada, eve = office.person(ADA), office.person("eve@example.org")
    office.give("eve@example.org", library, Role.READER)
    for text in ("https://example.org/a?b=c", "www.example.org", "example.org/blog", "/srv/minutes"):
        answer = ada.ask("GET", f"/d/{library}/search", None, BROWSER, q=text)
        assert answer.status == 303
        assert urlsplit(answer.headers["location"]).path == f"/d/{library}/add"
        box = shown(ada, answer.headers["location"]).css("#paste")[0]
        assert attribute(box, "value") == text, "and it is fetched when somebody asks for it"
    for text in ("ferry", "ferry boat", '"https://example.org/a"', "and/or", "// ferry"):
        assert ada.ask("GET", f"/d/{library}/search", None, BROWSER, q=text).status == 200
    assert eve.ask("GET", f"/d/{library}/search", None, BROWSER, q="https://example.org/").status == 200


def test_a_question_in_the_box_is_asked_and_can_still_be_searched_for(office: Here, library: str) -> None:
    ada, question = office.person(ADA), "When does the ferry leave?"
    answer = ada.ask("GET", f"/d/{library}/search", None, BROWSER, q=question)
    assert (answer.status, urlsplit(answer.headers["location"]).path) == (303, f"/d/{library}/ask")
    page = shown(ada, answer.headers["location"])
    instead = attribute(page.css("main .bar a[href*='/search']")[0], "href")
    assert question in attribute(shown(ada, instead).css(".find input")[0], "value")
    assert ada.ask("GET", f"/d/{library}/search", None, BROWSER, q="ferry").status == 200


def test_a_search_that_cannot_be_kept_is_shown_again(office: Here, library: str) -> None:
    ada = office.person(ADA)
    sent(ada, f"/d/{library}/searches", q="ferry", name="twice")
    page = refused(ada, f"/d/{library}/searches", q="ferry boat", name="twice")
    assert "already" in alert(page)
    assert attribute(page.css("form.save input[name=name]")[0], "value") == "twice"
    assert attribute(page.css("form.save input[name=q]")[0], "value") == "ferry boat"


@pytest.mark.covers("R-214")
def test_results_appear_as_typed_are_refined_and_kept(library: str, page: Page) -> None:
    page.goto(f"/d/{library}/search")
    field = page.locator('.find input[name="q"]')
    expect(field).to_be_focused()
    field.press_sequentially("ferry")
    expect(page.locator("li.hit")).to_have_count(_PAGE)
    expect(page).to_have_url(re.compile(r"q=ferry"))
    page.locator(".facets a").first.click()
    expect(page.locator("li.hit")).to_have_count(1)
    expect(field).to_have_value(re.compile("ferry source:"))
    page.get_by_text("Save this search").click()
    page.get_by_label("Name").fill("Southern ferries")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("row", name="Southern ferries")).to_be_visible()
