"""Documents, revisions, differences, changes, exports, feeds, lists, the reader and images, over REST."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import feedparser
import pytest

from inside_sqlite import database_of
from samples import STORY
from service import Answer, Client, Here
from veille.core.models import Scope
from veille.services.watching.sources import Wish
from world import Page, Site

PIXEL = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


class Shelf:
    """A dossier with what a site has, looked at again whenever the test says so."""

    def __init__(self, office: Here, site: Site, name: str) -> None:
        self.office, self.site = office, site
        self.me = office.robot(f"{name}@example.org")
        self.id = self.me.post("/api/dossiers", {"name": name}, 201)["id"]
        self.path = f"/api/dossiers/{self.id}"

    def watch(self, *paths: str) -> None:
        with self.office.program() as app:
            for path in paths:
                wish = Wish(url=self.site.url + path, kind="page", config={"look_twice": False})
                app.sources.add(self.id, wish)
        self.look()

    def look(self) -> None:
        with self.office.program() as app:
            app.queue.arm(self.id, app.clock())
            app.run(Scope(dossiers=frozenset({self.id})))

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        return self.me.get(self.path + path, status, **query)

    def ask(self, path: str, **query: Any) -> Answer:
        return self.me.ask("GET", self.path + path, **query)


@pytest.fixture
def shelf(office: Here, site: Site, request: pytest.FixtureRequest) -> Shelf:
    name = "".join(letter for letter in request.node.name if letter.isalnum())
    return Shelf(office, site, name[-60:])


def _texts(word: str) -> str:
    return f"{STORY} {word}\nAnd the {word} is the last word of it all, said the mayor on the steps."


def test_revisions_and_what_changed_between_them(shelf: Shelf) -> None:
    shelf.site.article("/a", "Bridge", _texts("hammer"))
    shelf.watch("/a")
    shelf.site.article("/a", "Bridge", _texts("anvil"))
    shelf.look()
    (document,) = shelf.get("/documents")
    assert (document["revision"], document["text"]) == (2, None)
    where = f"/documents/{document['id']}"
    assert "anvil" in shelf.get(where)["text"]
    assert [one["revision"] for one in shelf.get(f"{where}/revisions")] == [2, 1]
    assert "hammer" in shelf.get(f"{where}/revisions/1")["text"]
    diff = shelf.get(f"{where}/diff")
    assert (diff["older"], diff["newer"]) == (1, 2)
    assert [one["text"] for one in diff["edits"] if one["kind"] == "insert"] == ["anvil", "anvil"]
    assert shelf.get(f"{where}/diff", older=2, newer=2)["edits"][0]["kind"] == "equal"
    for missing in ("/revisions/3", "/diff?newer=9", "/diff?older=9"):
        assert shelf.ask(where + missing).status == 404
    assert shelf.ask(f"{where}/revisions/0").status == 400


def test_what_changed_is_found_without_reading_all_other_revisions(shelf: Shelf) -> None:
    for word in ("hammer", "anvil", "tongs"):
        shelf.site.article("/a", "Bridge", _texts(word))
        shelf.look() if word != "hammer" else shelf.watch("/a")
    (document,) = shelf.get("/documents")
    with shelf.office.program() as app, app.dossiers.open(shelf.id) as store:
        database_of(store).execute("UPDATE revisions SET text = x'00' WHERE n = 1")
    diff = shelf.get(f"/documents/{document['id']}/diff")
    assert [one["text"] for one in diff["edits"] if one["kind"] == "insert"] == ["tongs", "tongs"]


def test_lists_are_gone_through_without_gaps_or_repeats(shelf: Shelf) -> None:
    paths = [f"/{n}" for n in range(7)]
    for path in paths:
        shelf.site.article(path, path, f"{path} tells something of its own. " * 10 + path * 30)
    shelf.watch(*paths)
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 3}
    while True:
        page = shelf.ask("/documents", **query)
        seen += [one["url"] for one in page.json]
        if "x-next" not in page.headers:
            break
        query["before"] = page.headers["x-next"]
        # What comes meanwhile is on the first page, and moves nothing on the others.
        shelf.site.article("/new", "new", "Something new. " * 20)
    assert sorted(seen) == sorted(shelf.site.url + path for path in paths)
    assert shelf.get("/documents", 400, before="nonsense")["code"] == "bad_cursor"
    runs = shelf.get("/runs")
    assert runs[0]["counts"]["new"] == 7
    assert len(shelf.get(f"/runs/{runs[0]['id']}")["items"]) == 7
    shelf.get("/runs/nothing", 404)


def test_changes_go_on_from_a_cursor(shelf: Shelf) -> None:
    shelf.site.article("/a", "A", _texts("one"))
    shelf.watch("/a")
    first = shelf.get("/changes")
    assert [one["change"] for one in first["changes"]] == ["new"]
    assert shelf.get("/changes", since=first["cursor"]) == {"changes": [], "cursor": first["cursor"]}
    shelf.site.article("/a", "A", _texts("two"))
    shelf.look()
    (change,) = shelf.get("/changes", since=first["cursor"])["changes"]
    assert (change["change"], change["revision"]) == ("changed", 2)
    assert shelf.get("/changes", 400, since="x")["code"] == "bad_cursor"
    assert shelf.get("/changes", 400, since="999")["code"] == "bad_cursor"


def test_a_change_ends_the_waiting_for_it(shelf: Shelf) -> None:
    shelf.site.article("/a", "A", _texts("one"))
    answers: list[Any] = []
    began = time.monotonic()
    waiting = threading.Thread(target=lambda: answers.append(shelf.get("/changes", wait=30)))
    waiting.start()
    shelf.watch("/a")
    waiting.join()
    assert [one["change"] for one in answers[0]["changes"]] == ["new"]
    assert time.monotonic() - began < 25
    began = time.monotonic()
    assert shelf.get("/changes", since=answers[0]["cursor"], wait=0.7)["changes"] == []
    assert time.monotonic() - began >= 0.7
    Client(shelf.office.url).get(f"{shelf.path}/changes", 401, wait=30)


def test_more_may_wait_than_are_worked_on_at_once(tmp_path: Path, site: Site) -> None:
    with Here(tmp_path, serve={"requests": 2}) as office:
        shelf = Shelf(office, site, "patient")
        site.article("/a", "A", _texts("one"))
        answers: list[Any] = []
        threads = [threading.Thread(target=lambda: answers.append(shelf.get("/changes", wait=30))) for _ in range(12)]
        for thread in threads:
            thread.start()
        began = time.monotonic()
        assert shelf.get("/documents") == []
        assert time.monotonic() - began < 10
        shelf.watch("/a")
        for thread in threads:
            thread.join()
        assert [len(one["changes"]) for one in answers] == [1] * 12


def test_exports(shelf: Shelf) -> None:
    shelf.site.article("/a", "=1+1", _texts("one"))
    shelf.watch("/a")
    lines = shelf.ask("/export")
    (record,) = [json.loads(line) for line in lines.body.splitlines()]
    assert (record["title"], lines.headers["content-type"]) == ("=1+1", "application/x-ndjson")
    table = shelf.ask("/export", format="csv")
    (row,) = csv.DictReader(io.StringIO(table.body.decode("utf-8-sig")))
    assert row["title"] == "'=1+1"
    assert shelf.ask("/export", format="parquet").body.startswith(b"PAR1")
    assert shelf.ask("/export", since=lines.headers["x-cursor"]).body == b""
    assert shelf.ask("/export", format="xml").status == 400
    assert shelf.ask("/export", since="x").json["code"] == "bad_cursor"
    reader = shelf.office.robot(shelf.me.get("/api/auth/me")["name"], "read")
    reader.get(f"{shelf.path}/export", 403)


def test_feeds_of_a_dossier_and_of_a_search(shelf: Shelf) -> None:
    evil = "<img src=x onerror=alert(1)> & ]]>"
    shelf.site["/a"] = f"<html><head><title>{evil.replace('<', '&lt;')}</title></head><body><main><p>{_texts('zebra')}"
    shelf.site.article("/b", "B", _texts("lion") * 2)
    shelf.watch("/a", "/b")
    answer = shelf.ask("/feed.rss")
    assert answer.headers["content-type"] == "application/rss+xml"
    assert b"<img" not in answer.body
    feed = feedparser.parse(answer.body)
    assert not feed.bozo
    assert {entry.link for entry in feed.entries} == {f"{shelf.site.url}/a", f"{shelf.site.url}/b"}
    listed = shelf.ask("/feed.json")
    assert listed.headers["content-type"] == "application/feed+json"
    assert listed.json["version"] == "https://jsonfeed.org/version/1.1"
    assert len(listed.json["items"]) == 2
    search = shelf.me.post(f"{shelf.path}/searches", {"name": "Zebras", "query": "zebra"}, 201)
    assert shelf.get("/searches") == [search]
    again = shelf.me.post(f"{shelf.path}/searches", {"name": "Zebras", "query": "x"}, 409)
    assert again["code"] == "search_exists"
    shelf.me.post(f"{shelf.path}/searches", {"name": "Empty", "query": " "}, 400)
    where = f"/searches/{search['id']}"
    found = feedparser.parse(shelf.ask(f"{where}/feed.rss").body)
    assert (found.feed.title, [entry.link for entry in found.entries]) == ("Zebras", [f"{shelf.site.url}/a"])
    assert [one["url"] for one in shelf.get(f"{where}/feed.json")["items"]] == [f"{shelf.site.url}/a"]
    assert shelf.me.delete(shelf.path + where) == {"status": "deleted"}
    shelf.get(f"{where}/feed.rss", 404)
    shelf.me.delete(shelf.path + where, 404)


def test_feeds_tell_what_is_gone_and_by_how_much_values_changed(shelf: Shelf) -> None:
    offer = '<script type="application/ld+json">{{"@type": "Product", "name": "Tea", "offers": {{"price": "{}", '
    offer += '"priceCurrency": "EUR"}}}}</script>'
    shelf.site["/tea"] = f"<title>Tea</title>{offer.format('12.90')}<main><p>{_texts('tea')}"
    shelf.site.article("/b", "Bridge", _texts("hammer"))
    shelf.watch("/tea", "/b")
    rule = shelf.me.post(f"{shelf.path}/rules", {"name": "Gone", "expression": "is removed"}, 201)
    before = {one["id"] for one in shelf.get("/feed.json")["items"]}
    shelf.site["/tea"] = f"<title>Tea</title>{offer.format('13.90')}<main><p>{_texts('tea')}"
    shelf.site["/b"] = Page(b"", status=410)
    shelf.look()
    by_title = {one["title"]: one for one in shelf.get("/feed.json")["items"]}
    assert "price: 12.90 EUR → 13.90 EUR (+7.8 %)" in by_title["Tea"]["content_text"]
    gone = by_title["Gone: Bridge"]
    assert gone["id"] not in before
    assert gone["content_text"].startswith("taken down for good (410); last text kept; last seen on 20")
    assert "hammer" in gone["content_text"]
    entries = {one.title: one for one in feedparser.parse(shelf.ask("/feed.rss").body).entries}
    assert "taken down for good (410)" in entries["Gone: Bridge"].summary
    assert "(+7.8 %)" in entries["Tea"].summary
    with shelf.office.program() as app:
        app.deliver([shelf.id])
    (told,) = feedparser.parse(shelf.ask(f"/rules/{rule['id']}/feed.atom").body).entries
    assert told.title == "Gone: Bridge"
    assert "taken down for good (410); last text kept; last seen on 20" in str(told.content)


def test_lists_of_feeds_go_in_and_out(shelf: Shelf) -> None:
    opml = b"""<opml version="2.0"><body><outline text="A" xmlUrl="https://example.org/a.xml"/>
        <outline text="B" xmlUrl="https://example.org/b.xml"/><outline text="C" xmlUrl="ftp://x"/></body></opml>"""
    headers = {"Content-Type": "text/x-opml"}
    taken = shelf.me.ask("POST", f"{shelf.path}/opml", opml, headers).json
    assert [one["code"] for one in taken] == ["", "", "bad_url"]
    again = shelf.me.ask("POST", f"{shelf.path}/opml", opml, headers).json
    assert [one["code"] for one in again] == ["duplicate_source", "duplicate_source", "bad_url"]
    out = shelf.ask("/opml")
    assert b"https://example.org/a.xml" in out.body
    assert shelf.me.ask("POST", f"{shelf.path}/opml", b"no list", headers).status == 400


@pytest.mark.covers("R-216")
def test_a_page_is_read_and_its_images_come_signed(shelf: Shelf) -> None:
    shelf.site["/pic.png"] = Page(PIXEL, type="image/png", headers={"Set-Cookie": "spy=1"})
    shelf.site["/evil.svg"] = Page(SVG, type="image/png")
    images = "<img src=/pic.png><img src=/evil.svg><img src=/none.png>"
    shelf.site["/a"] = f"<html><head><title>T</title></head><body><article>{images}<p>{STORY}</p><p>{STORY}</p>"
    read = shelf.get("/reader", url=f"{shelf.site.url}/a")
    assert read["readable"], read
    assert read["content"]["wordCount"] > 20
    addresses = [part.split('"')[0].replace("&amp;", "&") for part in read["content"]["content"].split('src="')[1:]]
    by_name = {dict(parse_qsl(urlsplit(one).query))["url"].rpartition("/")[2]: one for one in addresses}
    stranger = shelf.office.anonymous()
    answer = stranger.ask("GET", by_name["pic.png"])
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, PIXEL, "image/png")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["content-disposition"] == 'inline; filename="image"'
    assert "set-cookie" not in answer.headers
    evil = stranger.ask("GET", by_name["evil.svg"])
    assert (evil.status, evil.json["code"]) == (415, "not_an_image")
    assert stranger.ask("GET", by_name["none.png"]).status == 502
    query = dict(parse_qsl(urlsplit(by_name["pic.png"]).query))
    forged = [
        {"url": query["url"]},
        query | {"url": f"{shelf.site.url}/other.png"},
        query | {"d": shelf.id[:-1] + ("1" if shelf.id.endswith("0") else "0")},
        query | {"e": str(int(query["e"]) + 1)},
        query | {"s": "0" * 64},
    ]
    for one in forged:
        refused = stranger.ask("GET", "/api/proxy-image", **one)
        assert (refused.status, refused.json["code"]) == (403, "bad_signature")
    bad = shelf.get("/reader", url="ftp://example.org/x")
    assert bad["error"] == "Invalid protocol: ftp:"
    assert shelf.get("/reader", url="http://10.0.0.1/")["readable"] is False


@pytest.mark.covers("R-145", "R-146", "R-147", "R-151", "R-216")
def test_the_reader_of_one_page_answers_over_rest(shelf: Shelf) -> None:
    """K318-367: `init({url})`, `getMetadata({forceFetch?})`, `getReaderContent({forceFetch?})`."""
    shelf.site.article("/a", "Bridge", f"{STORY}\n{STORY}")
    calls = f"{shelf.path}/reader"
    page = shelf.me.post(f"{calls}/init", {"url": f"{shelf.site.url}/a"})["id"]
    assert shelf.me.post(f"{calls}/init", {"url": f"{shelf.site.url}/a#part"}) == {"id": page}
    assert shelf.me.post(f"{calls}/{page}/getMetadata", {}) == {"title": "Bridge", "description": None}
    content = shelf.me.post(f"{calls}/{page}/getReaderContent", {"forceFetch": False})
    assert content == shelf.get("/reader", url=f"{shelf.site.url}/a"), "as before, by its address"
    assert (content["readable"], content["metadata"]) == (True, {"title": "Bridge", "description": None})
    assert len(shelf.site.seen) == 1
    shelf.site.article("/a", "Bridge", "Gone.")
    assert shelf.me.ask("POST", f"{calls}/{page}/getReaderContent").json == content, "without arguments, too"
    forced = shelf.me.post(f"{calls}/{page}/getReaderContent", {"forceFetch": True})
    assert forced == {
        "readable": False,
        "metadata": {"title": "Bridge", "description": None},
        "content": None,
        "strategy": None,
        "error": "No content could be extracted",
    }
    missing = shelf.me.post(f"{calls}/init", {"url": f"{shelf.site.url}/none"})["id"]
    failed = shelf.me.post(f"{calls}/{missing}/getMetadata", {"forceFetch": True}, 502)
    assert failed == {"error": "HTTP 404", "code": "fetch_http"}
    assert shelf.me.post(f"{calls}/{missing}/getReaderContent", {})["error"] == "HTTP 404"
    bad = shelf.me.post(f"{calls}/init", {"url": "ftp://example.org/x"})["id"]
    assert shelf.me.post(f"{calls}/{bad}/getMetadata", {}, 400)["error"] == "Invalid protocol: ftp:"
    unknown = shelf.me.post(f"{calls}/wbp_none/getMetadata", {}, 409)
    assert unknown == {"error": "WebPageParser not initialized, call init first", "code": "not_initialized"}


@pytest.mark.covers("R-110")
def test_selectors_and_the_shortest_text_are_the_callers(shelf: Shelf) -> None:
    shelf.site["/p"] = f"<title>P</title><div class=price>{'Ten euros. ' * 10}</div>"
    url = f"{shelf.site.url}/p"
    assert shelf.get("/reader", url=url)["readable"] is False
    found = shelf.get("/reader", url=url, selector=".price", minContentLength=100)
    assert (found["strategy"], found["content"]["title"], found["content"]["wordCount"]) == ("selector", "P", 20)
    assert "parts" not in found
    assert shelf.get("/reader", url=url, parts=True)["parts"] == {}
    assert "cannot be read" in shelf.get("/reader", url=url, selector="p[")["error"]
    shelf.get("/reader", 400, url=url, minContentLength=-1)
    shelf.get("/reader", 400, url=url, selector="p" * 1001)


def test_the_images_of_one_dossier_take_no_more_than_their_share(tmp_path: Path, site: Site) -> None:
    site["/pic.png"] = Page(PIXEL, type="image/png")
    site["/a"] = f"<html><head><title>T</title></head><body><article><img src=/pic.png><p>{STORY}</p><p>{STORY}</p>"
    with Here(tmp_path, serve={"images_per_minute": 2}) as office:
        shelf = Shelf(office, site, "viewer")
        content = shelf.get("/reader", url=f"{site.url}/a")["content"]["content"]
        address = content.partition('src="')[2].split('"')[0].replace("&amp;", "&")
        answers = [office.anonymous().ask("GET", address) for _ in range(3)]
        assert [one.status for one in answers] == [200, 200, 429]
        assert (answers[2].json["code"], "retry-after" in answers[2].headers) == ("too_often", True)


def test_figures_for_monitoring_need_no_token_on_their_own_port(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"metrics_port": 0}) as office:
        office.anonymous().get("/health")
        office.anonymous().ask("PROPFIND", "/health")
        where = urlsplit(office.server.metrics_url)
        figures = Client(f"http://{where.netloc}").ask("GET", "/metrics")
        assert b'veille_http_requests_total{method="GET",route="/health",status="200"} 1.0' in figures.body
        assert b'{method="other",route="/health",status="405"} 1.0' in figures.body, "strangers make up no new names"
        assert b"veille_workers 0.0" in figures.body


@pytest.mark.parametrize("page", ["/", "/now", "/kept", "/search?q=bridge"])
def test_one_broken_dossier_does_not_hide_the_others_from_people(tmp_path: Path, page: str) -> None:
    with Here(tmp_path) as office:
        ann = office.person("ann@example.org")
        for name in ("Broken", "Whole"):
            ann.post("/api/dossiers", {"name": name}, 201)
        broken = ann.get("/api/dossiers")[0]["id"]
        (file,) = (office.data / "dossiers").rglob(f"{broken}.db")
        file.unlink()
        shown = ann.ask("GET", page, headers={"Accept": "text/html"})
        assert shown.status == 200
        assert f'<a href="/d/{broken}"><bdi>Broken</bdi></a> cannot be read now and is left out.'.encode() in shown.body
        assert ann.ask("GET", f"/d/{broken}", headers={"Accept": "text/html"}).status == 500


def test_one_broken_dossier_does_not_hide_the_others_from_the_overview(tmp_path: Path) -> None:
    with Here(tmp_path) as office:
        ann = office.person("ann@example.org")
        for name in ("a", "b"):
            ann.post("/api/dossiers", {"name": name}, 201)
        broken = ann.get("/api/dossiers")[0]["id"]
        next((office.data / "dossiers").rglob(f"{broken}.db")).unlink()
        admin = office.robot("root@example.org", is_admin=True)
        assert [one["stats"]["sources"] for one in admin.get("/api/admin/overview")["shards"]] == [None, 0]
        assert admin.get("/api/admin/source-health") == []
