"""Pages that repeat each other, and pages that several sources show: nothing is lost when one of them moves on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from veille.core.models import Change, Source
from veille.core.schedule import HOUR
from watching import Watch, told
from world import Page, Site

STORY = "The old harbour bridge was closed after the flood and is rebuilt by engineers from three countries. " * 3
NEWS = (
    "Nobody expected the second bridge to be finished before the first, said the mayor at the opening on Friday. " * 3
)


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watching:
        yield watching


def _settle(watch: Watch) -> None:
    """As many turns as it takes for everything that was woken to be read."""
    for _ in range(3):
        watch.turn()


@pytest.mark.covers("R-072")
def test_a_copy_that_goes_away_takes_nothing_with_it(watch: Watch, site: Site) -> None:
    for path in ("/a", "/b"):
        site.article(path, "Bridge", STORY)
        watch.add(path)
        watch.turn()
    site["/b"] = Page(b"", status=410)
    _settle(watch)
    assert set(watch.found("harbour")) == {"/a"}


@pytest.mark.covers("R-072")
def test_a_copy_stands_for_itself_when_the_original_changes_in_the_same_breath(watch: Watch, site: Site) -> None:
    for path in ("/a", "/b", "/c"):
        site.article(path, "Bridge", STORY)
        watch.add(path)
        watch.turn()
    site.article("/a", "Bridge", NEWS)
    _settle(watch)
    first = set(watch.found("harbour"))
    assert first in ({"/b"}, {"/c"})
    (owner,) = first
    site.article(owner, "Bridge", NEWS.replace("second", "third"))
    _settle(watch)
    assert set(watch.found("harbour")) == {"/b", "/c"} - first


def test_whoever_watches_the_very_page_has_the_better_word_than_a_feed(watch: Watch, site: Site) -> None:
    site.article("/item", "Item", STORY)
    site.feed("/feed", [("/item", "Item", "Only a summary of it")])
    watch.add("/feed")
    watch.turn()
    watch.add("/item")
    _settle(watch)
    assert set(watch.found("harbour")) == {"/item"}, "the page takes the place of its summary"
    site.article("/item", "Item", NEWS)
    _settle(watch)
    assert set(watch.found("mayor")) == {"/item"}
    site.feed("/feed", [("/item", "Item", "Another summary of it"), ("/new", "New", "Something else")])
    _settle(watch)
    assert set(watch.found("mayor")) == {"/item"}, "the feed does not take it back"


def test_only_the_source_that_has_a_document_can_remove_it(watch: Watch, site: Site) -> None:
    site.feed("/feed", [("/item", "Item", STORY)])
    site.article("/item", "Item", STORY)
    watch.add("/feed")
    watch.turn()
    watch.add("/item")
    watch.turn()
    site["/item"] = Page(b"", status=410)
    _settle(watch)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert Change.REMOVED not in [event.change for event in store.outbox.events()]


def _shared(watch: Watch, site: Site) -> tuple[Source, Source]:
    """A site that has a page, and a source of its own for that page."""
    site["/"] = f"<html><title>Start</title><body><main><p>{NEWS}</p><a href='/item'>it</a></main></body></html>"
    site.article("/item", "Item", STORY)
    owner = watch.add("/", "site", sitemaps=False)
    watch.run()
    other = watch.add("/item", "page")
    assert told(watch.run()) == {Change.DUPLICATE: 1}
    return owner, other


def test_an_active_source_speaks_for_the_page_of_a_paused_one(watch: Watch, site: Site) -> None:
    owner, _ = _shared(watch, site)
    watch.app.sources.set_enabled(watch.dossier_id, owner.id, enabled=False)
    site.article("/item", "Item", f"Pelicans nest here now. {STORY}")
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}
    assert watch.found("pelicans") == ["/item"]
    watch.app.sources.set_enabled(watch.dossier_id, owner.id, enabled=True)
    assert set(told(watch.turn()[0])) == {Change.SAME}, "nothing is told twice"
    site["/item"] = Page(b"", status=410)
    assert told(watch.turn()[0])[Change.REMOVED] == 1


def test_what_a_source_left_to_another_is_told_when_that_is_paused(watch: Watch, site: Site) -> None:
    owner, other = _shared(watch, site)
    site.article("/item", "Item", f"Pelicans nest here now. {STORY}")
    watch.now += HOUR
    watch.app.queue.arm(watch.dossier_id, watch.now, [other.id])
    assert told(watch.run()) == {Change.SAME: 1}
    watch.app.sources.set_enabled(watch.dossier_id, owner.id, enabled=False)
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}


def test_an_active_source_removes_the_page_of_a_paused_one(watch: Watch, site: Site) -> None:
    owner, _ = _shared(watch, site)
    watch.app.sources.set_enabled(watch.dossier_id, owner.id, enabled=False)
    site["/item"] = Page(b"", status=410)
    assert told(watch.turn()[0]) == {Change.REMOVED: 1}


def test_a_feed_speaks_for_the_entries_of_a_paused_feed_but_not_for_a_page(watch: Watch, site: Site) -> None:
    site.feed("/one", [("/item", "Item", STORY)])
    site.feed("/two", [("/item", "Item", STORY)])
    one = watch.add("/one", "feed")
    watch.run()
    watch.add("/two", "feed")
    watch.run()
    site.feed("/two", [("/item", "Item", f"Pelicans nest here now. {STORY}")])
    assert Change.CHANGED not in told(watch.turn()[0])
    watch.app.sources.set_enabled(watch.dossier_id, one.id, enabled=False)
    site.feed("/two", [("/item", "Item", f"Many pelicans nest here now. {STORY}")])
    assert told(watch.turn()[0])[Change.CHANGED] == 1
