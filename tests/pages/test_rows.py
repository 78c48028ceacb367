"""Rows of changes: what they say, how they open, and that none is lost."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from forms import Person
from service import Here
from veille.core.access.access import Role
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

NEVER = "<script>alert(1)</script>"


def _body(text: str, about: str = "") -> str:
    """A text like no other, so that no two are one story."""
    return f"{text}\n" + "\n".join(" ".join(f"{about}{n}x{word}" for word in range(12)) + "." for n in range(8))


def _watched(office: Here, site: Site, name: str, *names: str, email: str = "ada@example.org") -> str:
    dossier_id = office.dossier(name, email)
    for one in names:
        site.article(f"/{name}/{one}", f"About {one}", _body(f"The {one} costs 12.50 crowns.", name + one))
        office.watch(dossier_id, f"{site.url}/{name}/{one}", name=f"Watch of {one}")
    office.look(dossier_id)
    return dossier_id


def test_a_row_shows_the_change_and_opens_in_place_with_a_key(office: Here, page: Page, site: Site) -> None:
    dossier_id = _watched(office, site, "rows", "tea", "coffee", "salt")
    site.article("/rows/tea", "About tea", _body("The tea costs 13.90 crowns.", "rowstea"))
    site.article("/rows/salt", "About salt", _body(f"The salt costs {escape(NEVER)} crowns.", "rowssalt"))
    office.look(dossier_id)
    page.goto(f"/d/{dossier_id}")
    tea = page.locator("[data-item]", has=page.get_by_role("link", name="About tea", exact=True))
    expect(tea.locator(".body > .what del")).to_have_text("12.50")
    expect(tea.locator(".body > .what ins")).to_have_text("13.90")
    assert NEVER in " ".join(page.locator(".what").all_inner_texts()), "text of a site stays text"
    coffee = page.locator("[data-item]", has=page.get_by_role("link", name="About coffee", exact=True))
    expect(coffee.locator(".what")).to_contain_text("The coffee costs 12.50 crowns.")
    page.keyboard.press("j")
    while page.locator(":focus").inner_text() != "About tea":
        page.keyboard.press("j")
    place = page.evaluate("(scrollTo(0, 40), scrollY)")
    page.keyboard.press("o")
    opened = tea.locator(".opened")
    expect(opened.locator("del").first).to_have_text("12.50")
    expect(opened.get_by_role("link", name="Compare")).to_be_visible()
    expect(opened.get_by_role("link", name=re.compile("Tell me when this number changes")).first).to_be_visible()
    expect(page.locator(":focus")).to_have_text("About tea")
    assert page.evaluate("scrollY") == place, "the list keeps its place"
    page.keyboard.press("o")
    expect(opened).to_be_hidden()
    coffee.locator("[data-open]").click()
    expect(coffee.locator(".opened")).to_contain_text("The coffee costs 12.50 crowns.")
    expect(tea.locator("[data-open]")).to_have_attribute("aria-expanded", "false")
    coffee.locator(".opened").get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("About coffee")


def test_all_changes_are_reached_page_by_page_and_none_twice(office: Here, page: Page, site: Site) -> None:
    names = [f"n{n:02}" for n in range(47)]
    first = _watched(office, site, "paged", *names)
    second = _watched(office, site, "beside", "one", "two")
    counts = dict.fromkeys((first, second), 0)
    page.goto("/?show=unread")
    unread = int(page.locator("[data-unread]").inner_text())
    shown: list[str] = []
    folded = 0
    while True:
        folded += sum(page.locator("[data-changes]").evaluate_all("all => all.map((one) => one.dataset.changes - 1)"))
        shown += page.locator("[data-item]").evaluate_all("all => all.map((one) => one.dataset.document)")
        if not page.get_by_role("link", name="Older").count():
            break
        page.get_by_role("link", name="Older").click()
    assert len(shown) == len(set(shown)) == unread - folded
    for dossier_id in counts:
        counts[dossier_id] = sum(dossier_id in one for one in shown)
    assert counts == {first: 47, second: 2}


def test_a_noisy_source_is_one_row_that_opens(office: Here, page: Page, site: Site) -> None:
    dossier_id = office.dossier("noisy", "ned@example.org")
    ships = [(f"/ship/{n}", f"Ship {n}", " ".join(f"cargo{n}of{one}" for one in range(30))) for n in range(14)]
    site.feed("/ships.xml", ships)
    office.watch(dossier_id, f"{site.url}/ships.xml", name="Ships in port")
    site.article("/quiet", "The quiet one", _body("Once in a while."))
    office.watch(dossier_id, f"{site.url}/quiet")
    office.look(dossier_id)
    ned = Person(office.person("ned@example.org"))
    assert "14 changes" in ned.see(f"/d/{dossier_id}")
    office.give("ada@example.org", dossier_id, Role.READER)
    page.goto(f"/d/{dossier_id}")
    fold = page.locator("[data-item]", has_text="14 changes")
    expect(fold).to_have_count(1)
    expect(page.locator("[data-item]")).to_have_count(2)
    expect(page.locator("[data-unread]")).to_have_text("15")
    fold.locator("[data-open]").click()
    expect(fold.locator(".opened [data-item]")).to_have_count(14)
    page.goto(f"/d/{dossier_id}?by=source")
    expect(page.locator("[data-item]")).to_have_count(2)


def test_a_change_that_was_read_stays_so_when_its_document_changes_again(office: Here, site: Site) -> None:
    dossier_id = _watched(office, site, "again", "tea", email="ira@example.org")
    ira = Person(office.person("ira@example.org"))
    ira.send("/read-all", upto=f"{dossier_id}:1")
    site.article("/again/tea", "About tea", _body("The tea costs 13.90 crowns.", "againtea"))
    office.look(dossier_id)
    for path in ("/", f"/d/{dossier_id}"):
        unread, read = ira.see(path).split("You have read what follows")
        assert (unread.count('class="item row unread"'), read.count('class="item row unread"')) == (1, 0)
        assert read.count('class="item row"') == 1
