from __future__ import annotations

import random
from pathlib import Path

import pytest

from crash.campaign import DEPTH, FATES, Campaign, strikes_of, way_to
from crash.network import Way
from crash.pause import pause
from crash.processes import Place
from crash.scene import Size
from postgres_server import PostgresServer, databases_of

pytestmark = pytest.mark.timeout(600)


@pytest.mark.covers("R-002", "R-005", "R-137", "R-138", "R-139", "R-163", "R-164")
def test_workers_killed_at_every_instant_lose_nothing_and_deliver_nothing_twice(tmp_path: Path) -> None:
    size = Size(hosts=4, dossiers=2, pages=16, feeds=2, entries=8)
    report = Campaign(Place(tmp_path), seed=random.SystemRandom().getrandbits(32), size=size).run(16)
    assert not report.breaches, report.text()
    assert report.kills.total() >= 16
    assert not set(DEPTH) - set(report.kills), f"Not killed there: {report.text()}"


@pytest.mark.covers("R-002", "R-005", "R-163")
def test_on_a_database_that_is_restarted_killed_and_cut_off_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    points = ("after_claim", "before_commit", "before_outbox_mark")
    with PostgresServer(synchronous_commit="on") as server, Way(server.folder) as way:
        place = Place(tmp_path, store=way_to(server, way))
        seed = random.SystemRandom().getrandbits(32)
        strikes = strikes_of(server, way)
        campaign = Campaign(place, seed, Size(2, 1, 6, 1, 4), strikes=strikes, points=points)
        report = campaign.run(6)
    assert not report.breaches, report.text()
    assert report.struck.total() == len(strikes), report.text()
    assert not set(points) - set(report.kills), report.text()


def test_every_fail_point_takes_its_turn() -> None:
    assert set(DEPTH) < set(FATES)


@pytest.mark.covers("R-163")
@pytest.mark.parametrize(
    ("failpoint", "store"), [("after_claim", "sqlite"), ("after_fetch", "sqlite"), ("after_fetch", "postgres")]
)
def test_a_worker_frozen_past_its_lease_commits_nothing(tmp_path: Path, failpoint: str, store: str) -> None:
    with databases_of(store) as new:
        outcome = pause(Place(tmp_path, store=new()), failpoint)
    assert outcome.held, "It was frozen with leases in hand."
    assert outcome.after == outcome.before
    assert outcome.run not in {row[0] for row in outcome.after["runs"]}
    assert not outcome.breaches


@pytest.mark.covers("R-163")
def test_a_worker_frozen_in_the_middle_of_its_work_commits_nothing_more(tmp_path: Path) -> None:
    outcome = pause(Place(tmp_path), seed=random.SystemRandom().getrandbits(32))
    assert outcome.held, "It was frozen with leases in hand."
    assert outcome.after == outcome.before
    assert not outcome.breaches


@pytest.mark.covers("R-138", "R-139")
@pytest.mark.parametrize("failpoint", ["during_file_write", "after_file_write", "before_outbox_mark"])
def test_a_deliverer_frozen_past_its_turn_delivers_nothing_twice(tmp_path: Path, failpoint: str) -> None:
    outcome = pause(Place(tmp_path), failpoint)
    assert outcome.after == outcome.before
    assert not outcome.breaches
