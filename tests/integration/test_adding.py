from __future__ import annotations

import json
import time
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from documents import case_bytes
from samples import NOW
from veille.core.dates import iso
from veille.core.models import Change, Source
from veille.core.report.imports import MOST_ENTRIES
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.errors import ConfigError, ReadError
from veille.interfaces.operations import placed
from veille.services.watching.adding import Terms
from veille.services.watching.detection import Detection
from veille.services.watching.discovering import FoundFeed, Standard
from veille.services.watching.lists import as_opml
from watching import FAST, Watch
from world import Page, Site

TEXT = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3
FRENCH = "Le conseil a voté mardi pour reconstruire le vieux pont sur le port avant l'hiver prochain. " * 3
DECLARES = "<link rel=alternate type=application/atom+xml href={0}>"


class Harbour(Watch):
    """A watch that adds what it finds."""

    def look(self, text: str) -> tuple[Detection, bytes]:
        with self.app.detector() as detector:
            return detector.detect(text, HOUR)

    def take(self, text: str, **terms: Any) -> Source:
        detection, body = self.look(text)
        source = self.app.adding.add(self.dossier_id, detection, body, Terms(**terms)).source
        assert source is not None
        return source

    def discover(self, text: str, **standard: Any) -> list[FoundFeed]:
        with self.app.discoverer() as discoverer:
            return discoverer.discover(text, Standard(**standard))


@pytest.fixture
def harbour(site: Site, tmp_path: Path) -> Iterator[Harbour]:
    root = tmp_path / "documents"
    root.mkdir()
    with Harbour(site, tmp_path, fetch=FAST.model_copy(update={"file_roots": (root,)})) as opened:
        yield opened


def _atom(site: Site, path: str, age: int = 1, text: str = TEXT) -> None:
    date = f"<updated>{iso(NOW - age * DAY)}</updated>"
    entry = (
        f"<entry><id>1</id><title>{text[:40]}</title><link href='{site.url}/1'/>{date}<content>{text}</content></entry>"
    )
    body = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Harbour</title>{entry}</feed>"
    site[path] = Page(body.encode(), type="application/atom+xml")


def _paths(site: Site) -> list[str]:
    return [seen.path for seen in site.seen]


@pytest.mark.covers("R-036")
def test_a_front_page_with_a_living_feed_is_watched_by_it_after_two_requests(harbour: Harbour, site: Site) -> None:
    site["/"] = f"<html><title>Harbour News</title>{DECLARES.format('/f')}<main><p>{TEXT}</p></main></html>"
    _atom(site, "/f")
    found, _ = harbour.look(site.url)
    assert (found.kind, found.url, found.name) == ("feed", f"{site.url}/f", "Harbour News")
    assert (found.robots, found.requests_per_month, found.found) == ("allowed", 720, 1)
    assert found.samples[0].text.startswith("The ferry")
    assert [other.kind for other in found.alternatives] == ["page", "site"]
    assert _paths(site) == ["/robots.txt", "/", "/f"]
    harbour.take(site.url, interval_ms=15 * MINUTE)
    assert harbour.run().counts[Change.NEW] == 1


def test_a_page_that_is_not_what_its_feed_is_about_stays_a_page(harbour: Harbour, site: Site) -> None:
    site["/prices"] = f"<html><title>Prices</title>{DECLARES.format('/f')}<main><p>{TEXT}</p></main></html>"
    _atom(site, "/f")
    found, _ = harbour.look(f"{site.url}/prices")
    assert (found.kind, found.url) == ("page", f"{site.url}/prices")
    assert found.samples[0].title == "Prices"
    assert harbour.take(f"{site.url}/prices").name == f"{site.url}/prices".removeprefix("http://")


def test_the_usual_place_of_a_feed_is_tried_once_and_only_for_the_front_page(harbour: Harbour, site: Site) -> None:
    site["/"] = site["/about"] = f"<main><p>{TEXT}</p></main>"
    assert harbour.look(site.url)[0].kind == "page"
    assert _paths(site) == ["/robots.txt", "/", "/feed"]
    site.seen.clear()
    assert harbour.look(f"{site.url}/about")[0].kind == "page"
    assert _paths(site) == ["/about"]
    _atom(site, "/feed")
    assert harbour.look(site.url)[0].url == f"{site.url}/feed"


def test_a_feed_is_watched_however_old_it_is(harbour: Harbour, site: Site) -> None:
    _atom(site, "/f", age=1000)
    assert harbour.look(f"{site.url}/f")[0].kind == "feed"


