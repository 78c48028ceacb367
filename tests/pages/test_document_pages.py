from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

from browsing import PHONE, visitor
from service import Answer, Client, Here
from veille.core.records import DocumentFilter, DocumentLine
from world import Page as WebPage
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
FORM = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}
FILLER = " ".join(f"word{n}" for n in range(60))
FIRST = f"The price is 10 euros today.\n{FILLER}\nAn old paragraph that will go away."
SECOND = f"The price is 12 euros today.\n{FILLER}\nQuite another one comes instead of it."


@dataclass(frozen=True)
class Shelf:
    """A dossier with what was seen in it, and somebody who reads it."""

    office: Here
    client: Client
    dossier_id: str

    def __post_init__(self) -> None:
        self.client.headers.update(BROWSER)

    def get(self, path: str, status: int = 200) -> str:
        answer = self.ask(path)
        assert answer.status == status, answer.body[:500]
        return answer.body.decode()

    def ask(self, path: str) -> Answer:
        return self.client.ask("GET", path if path == "/kept" else f"/d/{self.dossier_id}{path}")

    def post(self, path: str, body: bytes) -> Answer:
        return self.client.ask("POST", f"/d/{self.dossier_id}{path}", body, FORM)

    def lines(self, state: str = "") -> list[DocumentLine]:
        with self.office.program() as app, app.dossiers.open(self.dossier_id) as store:
            return store.records.lines(DocumentFilter(state=state), None, 100)[0]


def _shelf(office: Here, name: str, site: Site, *paths: str) -> Shelf:
    dossier_id = office.dossier(name)
    for path in paths:
        office.watch(dossier_id, f"{site.url}{path}")
    office.look(dossier_id)
    return Shelf(office, office.person("ada@example.org"), dossier_id)


def _edited(office: Here, name: str, site: Site) -> tuple[Shelf, str]:
    """A document with two revisions: the path of its page."""
    site.article("/a", "Prices of old", FIRST)
    shelf = _shelf(office, name, site, "/a")
    site.article("/a", "Prices of now", SECOND)
    office.look(shelf.dossier_id)
    (line,) = shelf.lines()
    assert line.rev_n == 2
    return shelf, f"/documents/{line.id}"


def _text(html: str, selector: str) -> str:
    return " ".join(" ".join(node.text() for node in LexborHTMLParser(html).css(selector)).split())


def _one(html: str, selector: str) -> dict[str, str | None]:
    """The attributes of the first element that fits."""
    found = LexborHTMLParser(html).css_first(selector)
    assert found is not None, selector
    return found.attributes


def _check_popular(shelf: Shelf) -> None:
    """The document with a brand is the first, and says why."""
    with shelf.office.program() as app:
        app.popular.set_brands(shelf.dossier_id, ["p042"])
    popular = LexborHTMLParser(shelf.get("/documents?order=popular"))
    rows = popular.css("[data-item]")
    assert len(rows) == 25
    assert popular.css_first("a[rel=next]") is None
    assert _text(rows[0].html or "", ".title") == "Title /p042"
    assert "p042" in _text(rows[0].html or "", ".why")
    assert "p042" not in _text(rows[1].html or "", ".why")


@pytest.mark.covers("R-214", "R-241")
def test_a_list_is_filtered_and_gone_through_without_a_miss(office: Here, site: Site) -> None:
    names = [f"/p{n:03}" for n in range(60)]
    site.feed("/feed", [(name, f"Title {name}", f"About {name} " * 20) for name in names])
    shelf = _shelf(office, "listed", site)
    office.watch(shelf.dossier_id, f"{site.url}/feed", kind="feed", config={"follow_links": False, "max_entries": 100})
    office.look(shelf.dossier_id)
    seen: list[str] = []
    path = "/documents"
    while path:
        tree = LexborHTMLParser(shelf.get(path))
        seen += [node.text().strip() for node in tree.css("[data-item] .title")]
        link = tree.css_first("a[rel=next]")
        path = (link.attributes["href"] or "").removeprefix(f"/d/{shelf.dossier_id}") if link else ""
    assert sorted(seen) == [f"Title {name}" for name in names]

    first, second = shelf.lines()[:2]
    assert shelf.post(f"/documents/{first.id}/keep", b"value=1").status == 303
    assert shelf.post(f"/documents/{second.id}/read", b"value=1").status == 303
    assert _text(shelf.get("/documents?marks=kept"), "[data-item] .title") == first.title
    assert _text(shelf.get("/kept"), "[data-item] .title").startswith(first.title), "the latest of all dossiers first"
    unread = shelf.get("/documents?marks=unread")
    assert first.title in unread
    assert second.title not in unread
    assert len(LexborHTMLParser(shelf.get(f"/documents?source={first.source_id}")).css("[data-item]")) == 25
    assert "No document is like that." in shelf.get("/documents?state=removed")
    assert "No document is like that." in shelf.get("/documents?lang=xx")
    shelf.get("/documents?before=nonsense", 400)
    _check_popular(shelf)


