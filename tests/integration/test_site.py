from __future__ import annotations

import gzip
from dataclasses import replace
from email.message import Message
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from samples import STORY
from veille.core.models import Change, Scope
from veille.core.records import Run
from veille.core.schedule import CONFIRM_AFTER, HOUR
from veille.core.urls import host_of
from veille.core.workload import Room
from veille.errors import ConfigError
from veille.services.watching.sources import Wish
from veille.settings import WorkshopSettings
from watching import Watch, told
from world import Page, Site

_ALL = Scope()
_ROOM = Room(total=10, per_host=10)


def _page(site: Site, path: str, *links: str, text: str = "", head: str = "") -> None:
    """A page with a text of its own and links."""
    anchors = "".join(f"<a href='{link}'>{link}</a> " for link in links)
    words = text or f"This is {path}. {STORY}"
    site[path] = (
        f"<html lang=en><head><title>At {path}</title>{head}</head><body><main><p>{words}</p></main>"
        f"<nav>{anchors}</nav></body></html>"
    )


def _codes(report: Run, site: Site) -> dict[str, str]:
    return {item.url.removeprefix(site.url): item.code for item in report.items if item.code}


def _current(watch: Watch) -> dict[str, str]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        found = [revision for revision in store.records.documents(limit=1000) if revision.state == "current"]
        return {revision.url.removeprefix(watch.site.url) or "/": revision.id for revision in found}


def _events(watch: Watch) -> list[tuple[str, str]]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return [(str(event.change), event.url.removeprefix(watch.site.url)) for event in store.outbox.events()]


def _paths(watch: Watch) -> list[str]:
    """What was asked for, without the usual places."""
    return sorted(seen.path for seen in watch.site.seen if seen.path not in {"/robots.txt", "/sitemap.xml"})