def test_a_sitemap_anywhere_brings_its_pages(harbour: Harbour, site: Site) -> None:
    locations = "".join(f"<url><loc>{site.url}/p{number}</loc></url>" for number in range(3))
    site["/maps/all.xml"] = Page(f"<urlset>{locations}</urlset>".encode(), type="text/xml")
    for number in range(3):
        site.article(f"/p{number}", f"Page {number}", f"Page {number}. {TEXT}")
    found, _ = harbour.look(f"{site.url}/maps/all.xml")
    assert (found.kind, found.found, found.requests_per_month) == ("site", 3, 6 * 720)
    harbour.take(f"{site.url}/maps/all.xml")
    report = harbour.run()
    assert (report.counts[Change.NEW], report.counts[Change.ERROR]) == (3, 0)


@pytest.mark.covers("R-087")
def test_a_json_list_is_watched_with_a_guessed_path_and_fields(harbour: Harbour, site: Site) -> None:
    rows = [{"ref_id": number, "subject": f"Ship {number}", "note": f"{number}. {TEXT}"} for number in range(3)]
    site.json("/ships", {"total": 3, "result": {"rows": rows}})
    source = harbour.take(f"{site.url}/ships")
    fields = {"id": "ref_id", "title": "subject", "text": "note"}
    assert (source.kind, source.config) == ("api", {"result_path": "result.rows", "fields": fields})
    assert harbour.run().counts[Change.NEW] == 3
    assert len(harbour.found("ship")) == 3


def test_a_document_is_watched_as_a_page_and_read_apart(harbour: Harbour, site: Site) -> None:
    site["/report"] = Page(case_bytes("report-pdf"), type="application/pdf")
    site["/locked"] = Page(case_bytes("locked-pdf"), type="application/pdf")
    found, _ = harbour.look(f"{site.url}/report")
    assert (found.kind, "pdf" in found.reason, bool(found.samples[0].text)) == ("page", True, True)
    locked, _ = harbour.look(f"{site.url}/locked")
    assert (locked.kind, locked.code) == ("page", "needs_password")


@pytest.mark.covers("R-083")
def test_a_folder_and_a_file_are_watched_where_the_operator_allows_it(harbour: Harbour) -> None:
    root = harbour.folder / "documents"
    (root / "minutes.txt").write_text(TEXT)
    for text in (str(root), f"{root}/"):
        found, _ = harbour.look(text)
        assert (found.kind, found.found, found.requests_per_month) == ("folder", 1, 0)
    assert harbour.look(str(root / "minutes.txt"))[0].kind == "page"
    harbour.take(str(root))
    assert harbour.run().counts[Change.NEW] == 1
    for path, code in ((str(harbour.folder), "file_refused"), (str(root / "missing"), "file_missing")):
        with pytest.raises(ConfigError) as error:
            harbour.look(path)
        assert error.value.code == code


def test_words_are_a_question_that_needs_an_engine(harbour: Harbour, site: Site) -> None:
    found, body = harbour.look("Where is the ferry?")
    assert (found.kind, found.url, body, site.seen) == ("question", "Where is the ferry?", b"", [])
    with pytest.raises(ConfigError, match="--channel") as error:
        harbour.app.adding.add(harbour.dossier_id, found, body, Terms())
    assert error.value.code == "no_engine"
    source = harbour.take("Where is the ferry?", channels=("github_search",))
    assert (source.kind, source.interval_ms) == ("question", DAY)


def test_a_list_of_feeds_is_taken_in(harbour: Harbour, site: Site) -> None:
    site["/l"] = Page(f"<opml><outline xmlUrl='{site.url}/f' title=Ferries /></opml>".encode(), type="text/xml")
    found, body = harbour.look(f"{site.url}/l")
    assert (found.kind, found.samples[0].title) == ("opml", "Ferries")
    (taken,) = harbour.app.adding.add(harbour.dossier_id, found, body, Terms()).taken
    assert (taken.code, taken.name) == ("", "Ferries")


def test_a_host_without_a_scheme_is_asked_with_and_then_without_encryption(harbour: Harbour, site: Site) -> None:
    site.article("/a", "A page", TEXT)
    bare = f"{site.url}/a".removeprefix("http://")
    assert harbour.look(bare)[0].url == f"{site.url}/a"
    with pytest.raises(ConfigError) as error:
        harbour.look("nosuchhost.invalid")
    assert error.value.code == "bad_url"


@pytest.mark.parametrize(("path", "kind"), [("/news.rss", "feed"), ("/sitemap.xml", "site"), ("/news", "page")])
def test_what_cannot_be_reached_is_added_by_how_it_looks(harbour: Harbour, site: Site, path: str, kind: str) -> None:
    found, _ = harbour.look(f"{site.url}{path}")
    assert (found.kind, found.code) == (kind, "http.404")
    assert "could not be fetched" in found.reason
    assert harbour.take(f"{site.url}{path}").kind == kind


