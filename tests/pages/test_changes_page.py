from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from forms import Person
from inside_sqlite import database_of
from service import Here
from veille.core.access.accounts import VISIT_MS
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_changes_are_listed_by_day_and_walked_with_keys(office: Here, page: Page, site: Site) -> None:
    dossier_id = office.dossier("walked")
    for name in ("one", "two"):
        site.article(f"/{name}", f"The title of {name}", " ".join(f"{name}{n}" for n in range(80)))
        office.watch(dossier_id, f"{site.url}/{name}")
    office.look(dossier_id)
    page.goto(f"/d/{dossier_id}")
    assert page.locator("main h2").first.inner_text() == "Today"
    assert page.locator("[data-item].unread").count() == 2
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("[data-item]").nth(1).locator(":focus").count() == 1
    page.keyboard.press("m")
    expect(page.locator("[data-item].unread")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    expect(page.locator("dialog#keys")).to_contain_text("next")


def test_what_is_folded_away_does_not_stop_the_keys(office: Here, page: Page, site: Site) -> None:
    dossier_id = office.dossier("folded")
    for name in ("one", "two"):
        site.article(f"/{name}", f"The title of {name}", " ".join(f"{name}{n}" for n in range(80)))
        office.watch(dossier_id, f"{site.url}/{name}", name=f"About {name}")
    office.look(dossier_id)
    site.article("/two", "The title of two", " ".join(f"other{n}" for n in range(80)))
    office.look(dossier_id)
    page.goto(f"/d/{dossier_id}")
    expect(page.locator("details.siblings")).to_have_text(re.compile("1 earlier change of it"))
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_text("The title of two")
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_text("The title of one")
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_hidden()
    page.get_by_text("ada@example.org").click()
    expect(page.get_by_role("link", name="What you keep")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="What you keep")).to_be_hidden()
    page.goto(f"/d/{dossier_id}/sources")
    page.keyboard.press("j")
    page.keyboard.press("R")
    page.wait_for_url(re.compile("/sources/[^/]+[?]since="))
    expect(page.get_by_role("heading", level=1)).to_have_text("About one")


def test_changes_of_what_is_gone_lead_nowhere_and_so_are_not_shown(office: Here, site: Site) -> None:
    dossier_id = office.dossier("gone", "hal@example.org")
    hal = Person(office.person("hal@example.org"))
    for name in ("kept", "gone"):
        site.article(f"/{name}", f"The title of {name}", " ".join(f"{name}{n}" for n in range(80)))
    office.watch(dossier_id, f"{site.url}/kept")
    source_id = office.watch(dossier_id, f"{site.url}/gone")
    office.look(dossier_id)
    assert "The title of gone" in hal.see("/")
    with office.program() as app:
        app.sources.delete(dossier_id, source_id)
    for path in ("/", f"/d/{dossier_id}"):
        assert "The title of kept" in hal.see(path)
        assert "The title of gone" not in hal.see(path)


def test_somebody_without_a_dossier_is_told_what_to_do(office: Here, page: Page) -> None:
    office.person("new@example.org")
    page.goto("/login")
    assert page.get_by_label("Password").is_visible()


def test_what_is_new_since_the_last_visit_stands_above_a_divider(office: Here, site: Site) -> None:
    dossier_id = office.dossier("visited", "fay@example.org")
    fay = Person(office.person("fay@example.org"))
    assert "Three ways to begin" in fay.see("/")
    site.article("/old", "The old one", " ".join(f"old{n}" for n in range(80)))
    office.watch(dossier_id, f"{site.url}/old")
    office.look(dossier_id)
    for path in ("/", f"/d/{dossier_id}"):
        assert "last visit" not in fay.see(path), "a first visit has none before it"
    site.article("/new", "The new one", " ".join(f"new{n}" for n in range(80)))
    office.watch(dossier_id, f"{site.url}/new")
    office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        database_of(store).execute("UPDATE visits SET shown_at = shown_at - ?", (2 * VISIT_MS,))
        database_of(store).execute("UPDATE visits SET shown_seq = 1")
    for path in ("/", f"/d/{dossier_id}"):
        shown = fay.see(path)
        assert "1 change since your last visit" in shown
        assert shown.index("The new one") < shown.index("The old one")
    site.article("/old", "The old one", " ".join(f"older{n}" for n in range(80)))
    office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        database_of(store).execute("UPDATE visits SET shown_at = shown_at - ?, shown_seq = 2", (2 * VISIT_MS,))
    assert "1 change since your last visit" in fay.see("/"), "what was seen before of the same document is not new"


def test_all_read_marks_what_was_shown_and_nothing_newer(office: Here, site: Site) -> None:
    dossier_id = office.dossier("read", "gil@example.org")
    gil = Person(office.person("gil@example.org"))
    for name in ("one", "two"):
        site.article(f"/{name}", f"The title of {name}", " ".join(f"{name}{n}" for n in range(80)))
        office.watch(dossier_id, f"{site.url}/{name}")
        office.look(dossier_id)
    assert gil.led(gil.send("/read-all", upto=f"{dossier_id}:1")) == "/"
    assert gil.see("/").count('class="item row unread"') == 1
    other = office.dossier("not his", "ada@example.org")
    assert gil.send("/read-all", upto=f"{other}:9").status == 404
    assert gil.send("/read-all", upto=f"{dossier_id}:{'9' * 5000}").status == 303