def test_every_page_is_one_document_with_a_turn_of_its_own(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a", "/b")
    _page(site, "/a", "/b", "/")
    _page(site, "/b", "/a")
    watch.add("/", "site")
    assert told(watch.run())[Change.NEW] == 3
    assert _paths(watch) == ["/", "/a", "/b"]
    report, seen = watch.turn()
    assert told(report) == {Change.SAME: 5}, "Two of them the places where a sitemap could be."
    assert {request.path for request in seen if request.status == 304} == {"/", "/a", "/b"}


@pytest.mark.covers("R-068", "R-069")
def test_pages_that_change_appear_and_go_are_told_of_and_unlinked_ones_stay(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a", "/b", "/c")
    for path in ("/a", "/b", "/c"):
        _page(site, path)
    watch.add("/", "site")
    watch.run()
    _page(site, "/", "/a", "/new")
    _page(site, "/a", text=f"Edited. {STORY}")
    _page(site, "/new")
    del site.pages["/b"]
    report, _ = watch.turn()
    assert {item.url.removeprefix(site.url): item.change for item in report.items if item.document_id} == {
        "/a": Change.CHANGED,
        "/new": Change.NEW,
    }, "The front page has other links, and the same text."
    watch.now += CONFIRM_AFTER
    (removed,) = (item for item in watch.run().items if item.change is Change.REMOVED)
    assert removed.url == f"{site.url}/b"
    assert set(_current(watch)) == {"/", "/a", "/c", "/new"}, "Nobody links to /c any more, but it is there."


def test_a_dead_link_is_looked_at_ever_more_seldom(watch: Watch) -> None:
    _page(watch.site, "/", "/dead")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    asked = []
    for turn in range(1, 40):
        watch.now += HOUR + HOUR // 10
        watch.site.seen.clear()
        watch.app.run(_ALL)
        asked += [turn for seen in watch.site.seen if seen.path == "/dead"]
    assert asked[0] in {1, 2}
    gaps = [later - earlier for earlier, later in pairwise(asked)]
    assert gaps == sorted(gaps)
    assert gaps[-1] >= 8


def test_what_robots_txt_forbids_is_left_out_and_told_once(watch: Watch) -> None:
    site = watch.site
    site["/robots.txt"] = Page(b"User-agent: *\nDisallow: /admin/\n", type="text/plain")
    _page(site, "/", "/a", "/admin/login")
    _page(site, "/a")
    watch.add("/", "site")
    report = watch.run()
    assert (told(report)[Change.SKIPPED], Change.ERROR in told(report)) == (1, False)
    assert _codes(report, site) == {"/admin/login": "robots"}
    for _ in range(2):
        assert set(told(watch.turn()[0])) == {Change.SAME}


def test_a_dead_link_is_an_error_once(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/dead", "/data")
    site["/data"] = Page(bytes(range(256)) * 8, type="application/octet-stream")
    watch.add("/", "site", sitemaps=False)
    assert _codes(watch.run(), site) == {"/dead": "http.404", "/data": "unsupported"}
    report, _ = watch.turn()
    assert Change.ERROR not in told(report)
    assert _codes(report, site) == {"/data": "unsupported"}, "what cannot be read is said each time"
    site["/dead"] = Page(b"", status=410)
    assert told(watch.turn()[0])[Change.ERROR] == 1, "it is dead in another way"
    _page(site, "/dead")
    assert told(watch.turn()[0])[Change.NEW] == 1


def test_a_page_that_was_told_as_removed_makes_no_later_run_fail(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a")
    _page(site, "/a")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    del site.pages["/a"]
    assert told(watch.turn()[0])[Change.ERROR] == 1
    watch.now += CONFIRM_AFTER
    assert told(watch.run()) == {Change.REMOVED: 1}
    for _ in range(2):
        assert set(told(watch.turn()[0])) == {Change.SAME}


@pytest.mark.covers("R-043", "R-044")
def test_documents_are_read_by_type_and_pictures_are_not_fetched(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/notes.txt", "/data.csv", "/photo.jpg", "/app.js", "/page.html")
    site["/notes.txt"] = Page(f"Notes. {STORY}".encode(), type="text/plain")
    site["/data.csv"] = Page(b"a,b\n1,2\n", type="text/csv")
    _page(site, "/page.html")
    watch.add("/", "site", attachments="txt,pdf")
    watch.run()
    assert _paths(watch) == ["/", "/notes.txt", "/page.html"]
    assert set(_current(watch)) == {"/", "/notes.txt", "/page.html"}


@pytest.mark.covers("R-041", "R-045")
@pytest.mark.parametrize(
    ("config", "code", "read"),
    [
        ({"max_depth": 1}, "too_deep", {"/", "/a", "/b"}),
        ({"max_pages": 2}, "over_budget", None),
        ({"include": "*/a"}, "", {"/", "/a"}),
        ({"exclude": ["re:/b$"]}, "", {"/", "/a", "/a/deeper"}),
        ({"max_per_pattern": 1}, "", {"/", "/a", "/b", "/a/deeper"}),
    ],
)
def test_the_bounds_hold_and_what_is_left_out_is_told_once(
    watch: Watch, config: dict[str, Any], code: str, read: set[str] | None
) -> None:
    _page(watch.site, "/", "/a", "/b")
    _page(watch.site, "/a", "/a/deeper")
    _page(watch.site, "/a/deeper")
    _page(watch.site, "/b")
    watch.add("/", "site", **config)
    report = watch.run()
    found = set(_current(watch))
    assert found in ([{"/", "/a"}, {"/", "/b"}] if read is None else [read])
    assert [item.code for item in report.items if item.change is Change.SKIPPED] == [code] * bool(code)


@pytest.mark.covers("R-045")
def test_a_turn_that_lasts_too_long_goes_on_at_the_next(watch: Watch) -> None:
    paths = [f"/{name}" for name in "abcdefghijklmnopqrst"]
    _page(watch.site, "/", *paths)
    for path in paths:
        _page(watch.site, path)
    watch.add("/", "site", max_run_s=10, sitemaps=False)
    with watch.app.dossiers.open(watch.dossier_id):
        worker = watch.app.worker()
        # Every answer takes three seconds of the worker's clock.
        worker.drain(_ALL, lambda _: setattr(watch, "now", watch.now + 3000))
        (report,) = worker.finish()
    assert "over_time" in {item.code for item in report.items}
    assert 2 < len(_current(watch)) < 20
    for _ in range(3):
        watch.now += 2 * HOUR
        watch.run()
    assert len(_current(watch)) == 21


def test_a_series_of_addresses_is_cut_by_its_budget(watch: Watch) -> None:
    _page(watch.site, "/", *(f"/item?id={number}" for number in range(30)))
    for number in range(30):
        _page(watch.site, f"/item?id={number}")
    watch.add("/", "site", max_per_pattern=10)
    report = watch.run()
    assert len(_current(watch)) == 11
    (line,) = (item for item in report.items if item.code)
    assert line.code == "trap"
    assert "/item?id=" in line.message


def test_choices_in_every_order_do_not_eat_the_crawl(watch: Watch) -> None:
    site, choices = watch.site, ["red", "blue", "wool", "silk", "large"]
    for count in range(len(choices) + 1):
        for chosen in permutations(choices, count):
            path = "/".join(("/shop", *chosen))
            _page(site, path, *(f"{path}/{one}" for one in choices if one not in chosen))
    names = [f"/news/{one}-{other}-story" for one, other in permutations("alpha beta gamma delta".split(), 2)]
    for name in names:
        _page(site, name)
    _page(site, "/", "/shop", *names)
    watch.add("/", "site", sitemaps=False)
    report = watch.run()
    found = set(_current(watch))
    assert found >= {"/", "/shop", *(f"/shop/{one}" for one in choices), *names}
    everything = sum(1 for path in site.pages if path.startswith("/shop/"))
    assert (everything, sum(path.startswith("/shop/") for path in found)) == (325, 5 + 10 * 2 + (10 + 5 + 1) * 3)
    (line,) = (item for item in report.items if item.code)
    assert (line.change, line.code) == (Change.SKIPPED, "trap")
    assert "/shop" in line.message


def test_words_that_are_added_for_ever_end(watch: Watch) -> None:
    site = watch.site
    made = site.page

    def page(path: str, body: bytes, headers: Message) -> Page:
        if path.startswith("/words/"):
            _page(site, path, f"{path}-red", f"{path}-blue")
        return made(path, body, headers)

    site.page = page  # type: ignore[method-assign]
    _page(site, "/", "/words/alpha")
    watch.add("/", "site", sitemaps=False, max_pages=200)
    report = watch.run()
    assert {item.code for item in report.items if item.code} == {"trap"}
    assert len(_current(watch)) <= 15


@pytest.mark.covers("R-047")
def test_redirects_lead_to_pages_in_bounds_and_nowhere_else(watch: Watch) -> None:
    site = watch.site
    with Site(host="127.0.0.2") as elsewhere:
        elsewhere.article("/", "Elsewhere", STORY)
        _page(site, "/", "/old", "/away", "/round")
        _page(site, "/new")
        site["/old"] = Page(b"", status=301, headers={"Location": "/new"})
        site["/away"] = Page(b"", status=302, headers={"Location": f"{elsewhere.url}/"})
        site["/round"] = Page(b"", status=302, headers={"Location": "/robin"})
        site["/robin"] = Page(b"", status=302, headers={"Location": "/round"})
        watch.add("/", "site", sitemaps=False)
        report = watch.run()
        assert _codes(report, site) == {"/away": "off_site", "/robin": "redirect_loop"}
        assert not elsewhere.seen
    assert set(_current(watch)) == {"/", "/new"}


@pytest.mark.parametrize("found_first", [False, True], ids=["by the redirect", "by a link"])
def test_a_page_that_moved_within_its_host_stays_the_same_document(watch: Watch, *, found_first: bool) -> None:
    site = watch.site
    _page(site, "/", "/old")
    _page(site, "/old")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    before = _current(watch)["/old"]
    site["/new"] = site.pages["/old"]
    if found_first:
        _page(site, "/", "/old", "/new")
        watch.turn()
    site["/old"] = Page(b"", status=301, headers={"Location": "/new"})
    _page(site, "/", "/new")
    watch.turn()
    assert _current(watch) == {"/": _current(watch)["/"], "/new": before}
    assert [change for change, _ in _events(watch)] == ["new", "new"], "Nothing is new, changed or removed."
    _page(site, "/new", text=f"Edited. {STORY}")
    watch.turn()
    assert _events(watch)[-1] == ("changed", "/new")
    del site.pages["/new"]
    watch.turn()
    watch.now += CONFIRM_AFTER
    watch.run()
    assert _events(watch)[-1] == ("removed", "/new")


@pytest.mark.parametrize("order", [("/a", "/a?view=print"), ("/a?view=print", "/a")])
def test_a_page_and_its_print_view_are_one_document_whichever_is_read_first(
    watch: Watch, order: tuple[str, str]
) -> None:
    site = watch.site
    text, home = f"The same words on both. {STORY}", "<link rel=canonical href='/a'>"
    first, second = order
    _page(site, "/", first)
    _page(site, first, second, text=text, head=home if "?" in first else "")
    _page(site, second, text=text, head=home if "?" in second else "")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    assert set(_current(watch)) == {"/", "/a"}
    _page(site, "/a", text=f"Edited. {text}")
    _page(site, "/a?view=print", text=f"Edited. {text}", head=home)
    report, _ = watch.turn()
    assert told(report)[Change.CHANGED] == 1
    assert set(_current(watch)) == {"/", "/a"}


def test_pages_that_all_name_the_front_page_as_their_home_are_kept_apart(watch: Watch) -> None:
    home = "<link rel=canonical href='/'>"
    _page(watch.site, "/", "/a", "/b", head=home)
    _page(watch.site, "/a", head=home)
    _page(watch.site, "/b", head=home)
    watch.add("/", "site")
    watch.run()
    assert set(_current(watch)) == {"/", "/a", "/b"}


def test_other_languages_of_a_page_are_found(watch: Watch) -> None:
    _page(watch.site, "/", head="<link rel=alternate hreflang=fr href='/fr/'>")
    _page(watch.site, "/fr/", text=f"En français. {STORY}")
    watch.add("/", "site")
    watch.run()
    assert set(_current(watch)) == {"/", "/fr/"}


def test_noindex_and_nofollow_are_heeded(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/private", "/walled")
    _page(site, "/private", "/found", head="<meta name=robots content='noindex'>")
    _page(site, "/walled", "/hidden")
    site.pages["/walled"].headers["X-Robots-Tag"] = "nofollow"
    _page(site, "/found")
    _page(site, "/hidden")
    watch.add("/", "site")
    report = watch.run()
    assert set(_current(watch)) == {"/", "/walled", "/found"}
    assert _codes(report, site) == {"/private": "noindex"}


@pytest.mark.parametrize(
    ("header", "is_kept"),
    [
        ("otherbot: noindex, nofollow", True),
        ("otherbot: noindex, veille: nosnippet", True),
        ("max-image-preview: none, unavailable_after: 25 Jun 2030 15:00:00 PST", True),
        ("veille: noindex", False),
        ("otherbot: nofollow, *: noindex", False),
        ("NoIndex nofollow", False),
        ("max-snippet: 20, none", False),
    ],
)
def test_a_header_that_speaks_to_another_robot_is_not_for_us(watch: Watch, header: str, *, is_kept: bool) -> None:
    _page(watch.site, "/", "/a")
    _page(watch.site, "/a")
    watch.site.pages["/a"].headers["X-Robots-Tag"] = header
    watch.add("/", "site", sitemaps=False)
    report = watch.run()
    assert ("/a" in _current(watch)) is is_kept
    assert _codes(report, watch.site) == ({} if is_kept else {"/a": "noindex"})


def test_a_page_that_no_longer_wants_to_be_kept_is_reported_once(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a")
    _page(site, "/a")
    watch.add("/", "site", sitemaps=False)
    watch.run()
    _page(site, "/a", head="<meta name=robots content='noindex'>")
    report, _ = watch.turn()
    (notice,) = [item for item in report.items if item.code]
    assert (notice.change, notice.code, "stays as it was" in notice.message) == (Change.SKIPPED, "noindex", True)
    assert _codes(watch.turn()[0], site) == {}
    assert set(_current(watch)) == {"/", "/a"}


def _listed(site: Site, *pages: tuple[str, str]) -> bytes:
    entries = "".join(f"<url><loc>{site.url}{path}</loc><lastmod>{at}</lastmod></url>" for path, at in pages)
    return f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>".encode()


def test_pages_of_a_sitemap_are_looked_at_when_it_says_that_they_changed(watch: Watch) -> None:
    site = watch.site
    _page(site, "/")
    _page(site, "/a")
    _page(site, "/b")
    site["/sitemap.xml"] = Page(_listed(site, ("/a", "2026-01-01"), ("/b", "2026-01-01")), type="text/xml")
    watch.add("/", "site")
    assert told(watch.run())[Change.NEW] == 3
    site["/sitemap.xml"] = Page(_listed(site, ("/a", "2026-01-02"), ("/b", "2026-01-01")), type="text/xml")
    _page(site, "/a", text=f"Edited. {STORY}")
    site.seen.clear()
    watch.now += 2 * HOUR
    report = watch.run()
    assert told(report)[Change.CHANGED] == 1
    assert sorted(set(_paths(watch))) == ["/", "/a"], "/b says that it is as it was."
    watch.now += 8 * HOUR
    watch.run()
    assert "/b" in _paths(watch), "But that is not believed for ever."


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (gzip.compress(b"<urlset>" + b" " * 60_000_000 + b"</urlset>", 1), "sitemap.too_large"),
        (b"\x1f\x8b\x08broken", "sitemap.malformed"),
        (b"<urlset><url><loc>", ""),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><urlset><url><loc>&a;</loc></url></urlset>", "hostile"),
        (b"<html><body>Not here</body></html>", "sitemap.unknown_format"),
        (b"", ""),
    ],
    ids=["bomb", "broken gzip", "cut off", "entities", "a page", "empty"],
)
def test_a_bad_sitemap_is_told_of_and_costs_nothing_else(watch: Watch, body: bytes, code: str) -> None:
    site = watch.site
    _page(site, "/", "/a")
    _page(site, "/a")
    site["/robots.txt"] = Page(f"Sitemap: {site.url}/map.xml".encode(), type="text/plain")
    site["/map.xml"] = Page(body, type="application/xml")
    watch.add("/", "site")
    report = watch.run()
    assert set(_current(watch)) == {"/", "/a"}
    assert _codes(report, site) == ({"/map.xml": code} if code else {})


def test_sitemaps_that_name_each_other_end(watch: Watch) -> None:
    site = watch.site
    _page(site, "/")
    for number in range(8):
        names = (f"/map{number + 1}.xml", f"/map{number}.xml", "/map0.xml", "http://127.0.0.2:1/map.xml")
        entries = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
        site[f"/map{number}.xml"] = Page(f"<sitemapindex>{entries}</sitemapindex>".encode(), type="text/xml")
    site["/robots.txt"] = Page(b"Sitemap: /map0.xml", type="text/plain")
    watch.add("/", "site")
    report = watch.run()
    assert set(_codes(report, site).values()) == {"too_deep"}
    assert [path for path in _paths(watch) if path.startswith("/map")] == ["/map0.xml", "/map1.xml", "/map2.xml"]


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"include": ["re:("]}, "bad_option"),
        ({"exclude": ["re:[a-"]}, "bad_option"),
        ({"include": [""]}, "bad_option"),
        ({"max_depth": -1}, "bad_option"),
        ({"seeds": ["https://elsewhere.example/"], "hosts": ["example.org", "127.0.0.1"]}, "seed_out_of_scope"),
        ({"hosts": ["example.org"]}, "seed_out_of_scope"),
        ({"seeds": ["not an address"]}, "bad_url"),
        ({"seeds": ["http://db/"]}, "unsafe_address"),
        ({"seeds": ["https://example.org/?k=${HOME}"]}, "secret_in_url"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_stored(watch: Watch, config: dict[str, Any], code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        watch.add("/", "site", **config)
    assert caught.value.code == code
    assert not watch.app.sources.all(watch.dossier_id)


@pytest.mark.covers("R-050")
def test_a_preview_shows_the_scope_and_keeps_nothing(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a", "/dead", "/private", *(f"/more-{number}" for number in range(30)))
    _page(site, "/a")
    _page(site, "/private", head="<meta name=robots content=noindex>")
    for number in range(30):
        _page(site, f"/more-{number}")
    found = watch.app.preview(Wish(url=site.url, kind="site", config={"max_pages": 25}), limit=8)
    assert len(found.documents) >= 3
    assert {item.code for item in found.left_out} >= {"over_budget"}
    assert found.waiting >= 10
    assert len(found.next_urls) <= 20
    assert not watch.app.sources.all(watch.dossier_id)
    assert [dossier.name for dossier in watch.app.dossiers.all()] == ["news"]
    assert not watch.found("council")


def test_a_page_source_and_a_site_do_not_change_one_document_in_turns(watch: Watch) -> None:
    _page(watch.site, "/", "/a")
    watch.site.article("/a", "A", f"{STORY}\n{STORY}")
    watch.add("/", "site")
    watch.run()
    watch.add("/a", "page", mode="css", selectors=["p:first-child"])
    for _ in range(3):
        report, _ = watch.turn()
        assert Change.CHANGED not in told(report)


def test_a_site_may_be_asked_more_slowly_than_the_host_is(watch: Watch) -> None:
    source = watch.add("/", "site", delay_s=2)
    (lease,) = watch.app.queue.claim("me", watch.now, _ROOM, _ALL)[:1]
    order = watch.app.worker()._orders.make("key", lease, watch.now)
    assert getattr(order, "delay_ms", None) == 2000
    assert source.config["delay_s"] == 2


def test_a_pattern_that_takes_for_ever_stops_its_page_and_nobody_else(site: Site, tmp_path: Path) -> None:
    _page(site, "/", "/" + "a" * 60)
    settings = WorkshopSettings(timeout_s=1)
    with Watch(site, tmp_path, workshop=settings) as watch:
        watch.add("/", "site", exclude=["re:(a+)+$x"], sitemaps=False)
        report = watch.run()
    assert _codes(report, site) == {"": "too_slow"}


def test_a_page_that_is_gone_makes_room_for_another(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a", "/b")
    _page(site, "/a")
    _page(site, "/b")
    watch.add("/", "site", max_pages=3)
    watch.run()
    site["/a"] = Page(b"Gone", status=410)
    watch.turn()
    _page(site, "/", "/b", "/c")
    _page(site, "/c")
    watch.turn()
    assert set(_current(watch)) == {"/", "/b", "/c"}


def test_dead_links_redirects_and_forbidden_pages_take_no_places(watch: Watch) -> None:
    site = watch.site
    site["/robots.txt"] = Page(b"User-agent: *\nDisallow: /admin\n", type="text/plain")
    site["/old"] = Page(b"", status=301, headers={"Location": "/new"})
    _page(site, "/new")
    _page(site, "/", "/dead", "/admin", "/old")
    watch.add("/", "site", sitemaps=False, max_pages=4)
    watch.run()
    assert set(_current(watch)) == {"/", "/new"}
    _page(site, "/a")
    _page(site, "/b")
    _page(site, "/c")
    _page(site, "/", "/a", "/b", "/c")
    report, _ = watch.turn()
    assert set(_current(watch)) == {"/", "/new", "/a", "/b"}
    assert _codes(report, site) == {"/c": "over_budget"}
    report, _ = watch.turn()
    assert "over_budget" in _codes(report, site).values(), "it is said as long as it is so"
    _page(site, "/dead")
    watch.turn()
    del site.pages["/a"]
    watch.turn()
    watch.now += CONFIRM_AFTER
    watch.run()
    _page(site, "/", "/b", "/c")
    watch.turn()
    assert set(_current(watch)) == {"/", "/new", "/b", "/dead"}, "what came back takes a place again"


def test_other_options_mean_another_reading_of_the_same_bytes(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/a", "/b")
    _page(site, "/a")
    _page(site, "/b")
    source = watch.add("/", "site", exclude=["*/b"])
    watch.run()
    assert set(_current(watch)) == {"/", "/a"}
    with watch.app.dossiers.open(watch.dossier_id) as store:
        store.sources.update(replace(source, config={}))
    watch.turn()
    assert set(_current(watch)) == {"/", "/a", "/b"}


def test_a_page_that_moved_to_another_host_of_the_site_is_the_same_if_it_says_the_same(watch: Watch) -> None:
    site = watch.site
    with Site(host="127.0.0.2") as other:
        hosts = [host_of(site.url), host_of(other.url)]
        _page(site, "/", "/old")
        _page(site, "/old")
        watch.add("/", "site", sitemaps=False, hosts=hosts)
        watch.run()
        other.pages["/new"] = site.pages["/old"]
        site["/old"] = Page(b"", status=301, headers={"Location": f"{other.url}/new"})
        watch.turn()
        watch.turn()
        assert set(_current(watch)) == {"/", f"{other.url}/new"}
        assert [change for change, _ in _events(watch)] == ["new", "new"]


def test_a_file_with_the_name_of_an_index_is_a_page(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/docs/", "/docs/default.html", "/docs/index.html")
    _page(site, "/docs/")
    _page(site, "/docs/default.html")
    _page(site, "/docs/index.html")
    watch.add("/", kind="site")
    watch.run()
    assert set(_current(watch)) == {"/", "/docs/", "/docs/default.html", "/docs/index.html"}


@pytest.mark.parametrize("head", ["", "<link rel=canonical href='/docs/'>"], ids=["same text", "canonical"])
def test_an_index_that_is_shown_to_be_one_is_one_document_and_seldom_asked_for(watch: Watch, head: str) -> None:
    site = watch.site
    _page(site, "/", "/docs/", "/deep")
    _page(site, "/deep", "/docs/home.php")
    for path in ("/docs/", "/docs/home.php"):
        _page(site, path, text=STORY, head=head)
    source = watch.add("/", kind="site")
    watch.run()
    assert set(_current(watch)) == {"/", "/deep", "/docs/"}
    asked = []
    for _ in range(4):
        site.seen.clear()
        watch.now += source.interval_ms * 2
        watch.run()
        asked.append(_paths(watch))
    # A page that names its home is only known to be a name of it at its second reading.
    assert asked[-3:] == [["/", "/deep", "/docs/"]] * 3
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert not store.waiting.too_late(watch.now), "it is not taken for the work of a clock that was ahead"
    for path in ("/docs/", "/docs/home.php"):
        _page(site, path, text=f"{STORY} And more.", head=head)
    watch.now += source.interval_ms * 2
    watch.run()
    assert _events(watch)[3:] == [("changed", "/docs/")]
    _page(site, "/docs/", text=f"{STORY} And more, and more.")
    _page(site, "/docs/home.php", text="Now this is a page of its own, with enough to say for itself.")
    watch.now += source.interval_ms * 64
    watch.run()
    watch.now += source.interval_ms * 2
    watch.run()
    assert set(_current(watch)) == {"/", "/deep", "/docs/", "/docs/home.php"}


def test_a_folder_that_leads_to_its_index_has_one_document(watch: Watch) -> None:
    site = watch.site
    _page(site, "/", "/docs/", "/docs/start.html")
    site["/docs/"] = Page(b"", status=301, headers={"Location": "/docs/start.html"})
    _page(site, "/docs/start.html")
    watch.add("/", kind="site")
    report = watch.run()
    assert set(_current(watch)) == {"/", "/docs/start.html"}
    assert _codes(report, site) == {}
    assert _paths(watch) == ["/", "/docs/", "/docs/start.html"]
