from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from soak.campaign import SHORT, Soak, durable
from soak.report import Report

pytestmark = pytest.mark.timeout(300)


@pytest.mark.covers("R-001", "R-002", "R-004", "R-156", "R-163", "R-164")
def test_a_service_on_a_machine_where_everything_goes_wrong_loses_nothing_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    report = Soak(SHORT, tmp_path, random.SystemRandom().getrandbits(32)).run()
    _right(report, SHORT.sources)
    assert report.refused_writes


@pytest.mark.covers("R-001", "R-002", "R-004", "R-163", "R-164")
def test_on_a_database_that_is_restarted_and_killed_too_it_loses_nothing_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    # What a document takes of the server is the most of it: fewer of them, so that other tests have something, too.
    form = replace(SHORT, sources=200)
    with durable() as server:
        report = Soak(form, tmp_path, random.SystemRandom().getrandbits(32), server).run()
    _right(report, form.sources)
    assert report.strikes == len(form.plan.restarts) + len(form.plan.crashes)


def _right(report: Report, sources: int) -> None:
    """Nothing is wrong, and all that was to befall it did."""
    assert not report.breaches, report.text()
    assert report.lost == report.doubled == report.crossed == report.strays == 0
    assert report.stored == report.expected > sources
    assert report.outcomes_right / report.outcomes_all > 0.98, report.text()
    assert (report.kills, report.freezes) == (len(SHORT.plan.kills), len(SHORT.plan.freezes))
    assert report.held_when_killed
    assert report.backlog
    assert report.connections
