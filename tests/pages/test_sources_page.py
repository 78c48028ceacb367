from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from forms import ADA, buttons, one, seen, send, told
from service import Here
from veille.core.access.access import Role
from veille.core.models import Source, State
from veille.core.records import RepairRecord
from veille.interfaces.web.views.mended import Mended
from veille.services.watching.sources import Wish
from world import Asked, Page, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

WORDS = " ".join(f"word{n}" for n in range(90))
#: A look takes as long as it takes on a busy machine.
WAIT_MS = 40_000


def kept(office: Here, dossier_id: str, source_id: str) -> Source:
    with office.program() as app:
        return app.sources.find(dossier_id, source_id)


def change(office: Here, dossier_id: str, source_id: str, **given: Any) -> None:
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        store.sources.update(replace(store.sources.find(source_id), **given))


OFFERED = {
    (State.OK, 0): set(),
    (State.OK, 1): {"Reset", "Probe"},
    (State.ERROR, 0): {"Reset"},
    (State.ERROR, 3): {"Reset", "Probe"},
    (State.BROKEN, 0): {"Reset"},
    (State.BROKEN, 9): {"Reset", "Probe"},
    (State.SUSPECT, 0): set(),
}


@pytest.mark.covers("R-212")
def test_reset_and_probe_are_there_when_there_is_something_to_forget_or_to_ask(office: Here, site: Site) -> None:
    dossier_id = office.dossier("offered")
    source_id = office.watch(dossier_id, f"{site.url}/a")
    ada = office.person(ADA)
    for (state, failures), offered in OFFERED.items():
        change(office, dossier_id, source_id, state=state, failures=failures)
        page = seen(ada, f"/d/{dossier_id}/sources/{source_id}")
        assert buttons(page) & {"Reset", "Probe"} == offered, (state, failures)
        assert one(page, ".state .badge").attributes["class"] == f"badge {state}"


@pytest.mark.covers("R-212")
def test_probe_tells_whether_it_answers_and_reset_begins_anew(office: Here, site: Site) -> None:
    dossier_id = office.dossier("mended")
    source_id = office.watch(dossier_id, f"{site.url}/a")
    office.look(dossier_id)
    assert kept(office, dossier_id, source_id).failures == 1
    ada, here = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}"
    assert "There is nothing at this address" in one(seen(ada, here), ".state .reason").text()
    assert "does not answer" in told(ada, send(ada, f"{here}/probe"))
    site.article("/a", "Here again", WORDS)
    assert "It answers (200)" in told(ada, send(ada, f"{here}/probe"))
    assert kept(office, dossier_id, source_id).failures == 1
    assert "is reset" in told(ada, send(ada, f"{here}/reset"))
    assert (kept(office, dossier_id, source_id).state, kept(office, dossier_id, source_id).failures) == ("pending", 0)
    assert not buttons(seen(ada, here)) & {"Reset", "Probe"}


def test_a_look_is_followed_live_until_it_is_done(office: Here, page: Tab, site: Site) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(_: Asked) -> Page:
        asked.set()
        assert go_on.wait(30)
        return Page(f"<title>Slow</title><main><p>{WORDS}</main>".encode())

    site.made["/slow"] = slow
    dossier_id = office.dossier("live")
    source_id = office.watch(dossier_id, f"{site.url}/slow", name="Slow")
    page.goto(f"/d/{dossier_id}/sources")
    page.get_by_role("button", name="Check now").click()
    assert asked.wait(30)
    looking = page.get_by_label("This check")
    expect(looking).to_contain_text("1 address to go", timeout=WAIT_MS)
    go_on.set()
    expect(looking).to_contain_text("Found: 1 new", timeout=WAIT_MS)
    expect(page.locator("#history + .wide .badge.new")).to_have_count(1)
    assert page.url.startswith(f"{office.url}/d/{dossier_id}/sources/{source_id}?since=")
    site.made["/slow"] = lambda _: Page(b"no", status=500, validates=False)
    page.keyboard.press("Shift+R")
    expect(looking).to_contain_text("failed. The server failed", timeout=WAIT_MS)


