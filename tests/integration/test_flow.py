from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import veille
from samples import NOW
from veille.bootstrap.clock import system_clock
from veille.core.models import Change, Scope, State
from veille.core.schedule import CONFIRM_AFTER, DAY, HOUR
from veille.errors import ConfigError, NotFoundError
from veille.services.watching.sources import Wish
from watching import FAST, Watch, told
from world import Page, Site

TEXT = "The old harbour bridge was closed after the flood and is being rebuilt by engineers from three countries. " * 2
OTHER = "A ferry takes people across the river while the bridge is closed, every hour from six until midnight. " * 2


@pytest.mark.covers("R-001", "R-065", "R-067", "R-083", "R-084", "R-095", "R-233")
def test_a_page_is_new_then_the_same_then_changed_then_removed_then_back(watch: Watch, site: Site) -> None:
    site.article("/a", "The bridge", TEXT)
    watch.add("/a")
    assert told(watch.run()) == {Change.NEW: 1}
    assert watch.found("engineers") == ["/a"]

    report, seen = watch.turn()
    assert told(report) == {Change.SAME: 1}
    assert [(request.conditional, request.status) for request in seen] == [(True, 304)]

    site.article("/a", "The bridge", OTHER)
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}
    assert (watch.found("engineers"), watch.found("ferry")) == ([], ["/a"])

    del site.pages["/a"]
    assert told(watch.turn()[0]) == {Change.ERROR: 1}
    watch.now += CONFIRM_AFTER
    removed = watch.run()
    assert removed.counts[Change.REMOVED] == 1
    assert watch.found("ferry") == ["/a"], "what was removed stays readable"

    site.article("/a", "The bridge", OTHER)
    assert told(watch.turn()[0]) == {Change.NEW: 1}, "followers dropped it, so to them it is new"
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.records.documents()
        assert [revision.n for revision in store.records.revisions(document.document_id)] == [3, 2, 1]
        assert [event.change for event in store.outbox.events()] == [
            Change.NEW,
            Change.CHANGED,
            Change.REMOVED,
            Change.NEW,
        ]


def _number(text: str, day: int) -> Page:
    modified = {"Last-Modified": f"Mon, {day:02} Jun 2026 08:00:00 GMT"}
    body = f"<html lang=en><title>The latest</title><main><p>{text}</p></main></html>"
    return Page(body.encode(), headers=modified, validates=False, dated=True)


@pytest.mark.covers("R-051", "R-084")
def test_a_redirect_that_points_to_an_older_page_than_before_is_a_change(watch: Watch, site: Site) -> None:
    site["/n1"], site["/n2"] = _number(TEXT, day=15), _number(OTHER, day=8)
    site["/latest"] = Page(b"", status=302, headers={"Location": "/n1"})
    watch.add("/latest")
    assert told(watch.run()) == {Change.NEW: 1}

    report, seen = watch.turn()
    assert told(report) == {Change.SAME: 1}
    assert [(request.path, request.conditional, request.status) for request in seen] == [
        ("/latest", False, 302),
        ("/n1", True, 304),
    ]

    site["/latest"] = Page(b"", status=302, headers={"Location": "/n2"})
    report, seen = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert [request.conditional for request in seen] == [False] * 4, "looked at twice"


@pytest.mark.covers("R-085")
def test_a_feed_gives_one_document_per_entry_and_only_news_after_that(watch: Watch, site: Site) -> None:
    site.feed("/feed", [("/1", "One", "The first text"), ("/2", "Two", "The second text")])
    watch.add("/feed")
    assert told(watch.run()) == {Change.NEW: 2}
    assert [request.path for request in site.seen] == ["/feed"]
    site.feed(
        "/feed",
        [
            ("/3", "Three", "The third text"),
            ("/1", "One", "The first text, corrected"),
            ("/2", "Two", "The second text"),
        ],
    )
    report, _ = watch.turn()
    assert told(report) == {Change.NEW: 1, Change.CHANGED: 1, Change.SAME: 1}
    assert sorted(watch.found("text")) == ["/1", "/2", "/3"]
    assert watch.found("corrected") == ["/1"]


