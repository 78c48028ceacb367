from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from browsing import visitor
from forms import Person, alert
from service import Here
from veille.core.schedule import HOUR
from veille.services.watching.sources import Wish
from watching import FAST
from world import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TEXT = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3
ANN = "ann@example.org"


@pytest.fixture
def ann(office: Here) -> Person:
    return Person(office.person(ANN))


def _sources(office: Here, dossier_id: str) -> list[tuple[str, str]]:
    with office.program() as app:
        return [(source.kind, source.name) for source in app.sources.all(dossier_id)]


def _first_change(person: Person, dossier_id: str) -> str:
    (change,) = person.client.get(f"/api/dossiers/{dossier_id}/changes", wait=40, limit=1)["changes"]
    return str(change["title"])


@pytest.mark.covers("R-214")
def test_paste_preview_save_and_the_document_is_there(office: Here, browser: Browser, site: Site) -> None:
    site.feed("/f.rss", [("/one", "Ferries leave earlier", TEXT)], title="Harbour news")
    with visitor(browser, office, "eve@example.org", is_admin=False) as page:
        page.goto("/")
        expect(page.get_by_role("heading", name="Three ways to begin")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("+")
        page.get_by_label("Paste a URL, a feed, a folder or a question").fill(f"{site.url}/f.rss")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Harbour news")).to_be_visible()
        expect(page.get_by_text("It is a feed with 1 entry.")).to_be_visible()
        expect(page.get_by_text(TEXT[:60])).to_be_visible()
        page.get_by_role("button", name="Watch it").click()
        page.wait_for_url("**/sources/*")
        dossier_id = page.url.split("/")[4]
        assert _first_change(Person(office.person("eve@example.org")), dossier_id) == "Ferries leave earlier"
        # In a tab of its own: the page of the source loads itself anew when its check is done.
        front = page.context.new_page()
        front.goto("/")
        expect(front.get_by_role("link", name="Ferries leave earlier", exact=True)).to_be_visible()
        expect(front.get_by_role("link", name="My dossier")).to_be_visible()
        assert "since your last visit" not in front.content()


def test_a_preview_is_honest_and_nothing_is_watched_before_it_is_saved(office: Here, ann: Person, site: Site) -> None:
    dossier_id = office.dossier("honest", ANN)
    site["/robots.txt"] = "User-agent: *\nDisallow: /page"
    site.article("/page", "Opening hours", TEXT)
    look = ann.led(ann.send(f"/d/{dossier_id}/add", text=f"{site.url}/page"))
    shown = ann.see(look)
    for said in (
        "It is a web page.",
        "robots.txt does not want",
        TEXT[:80],
        "about 720 a month",
        "every page that can",
    ):
        assert said in shown, said
    assert _sources(office, dossier_id) == []
    as_site = ann.led(ann.send(f"{look}/as", other=0))
    assert '<span class="badge new">site</span>' in ann.see(as_site)
    bad = ann.send(f"{look}/save", name="Hours", schedule="cron", cron="every day", dossier_id=dossier_id)
    assert "cron" in alert(bad).lower()
    assert b'value="every day"' in bad.body
    assert _sources(office, dossier_id) == []
    where = ann.led(ann.send(f"{look}/save", name="Hours", schedule="cron", cron="0 6 * * *", dossier_id=dossier_id))
    assert _sources(office, dossier_id) == [("page", "Hours")]
    assert where.startswith(f"/d/{dossier_id}/sources/")
    assert _first_change(ann, dossier_id) == "Opening hours"


def test_a_preview_says_how_much_of_the_page_was_read(office: Here, ann: Person, site: Site) -> None:
    dossier_id = office.dossier("shares", ANN)
    lost = "".join(f"<p>{number}. {TEXT}</p>" for number in range(3))
    site["/whole"] = f"<title>Whole</title><main><h1>Ferries</h1><p>{TEXT}</p></main>"
    site["/part"] = f"<title>Part</title><main><p>{TEXT}</p><div class=sphinxsidebar>{lost}</div></main>"
    whole, part = (
        ann.see(ann.led(ann.send(f"/d/{dossier_id}/add", text=site.url + path))) for path in ("/whole", "/part")
    )
    assert "100 % of its main part was read." in whole
    assert "much of the page may be missing" not in whole
    assert "25 % of its main part was read." in part
    assert "much of the page may be missing" in part


def test_a_look_and_a_dossier_are_their_owners_alone(office: Here, ann: Person, site: Site) -> None:
    hers = office.dossier("hers", ANN)
    site.article("/mine", "Mine", TEXT)
    look = ann.led(ann.send("/add", text=f"{site.url}/mine", dossier_id=hers))
    bob = Person(office.person("bob@example.org"))
    for path in (look, f"{look}/save"):
        answer = bob.client.ask("GET", look, None, {"Accept": "text/html"}) if path == look else bob.send(path)
        assert bob.led(answer) == "/add"
    his = bob.led(bob.send("/add", text=f"{site.url}/mine"))
    assert bob.send("/add", text=f"{site.url}/mine", dossier_id=hers).status == 404
    assert bob.send(f"{his}/save", dossier_id=hers).status == 404
    assert _sources(office, hers) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Paste an address"),
        ("/etc/passwd", "it is in none of the allowed folders"),
        ("file:///etc/", "it is in none of the allowed folders"),
        ("gopher://example.org/", "Use http, https"),
        ("http://169.254.169.254/latest/meta-data", "cannot be watched"),
        ("http://db/", "cannot be watched"),
    ],
)
def test_what_may_not_be_watched_is_refused_with_its_reason(ann: Person, text: str, said: str) -> None:
    answer = ann.send("/add", text=text)
    assert said in alert(answer)


