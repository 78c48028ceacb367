"""The pages as people use them: from pasting an address to a search that is kept, and every page on a phone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect

from browsing import visitor
from service import Here
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BEFORE = (
    "The ferry to the island leaves at eight every morning, and the fare has been four crowns since the spring. " * 3
)
AFTER = BEFORE.replace("four crowns", "seven crowns")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>"
EVERYWHERE = (
    "/",
    "/alerts",
    "/documents",
    "/sources",
    "/searches",
    "/ask",
    "/now",
    "/kept",
    "/settings",
    "/admin",
    "/hosts",
    "/users",
    "/audit",
    "/search?q=ferry",
    "/d/{d}",
    "/d/{d}/add",
    "/d/{d}/catalogue",
    "/d/{d}/documents",
    "/d/{d}/documents/{document}",
    "/d/{d}/documents/{document}/diff",
    "/d/{d}/documents/{document}/diff?view=unified",
    "/d/{d}/stories",
    "/d/{d}/alerts",
    "/d/{d}/rules",
    "/d/{d}/rules/new",
    "/d/{d}/channels",
    "/d/{d}/sources",
    "/d/{d}/sources/{s}",
    "/d/{d}/sources/{s}/edit",
    "/d/{d}/questions",
    "/d/{d}/runs",
    "/d/{d}/runs/{run}",
    "/d/{d}/repairs",
    "/d/{d}/search?q=alert+OR+ferry",
    "/d/{d}/searches",
    "/d/{d}/ask",
    "/d/{d}/figures",
    "/d/{d}/exports",
    "/d/{d}/settings",
)


def _places(office: Here, dossier_id: str) -> dict[str, str]:
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        document, run = store.records.documents()[0], store.runs.report()
    assert run
    return {"d": dossier_id, "s": document.source_id, "document": document.document_id, "run": run.id}


def test_from_a_pasted_address_to_a_kept_search(office: Here, browser: Browser, site: Site) -> None:
    site.article("/ferry", "The ferry", BEFORE)
    with visitor(browser, office, "ida@example.org", is_admin=False) as page:
        page.goto("/")
        page.fill("#paste", f"{site.url}/ferry")
        page.keyboard.press("Enter")
        expect(page.get_by_text("It is a web page.")).to_be_visible()
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        source = page.url.partition("?")[0]
        expect(page.get_by_role("link", name="The ferry").first).to_be_visible()
        page.get_by_role("link", name="The ferry").first.click()
        expect(page.locator(".prose")).to_contain_text("four crowns")

        site.article("/ferry", "The ferry", AFTER)
        page.goto(source)
        page.get_by_role("button", name="Check now").click()
        expect(page.get_by_text("It was checked.")).to_be_visible()
        page.goto("/")
        page.locator("[data-item]", has=page.locator(".meta .changed")).locator("a.title").click()
        expect(page.locator("del").first).to_have_text(re.compile("four"))
        expect(page.locator("ins").first).to_have_text(re.compile("seven"))

        page.goto(source.partition("/sources")[0])
        page.keyboard.press("/")
        page.keyboard.type("crowns")
        page.keyboard.press("Enter")
        expect(page.locator("mark").first).to_have_text("crowns")
        page.get_by_text("Save this search").click()
        page.get_by_label("Name").fill("Fares")
        page.get_by_role("button", name=re.compile("Keep")).click()
        expect(page.get_by_role("link", name="Fares").first).to_be_visible()


def test_with_the_keyboard_alone(office: Here, browser: Browser, site: Site) -> None:
    site.article("/ferry", "The ferry", BEFORE)
    with visitor(browser, office, "kim@example.org", is_admin=False) as page:
        page.goto("/")
        page.keyboard.press("Escape")
        page.keyboard.press("+")
        page.wait_for_url("**/add")
        expect(page.locator("#paste")).to_be_focused()
        page.keyboard.type(f"{site.url}/ferry")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Watch it")).to_be_visible()
        _tab_to(page, "Watch it")
        page.keyboard.press("Enter")
        page.wait_for_url("**/sources/*")
        expect(page.get_by_role("link", name="The ferry").first).to_be_visible()
        page.keyboard.press("g")
        page.keyboard.press("c")
        page.wait_for_url(re.compile(r"/d/[0-9a-f-]{36}$"))
        page.keyboard.press("j")
        page.keyboard.press("o")
        expect(page.locator(".opened .acts")).to_be_visible()
        page.keyboard.press("o")
        expect(page.locator(".opened .acts")).to_be_hidden()
        page.keyboard.press("Enter")
        page.wait_for_url("**/documents/*")
        page.keyboard.press("s")
        expect(page.locator("[data-subject].kept")).to_have_count(1)
        page.keyboard.press("g")
        page.keyboard.press("k")
        page.wait_for_url("**/kept")
        expect(page.locator("a.title", has_text="The ferry")).to_be_visible()


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the button has the focus, as somebody without a mouse does; it must be reached."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"{name} is not reached with the Tab key")


# Words that are broken although they are short: nobody reads what stands letter below letter.
SQUEEZED = """[...document.querySelectorAll("main :is(a, button, h1, h2, th, dt, .badge, code, time), .rail a")]
    .filter((one) => {
        const words = one.textContent.trim().split(/\\s+/), range = document.createRange();
        range.selectNodeContents(one);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 6)));
        return one.checkVisibility() && words.every((word) => word.length < 15) && lines.size > words.length + 1;
    }).map((one) => one.textContent.trim().slice(0, 40))"""


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light")])
def test_every_page_fits_a_phone_and_a_desk(
    office: Here, browser: Browser, site: Site, width: int, scheme: Literal["light", "dark"]
) -> None:
    dossier_id = office.dossier(f"{scheme} {width} with a name that says at length what it is about and for whom")
    path, title = f"/{'long' * 60}", "The ferry " + "without-an-end" * 12
    site.article(path, title, BEFORE)
    office.watch(dossier_id, f"{site.url}{path}", name="A source with a name that goes on and on " * 4)
    office.watch(dossier_id, f"{site.url}/missing")
    office.look(dossier_id)
    site.article(path, title, AFTER)
    office.look(dossier_id)
    with office.program() as app:
        app.saved.add(dossier_id, "A search with a name that goes on and on " * 4, "ferry")
    office.person(f"{'someone' * 8}@{'example' * 6}.org")
    places, wide, pale, squeezed = _places(office, dossier_id), [], [], []
    with visitor(browser, office, viewport={"width": width, "height": 844}, color_scheme=scheme) as page:
        for path in EVERYWHERE:
            page.goto(path.format(**places))
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append(path)
            squeezed += [(path, text) for text in page.evaluate(SQUEEZED)]
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            is_dark = sum(map(int, re.findall(r"\d+", colour)[:3])) < 3 * 128
            if is_dark != (scheme == "dark"):
                pale.append(path)
    assert (wide, pale, squeezed) == ([], [], [])


def test_what_others_wrote_is_never_run_on_any_page(office: Here, browser: Browser, site: Site) -> None:
    """Titles, texts, errors, snippets, names of sources, of lists and of dossiers."""
    dossier_id = office.dossier(HOSTILE[:60])
    escaped = HOSTILE.replace("<", "&lt;")
    site.article("/ferry", escaped, f"{escaped} ferry alert {BEFORE}")
    office.watch(dossier_id, f"{site.url}/ferry", name=HOSTILE)
    office.watch(dossier_id, f"{site.url}/missing?{'<script>alert(4)</script>'}", name=HOSTILE + "2")
    entry = f'<outline type="rss" text="{escaped.replace(chr(34), "&quot;")}" xmlUrl="{site.url}/x"/>'
    opml = f'<opml version="2.0"><body>{entry}</body></opml>'
    ada = office.person("ada@example.org")
    ada.ask("POST", f"/api/dossiers/{dossier_id}/opml", opml.encode(), {"Content-Type": "text/x-opml"})
    office.look(dossier_id)
    site.article("/ferry", escaped + " again", f"{escaped} ferry alert {AFTER}")
    office.look(dossier_id)
    ada.post(f"/api/dossiers/{dossier_id}/searches", {"name": HOSTILE, "query": "alert"}, 201)
    places = _places(office, dossier_id)
    # Without the policy, which would stop much of it: what is written must be harmless by itself.
    with visitor(browser, office, bypass_csp=True) as page:
        for path in EVERYWHERE:
            page.goto(path.format(**places))
            assert not page.locator("img[onerror], svg[onload]").count(), path
            assert page.locator("main").count() == 1, path
        assert page.seen.dialogs == []  # type: ignore[attr-defined]