@pytest.mark.covers("R-085")
def test_a_feed_with_follow_links_reads_the_pages_and_each_only_once(watch: Watch, site: Site) -> None:
    site.article("/1", "One", TEXT)
    site.article("/2", "Two", OTHER)
    entries = [("/1", "One", "In short"), ("/2", "Two", "In short too")]
    site.feed("/feed", entries)
    watch.add("/feed", follow_links=True)
    assert watch.run().counts[Change.NEW] == 2
    assert sorted(request.path for request in site.seen) == ["/1", "/2", "/feed", "/robots.txt"]
    assert watch.found("engineers") == ["/1"]

    site.article("/3", "Three", TEXT + OTHER)
    site.feed("/feed", [("/3", "Three", "Newer"), *entries])
    report, seen = watch.turn()
    assert report.counts[Change.NEW] == 1
    assert sorted(request.path for request in seen) == ["/3", "/feed"], "what the feed tells unchanged is not fetched"


@pytest.mark.covers("R-075", "R-077", "R-083", "R-137")
def test_running_twice_over_an_unchanged_world_changes_nothing(watch: Watch, site: Site) -> None:
    site.article("/a", "The bridge", TEXT)
    site.feed("/feed", [("/1", "One", "The first text"), ("/2", "Two", "The second text")])
    site.article("/x", "Linked", OTHER)
    site.feed("/links.rss", [("/x", "Linked", "In short")])
    watch.add("/a")
    watch.add("/feed")
    watch.add("/links.rss", follow_links=True)
    assert watch.run().counts[Change.NEW] == 4
    assert [delivery.delivered for delivery in watch.deliver()] == [4]
    files = {path: path.stat().st_mtime_ns for path in watch.files()}
    for _ in range(2):
        report, seen = watch.turn()
        assert set(told(report)) == {Change.SAME}
        assert [request for request in seen if not request.conditional or request.status != 304] == []
        assert len(seen) == 3
        assert [(delivery.delivered, delivery.skipped, delivery.pending) for delivery in watch.deliver()] == [(0, 0, 0)]
    assert {path: path.stat().st_mtime_ns for path in watch.files()} == files


def test_a_page_without_validators_is_the_same_by_its_bytes(watch: Watch, site: Site) -> None:
    site["/a"] = Page(f"<main><p>{TEXT}</p></main>".encode(), validates=False)
    watch.add("/a")
    watch.run()
    report, seen = watch.turn()
    assert told(report) == {Change.SAME: 1}
    assert [request.status for request in seen] == [200]


@pytest.mark.covers("R-067")
def test_another_layout_is_no_change(watch: Watch, site: Site) -> None:
    site["/a"] = f"<title>T</title><main><p>{TEXT}</p></main>"
    watch.add("/a")
    watch.run()
    site["/a"] = (
        f"<title>T</title><style>p {{color: red}}</style><main>\n\n<p class=x>{TEXT.replace(' ', '  ')}</p></main>"
    )
    assert told(watch.turn()[0]) == {Change.SAME: 1}


@pytest.mark.covers("R-217")
def test_a_broken_link_is_reported_with_its_code_and_stops_nobody(watch: Watch, site: Site) -> None:
    site.article("/good", "Good", TEXT)
    good, bad = watch.add("/good"), watch.add("/missing")
    report = watch.run()
    assert told(report) == {Change.NEW: 1, Change.ERROR: 1}
    (line,) = [item for item in report.items if item.change is Change.ERROR]
    assert (line.code, line.status, line.source_id, line.url) == ("http.404", 404, bad.id, bad.url)
    states = {source.id: source.state for source in watch.app.sources.all(watch.dossier_id)}
    assert states == {good.id: State.OK, bad.id: State.ERROR}


