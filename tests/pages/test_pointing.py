from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from selectolax.lexbor import LexborHTMLParser

from browsing import PHONE, Seen, serious, visitor
from forms import one, seen, send
from service import Client, Here
from veille.core.kinds import kind_names
from veille.core.records import Revision
from veille.core.show.pointing import pictured
from veille.errors import ReadError
from veille.interfaces.web.views.html import page as rendered
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOP = """<!doctype html><title>Tea</title><body><main><h1>Smoked tea</h1>
<p class="price-line">Price <span class="price">{price} EUR</span></p>
<p class="stock">In stock: <b>{stock}</b></p></main>
<aside><h2>News</h2><ul class="news"><li><a href="/n/1">Harvest begins</a></li>
<li><a href="/n/2">New shop opens</a></li>
<li><a href="/n/3">Late delivery</a></li></ul></aside>"""

EVIL = {
    "script": "<script>alert(1)</script>",
    "handler": "<p onclick=alert(1) onmouseover=alert(1)>x</p>",
    "image": "<img src=http://evil.example/i onerror=alert(1)>",
    "svg": "<svg onload=alert(1)><script>alert(1)</script><use href='http://evil.example/u#x'/></svg>",
    "mathml": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "form mutation": "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "style": "<style>@import url(http://evil.example/c);*{background:url(http://evil.example/b)}</style>",
    "style attribute": "<p style='background:url(http://evil.example/s);width:expression(alert(1))'>x</p>",
    "refresh": "<meta http-equiv=refresh content='0;url=http://evil.example/r'>",
    "base": "<base href=http://evil.example/><a href=x>y</a>",
    "form": "<form action=http://evil.example/f><input name=q autofocus onfocus=alert(1)><button>go</button></form>",
    "srcdoc": "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "iframe": "<iframe src=http://evil.example/i></iframe>",
    "object": "<object data=http://evil.example/o></object><embed src=http://evil.example/e>",
    "preload": "<link rel=preload as=image href=http://evil.example/p><link rel=prefetch href=http://evil.example/q>",
    "stylesheet": "<link rel=stylesheet href=http://evil.example/c>",
    "template": "<template><script>alert(1)</script></template>",
    "noscript": "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "overlay": "<div style='position:fixed;inset:0;z-index:2147483647;background:red'>You won</div>",
    "dialog": "<dialog open>x</dialog><div popover id=p>y</div>",
    "javascript link": "<a href='javascript:alert(1)'>x</a>",
    "data link": "<a href='data:text/html,<script>alert(1)</script>' target=_top>x</a>",
    "video": "<video src=http://evil.example/v poster=http://evil.example/w autoplay onerror=alert(1)></video>",
    "srcset": "<picture><source srcset=http://evil.example/a><img srcset='http://evil.example/b 2x'></picture>",
    "null bytes": "<scr\0ipt>alert(1)</scr\0ipt><img src=x o\0nerror=alert(1)>",
    "comment": "<!--><script>alert(1)</script>--><![CDATA[<script>alert(1)</script>]]>",
    "textarea": "<textarea></textarea><script>alert(1)</script>",
    "title": "<title></title><img src=x onerror=alert(1)></title>",
    "attribute": "<p title='\"><img src=x onerror=alert(1)>'>x</p><p data-n='\"><script>alert(1)</script>'>y</p>",
    "our script": "</script></body><script>parent.postMessage({what:'pick',n:1},'*');alert(1)</script>",
    "deep": "<div>" * 5000 + "x",
}


def _utf(name: str) -> bytes:
    return "<body><p>x</p><script>alert(1)</script><img src=x onerror=alert(1)>".encode(name)


def _preview(page: Page, site: Site, path: str) -> None:
    page.goto("/add")
    page.get_by_label("Paste a URL, a feed, a folder or a question").fill(site.url + path)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Watch only a part").click()
    expect(page.get_by_role("heading", name="Watch only a part")).to_be_visible()


@pytest.mark.timeout(120)
def test_point_preview_save_and_the_change_of_the_part_is_told(office: Here, browser: Browser, site: Site) -> None:
    site["/tea"] = SHOP.format(price="12.90", stock=7)
    with visitor(browser, office, "pia@example.org", is_admin=False) as page:
        _preview(page, site, "/tea")
        frame = page.frame_locator("iframe")
        frame.get_by_text("12.90 EUR").hover()
        expect(page.locator("[data-text]")).to_have_text("12.90 EUR")
        expect(page.locator("[data-selector]")).to_have_text("span.price")
        frame.get_by_text("12.90 EUR").click()
        expect(page.locator("[data-list] li")).to_have_count(1)
        page.get_by_role("button", name="Preview the part").first.click()
        expect(page.get_by_text("only the part that was pointed at")).to_be_visible()
        expect(page.locator(".samples")).to_contain_text("12.90 EUR")
        page.get_by_role("textbox", name="Name", exact=True).fill("Price of tea")
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        here = page.url.split("?")[0]
        client, dossier_id = office.person("pia@example.org"), here.split("/")[4]
        (first,) = client.get(f"/api/dossiers/{dossier_id}/changes", wait=40, limit=1)["changes"]
        assert first["change"] == "new"
        site["/tea"] = SHOP.replace("price-line", "line-x81f2").format(price="13.90", stock=7)
        office.look(dossier_id)
        told = client.get(f"/api/dossiers/{dossier_id}/changes", limit=5)["changes"]
        assert [one["change"] for one in told] == ["new", "changed"]
        page.goto("/")
        row = page.locator(".item.row").first
        expect(row.locator("del")).to_have_text("12.90")
        expect(row.locator("ins")).to_have_text("13.90")
        expect(row).to_contain_text("+7.8 %")
        _is_followed_as_a_price(page, here)


def _is_followed_as_a_price(page: Page, source: str) -> None:
    """The page of the source says in words what is watched, and has a line of its values."""
    page.goto(source)
    facts = page.get_by_role("region", name="Facts")
    expect(facts.locator("dt", has_text="Parts").locator("xpath=following-sibling::dd[1]")).to_have_text("“12.90 EUR”")
    expect(facts.locator("code")).to_have_count(0)
    expect(page.get_by_role("region", name="Values")).to_contain_text("12.90 EUR → 13.90 EUR")


@pytest.mark.timeout(120)
def test_one_page_is_watched_twice_and_the_keyboard_is_enough(office: Here, browser: Browser, site: Site) -> None:
    site["/twice"] = SHOP.format(price="12.90", stock=7)
    with visitor(browser, office, "kim@example.org", is_admin=False) as page:
        dossier_id = office.dossier("twice", "kim@example.org")
        office.watch(dossier_id, f"{site.url}/twice", name="All of it")
        _preview(page, site, "/twice")
        page.frame_locator("iframe").locator("body").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
        expect(page.locator("[data-text]")).to_have_text("7")
        page.keyboard.press("Enter")
        expect(page.locator("[data-list] li")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Preview the part").first).to_be_focused()
        page.keyboard.press("Enter")
        page.get_by_role("textbox", name="Name", exact=True).fill("Stock of tea")
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        with office.program() as app:
            assert {one.name for one in app.sources.all(dossier_id)} == {"All of it", "Stock of tea"}


@pytest.mark.timeout(120)
def test_two_marked_items_become_a_feed(office: Here, browser: Browser, site: Site) -> None:
    assert "items" in kind_names()
    site["/news"] = SHOP.format(price="12.90", stock=7)
    with visitor(browser, office, "lea@example.org", is_admin=False) as page:
        _preview(page, site, "/news")
        frame = page.frame_locator("iframe")
        for title in ("Harvest begins", "New shop opens"):
            frame.get_by_text(title).click()
        expect(page.locator("[data-list] li")).to_have_count(2)
        page.get_by_role("button", name="Each of these is an item").first.click()
        expect(page.locator(".samples li")).to_have_count(3)
        expect(page.locator(".samples")).to_contain_text("Late delivery")
        expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Tea")
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        dossier_id = page.url.split("?")[0].split("/")[4]
        client = office.person("lea@example.org")
        found = client.get(f"/api/dossiers/{dossier_id}/changes", wait=40, limit=9)["changes"]
        assert sorted(one["title"] for one in found) == ["Harvest begins", "Late delivery", "New shop opens"]
        fresh = '<ul class="news"><li><a href="/n/4">Spring fair opens its gates</a></li>'
        site["/news"] = SHOP.format(price="13.90", stock=6).replace('<ul class="news">', fresh)
        office.look(dossier_id)
        page.goto("/?show=unread")
        row = page.locator(".item.row").first
        expect(row.locator("a.title")).to_have_text("Spring fair opens its gates")
        assert len(client.get(f"/api/dossiers/{dossier_id}/changes", limit=9)["changes"]) == 4, "and nothing else"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_part_is_tapped_on_a_phone_and_everybody_can_use_the_pages_on_the_way(
    office: Here, browser: Browser, site: Site, scheme: str
) -> None:
    site["/tap"] = SHOP.format(price="12.90", stock=7)
    given: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": scheme}
    found: dict[str, list[str]] = {}
    with visitor(browser, office, f"tom-{scheme}@example.org", is_admin=False, **given) as page:

        def see(name: str) -> None:
            found[name] = serious(page)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found[name].append("it is wider than the phone")

        page.goto("/add")
        page.get_by_label("Paste a URL, a feed, a folder or a question").fill(f"{site.url}/tap")
        page.keyboard.press("Enter")
        expect(page.get_by_text("It is a web page.")).to_be_visible()
        see("preview")
        page.get_by_role("link", name="Watch only a part").tap()
        frame = page.frame_locator("iframe")
        frame.get_by_text("12.90 EUR").tap()
        expect(page.locator("[data-list] li")).to_have_text(["12.90 EUR Remove"])
        page.get_by_role("radio", name="Not this").check()
        frame.get_by_text("In stock").tap()
        expect(page.locator("[data-list] li")).to_have_count(2)
        see("picker")
        page.get_by_role("button", name="Preview the part").first.tap()
        expect(page.locator(".samples")).to_contain_text("12.90 EUR")
        see("part")
        page.get_by_role("button", name="Watch it").tap()
        page.wait_for_url("**/sources/*")
    assert found == {"preview": [], "picker": [], "part": []}


@pytest.mark.timeout(120)
def test_the_part_of_a_source_is_changed(office: Here, browser: Browser, site: Site) -> None:
    site["/part"] = SHOP.format(price="12.90", stock=7)
    with visitor(browser, office, "uma@example.org", is_admin=False) as page:
        dossier_id = office.dossier("part", "uma@example.org")
        source_id = office.watch(dossier_id, f"{site.url}/part", name="Tea", config={"min_chars": 1})
        office.look(dossier_id)
        page.goto(f"/d/{dossier_id}/sources/{source_id}/edit")
        page.get_by_role("button", name="Change the part").click()
        page.frame_locator("iframe").get_by_text("7", exact=True).click()
        expect(page.locator("[data-list] li")).to_have_count(1)
        page.get_by_role("button", name="Change the part").first.click()
        page.wait_for_url(f"**/sources/{source_id}*")
        expect(page.get_by_text("It watches the part now that you pointed at.")).to_be_visible()
        with office.program() as app:
            config = app.sources.find(dossier_id, source_id).config
        assert [one["text"] for one in config["parts"]] == ["7"]
        assert config["min_chars"] == 1
        page.goto(f"/d/{dossier_id}/sources/{source_id}/edit")
        expect(page.get_by_text("It watches “7”.")).to_be_visible()


@pytest.mark.timeout(120)
def test_what_was_picked_stays_when_it_is_refused_and_the_twenty_first_is_told(
    office: Here, browser: Browser, site: Site
) -> None:
    rows = "".join(f"<li>Ferry {n} to <b>Isle {n}</b></li>" for n in range(22))
    site["/same"] = f"<title>Tea</title><main><p id=p>Price 12.90</p>{'<i>same</i>' * 6}<ul>{rows}</ul>"
    with visitor(browser, office, "lia@example.org", is_admin=False) as page:
        _preview(page, site, "/same")
        frame, listed = page.frame_locator("iframe"), page.locator("[data-list] li")
        frame.get_by_text("Price 12.90").click()
        expect(listed).to_have_count(1)
        frame.get_by_text("same").nth(2).click()
        expect(listed).to_have_count(2)
        page.get_by_role("button", name="Preview the part").first.click()
        expect(page.get_by_role("alert").first).to_contain_text("another part just like 'same'")
        expect(page.locator("[data-list] li.take")).to_have_text(["Price 12.90 Remove", "same Remove"])
        for n in range(18):
            frame.get_by_text(f"Isle {n}", exact=True).click()
            expect(listed).to_have_count(n + 3)
        expect(page.locator("[data-full]")).to_be_hidden()
        frame.get_by_text("Isle 20", exact=True).click()
        expect(page.get_by_text("Twenty parts at most can be picked")).to_be_visible()
        listed.nth(1).get_by_role("button", name="Remove").click()
        expect(page.locator("[data-full]")).to_be_hidden()
        expect(listed).to_have_count(19)
        # The refusal has the status 400, which the browser notes.
        page.seen.faults.clear()  # type: ignore[attr-defined]


def test_what_is_left_out_of_a_page_is_said_and_is_not_watched_too(office: Here, site: Site) -> None:
    site["/tea"] = SHOP.format(price="12.90", stock=7)
    office.dossier("left out", "mia@example.org")
    client = office.person("mia@example.org")
    where = send(client, "/add", text=f"{site.url}/tea").headers["location"]
    page = seen(client, f"{where}/pick")
    number = {box.attributes["aria-label"]: box.attributes["value"] for box in page.css("input[name=leave]")}
    line = next(value for label, value in number.items() if "12.90" in (label or ""))
    refused = send(client, f"{where}/pick", take=line, leave=line)
    assert "cannot be watched and ignored" in (one(LexborHTMLParser(refused.body), "[role=alert]").text() or "")
    taken = send(client, f"{where}/pick", leave=line)
    shown = one(seen(client, taken.headers["location"]), "main").text() or ""
    assert "all of the page but what was pointed at" in shown


def _box(client: Client, preview: str, kind: str, text: str) -> str:
    """The number of the element that is picked by a box of the form without scripts."""
    boxes = seen(client, f"{preview}/pick").css(f"input[name={kind}]")
    return next(box.attributes["value"] or "" for box in boxes if text in (box.attributes["aria-label"] or ""))


def _picked(client: Client, address: str, **picks: str) -> str:
    """Watch an address, or what was picked on it; where that leads."""
    preview = send(client, "/add", text=address).headers["location"]
    if picks:
        boxes = {kind: _box(client, preview, kind, text) for kind, text in picks.items()}
        preview = send(client, f"{preview}/pick", **boxes).headers["location"]
    saved = send(client, f"{preview}/save", every="1h")
    return saved.headers.get("location") or one(LexborHTMLParser(saved.body), "[role=alert]").text() or ""


def test_a_page_without_a_part_stands_beside_the_whole_page_and_a_part_of_it(office: Here, site: Site) -> None:
    dossier_id = office.dossier("beside", "kai@example.org")
    client, address = office.person("kai@example.org"), f"{site.url}/beside"
    watched: dict[str, str] = {}

    def revisions(price: str, stock: int) -> dict[str, int]:
        """How many revisions each source has of its document after a check of the page as it is then."""
        _beside(site, price, stock)
        office.look(dossier_id)
        found = {name: _documents(office, dossier_id, source) for name, source in watched.items()}
        assert len({one.document_id for (one,) in found.values()}) == 3, "each has a document of its own"
        assert ["In stock" in one.text for (one,) in found.values()] == [True, False, False]
        return {name: one.n for name, (one,) in found.items()}

    _beside(site, "12.90", 7)
    for name, picks in {"whole": {}, "rest": {"leave": "In stock"}, "part": {"take": "12.90 EUR"}}.items():
        watched[name] = _source_id(_picked(client, address, **picks))
    assert "is watched already" in _picked(client, address, leave="In stock")
    assert revisions("12.90", 7) == {"whole": 1, "rest": 1, "part": 1}
    assert revisions("12.90", 8) == {"whole": 2, "rest": 1, "part": 1}, "the counter"
    assert revisions("13.90", 8) == {"whole": 3, "rest": 2, "part": 2}, "the price"


def test_a_source_that_is_pointed_again_keeps_its_document(office: Here, site: Site) -> None:
    """Also one that leaves out a part and has the document of the page, as all did once."""
    _beside(site, "12.90", 7)
    dossier_id = office.dossier("again", "kim@example.org")
    client, address = office.person("kim@example.org"), f"{site.url}/beside"
    for first, again in (({}, {"leave": "In stock"}), ({"take": "12.90 EUR"}, {"leave": "In stock"})):
        source_id = _source_id(_picked(client, address, **first))
        office.look(dossier_id)
        (before,) = _documents(office, dossier_id, source_id)
        for picks in (again, {"leave": "News"}, {"leave": "12.90 EUR"}):
            pick = send(client, f"/d/{dossier_id}/sources/{source_id}/part").headers["location"]
            preview = pick.removesuffix("/pick")
            boxes = {kind: _box(client, preview, kind, text) for kind, text in picks.items()}
            assert _source_id(send(client, pick, **boxes).headers["location"]) == source_id
            office.look(dossier_id)
            (after,) = _documents(office, dossier_id, source_id)
            assert after.document_id == before.document_id


def _beside(site: Site, price: str, stock: int) -> None:
    page = SHOP.format(price=price, stock=stock)
    site["/beside"] = page.replace("</h1>", f"</h1><p>{'Tea from the hills behind the harbour. ' * 9}</p>")


def _documents(office: Here, dossier_id: str, source_id: str) -> list[Revision]:
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        return list(store.records.documents(source_id, 10))


def _source_id(where: str) -> str:
    return where.partition("?")[0].rpartition("/")[2]


@pytest.mark.parametrize(
    ("takes", "leaves", "as_items", "words"),
    [
        (21, 0, "", "20 parts at most"),
        (11, 10, "", "20 parts at most"),
        (0, 21, "", "20 parts at most"),
        (40, 0, "yes", "20 parts at most"),
        (2, 1, "yes", "Parts cannot be ignored in a list of items"),
    ],
)
def test_without_scripts_what_was_picked_stays_when_it_is_too_much_or_would_be_dropped(
    office: Here, site: Site, takes: int, leaves: int, as_items: str, words: str
) -> None:
    site["/ferries"] = f"<title>F</title><main>{''.join(f'<p>Ferry to Isle {n}</p>' for n in range(50))}</main>"
    who = f"n{takes}x{leaves}@example.org"
    office.dossier(f"no scripts {takes} {leaves}", who)
    client = office.person(who)
    where = send(client, "/add", text=f"{site.url}/ferries").headers["location"]
    numbers = [box.attributes["value"] for box in seen(client, f"{where}/pick").css("input[name=take]")][-50:]
    take, leave = numbers[:takes], numbers[takes : takes + leaves]
    refused = send(client, f"{where}/pick", take=take, leave=leave, as_items=as_items)
    page = LexborHTMLParser(refused.body)
    assert words in (one(page, "[role=alert]").text() or "")
    for name, picked in {"take": take, "leave": leave}.items():
        assert [box.attributes["value"] for box in page.css(f"input[name={name}][checked]")] == picked


@pytest.mark.timeout(120)
def test_a_page_that_scripts_make_is_pointed_at_as_rendered(office: Here, browser: Browser, site: Site) -> None:
    site["/made"] = (
        "<!doctype html><title>Made</title><body><main><h1>Stock of tea</h1><p>Loading the stock</p></main><script>"
        "document.querySelector('main p').innerHTML = 'There are <b class=left>' + 6 * 7 + ' tins</b> left'</script>"
    )
    with visitor(browser, office, "ria@example.org", is_admin=False) as page:
        _preview(page, site, "/made")
        expect(page.frame_locator("iframe").get_by_text("Loading the stock")).to_be_visible()
        page.get_by_role("button", name="Show it as rendered by a browser").click()
        expect(page.get_by_text("as a browser shows it")).to_be_visible()
        frame = page.frame_locator("iframe")
        frame.get_by_text("42 tins").click()
        expect(page.locator("[data-list] li")).to_have_count(1)
        page.get_by_role("button", name="Preview the part").first.click()
        expect(page.locator(".samples")).to_contain_text("42 tins")
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        dossier_id, source_id = (page.url.split("?")[0].split("/")[place] for place in (4, 6))
        with office.program() as app:
            config = app.sources.find(dossier_id, source_id).config
        client = office.person("ria@example.org")
        (first,) = client.get(f"/api/dossiers/{dossier_id}/changes", wait=40, limit=1)["changes"]
        assert first["change"] == "new"
        assert config["render"] is True
        assert config["parts"][0]["text"] == "42 tins"


@pytest.mark.timeout(120)
def test_a_hostile_page_runs_nothing_and_loads_nothing_even_without_a_policy(browser: Browser) -> None:
    """The picture alone must be harmless: it is shown without any policy, in a page with scripts."""
    seen = Seen()
    context = browser.new_context()
    seen.watch(context, "http://own.example/")
    page = context.new_page()
    shown = ""
    page.route("**/*", lambda route: route.fulfill(body=shown, content_type="text/html"))
    sets = {name: f"<body>{markup}<p>the end</p>".encode() for name, markup in EVIL.items()}
    sets |= {name: _utf(name) for name in ("utf-7", "utf-16", "utf-16-be", "utf-32")}
    assert len(sets) >= 30
    for name, body in sets.items():
        try:
            picture = pictured(body, "")
        except ReadError:
            continue
        shown = rendered("snapshot.html", picture=picture, nonce="x")
        page.goto("http://own.example/")
        page.mouse.move(30, 30)
        page.mouse.click(30, 30)
        assert page.url == "http://own.example/", name
        assert page.evaluate("document.scripts.length") == 1, name
        assert not page.locator("img, svg, math, iframe, object, form, a, link, base, input, video").count(), name
        assert not seen.dialogs, name
        assert not seen.outside, (name, seen.outside)
    context.close()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("bypass_csp", [False, True], ids=["with the policy", "without any policy"])
def test_a_hostile_page_cannot_do_anything_in_the_picker(
    office: Here, browser: Browser, site: Site, *, bypass_csp: bool
) -> None:
    site["/evil"] = "<!doctype html><title>E</title><body><p>The end of the quiet harbour</p>" + "".join(
        markup for name, markup in EVIL.items() if name not in {"deep", "comment", "title", "null bytes"}
    )
    with visitor(browser, office, f"eva{bypass_csp}@example.org", is_admin=False, bypass_csp=bypass_csp) as page:
        _preview(page, site, "/evil")
        frame = page.frame_locator("iframe")
        frame.get_by_text("The end of the quiet harbour").click()
        expect(page.locator("[data-list] li")).to_have_count(1)
        # Nothing of the page lies over what is ours: the button would get the click.
        page.get_by_role("button", name="Preview the part").first.click(trial=True)
        assert page.seen.dialogs == []  # type: ignore[attr-defined]
        assert page.seen.outside == []  # type: ignore[attr-defined]