def test_a_folder_that_the_operator_lists_can_be_watched(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "january.md").write_text(f"# Minutes of January\n\n{TEXT}")
    with Here(tmp_path, fetch=FAST.model_copy(update={"file_roots": (papers,)})) as office:
        ann = Person(office.person(ANN))
        shown = ann.see(look := ann.led(ann.send("/add", text=str(papers))))
        assert "It is a folder" in shown
        assert "none: it is read from disk" in shown
        dossier_id = ann.led(ann.send(f"{look}/save")).split("/")[2]
        assert _first_change(ann, dossier_id) == "Minutes of January"


def test_a_question_is_put_to_engines(office: Here, ann: Person) -> None:
    dossier_id = office.dossier("asked", ANN)
    look = ann.led(ann.send("/add", text="Who paints the harbour bridge?", dossier_id=dossier_id))
    shown = ann.see(look)
    assert 'value="hn_search" checked' in shown
    assert "needs the secret BRAVE_API_KEY" in shown
    assert alert(ann.send(f"{look}/save", dossier_id=dossier_id)) == "Choose at least one search engine to ask."
    ann.led(ann.send(f"{look}/save", dossier_id=dossier_id, channel=["openalex"], every="1d"))
    assert _sources(office, dossier_id) == [("question", "Q: Who paints the harbour bridge?")]


def test_a_list_is_taken_in_and_every_entry_is_told_of(office: Here, ann: Person, site: Site) -> None:
    dossier_id = office.dossier("listed", ANN)
    with office.program() as app:
        app.sources.add(dossier_id, Wish(url=f"{site.url}/0.rss", kind="feed"))
    entries = "".join(
        f'<outline type="rss" text="&lt;script&gt;{number}" xmlUrl="{site.url}/{number}.rss"/>' for number in range(40)
    )
    bad = '<outline type="rss" text="Bad" xmlUrl="javascript:alert(1)"/>'
    opml = f'<opml version="2.0"><body>{entries}{bad}</body></opml>'.encode()
    here = f"/d/{dossier_id}/opml"
    assert "not a list of feeds" in alert(ann.send_file(here, "opml", b"<html>no</html>"))
    report = ann.led(ann.send_file(here, "opml", opml))
    while "Done:" not in (shown := ann.client.ask("GET", report, None, {"Accept": "text/html"}).body.decode()):
        assert "data-finished" not in shown
    assert "Done: 41 of 41; 39 watched now, 1 already, 1 cannot be." in shown
    assert "&lt;script&gt;7" in shown
    assert "<script>7" not in shown
    assert len(_sources(office, dossier_id)) == 40
    bob = Person(office.person("bob@example.org"))
    assert bob.client.ask("GET", report, None, {"Accept": "text/html"}).status == 404


def test_addresses_are_pasted_and_a_backup_of_another_program_is_taken_in(office: Here, ann: Person) -> None:
    dossier_id = office.dossier("pasted", ANN)
    here = f"/d/{dossier_id}/opml"
    assert "paste addresses" in alert(ann.send(here, text=" "))
    assert "no list that can be imported" in alert(ann.send(here, text="Dear diary"))
    watches = {
        "1": {"url": "https://shop.example/tea", "title": "Tea", "include_filters": [".price"], "paused": True},
        "2": {"url": "https://news.example/", "tag": "law", "headers": {"Cookie": "sesame"}},
    }
    for sent in (
        ann.send(here, text="https://lines.example/feed.xml\nlines.example/page The page"),
        ann.send_file(here, "opml", json.dumps({"watching": watches}).encode()),
    ):
        report = ann.led(sent)
        while "Done: 2 of 2; 2 watched now" not in (shown := ann.see(report)):
            assert "data-finished" not in shown
    assert "secret headers were left out" in shown
    with office.program() as app:
        found = {source.url: source for source in app.sources.all(dossier_id)}
    tea, news = found["https://shop.example/tea"], found["https://news.example"]
    assert (tea.name, tea.kind, tea.config) == ("Tea", "page", {"mode": "css", "selectors": [".price"]})
    assert (tea.enabled, news.enabled, news.config) == (False, True, {"tags": ["law"]})
    assert found["https://lines.example/feed.xml"].kind == "feed"
    assert found["https://lines.example/page"].name == "The page"


def test_ready_made_sources_are_added_by_category(office: Here, ann: Person) -> None:
    dossier_id = office.dossier("ready", ANN)
    here = f"/d/{dossier_id}/catalogue"
    assert "watched</a>" not in ann.see(here)
    assert ann.led(ann.send(here, category="academic")) == here
    assert len(_sources(office, dossier_id)) == ann.see(here).count(">watched</a>") == 2
    entry = next(one for one in ann.client.get("/api/source-registry") if one["category"] == "academic")
    assert ann.led(ann.send(here, entry=entry["id"])) == here, "it is watched already"
    assert ann.send(here, entry="none").status == 404
    assert ann.send(here, category="no such").status == 404


def test_the_interval_is_the_one_that_was_chosen(office: Here, ann: Person, site: Site) -> None:
    dossier_id = office.dossier("paced", ANN)
    site.article("/a", "A", TEXT)
    look = ann.led(ann.send("/add", text=f"{site.url}/a", dossier_id=dossier_id))
    ann.led(ann.send(f"{look}/save", schedule="adaptive", every="6h", dossier_id=dossier_id))
    with office.program() as app:
        (source,) = app.sources.all(dossier_id)
    assert (source.interval_ms, source.pace_ms, source.name) == (6 * HOUR, 6 * HOUR, source.url.partition("://")[2])