@pytest.mark.covers("R-172", "R-178")
def test_a_page_that_keeps_missing_is_broken_and_left_alone_until_somebody_asks(watch: Watch) -> None:
    source = watch.add("/missing")
    watch.run()
    watch.turn()
    assert watch.app.sources.find(watch.dossier_id, source.id).state is State.BROKEN
    assert watch.app.queue.backlog(watch.now, Scope()).next_due is None
    assert told(watch.turn()[0]) == {Change.ERROR: 1}
    assert watch.app.sources.find(watch.dossier_id, source.id).state is State.BROKEN
    assert watch.app.queue.backlog(watch.now, Scope()).next_due is None
    (repair,) = watch.app.repairs.all(watch.dossier_id)
    assert (repair.source_id, repair.rule) == (source.id, "vanished")


def test_a_feed_that_is_no_feed_is_an_error_and_its_documents_stay(watch: Watch, site: Site) -> None:
    site.feed("/feed", [("/1", "One", "The first text")])
    watch.add("/feed")
    watch.run()
    site["/feed"] = "<html><body>Maintenance</body></html>"
    report, _ = watch.turn()
    assert [item.code for item in report.items] == ["feed.unknown_format"]
    assert watch.found("first") == ["/1"]
    site.feed("/feed", [("/1", "One", "The first text")])
    assert told(watch.turn()[0]) == {Change.SAME: 1}


@pytest.mark.covers("R-071", "R-076", "R-077")
def test_a_page_that_two_sources_show_is_one_document(watch: Watch, site: Site) -> None:
    site.article("/1", "One", TEXT)
    site.feed("/feed", [("/1", "One", "In short")])
    watch.add("/1")
    watch.run()
    watch.add("/feed")
    assert watch.run().counts[Change.DUPLICATE] == 1
    for _ in range(2):
        assert set(told(watch.turn()[0])) == {Change.SAME}
    assert watch.found("one") == ["/1"]


def test_only_what_is_in_scope_is_checked(watch: Watch, site: Site) -> None:
    site.article("/a", "A", TEXT)
    site.article("/b", "B", OTHER)
    source = watch.add("/a")
    watch.add("/b")
    watch.app.run(Scope(sources=frozenset({source.id})))
    assert [request.path for request in site.seen] == ["/a"]


def test_a_run_with_nothing_due_reports_nothing(watch: Watch, site: Site) -> None:
    site.article("/a", "A", TEXT)
    watch.add("/a")
    watch.run()
    assert watch.app.run(Scope()) == []
    watch.now += DAY
    assert len(watch.app.run(Scope())) == 1


def test_a_run_that_was_stopped_is_taken_up_by_the_next_one(watch: Watch, site: Site) -> None:
    for number in range(10):
        site.article(f"/{number}", f"Number {number}", f"{number} {TEXT}")
        watch.add(f"/{number}")
    asked = iter(range(100))
    watch.app.run(Scope(), stop=lambda: next(asked) >= 1)
    watch.app.run(Scope())
    with watch.app.dossiers.open(watch.dossier_id) as store:
        health = store.records.health(system_clock())
    assert (health["documents"], health["leased"]) == (10, 0)


@pytest.mark.covers("R-163")
def test_a_worker_whose_lease_ran_out_during_a_fetch_commits_nothing(site: Site, tmp_path: Path) -> None:
    site.article("/a", "A", TEXT)
    late = 10 * 60_000
    with veille.open_app(data=tmp_path, fetch=FAST, clock=lambda: NOW + (late if site.seen else 0)) as app:
        dossier_id = app.create_dossier("news").id
        app.sources.add(dossier_id, Wish(url=site.url + "/a"))
        app.run(Scope(), stop=lambda: bool(site.seen))
        with app.dossiers.open(dossier_id) as store:
            assert store.records.documents() == []
            assert store.outbox.events() == []
        (report,) = app.run(Scope())
        assert told(report) == {Change.NEW: 1}