def test_robots_txt_is_told_of_but_does_not_keep_a_person_out(harbour: Harbour, site: Site) -> None:
    site["/robots.txt"] = Page(b"User-agent: *\nDisallow: /private\n", type="text/plain")
    site.article("/private", "Private", TEXT)
    found, _ = harbour.look(f"{site.url}/private")
    assert (found.robots, found.kind, found.found) == ("forbidden", "page", 1)


def test_a_robots_txt_that_cannot_be_read_is_told_of(harbour: Harbour, site: Site) -> None:
    site["/robots.txt"] = Page(b"", status=500)
    site.article("/a", "A page", TEXT)
    found, _ = harbour.look(f"{site.url}/a")
    assert (found.robots, found.found) == ("unknown", 1)


def test_an_empty_page_and_html_instead_of_json_are_told(harbour: Harbour, site: Site) -> None:
    site["/empty"] = ""
    site["/api"] = Page(f"<html><title>Log in</title><main><p>{TEXT}</p></main>".encode(), type="application/json")
    assert harbour.look(f"{site.url}/empty")[0].code == "empty"
    found, _ = harbour.look(f"{site.url}/api")
    assert (found.kind, found.samples[0].title) == ("page", "Log in")


OPML = """<opml version="2.0"><body><outline text="News"><outline text="World">
<outline type="rss" text="Ferries" xmlUrl="{0}/a.rss" category="/sea/ships,daily"/></outline>
<outline type="rss" text="Ferries again" xmlUrl="{0}/a.rss"/></outline>
<outline text="TCP/IP"><outline type="rss" text="&lt;b&gt;Bold&#x200b; &amp; new" xmlUrl="feed:{0}/b.rss"/></outline>
<outline type="rss" text="Nothing"/><outline type="rss" text="Odd" xmlUrl="javascript:alert(1)"/>
<outline type="rss" text="Worse" xmlUrl="http://"/></body></opml>"""


def test_a_list_keeps_names_and_folders_counts_duplicates_and_names_what_is_wrong(harbour: Harbour) -> None:
    seen: list[str] = []
    data = OPML.format(harbour.site.url).encode()
    taken = harbour.app.lists.take_in(data, harbour.dossier_id, progress=lambda one: seen.append(one.name))
    assert [one.code for one in taken] == ["", "duplicate_source", "", "bad_url", "bad_url", "bad_url"]
    assert [one.is_bad for one in taken] == [False, False, False, True, True, True]
    assert len(seen) == 6
    second, first = sorted(harbour.app.sources.all(harbour.dossier_id), key=lambda source: source.name)
    assert first.config == {"folders": ["News", "World"], "tags": ["sea/ships", "daily", "News", "World"]}
    assert (second.name, second.url) == ("<b>Bold & new", f"{harbour.site.url}/b.rss")
    again = harbour.app.lists.take_in(data, harbour.dossier_id)
    assert [one.code for one in again].count("duplicate_source") == 3


def test_what_is_written_as_a_list_can_be_taken_in_again(harbour: Harbour) -> None:
    harbour.app.lists.take_in(OPML.format(harbour.site.url).encode(), harbour.dossier_id)
    harbour.add("/a-page")
    before = harbour.app.sources.all(harbour.dossier_id)
    written, count = as_opml([("news", before)], "news")
    assert count == 2
    other = harbour.app.create_dossier("other")
    assert all(not one.code for one in harbour.app.lists.take_in(written, other.id))
    assert _kept(harbour.app.sources.all(other.id)) == _kept([source for source in before if source.kind == "feed"])


def test_folders_can_be_dossiers_and_dossiers_folders(harbour: Harbour) -> None:
    harbour.app.lists.take_in(OPML.format(harbour.site.url).encode(), harbour.dossier_id, by_folder=True)
    names = {dossier.name: dossier.id for dossier in harbour.app.dossiers.all()}
    assert set(names) == {"news", "News", "TCP/IP"}
    groups = [(name, harbour.app.sources.all(id_)) for name, id_ in names.items()]
    written, _ = as_opml(groups, "all")
    assert b'<outline text="TCP/IP">' in written
    assert [source.config.get("folders") for source in harbour.app.sources.all(names["News"])] == [["World"]]