def test_a_document_is_read_with_all_that_is_known_of_it(office: Here, site: Site) -> None:
    shelf, document = _edited(office, "read", site)
    html = shelf.get(document)
    assert _text(html, "h1") == "Prices of now"
    assert "revision </span>2 of 2" in html
    assert "The price is 12 euros today." in _text(html, ".prose")
    tree = LexborHTMLParser(html)
    assert _one(html, ".prose")["lang"] == "en"
    original = _one(html, ".tools a[target=_blank]")
    assert (original["rel"], original["href"]) == ("noopener noreferrer", f"{site.url}/a")
    assert [node.text().strip() for node in tree.css(".steps li > a:first-child")] == ["Revision 2", "Revision 1"]

    old = shelf.get(f"{document}?rev=1")
    assert "The price is 10 euros today." in _text(old, ".prose")
    assert "See it as it is now" in old
    assert "Revision 1" in shelf.get(f"{document}/revisions")
    shelf.get(f"{document}?rev=3", 404)
    shelf.get("/documents/absent", 404)


def test_reading_changes_nothing_until_a_form_says_so(office: Here, site: Site) -> None:
    shelf, document = _edited(office, "unchanged", site)
    assert _one(shelf.get(document), "[data-subject]")["class"] == "reading unread"
    assert "Mark as read" in shelf.get(document)
    assert shelf.post(f"{document}/read", b"value=1").status == 303
    assert "Mark as unread" in shelf.get(document)


def test_a_passage_has_an_address_that_shows_the_very_words(office: Here, site: Site) -> None:
    shelf, document = _edited(office, "cited", site)
    with office.program() as app, app.dossiers.open(shelf.dossier_id) as store:
        text = store.records.revision(document.rpartition("/")[2], 1).text
    start = text.index("10 euros")
    html = shelf.get(f"{document}?rev=1&from={start}&to={start + 8}")
    assert _text(html, ".prose mark#cited") == "10 euros"
    exact = _one(html, ".citation input")["value"] or ""
    assert exact.endswith(f"{document}?rev=1&from={start}&to={start + 8}#cited")
    # "Theprice" and "is" come first; spaces are not counted.
    answer = shelf.ask(f"{document}/cite?rev=1&start=10&end=17")
    assert answer.status == 303
    assert answer.headers["location"].endswith(f"rev=1&from={start}&to={start + 8}#cited")
    # A passage that is not there is nothing to point out.
    assert not LexborHTMLParser(shelf.get(f"{document}?rev=1&from=999999&to=9999999")).css("mark")
    chunk = _one(shelf.get(f"{document}/chunks?rev=1"), ".chunk a")
    path = (chunk["href"] or "").removeprefix(f"/d/{shelf.dossier_id}").partition("#")[0]
    assert _text(shelf.get(path), ".prose mark").startswith("The price")


def test_a_revision_is_taken_along_in_four_forms(office: Here, site: Site) -> None:
    shelf, document = _edited(office, "taken", site)
    found = {form: shelf.ask(f"{document}/download?rev=1&format={form}") for form in ("md", "txt", "json", "html")}
    for form, answer in found.items():
        assert answer.status == 200
        assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''Prices-of-old-r1.{form}"
        assert b"The price is 10 euros today." in answer.body
    assert found["md"].body.startswith(b"# Prices of old\n")
    assert found["txt"].body.startswith(b"Prices of old\nhttp")
    assert json.loads(found["json"].body)["revision"] == 1
    assert b"<p>The price" in found["html"].body