@pytest.mark.covers("R-002", "R-233")
def test_two_dossiers_never_see_each_other(watch: Watch, site: Site) -> None:
    app = watch.app
    site.article("/a", "Ours", TEXT)
    site.article("/b", "Theirs", OTHER)
    other = app.create_dossier("other")
    watch.add("/a")
    app.sources.add(other.id, Wish(url=site.url + "/b"))
    app.sources.add(other.id, Wish(url=site.url + "/a", name="also"))
    assert {run.dossier_id for run in app.run(Scope())} == {watch.dossier_id, other.id}
    assert [hit.dossier_id for hit in app.searches.search([watch.dossier_id], "bridge")] == [watch.dossier_id]
    assert app.searches.search([watch.dossier_id], "ferry") == []
    assert len(app.searches.search([other.id], "ferry")) == 1
    with pytest.raises(NotFoundError):
        app.sources.find(watch.dossier_id, "also")
    app.deliver([watch.dossier_id])
    heads = [yaml.safe_load(path.read_text().split("---\n")[1]) for path in watch.files()]
    assert [head["dossier_id"] for head in heads] == [watch.dossier_id]
    files = list((watch.folder / "data" / "dossiers").rglob("*.db"))
    assert len(files) == 2
    assert {path.stem for path in files} == {watch.dossier_id, other.id}


def test_searching_two_dossiers_ranks_their_hits_together(watch: Watch, site: Site) -> None:
    other = watch.app.create_dossier("other")
    site.article("/a", "Something", TEXT)
    site.article("/b", "Bridge", "bridge " * 30)
    watch.add("/a")
    watch.app.sources.add(other.id, Wish(url=site.url + "/b"))
    watch.app.run(Scope())
    hits = watch.app.searches.search([watch.dossier_id, other.id], "bridge")
    assert {hit.dossier_id for hit in hits} == {watch.dossier_id, other.id}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (Wish(url="not an address"), "bad_url"),
        (Wish(url="https://example.org", kind="telepathy"), "unknown_extension"),
        (Wish(url="https://example.org", interval_ms=59_999), "bad_interval"),
        (Wish(url="https://example.org", interval_ms=7 * DAY + 1), "bad_interval"),
        (Wish(url="https://example.org", name="x" * 513), "bad_name"),
        (Wish(url="https://example.org", name="a\nb"), "bad_name"),
        (Wish(url="https://example.org", kind="feed", config={"nonsense": 1}), "bad_option"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_and_nothing_is_kept(watch: Watch, wish: Wish, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        watch.app.sources.add(watch.dossier_id, wish)
    assert caught.value.code == code
    assert watch.app.sources.all(watch.dossier_id) == []


def test_an_address_in_another_spelling_is_refused(watch: Watch) -> None:
    watch.app.sources.add(watch.dossier_id, Wish(url="https://example.com/feed"))
    with pytest.raises(ConfigError) as caught:
        watch.app.sources.add(watch.dossier_id, Wish(url="HTTPS://Example.COM/feed/"))
    assert caught.value.code == "duplicate_source"


def test_the_kind_is_guessed_from_the_address_and_the_interval_is_an_hour(watch: Watch) -> None:
    feed, page = watch.add("/news/feed/"), watch.add("/news")
    assert (feed.kind, page.kind, page.interval_ms) == ("feed", "page", HOUR)


@pytest.mark.covers("R-022")
def test_a_paused_source_waits_and_a_deleted_one_is_gone(watch: Watch, site: Site) -> None:
    site.article("/a", "A", TEXT)
    source = watch.add("/a")
    watch.app.sources.set_enabled(watch.dossier_id, source.id, enabled=False)
    assert watch.app.run(Scope()) == []
    watch.app.sources.set_enabled(watch.dossier_id, source.id, enabled=True)
    assert told(watch.run()) == {Change.NEW: 1}
    watch.app.sources.delete(watch.dossier_id, source.id)
    assert watch.found("bridge") == []


def test_everything_is_there_when_the_program_is_started_again(site: Site, tmp_path: Path) -> None:
    site.article("/a", "A", TEXT)
    with Watch(site, tmp_path) as first:
        first.add("/a")
        first.run()
    with Watch(site, tmp_path) as again:
        assert again.found("bridge") == ["/a"]
        assert told(again.turn()[0]) == {Change.SAME: 1}