def test_the_table_is_walked_with_keys_and_broken_is_darker_than_error(office: Here, page: Tab, site: Site) -> None:
    dossier_id = office.dossier("keys")
    names = ("<b>Ann</b>", "Ben", "Cem")
    ids = [office.watch(dossier_id, f"{site.url}/{n}", name=name) for n, name in enumerate(names)]
    change(office, dossier_id, ids[0], state=State.ERROR, failures=1, error_code="dns", error="No name.")
    change(office, dossier_id, ids[1], state=State.BROKEN, failures=10, error_code="http.410", error="Gone.")
    page.goto(f"/d/{dossier_id}/runs")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page).to_have_title("Sources · keys · veille")
    shown = {
        state: page.locator(f".badge.{state}").evaluate("one => getComputedStyle(one).backgroundColor")
        for state in ("error", "broken")
    }
    brightness = {state: sum(map(int, re.findall(r"\d+", colour)[:3])) for state, colour in shown.items()}
    assert brightness["broken"] < brightness["error"] / 3
    for name in (*names, names[2]):
        page.keyboard.press("j")
        expect(page.locator("tr :focus")).to_have_text(name)
    page.keyboard.press("k")
    page.keyboard.press("m")
    page.keyboard.press("o")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ben")


def test_a_paused_source_is_greyed_and_not_looked_at_until_it_is_resumed(office: Here, site: Site) -> None:
    site.article("/a", "A", WORDS)
    dossier_id = office.dossier("paused")
    source_id = office.watch(dossier_id, f"{site.url}/a", name="Asleep")
    ada, table = office.person(ADA), f"/d/{dossier_id}/sources"
    back = f"{table}?health=all"
    answer = send(ada, f"{table}/{source_id}/enabled", value=0, back=back)
    assert (answer.headers["location"], "is paused" in told(ada, answer)) == (back, True)
    row = one(seen(ada, f"{table}?health=paused"), "tbody tr")
    assert (row.attributes["class"], one(row, ".badge.paused").text()) == ("off", "paused")
    assert "Check now" not in row.text()
    assert "resume it first" in told(ada, send(ada, f"{table}/{source_id}/fetch"))
    assert site.seen == []
    elsewhere = send(ada, f"{table}/{source_id}/enabled", value=1, back="//evil.test/d/")
    assert elsewhere.headers["location"] == f"{table}/{source_id}"
    assert kept(office, dossier_id, source_id).enabled


def test_many_sources_are_shown_page_by_page_each_of_them_once(office: Here) -> None:
    dossier_id = office.dossier("many")
    names = [f"{'Zoe' if n % 2 else 'zoe'} {n:03}" for n in range(120)]
    with office.program() as app:
        for n, name in enumerate(names):
            url = f"https://host{n}.example.org/{'feed' if n % 3 == 0 else ''}"
            app.sources.add(dossier_id, Wish(url=url, name=name))
    ada, path, found = office.person(ADA), f"/d/{dossier_id}/sources", []
    while path:
        page = seen(ada, path)
        found += [link.text() for link in page.css("tbody .title")]
        more = page.css_first("a[rel=next]")
        path = f"/d/{dossier_id}/sources{more.attributes['href']}" if more else ""
    assert found == sorted(names, key=str.lower)
    words = {link.text(strip=True) for link in seen(ada, f"/d/{dossier_id}/sources").css(".words a")}
    assert words == {"all120", "failing0", "paused0", "idle0", "feed40", "page80"}
    assert len(seen(ada, f"/d/{dossier_id}/sources?kind=feed&words=HOST9").css("tbody tr")) == 5


def test_deleting_asks_nothing_works_without_scripts_and_can_be_undone(office: Here, site: Site) -> None:
    site.article("/a", "A", WORDS)
    dossier_id = office.dossier("deleted")
    source_id = office.watch(dossier_id, f"{site.url}/a", name="Doomed")
    office.look(dossier_id)
    ada, here = office.person(ADA), f"/d/{dossier_id}/sources/{source_id}"
    assert "Doomed is deleted" in told(ada, send(ada, f"{here}/delete"))
    seen(ada, here, 404)
    assert "Doomed is back" in told(ada, send(ada, f"/d/{dossier_id}/trash/restore", source=source_id))
    assert "A" in {link.text() for link in seen(ada, f"/d/{dossier_id}/documents").css("a.title")}