def test_what_is_taken_along_is_plain_and_harmless(office: Here, site: Site) -> None:
    title = "&lt;img src=x onerror=alert(1)&gt; [click](javascript:alert(2)) &#27;]0;owned&#7;"
    site["/sly"] = f"<title>{title}</title><main><p>{'Some words. ' * 20}&#27;[31m [a](b) &lt;script&gt;</p></main>"
    shelf = _shelf(office, "sly", site, "/sly")
    (line,) = shelf.lines()
    for form in ("md", "txt", "html"):
        body = shelf.ask(f"/documents/{line.id}/download?format={form}").body.decode()
        assert not [letter for letter in body if not letter.isprintable() and letter != "\n"]
        assert "owned" in body
        if form == "md":
            assert body.startswith(r"# \<img src=x onerror=alert(1)> \[click\](javascript:alert(2)) \]0;owned")
            assert r"\[31m \[a\](b) \<script>" in body


def test_what_changed_is_shown_inside_the_article(office: Here, site: Site) -> None:
    shelf, document = _edited(office, "compared", site)
    html = shelf.get(f"{document}/diff")
    assert "<del>old</del> <ins>now</ins>" in html, "the title, too"
    assert "price is <del id=" in html
    assert ">10</del><ins>12</ins> euros" in html
    assert "An old paragraph" in _text(html, ".prose del")
    assert "Quite another one" in _text(html, ".prose ins")
    assert "without-added" in shelf.get(f"{document}/diff?hide=added")
    lines = shelf.get(f"{document}/diff?view=unified")
    assert "-The price is 10 euros today." in _text(lines, ".lines .removed")
    assert "+The price is 12 euros today." in _text(lines, ".lines .added")
    back = shelf.get(f"{document}/diff?older=2&newer=1&space=ignore")
    assert ">12</del><ins>10</ins> euros" in back
    shelf.get(f"{document}/diff?older=7", 404)
    assert shelf.ask(f"{document}/diff?newer=1").status == 303, "the first has nothing before it"


def test_stories_are_listed_and_led_to(office: Here, site: Site) -> None:
    body = " ".join(f"word{n} of{n % 7} the{n % 11} harbour{n}" for n in range(90))
    for number in range(3):
        site.article(f"/s{number}", f"The story as {number} tells it", f"{body} and number {number} says so")
    shelf = _shelf(office, "told", site, "/s0", "/s1", "/s2")
    listed = shelf.get("/stories")
    assert _text(listed, "[data-item] .badge") == "3 documents"
    story = shelf.get((_one(listed, "[data-item] .title")["href"] or "").removeprefix(f"/d/{shelf.dossier_id}"))
    assert len(LexborHTMLParser(story).css("[data-item]")) == 3
    assert "The same story" in shelf.get(f"/documents/{shelf.lines()[0].id}")


def test_a_copy_leads_to_what_it_repeats(office: Here, site: Site) -> None:
    for name in ("/one", "/two"):
        site.article(name, "The same", FIRST)
    shelf = _shelf(office, "copied", site, "/one", "/two")
    (copy,) = shelf.lines(state="duplicate")
    assert len(shelf.lines()) == 1
    answer = shelf.ask(f"/documents/{copy.id}")
    assert answer.headers["location"] == f"/d/{shelf.dossier_id}/documents/{copy.duplicate_of}"
    assert str(copy.duplicate_of) in shelf.get("/documents?state=duplicate")


def test_ways_out_are_shown_with_what_became_of_deliveries(office: Here, site: Site) -> None:
    shelf, _ = _edited(office, "out", site)
    with office.program() as app:
        app.deliver([shelf.dossier_id])
    html = shelf.get("/exports")
    api = f"/api/dossiers/{shelf.dossier_id}"
    assert f"{office.url}{api}/feed.rss" in html
    assert f"{shelf.dossier_id}:2" in html, "the cursor"
    assert "taken" in _text(html, "table")
    assert b"Prices of now" in shelf.client.ask("GET", f"{api}/export?format=csv").body


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000154a24f5d0000000049454e44ae426082"
)
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)>"
HOSTILE_HTML = (
    "<p onclick=alert(1)>Some words of a paragraph that is long enough to be taken for content, so there. {0}</p>"
    "<script>alert(2)</script><img src='/pixel.png' onerror=alert(3)><img src='javascript:alert(4)'>"
    "<a href='javascript:alert(5)'>a link</a><a href='data:text/html,<script>alert(6)</script>'>another</a>"
    "<iframe srcdoc='<script>parent.alert(7)</script>'></iframe><form action=/logout><button>x</button></form>"
    "<p style='position:fixed;inset:0' class=top id=main>over it all, with some more words to be sure of it {0}</p>"
    "<pre class=top>code &lt;script&gt;alert(8)&lt;/script&gt;</pre><base href=https://evil.test/>"
)