def test_a_list_brings_in_nothing_that_may_not_be_reached(tmp_path: Path, site: Site) -> None:
    urls = [
        "http://10.0.0.1/f",
        "http://example.org:22/f",
        "http://printer.local/f",
        "http://db/f",
        "http://192.168.7.7/f",
    ]
    urls += ["http://wiki.corp.local/f", "http://no-such-host.invalid/f"]
    data = f"<opml><body>{''.join(f'<outline xmlUrl={url!r} />' for url in urls)}</body></opml>".encode()
    allowed = {"allow_hosts": ("*.corp.local",), "allow_networks": (ip_network("192.168.0.0/16"),)}
    with Harbour(site, tmp_path, fetch=FAST.model_copy(update=allowed)) as harbour:
        taken = harbour.app.lists.take_in(data, harbour.dossier_id)
        assert [one.code for one in taken] == ["unsafe_address"] * 4 + [""] * 3
        for one in taken[:4]:
            with pytest.raises(ConfigError) as error:
                placed(harbour.app, "feed", one.url)
            assert one.message == str(error.value)
        assert {source.url for source in harbour.app.sources.all(harbour.dossier_id)} == set(urls[4:])


def test_a_huge_list_is_taken_in_up_to_a_bound_and_the_rest_is_told(harbour: Harbour) -> None:
    feed = '<outline type="rss" text="Feed {0}" xmlUrl="https://h{0}.example.org/feed"/>'
    data = f"<opml><body>{''.join(feed.format(n) for n in range(60_000))}</body></opml>".encode()
    began = time.process_time()
    taken = harbour.app.lists.take_in(data, harbour.dossier_id)
    assert time.process_time() - began < 10
    assert [one.code for one in taken] == [""] * 1000 + ["quota_sources"] * (MOST_ENTRIES - 1000) + ["over_entries"]
    assert "50000 more entries" in taken[-1].message
    names = [source.name for source in harbour.app.sources.all(harbour.dossier_id)]
    assert sorted(names) == sorted(f"Feed {n}" for n in range(1000))


def test_what_is_no_list_adds_nothing(harbour: Harbour) -> None:
    with pytest.raises(ReadError) as error:
        harbour.app.lists.take_in(b"<html><title>Log in</title>", harbour.dossier_id)
    assert error.value.code == "opml.unknown_format"


def _kept(sources: list[Source]) -> list[tuple[str, str, str]]:
    return sorted((source.name, source.url, str(source.config)) for source in sources)


@pytest.mark.covers("R-037", "R-038", "R-039")
def test_feeds_of_a_page_are_found_and_judged_by_age_and_language(harbour: Harbour, site: Site) -> None:
    links = "".join(DECLARES.format(path) for path in ("/fresh", "/old", "/french", "/gone", "/page"))
    site["/"] = f"<html>{links}</html>"
    site["/page"] = "<html><title>No feed</title></html>"
    _atom(site, "/fresh")
    _atom(site, "/old", age=8)
    _atom(site, "/french", text=FRENCH)
    found = harbour.discover(site.url)
    assert {one.url.removeprefix(site.url): one.finding for one in found} == {
        "/fresh": "ok",
        "/old": "stale",
        "/french": "language",
        "/gone": "http.404",
        "/page": "feed.unknown_format",
    }
    assert [one.accepted for one in found] == [True, False, False, False, False]
    lenient = harbour.discover(site.url, languages=(), max_age_days=30)
    assert [one.accepted for one in lenient] == [True, True, True, False, False]
    assert [one.finding for one in harbour.discover(f"{site.url}/old")] == ["stale"]


def test_usual_places_are_looked_at_only_when_a_page_names_no_feed(harbour: Harbour, site: Site) -> None:
    site["/"] = "<html><title>Plain</title></html>"
    _atom(site, "/rss")
    assert [one.url for one in harbour.discover(site.url)] == [f"{site.url}/rss"]
    site["/"] = f"<html>{DECLARES.format('/gone')}</html>"
    assert [one.finding for one in harbour.discover(site.url)] == ["http.404"]
    with pytest.raises(ConfigError) as error:
        harbour.discover(f"{site.url}/missing")
    assert error.value.code == "http.404"
    with pytest.raises(ConfigError):
        harbour.discover("what is this?")


def test_connectors_of_onyx_for_other_things_than_the_web_are_named_with_a_code_of_their_own(harbour: Watch) -> None:
    def connector(name: str, source: str, **options: str) -> dict[str, object]:
        return {"name": name, "source": source, "connector_specific_config": options}

    docs = connector("Docs", "web", base_url=f"{harbour.site.url}/docs", web_connector_type="single")
    others = [connector("Talk", "slack", workspace="x"), connector("Nowhere", "web", base_url="")]
    taken = harbour.app.lists.take_in(json.dumps([docs, *others]).encode(), harbour.dossier_id)
    assert [(one.name, one.code) for one in taken] == [
        ("Docs", ""),
        ("Talk (slack)", "list.other_connector"),
        ("Nowhere", "bad_url"),
    ]
    assert "'slack'" in taken[1].message
