from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from forms import Person
from service import Here
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3
ADA = "ada@example.org"


def test_the_stream_tells_what_goes_on_in_ones_own_dossiers_alone(office: Here, site: Site) -> None:
    mine, others = office.dossier("streamed"), office.dossier("other", "else@example.org")
    site.article("/a", "A", TEXT)
    with office.person(ADA).told(f"/live?in={mine}") as told:
        before = next(told)
        office.watch(others, f"{site.url}/other")
        office.watch(mine, f"{site.url}/a")
        waiting = next(told)
        assert (waiting["due"], waiting["seq"], waiting["workers"]) == (before["due"] + 1, 0, 0)
        office.look(mine)
        while (done := next(told))["seq"] != 1:
            assert done["due"] <= waiting["due"]
        assert done["next"] > 0
    with office.person(ADA).told(f"/live?in={others}") as told:
        assert next(told)["seq"] == 0


def test_streams_end_with_the_service(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ExitStack() as stack:
        with Here(tmp_path) as office:
            told = stack.enter_context(office.person(ADA).told())
            assert next(told)["due"] == 0
        assert list(told) == []
    assert "Cancel" not in caplog.text, "the server had to cut it off"


def test_what_waits_and_what_is_under_way_is_shown_without_scripts(office: Here) -> None:
    dossier_id = office.dossier("waiting", "dan@example.org")
    dan = Person(office.person("dan@example.org"))
    assert "nothing is watched yet" in dan.see("/now")
    office.watch(dossier_id, "https://example.org/bold", name="<b>Bold")
    shown = dan.see("/now")
    assert "https://example.org/bold" in shown
    assert "No worker of this service runs" in shown
    assert "<b>Bold" not in dan.client.ask("GET", "/now", None, {"Accept": "text/html"}).body.decode()


@pytest.mark.covers("R-214")
def test_new_changes_are_offered_while_one_looks_on(office: Here, page: Page, site: Site) -> None:
    dossier_id = office.dossier("looked on")
    page.goto(f"/d/{dossier_id}")
    site.article("/first", "The first", TEXT)
    office.watch(dossier_id, f"{site.url}/first")
    office.look(dossier_id)
    page.reload()
    expect(page.locator("[data-is=due]").first).to_have_text("0")
    expect(page.locator("[data-news]")).to_be_hidden()
    site.article("/second", "The second", "Something else entirely, about bees on the roof of the town hall. " * 4)
    office.watch(dossier_id, f"{site.url}/second")
    office.look(dossier_id)
    page.get_by_role("link", name="1 new: show").click()
    expect(page.get_by_role("link", name="The second", exact=True)).to_be_visible()
    expect(page.locator("[data-news]")).to_be_hidden()
    page.keyboard.press("A")
    expect(page.locator("[data-item].unread")).to_have_count(0)