def test_what_sources_send_is_never_run(office: Here, browser: Browser, site: Site) -> None:
    shelf = _shelf(office, HOSTILE, site)
    site["/pixel.png"] = WebPage(PIXEL, type="image/png")
    for turn in ("first", "second"):
        body = HOSTILE_HTML.format(f"{turn} {FILLER}")
        entry = (
            f"<item><guid>1</guid><link>javascript:alert(9)</link><title>{turn} &lt;img src=x onerror=alert(1)></title>"
            f"<author>&lt;script&gt;alert(1)&lt;/script&gt;</author><description><![CDATA[{body}]]></description></item>"
        )
        site["/feed"] = WebPage(
            f"<rss version='2.0'><channel><title>x</title>{entry}</channel></rss>".encode(), type="application/rss+xml"
        )
        if turn == "first":
            office.watch(shelf.dossier_id, f"{site.url}/feed", name=HOSTILE)
        office.look(shelf.dossier_id)
    (line,) = shelf.lines()
    assert line.rev_n == 2
    document = f"/documents/{line.id}"
    shown = ("", "?rev=1&from=0&to=60", "/diff", "/diff?view=unified", "/chunks", "/revisions")
    # Without the policy, which would stop much of it: what is written must be harmless by itself.
    with visitor(browser, office, bypass_csp=True) as page:
        for path in ("/documents", *(document + end for end in shown)):
            tree = LexborHTMLParser(shelf.get(path))
            (main,) = tree.css("main")
            assert not main.css(
                "script, iframe, object, embed, base, style, svg[onload], .prose form, .prose [class]:not(del)"
            )
            for node in main.css("*"):
                assert not [name for name in node.attributes if name.startswith(("on", "style"))]
                address = node.attributes.get("href") or node.attributes.get("src") or "/"
                assert address.startswith(("/", "#", "?", site.url)), address
            page.goto(f"/d/{shelf.dossier_id}{path}")
            assert page.title()
        assert page.seen.dialogs == []  # type: ignore[attr-defined]  # nothing of it ran
    downloaded = shelf.ask(f"{document}/download?format=html").body
    assert b"alert(2)</script>" not in downloaded
    assert b"javascript:" not in downloaded


def test_keys_read_keep_and_walk(office: Here, page: Page, site: Site) -> None:
    shelf, document = _edited(office, "keyed", site)
    page.goto(f"/d/{shelf.dossier_id}{document}")
    subject = page.locator("[data-subject]")
    # Whoever opens it has read it.
    expect(page.get_by_role("button", name="Mark as unread")).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Mark as read")).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="★ Kept")).to_be_visible()
    expect(subject).to_have_class("reading unread kept")
    here = f"{office.url}/d/{shelf.dossier_id}{document}"
    for key, leads_to in (("[", "?rev=1"), ("]", ""), ("x", "/diff?newer=2")):
        page.keyboard.press(key)
        page.wait_for_url(here + leads_to)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".here")).to_have_text("10")
    expect(page.locator("[data-walked]")).to_have_text("1 of 3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".here")).to_contain_text("Quite another")
    page.keyboard.press("x")
    page.wait_for_url(here)


def test_what_is_selected_can_be_cited(office: Here, browser: Browser, site: Site) -> None:
    shelf, document = _edited(office, "selected", site)
    with visitor(browser, office, viewport=PHONE) as page:
        page.goto(f"/d/{shelf.dossier_id}{document}")
        page.locator(".prose p").first.evaluate(
            "node => { const text = node.firstChild; getSelection().setBaseAndExtent(text, 13, text, 21) }"
        )
        page.get_by_role("button", name="Cite the selection").click()
        expect(page.locator("mark#cited")).to_have_text("12 euros")
        for path in (document, f"{document}/diff", "/documents", "/exports"):
            page.goto(f"/d/{shelf.dossier_id}{path}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
