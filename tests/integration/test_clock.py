"""A clock that was 400 days ahead for a while: nothing waits until it is there again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import veille
from receiver import SECRET
from veille.core.crawler.runs import Schedule
from veille.core.http.politeness import HostCounts, HostState
from veille.core.models import Scope
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.core.workload import Room
from veille.services.watching.sources import Wish
from watching import FAST, Watch
from world import Page, Site

AHEAD = 400 * DAY
#: By now the next turn of an hourly source has come, wherever in the hour it is.
SOON = 2 * HOUR


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(
        site, tmp_path, sinks={"hook": {"kind": "webhook", "url": f"{site.url}/hook", "secret": SECRET}}
    ) as made:
        site.article("/hourly", "Ferry", "The ferry leaves at dawn. " * 20)
        site.article("/daily", "Tide", "The tide comes in at noon. " * 20)
        made.add("/hourly")
        made.app.sources.add(made.dossier_id, Wish(url=f"{site.url}/daily", cron="0 6 * * *"))
        yield made


def _asked(watch: Watch, app: veille.App) -> set[str]:
    watch.site.seen.clear()
    app.run(Scope())
    return {one.path for one in watch.site.seen} & {"/hourly", "/daily"}


@pytest.mark.parametrize("restarted", [False, True], ids=["through it all", "started anew"])
def test_sources_are_looked_at_at_their_next_turn(watch: Watch, *, restarted: bool) -> None:
    app = watch.app
    assert _asked(watch, app) == {"/hourly", "/daily"}
    watch.now += AHEAD
    assert _asked(watch, app) == {"/hourly", "/daily"}
    watch.now -= AHEAD - MINUTE
    with app.dossiers.open(watch.dossier_id) as store:
        assert store.waiting.too_late(watch.now) == 2
    if restarted:
        app = veille.open_app(watch.app.settings, clock=lambda: watch.now)
    assert _asked(watch, app) == set(), "their turn has not come yet"
    with app.dossiers.open(watch.dossier_id) as store:
        assert store.waiting.too_late(watch.now) == 0
    watch.now += SOON
    assert _asked(watch, app) == {"/hourly"}
    watch.now += DAY
    assert _asked(watch, app) == {"/hourly", "/daily"}
    if restarted:
        app.close()


def test_turns_that_are_long_are_left_as_they_are(watch: Watch) -> None:
    weekly = watch.app.sources.add(watch.dossier_id, Wish(url=f"{watch.site.url}/weekly", interval_ms=7 * DAY))
    watch.site.article("/weekly", "Market", "The market is on Saturdays. " * 20)
    watch.run()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert weekly.id
        assert store.waiting.too_late(watch.now) == 0


def test_a_sink_that_failed_is_tried_again(watch: Watch) -> None:
    watch.site["/hook"] = Page(b"", status=500)
    watch.now += AHEAD
    watch.run()
    assert "hook" in {one.sink for one in watch.deliver() if one.code}
    watch.now -= AHEAD
    watch.site["/hook"] = Page(b"")
    (hook,) = [one for one in watch.deliver() if one.sink == "hook"]
    assert (hook.pending, hook.code) == (0, "")


def test_a_host_that_was_to_be_left_alone_is_asked(watch: Watch) -> None:
    host = watch.site.url.removeprefix("http://").partition(":")[0]
    known = [state.key for state, _ in watch.app.hosts.ledger()]
    watch.run()
    (state,) = [state for state, _ in watch.app.hosts.ledger() if state.key not in known]
    assert host in state.key
    paused = replace(state, next_at=watch.now + AHEAD, paused_until=watch.now + AHEAD, robots_until=watch.now + AHEAD)
    with veille.open_app(watch.app.settings, clock=lambda: watch.now) as app:
        app.hosts.save([(paused, HostCounts())])
        watch.now += SOON
        assert _asked(watch, app) == {"/hourly"}


def test_of_times_within_reason_nothing_is_taken_away() -> None:
    state = HostState(key="example.org", next_at=DAY, paused_until=DAY, robots_until=DAY)
    assert state.brought_back(0) is state


def test_leases_and_duties_of_a_clock_that_was_ahead_are_nobodys(watch: Watch) -> None:
    watch.now += AHEAD
    duties, queue = watch.app.store.duties, watch.app.queue
    assert not duties.take("sweep", watch.now, HOUR)
    assert queue.claim("a stranger", watch.now, Room(total=10, per_host=10), Scope())
    watch.now -= AHEAD
    assert duties.is_due("sweep", watch.now, HOUR)
    assert duties.take("sweep", watch.now, HOUR)
    with veille.open_app(watch.app.settings, clock=lambda: watch.now) as app:
        assert _asked(watch, app) | _asked(watch, app) == {"/hourly", "/daily"}


def test_a_crawl_on_a_schedule_runs_at_its_next_time(tmp_path: Path) -> None:
    now = [DAY]
    with veille.open_app(data=tmp_path, fetch=FAST, clock=lambda: now[0]) as app:
        dossier_id = app.create_dossier("intranet").id
        crawler = app.crawler
        ahead = Schedule(dossier_id=dossier_id, cron="0 3 * * *", zone="UTC", set_by="ana", set_at=0, next_run_at=AHEAD)
        app.store.schedules.put(ahead)
        assert crawler.due() == []
        now[0] += 4 * HOUR
        assert [one.dossier_id for one in crawler.due()] == [dossier_id]