def test_the_facts_of_a_source_and_its_repairs_say_options_as_its_form_does(office: Here, site: Site) -> None:
    site.article("/a", "A", WORDS)
    dossier_id = office.dossier("options")
    wish = {"selectors": ["h1"], "min_chars": 5, "look_twice": False, "robots": False, "tags": ["News"]}
    source_id = office.watch(dossier_id, f"{site.url}/a", config=wish)
    ada = office.person(ADA)
    shown = {label.text() for label in seen(ada, f"/d/{dossier_id}/sources/{source_id}").css("section dl.facts dt")}
    labels = {one.text().strip() for one in seen(ada, f"/d/{dossier_id}/sources/{source_id}/edit").css("form label")}
    wanted = {"Selectors of the content", "Shortest text", "Check changes twice", "Obey robots.txt", "Tags"}
    assert wanted <= shown & labels
    before = {"config": {"min_chars": 5, "selectors": ["h1"]}, "interval_ms": 1000, "url": "a"}
    after = {"config": {"min_chars": 6, "selectors": ["h2"]}, "interval_ms": 2000, "url": "b"}
    repair = RepairRecord(
        id="r", source_id=source_id, source_name="A", rule="x", proof="", at=1, before=before, after=after
    )
    source = kept(office, dossier_id, source_id)
    changed = {title for title, *_ in Mended(repair, source).differences}
    assert changed == {"Selectors of the content", "Shortest text", "Interval", "Url"}
    assert "Min chars" in {title for title, *_ in Mended(repair, None).differences}, "of what kind it was is not known"


def test_a_repair_shows_before_and_after_and_is_undone(office: Here, site: Site) -> None:
    site.article("/new", "A", WORDS)
    site["/old"] = Page(b"", status=301, headers={"Location": "/new"}, validates=False)
    dossier_id = office.dossier("repaired")
    source_id = office.watch(dossier_id, f"{site.url}/old")
    office.look(dossier_id)
    office.look(dossier_id)
    assert kept(office, dossier_id, source_id).url == f"{site.url}/new"
    ada = office.person(ADA)
    for path in (f"/d/{dossier_id}/repairs", f"/d/{dossier_id}/sources/{source_id}"):
        card = one(seen(ada, path), ".repair")
        assert [part.text() for part in one(card, "dd").css(".soft, b")] == [f"{site.url}/old", f"{site.url}/new"]
        assert [stage.text().split()[0] for stage in card.css(".stages li")] == ["Was", "Proposed", "Applied"]
    undo = one(card, "form").attributes["action"] or ""
    assert "is undone" in told(ada, send(ada, undo))
    assert kept(office, dossier_id, source_id).url == f"{site.url}/old"
    assert "undone already" in told(ada, send(ada, undo))
    assert "is applied" in told(ada, send(ada, undo.replace("undo", "apply")))
    assert send(ada, undo.replace("undo", "praise")).status == 404


def test_a_repair_that_cannot_be_undone_any_more_says_so_instead(office: Here, site: Site) -> None:
    site.article("/here", "A", WORDS)
    site["/there"] = Page(b"", status=301, headers={"Location": "/here"}, validates=False)
    dossier_id = office.dossier("changed since")
    source_id = office.watch(dossier_id, f"{site.url}/there")
    office.look(dossier_id)
    office.look(dossier_id)
    ada, repairs = office.person(ADA), f"/d/{dossier_id}/repairs"
    before = seen(ada, repairs)
    assert "Undo" in buttons(before)
    assert "no longer" not in one(before, "main").text()
    undo = one(before, ".repair form").attributes["action"] or ""
    change(office, dossier_id, source_id, url=f"{site.url}/elsewhere")
    for path in (repairs, f"/d/{dossier_id}/sources/{source_id}"):
        after = seen(ada, path)
        assert "Undo" not in buttons(after)
        assert "no longer as this left it, so it cannot be undone. Edit the source" in one(after, "main").text()
    # Somebody has the page from before open.
    said = told(ada, send(ada, undo))
    assert "was changed since" in said
    assert "`" not in said


def test_readers_are_offered_nothing_they_may_not_do(office: Here, site: Site) -> None:
    dossier_id = office.dossier("read only")
    source_id = office.watch(dossier_id, f"{site.url}/a")
    change(office, dossier_id, source_id, state=State.ERROR, failures=3)
    bob = office.person("bob@example.org")
    office.give("bob@example.org", dossier_id, Role.READER)
    for path in ("", f"/{source_id}"):
        assert not buttons(seen(bob, f"/d/{dossier_id}/sources{path}"))
    assert send(bob, f"/d/{dossier_id}/sources/{source_id}/reset").status == 404
