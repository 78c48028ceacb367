"""One page that several sources read is one document: none of them loses it, and each way of reading is no change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from veille.core.models import Change, Source, State
from veille.core.records import DocumentFilter as Documents
from veille.core.records import Event
from watching import Watch, told
from world import Page, Site

PATHS = ("/1", "/2", "/3")
STORY = "The old harbour bridge was closed after the flood and is rebuilt by engineers from three countries. " * 3


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    for path in PATHS:
        _article(site, path)
    _feed(site)
    locations = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in PATHS)
    sitemap = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{locations}</urlset>"
    site["/sitemap.xml"] = Page(sitemap.encode(), type="text/xml")
    site.json("/api", [{"url": f"{site.url}{path}", "title": path, "text": f"From the api: {path}"} for path in PATHS])
    with Watch(site, tmp_path) as watching:
        yield watching


def _article(site: Site, path: str, more: str = "") -> None:
    site.article(path, f"Article {path}", f"{STORY} Number {path}. {more}\nRead 17 times. {STORY}")


def _feed(site: Site, more: str = "", text: str = f"As the feed has it: {STORY}") -> None:
    site.feed("/feed", [(path, f"Article {path}", f"{text} Number {path}. {more}") for path in PATHS])


def _site(watch: Watch) -> Source:
    return watch.add("/sitemap.xml", "site", sitemaps=False)


def _api(watch: Watch) -> Source:
    return watch.add("/api", "api", fields={"url": "url", "title": "title", "text": "text"})


def _documents(watch: Watch, source: Source) -> int:
    """How many documents a source has; every list of them says the same."""
    with watch.app.dossiers.open(watch.dossier_id) as store:
        counted = store.survey.one(source.id).documents
        listed = store.records.lines(Documents(source_id=source.id), None, 50)[0]
        assert len({line.id for line in listed}) == counted
        assert len(store.records.documents(source.id)) == counted
        assert len({revision.document_id for revision in store.records.latest(source.id)}) == counted
        assert len(store.records.page(None, 50, source.id)) == counted
    found = watch.app.searches.search([watch.dossier_id], f'source:"{source.name}" article')
    assert len(found) == counted
    return counted


def _events(watch: Watch, change: Change) -> list[Event]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return [event for event in store.outbox.events() if event.change is change]


def _first_feed_then_site(watch: Watch) -> tuple[Source, Source]:
    feed = watch.add("/feed", "feed")
    assert told(watch.run())[Change.NEW] == 3
    return feed, _site(watch)


@pytest.mark.parametrize("look_twice", [True, False])
def test_a_page_takes_the_place_of_an_excerpt_that_a_feed_brought(watch: Watch, *, look_twice: bool) -> None:
    _feed(watch.site, text="In short.")
    feed = watch.add("/feed", "feed")
    watch.run()
    site = watch.add("/sitemap.xml", "site", sitemaps=False, look_twice=look_twice)
    for _ in range(4):
        watch.turn()
    assert set(watch.found("engineers")) == set(PATHS)
    assert [event.source_id for event in _events(watch, Change.CHANGED)] == [site.id] * 3, "once"
    _feed(watch.site, "And more.", text="In short.")
    for _ in range(2):
        watch.turn()
    assert len(_events(watch, Change.CHANGED)) == 3
    assert (_documents(watch, feed), _documents(watch, site)) == (3, 3)


@pytest.mark.covers("R-071", "R-076")
def test_a_site_that_reads_what_a_feed_brought_changes_nothing_and_takes_nothing_away(watch: Watch) -> None:
    feed, site = _first_feed_then_site(watch)
    assert told(watch.run())[Change.DUPLICATE] == 3
    for _ in range(3):
        watch.turn()
    assert _events(watch, Change.CHANGED) == []
    assert (_documents(watch, feed), _documents(watch, site)) == (3, 3)


def test_the_feed_goes_on_to_tell_what_changes_in_it(watch: Watch) -> None:
    feed, _ = _first_feed_then_site(watch)
    watch.run()
    _feed(watch.site, "Pelicans nest here.")
    assert told(watch.turn()[0])[Change.CHANGED] == 3
    assert set(watch.found("pelicans")) == set(PATHS)
    assert {event.source_id for event in _events(watch, Change.CHANGED)} == {feed.id}


def test_a_page_that_really_changes_is_told_by_whoever_watches_it(watch: Watch) -> None:
    feed, site = _first_feed_then_site(watch)
    watch.run()
    _article(watch.site, "/2", "Pelicans nest here.")
    for _ in range(2):
        watch.turn()
    (event,) = _events(watch, Change.CHANGED)
    assert (event.source_id, event.url) == (site.id, f"{watch.site.url}/2")
    assert watch.found("pelicans") == ["/2"]
    _feed(watch.site, "Only the feed says this.")
    assert told(watch.turn()[0])[Change.CHANGED] == 2, "the page has the word now, and it is as it was"
    assert (_documents(watch, feed), _documents(watch, site)) == (3, 3)


def test_a_counter_on_a_page_that_a_feed_brought_is_no_change(watch: Watch) -> None:
    views = iter(range(10**6))
    page = watch.site.pages["/1"].body
    watch.site.made["/1"] = lambda _: Page(page.replace(b"Read 17 times", b"Read %d times" % next(views)))
    _first_feed_then_site(watch)
    for _ in range(4):
        watch.turn()
    assert next(views) > 4
    assert _events(watch, Change.CHANGED) == []


def test_a_new_entry_is_new_once_whoever_reads_it_first(watch: Watch) -> None:
    feed, site = _first_feed_then_site(watch)
    watch.run()
    watch.site["/sitemap.xml"] = Page(watch.site.pages["/sitemap.xml"].body.replace(b"/3<", b"/4<"), type="text/xml")
    _article(watch.site, "/4")
    watch.turn()
    entries = [(path, f"Article {path}", f"In short, number {path}.") for path in (*PATHS, "/4")]
    watch.site.feed("/feed", entries)
    assert told(watch.turn()[0])[Change.DUPLICATE] == 1
    assert len(_events(watch, Change.NEW)) == 4
    assert (_documents(watch, feed), _documents(watch, site)) == (4, 4)


def test_what_an_api_names_that_another_source_has_is_among_its_documents(watch: Watch) -> None:
    feed = watch.add("/feed", "feed")
    watch.run()
    api = _api(watch)
    assert told(watch.run()) == {Change.DUPLICATE: 3}
    assert (_documents(watch, feed), _documents(watch, api)) == (3, 3)


def test_an_active_source_tells_its_changes_not_its_wording_for_a_paused_one(watch: Watch) -> None:
    feed = watch.add("/feed", "feed")
    watch.run()
    _api(watch)
    watch.run()
    watch.app.sources.set_enabled(watch.dossier_id, feed.id, enabled=False)
    items = [{"url": f"{watch.site.url}{path}", "title": path, "text": f"From the api: {path}"} for path in PATHS]
    watch.site.json("/api", [*items[:2], items[2] | {"text": "From the api: pelicans"}])
    assert told(watch.turn()[0])[Change.CHANGED] == 1
    assert watch.found("pelicans") == ["/3"]


@pytest.mark.parametrize("deleted", ["feed", "site"])
def test_deleting_one_of_two_sources_deletes_and_changes_nothing_that_both_have(watch: Watch, deleted: str) -> None:
    feed, site = _first_feed_then_site(watch)
    watch.run()
    _article(watch.site, "/2", "Pelicans nest here.")
    for _ in range(2):
        watch.turn()
    before = len(_events(watch, Change.CHANGED))
    goes, stays = (feed, site) if deleted == "feed" else (site, feed)
    watch.app.sources.delete(watch.dossier_id, goes.id)
    watch.site["/feed"] = Page(watch.site.pages["/feed"].body.replace(b"A feed", b"The feed"), type="text/xml")
    watch.site["/1"] = Page(watch.site.pages["/1"].body + b"<!-- made anew -->")
    for _ in range(2):
        watch.turn()
    assert _documents(watch, stays) == 3
    assert len(_events(watch, Change.CHANGED)) == before
    assert _events(watch, Change.REMOVED) == []


@pytest.mark.parametrize("kind", ["site", "feed that is followed"])
def test_a_look_that_brought_something_leaves_the_source_ok_and_one_that_did_not_unchanged(
    watch: Watch, kind: str
) -> None:
    source = _site(watch) if kind == "site" else watch.add("/feed", "feed", follow_links=True)
    assert told(watch.run())[Change.NEW] == 3
    assert _state(watch, source) is State.OK
    watch.turn()
    assert _state(watch, source) is State.UNCHANGED


@pytest.mark.parametrize("path", ["/1", "/2"])
def test_a_source_with_several_beginnings_is_ok_whichever_of_them_brought_something(watch: Watch, path: str) -> None:
    source = watch.add("/1", "site", sitemaps=False, look_twice=False, seeds=[f"{watch.site.url}/2"])
    watch.run()
    assert _state(watch, source) is State.OK
    watch.turn()
    assert _state(watch, source) is State.UNCHANGED
    _article(watch.site, path, "Pelicans nest here.")
    assert told(watch.turn()[0])[Change.CHANGED] == 1
    assert _state(watch, source) is State.OK
    watch.turn()
    assert _state(watch, source) is State.UNCHANGED


def _state(watch: Watch, source: Source) -> State:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return store.survey.one(source.id).source.state


def test_what_only_lists_pages_is_not_counted_among_what_a_look_found(watch: Watch) -> None:
    sources = [_site(watch), watch.add("/feed", "feed")]
    watch.run()
    for source in sources:
        with watch.app.dossiers.open(watch.dossier_id) as store:
            counts = store.survey.progress(source.id, watch.now, watch.now).counts
        assert Change.SAME not in counts
        assert sum(counts.values()) == 3
    watch.turn()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert store.survey.progress(sources[0].id, watch.now, watch.now).counts == {Change.SAME: 3}
        assert store.survey.progress(sources[1].id, watch.now, watch.now).counts == {}
