from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

import veille
from inside_sqlite import catalog_of
from veille.core.models import Plan, Reading, Scope
from veille.core.workload import Room
from veille.services.watching.sources import Wish
from watching import FAST
from world import Site

#: Long enough for a few steps of a test on a busy machine, short enough to be waited out.
LEASE_S = 2
LEASE_MS = LEASE_S * 1000
ROOM = Room(total=10, per_host=10)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    folders = {"data": tmp_path / "data", "buffer_dir": tmp_path / "buffer"}
    with veille.open_app(veille.load_settings(**folders, lease_s=LEASE_S, fetch=FAST)) as opened:
        yield opened


@pytest.fixture
def dossier(app: veille.App, site: Site) -> str:
    """A dossier with one page to fetch."""
    site.article("/", "The lighthouse", "The lighthouse keeper wrote every storm down. " * 5)
    dossier = app.create_dossier("coast").id
    app.sources.add(dossier, Wish(url=site.url, kind="page", name="lighthouse"))
    assert app.outside.fetcher.load == 0, "It is made here, because that takes a while."
    return dossier


def texts(app: veille.App, dossier: str) -> list[str]:
    """All revisions of the one document, newest first."""
    with app.dossiers.open(dossier) as store:
        documents = store.records.documents()
        return [revision.text for document in documents for revision in store.records.revisions(document.document_id)]


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.covers("R-163")
def test_a_drain_that_waits_takes_over_what_a_dead_worker_held(app: veille.App, dossier: str) -> None:
    assert len(app.queue.claim("the dead", app.clock(), ROOM, Scope())) == 1
    app.run(Scope())
    assert texts(app, dossier) == []
    app.run(Scope(), wait=True)
    assert len(texts(app, dossier)) == 1


@pytest.mark.covers("R-163")
def test_a_drain_that_waits_for_a_host_gets_it_from_a_dead_worker(app: veille.App, dossier: str, site: Site) -> None:
    now = app.clock()
    catalog_of(app).lease_hosts("the dead", [site.url.removeprefix("http://")], now, now + LEASE_MS)
    app.run(Scope())
    assert texts(app, dossier) == []
    app.run(Scope(), wait=True)
    assert len(texts(app, dossier)) == 1


@pytest.mark.covers("R-163")
def test_host_leases_of_the_dead_are_cleared_away_once_they_ran_out(app: veille.App) -> None:
    catalog, now = catalog_of(app), app.clock()
    catalog.lease_hosts("the dead", ["old.example"], now - 100, now - 1)
    catalog.lease_hosts("the living", ["new.example"], now, now + 60_000)
    app.run(Scope())
    assert catalog.db.execute("SELECT host FROM host_leases") == [("new.example",)]


@pytest.mark.covers("R-163")
def test_a_page_asked_for_again_while_it_is_fetched_is_fetched_again(app: veille.App, dossier: str, site: Site) -> None:
    site.pages["/"].delay_s = 0.2
    running = threading.Thread(target=app.run, args=(Scope(),))
    running.start()
    until(lambda: site.seen)
    site.article("/", "The lighthouse", "The keeper has gone, and the lamp turns by itself. " * 5)
    app.queue.arm(dossier, app.clock())
    running.join()
    newest, oldest = texts(app, dossier)
    assert (newest[:10], oldest[:14]) == ("The keeper", "The lighthouse")


@pytest.mark.covers("R-163")
def test_what_falls_due_while_another_worker_looks_is_not_forgotten(app: veille.App, dossier: str) -> None:
    app.run(Scope())
    catalog = apsw.Connection(str(app.settings.data / "catalog.db"))
    catalog.execute("UPDATE dossiers SET next_due_at = 0")
    # The looker sees that nothing is due, and has to wait before it can say so.
    catalog.execute("BEGIN IMMEDIATE")
    looker = threading.Thread(target=app.queue.claim, args=("the looker", app.clock(), ROOM, Scope()))
    looker.start()
    time.sleep(0.3)
    # Meanwhile another worker commits something that is due; the hint says so already.
    with veille.open_app(app.settings) as other, other.dossiers.open(dossier) as store:
        assert store.frontier.arm(app.clock(), None) == 1  # type: ignore[attr-defined]  # the SQLite one
    catalog.execute("COMMIT")
    catalog.close()
    looker.join()
    assert len(app.queue.claim("the next", app.clock(), ROOM, Scope())) == 1


@pytest.mark.covers("R-163")
def test_a_stopped_drain_gives_everything_back_and_the_next_one_does_it(
    app: veille.App, dossier: str, site: Site
) -> None:
    site.pages["/"].delay_s = 0.6
    worker = app.worker()
    worker.drain(Scope(), stop=lambda: bool(site.seen))
    backlog = app.queue.backlog(app.clock(), Scope())
    assert (backlog.due, backlog.leased, texts(app, dossier)) == (1, 0, [])
    worker.drain(Scope())
    assert len(texts(app, dossier)) == 1


@pytest.mark.covers("R-163")
def test_a_lease_on_a_source_that_was_paused_does_not_keep_the_dossier_due(app: veille.App, dossier: str) -> None:
    app.queue.claim("the dead", app.clock(), ROOM, Scope())
    app.sources.set_enabled(dossier, "lighthouse", enabled=False)
    assert app.queue.backlog(app.clock(), Scope()).next_due is None
    app.sources.set_enabled(dossier, "lighthouse", enabled=True)
    app.run(Scope(), wait=True)
    assert len(texts(app, dossier)) == 1


@pytest.mark.covers("R-137", "R-163")
def test_a_delivery_that_waits_takes_its_turn_over_from_a_dead_deliverer(app: veille.App, dossier: str) -> None:
    app.run(Scope())
    now = app.clock()
    with app.dossiers.open(dossier) as store:
        assert store.outbox.lock("buffer", "the dead", now + LEASE_MS, now)
    (left,) = app.deliver([dossier])
    assert (left.delivered, left.pending) == (0, 1)
    (taken,) = app.deliver([dossier], wait=True)
    assert (taken.delivered, taken.pending) == (1, 0)


@pytest.mark.covers("R-163")
def test_a_worker_that_takes_longer_than_its_lease_to_write_what_it_read_keeps_its_leases(
    tmp_path: Path, site: Site
) -> None:
    now, dossiers = time.time_ns() // 1_000_000, 5

    def a_second_later(_: Plan) -> None:
        nonlocal now
        now += 1000

    with veille.open_app(data=tmp_path / "data", lease_s=LEASE_S, fetch=FAST, clock=lambda: now) as app:
        for number in range(dossiers):
            site.article(f"/{number}", f"Page {number}", f"Page {number} is a page like no other. " * 5)
            app.sources.add(app.create_dossier(f"dossier {number}").id, Wish(url=f"{site.url}/{number}", kind="page"))
        worker, readings = app.worker(), list[Reading]()
        until(lambda: worker._claim(Scope()) or len(worker._held.leases) == dossiers)
        while len(readings) < dossiers:
            readings += worker._readings()
        worker._work(readings, a_second_later)
        assert len(worker.touched) == dossiers
