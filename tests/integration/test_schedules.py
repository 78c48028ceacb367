"""Sources on the clock, at a pace of their own, edited; many dossiers in one worker."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import veille
from samples import NOW
from veille.core.feed_hints import Rhythm
from veille.core.models import Scope, Source, State
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.errors import ConfigError
from veille.services.watching.sources import SourceEdit, Wish
from watching import FAST, Watch
from world import Page, Site

TEXT = "The tide table for the week was put up at the harbour office, with two corrections for the spring tide. " * 3


def _due(watch: Watch) -> int | None:
    return watch.app.queue.backlog(watch.now, Scope()).next_due


def _source(watch: Watch, added: Source) -> Source:
    return watch.app.sources.find(watch.dossier_id, added.id)


@pytest.mark.covers("R-156", "R-157")
def test_a_source_on_the_clock_is_looked_at_at_its_moments_and_not_in_between(watch: Watch) -> None:
    watch.site.article("/a", "Tides", TEXT)
    watch.app.sources.add(watch.dossier_id, Wish(url=f"{watch.site.url}/a", cron="0 6 * * *"))
    watch.run()
    morning = (NOW // DAY + 1) * DAY + 6 * HOUR
    morning -= DAY if morning - DAY > NOW else 0
    assert morning <= (_due(watch) or 0) <= morning + MINUTE
    watch.now = morning - 1
    assert watch.app.run(Scope()) == []
    watch.now = morning + MINUTE
    watch.run()
    assert morning + DAY <= (_due(watch) or 0) <= morning + DAY + MINUTE


def test_an_adaptive_source_is_looked_at_more_often_while_it_changes(watch: Watch) -> None:
    added = watch.app.sources.add(
        watch.dossier_id,
        Wish(url=f"{watch.site.url}/a", interval_ms=HOUR, adaptive=True, config={"look_twice": False}),
    )
    paces: list[int] = []
    for version in (1, 1, 1, 2, 3, 4, 5, 6):
        watch.site.article("/a", "Tides", f"Version {version}. {TEXT}")
        watch.run()
        paces.append(_source(watch, added).pace_ms or 0)
        due = _due(watch)
        assert due is not None
        assert watch.now + paces[-1] <= due <= watch.now + paces[-1] * 1.05 + 1
        watch.now = due
    assert paces[0] == HOUR
    assert paces[2] == HOUR * 25 // 16
    assert paces[3:] == sorted(paces[3:], reverse=True)
    assert paces[-1] == HOUR // 8


def test_an_adaptive_feed_is_looked_at_as_its_own_hints_say_also_while_it_is_not_modified(watch: Watch) -> None:
    watch.site.feed("/feed", [("/1", "One", f"<p>{TEXT}</p>")])
    plain = watch.site.pages["/feed"].body
    hints = b"<ttl>240</ttl><skipHours><hour>13</hour></skipHours>"
    watch.site["/feed"] = plain.replace(b"<item>", hints + b"<item>", 1)
    wish = Wish(url=f"{watch.site.url}/feed", kind="feed", interval_ms=HOUR)
    added = watch.app.sources.add(watch.dossier_id, replace(wish, adaptive=True))
    for _ in range(4):
        watch.run()
        due = _due(watch) or 0
        assert watch.now + 4 * HOUR <= due <= watch.now + 4 * HOUR * 1.05 + HOUR + 1
        assert due // HOUR % 24 != 13
        watch.now = due
    assert _source(watch, added).rhythm == Rhythm(every_ms=4 * HOUR, hours=(13,))
    # Without hints, and without adapting, it is as it was.
    watch.site["/feed"] = plain
    watch.run()
    assert _source(watch, added).rhythm == Rhythm()
    assert (_due(watch) or 0) <= watch.now + 3 * HOUR


def test_a_feed_on_an_interval_is_looked_at_whatever_it_says(watch: Watch) -> None:
    watch.site.feed("/feed", [("/1", "One", f"<p>{TEXT}</p>")])
    watch.site["/feed"] = watch.site.pages["/feed"].body.replace(b"<item>", b"<ttl>240</ttl><item>", 1)
    added = watch.add("/feed", "feed")
    watch.run()
    assert _source(watch, added).rhythm is None
    assert (_due(watch) or 0) <= watch.now + HOUR * 1.05 + 1


@pytest.mark.covers("R-006")
def test_an_edit_changes_what_is_named_and_nothing_else(watch: Watch) -> None:
    watch.site.article("/a", "Tides", TEXT)
    added = watch.add("/a", "page", tags="sea,harbour", headers={"X-Key": "${secret:KEY}"}, robots=False)
    edited = watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(options={"delay_s": 3}))
    assert edited.config == {**added.config, "delay_s": 3.0}
    assert (edited.name, edited.url, edited.interval_ms, edited.enabled) == (
        added.name, added.url, added.interval_ms, True,
    )  # fmt: skip
    edited = watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(name="Tides", unset=("tags", "robots")))
    assert edited == _source(watch, added)
    assert (edited.name, edited.config) == ("Tides", {"headers": {"X-Key": "${secret:KEY}"}, "delay_s": 3.0})


@pytest.mark.covers("R-006")
def test_an_edit_is_checked_like_a_new_source(watch: Watch) -> None:
    watch.add("/a", "page")
    other = watch.add("/b", "page")
    wrong = {
        "bad_option": SourceEdit(options={"no_such_option": 1}),
        "bad_interval": SourceEdit(interval_ms=1),
        "bad_cron": SourceEdit(cron="often"),
        "bad_name": SourceEdit(name="\x00"),
        "duplicate_source": SourceEdit(url=f"{watch.site.url}/a"),
        "secret_in_url": SourceEdit(url="https://example.org/${secret:KEY}"),
    }
    for code, edit in wrong.items():
        with pytest.raises(ConfigError) as caught:
            watch.app.sources.edit(watch.dossier_id, other.id, edit)
        assert caught.value.code == code
        assert _source(watch, other) == other


def test_another_schedule_counts_at_once_and_another_address_is_looked_at_at_once(watch: Watch) -> None:
    for path in ("/a", "/b"):
        watch.site.article(path, path, f"{path} {TEXT}")
    added = watch.app.sources.add(watch.dossier_id, Wish(url=f"{watch.site.url}/a", interval_ms=DAY))
    watch.run()
    watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(interval_ms=5 * MINUTE))
    assert 0 < (_due(watch) or 0) - watch.now <= 5.25 * MINUTE
    watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(cron="0 6 * * *"))
    assert (_due(watch) or 0) % DAY // HOUR == 6
    edited = watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(adaptive=True))
    assert (edited.cron, edited.pace_ms) == ("", 5 * MINUTE)
    watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(url=f"{watch.site.url}/b"))
    watch.site.seen.clear()
    watch.run()
    assert [seen.path for seen in watch.site.seen] == ["/b"]


def _set(watch: Watch, added: Source, **given: Any) -> None:
    """As it may have been stored by another version, or come about."""
    with watch.app.dossiers.open(watch.dossier_id) as store:
        store.sources.update(replace(store.sources.find(added.id), **given))


def _broken_by_its_selector(watch: Watch) -> Source:
    watch.site.article("/a", "Tides", TEXT)
    added = watch.add("/a", "page")
    _set(watch, added, config={"mode": "css", "selectors": ["###[["]})
    watch.run()
    watch.turn()
    found = _source(watch, added)
    assert (found.state, found.error_code, _due(watch)) == (State.BROKEN, "bad_selector", None)
    return found


@pytest.mark.covers("R-006", "R-212")
def test_a_source_that_a_setting_broke_begins_anew_when_that_is_corrected(watch: Watch) -> None:
    broken = _broken_by_its_selector(watch)
    _set(watch, broken, interval_ms=DAY, original_interval_ms=HOUR)
    edited = watch.app.sources.edit(
        watch.dossier_id, broken.id, SourceEdit(options={"selectors": ["main, article, body"]})
    )
    assert edited == _source(watch, broken)
    assert (edited.state, edited.failures, edited.error_code, edited.error) == (State.PENDING, 0, "", "")
    assert (edited.interval_ms, edited.original_interval_ms) == (HOUR, None)
    assert _due(watch) == watch.now
    watch.run()
    assert _source(watch, broken).state is State.OK
    assert watch.found("tide") == ["/a"]


@pytest.mark.covers("R-212")
def test_another_name_tag_or_turn_is_no_reason_to_begin_anew(watch: Watch) -> None:
    broken = _broken_by_its_selector(watch)
    for edit in (
        SourceEdit(name="Tides"),
        SourceEdit(options={"tags": ["sea"], "folders": ["a"], "robots_reason": "ours", "delay_s": 2}),
        SourceEdit(interval_ms=DAY),
        SourceEdit(cron="0 6 * * *"),
    ):
        edited = watch.app.sources.edit(watch.dossier_id, broken.id, edit)
        assert (edited.state, edited.failures, edited.error_code) == (State.BROKEN, 2, "bad_selector")
        assert _due(watch) != watch.now


@pytest.mark.parametrize("kind", ["page", "site"])
def test_what_can_never_work_is_neither_added_nor_set(watch: Watch, kind: str) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("unknown_extension", {"mode": "zzz"}),
        ("bad_selector", {"mode": "css", "selectors": ["main", "###[["]}),
        ("bad_selector", {"selectors": ["###[["]}),
        ("bad_selector", {"selectors": [".pri[ce"]}),
        ("bad_selector", {"selectors": ["p:not(.x"]}),
        ("bad_selector", {"values": {"price": {"selector": "b[title='a]"}}}),
        ("bad_selector", {"mode": "xpath", "selectors": ["//["]}),
        ("bad_selector", {"mode": "xpath", "selectors": ["//p\0"]}),
        ("bad_selector", {"mode": "css"}),
        ("bad_selector", {"mode": "xpath"}),
    ]
    added = watch.add("/a", kind)
    for code, options in wrong:
        with pytest.raises(ConfigError) as caught:
            watch.add("/b", kind, **options)
        assert caught.value.code == code
        with pytest.raises(ConfigError) as caught:
            watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(options=options))
        assert caught.value.code == code
    assert watch.app.sources.all(watch.dossier_id) == [added]
    # What was stored before is loaded, and can be called otherwise.
    _set(watch, added, config={"mode": "zzz"})
    watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(name="Tides"))
    with pytest.raises(ConfigError) as caught:
        watch.app.sources.edit(watch.dossier_id, added.id, SourceEdit(name=" "))
    assert (caught.value.code, _source(watch, added).name) == ("bad_name", "Tides")


def test_an_xpath_that_would_never_end_is_only_read_when_it_is_set(watch: Watch) -> None:
    endless = "//*[" * 60 + "1" + "]" * 60
    begun = time.monotonic()
    watch.add("/a", "page", mode="xpath", selectors=[endless])
    assert time.monotonic() - begun < 5


def _hanging() -> socket.socket:
    """A server that takes every connection and never says a word."""
    return socket.create_server(("0.0.0.0", 0), backlog=4096)


@pytest.mark.timeout(120)
@pytest.mark.covers("R-156")
def test_a_dossier_with_a_thousand_hanging_addresses_does_not_delay_the_others(site: Site, tmp_path: Path) -> None:
    hang_s = 20.0
    fetch = FAST.model_copy(update={"timeout_s": hang_s, "concurrency": 16})
    stop = threading.Event()
    with _hanging() as server, veille.open_app(data=tmp_path, fetch=fetch) as app:
        port = server.getsockname()[1]
        hostile = app.create_dossier("hostile")
        others = [app.create_dossier(f"other {number}") for number in range(5)]
        with app.dossiers.open(hostile.id) as store, store.writing():
            for number in range(1000):
                url = f"http://127.1.{number // 250}.{number % 250 + 1}:{port}/"
                app.sources.add(hostile.id, Wish(url=url, kind="page"))
        at_work = threading.Thread(target=_work, args=(app, stop))
        at_work.start()
        try:
            _until(lambda: app.outside.fetcher.load >= 8)
            waits = []
            for number, other in enumerate(others):
                # One after the other, while the hostile one has all it can get.
                site.article(f"/{number}", "Tides", f"{number} {TEXT}")
                app.sources.add(other.id, Wish(url=f"{site.url}/{number}", kind="page"))
                begun = time.monotonic()
                _until(partial(app.searches.search, [other.id], "harbour"))
                waits.append(time.monotonic() - begun)
        finally:
            stop.set()
            at_work.join()
    assert max(waits) < hang_s / 2, waits


def _work(app: veille.App, stop: threading.Event) -> None:
    while not stop.is_set():
        app.worker().drain(Scope(), stop=stop.is_set)
        stop.wait(0.05)


def _until(happened: Callable[[], object]) -> None:
    """Until it has happened; the test has a time limit of its own."""
    while not happened():
        time.sleep(0.02)


@pytest.mark.covers("R-177")
def test_of_many_workers_one_sweeps_every_six_hours_and_none_at_the_start(site: Site, tmp_path: Path) -> None:
    site["/a"] = Page(b"", status=410)
    with Watch(site, tmp_path) as one, Watch(site, tmp_path) as two:
        one.add("/a", "page")
        one.run()
        swept = []
        for hour in range(13):
            one.now = two.now = NOW + hour * HOUR + MINUTE
            swept += [hour for watch in (one, two) if watch.app.mending.sweep_if_due()]
    assert swept == [6, 12]


@pytest.mark.covers("R-177", "R-210")
def test_a_probe_asks_for_no_body_where_that_is_known_and_reaches_nothing_private(site: Site, tmp_path: Path) -> None:
    site.article("/a", "Tides", TEXT)
    site["/moved"] = Page(b"", status=301, headers={"Location": "/a"})
    with Watch(site, tmp_path) as watch, watch.app.sweeper() as sweeper:
        assert sweeper.probe(f"{site.url}/a").ok
        assert sweeper.probe(f"{site.url}/moved").status_code == 200
        missing = sweeper.probe(f"{site.url}/none")
    assert (missing.ok, missing.status_code, missing.code) == (False, 404, "http.404")
    assert {seen.method for seen in site.seen} == {"HEAD"}
    with veille.open_app(data=tmp_path / "strict") as app, app.sweeper() as sweeper:
        refused = sweeper.probe(f"{site.url}/a")
    assert (refused.ok, refused.code) == (False, "refused_address")


@pytest.mark.timeout(60)
@pytest.mark.covers("R-177")
def test_a_sweep_asks_after_all_at_once_and_a_server_without_head_is_asked_for_the_page(
    site: Site, tmp_path: Path
) -> None:
    fetch = FAST.model_copy(update={"host_concurrency": 20})
    for number in range(20):
        site[f"/{number}"] = Page(b"", status=410)
    with Watch(site, tmp_path, fetch=fetch) as watch:
        sources = [watch.add(f"/{number}", "page") for number in range(20)]
        watch.run()
        for number in range(20):
            site[f"/{number}"] = Page(TEXT.encode(), delay_s=1)
        site["/0"] = Page(b"", status=405)
        begun = time.monotonic()
        with watch.app.sweeper() as sweeper:
            swept = sweeper.sweep([watch.dossier_id])
        # One after the other it would take 20 seconds.
        assert time.monotonic() - begun < 10
    assert [seen.method for seen in site.seen if seen.path == "/0"] == ["GET", "HEAD", "GET"]
    assert {one.source_id: one.recovered for one in swept} == {
        source.id: source.id != sources[0].id for source in sources
    }
