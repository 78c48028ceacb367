from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from service import Here
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_changes_are_listed_by_day_and_walked_with_keys(office: Here, page: Page, site: Site) -> None:
    dossier_id = office.dossier("walked")
    for name in ("one", "two"):
        site.article(f"/{name}", f"The title of {name}", " ".join(f"{name}{n}" for n in range(80)))
        office.watch(dossier_id, f"{site.url}/{name}")
    office.look(dossier_id)
    page.goto("/")
    assert page.locator("main h2").first.inner_text() == "Today"
    assert page.locator("[data-item].unread").count() == 2
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("[data-item]").nth(1).locator(":focus").count() == 1
    page.keyboard.press("m")
    expect(page.locator("[data-item].unread")).to_have_count(1)
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()


def test_somebody_without_a_dossier_is_told_what_to_do(office: Here, page: Page) -> None:
    office.person("new@example.org")
    page.goto("/login")
    assert page.get_by_label("Password").is_visible()
