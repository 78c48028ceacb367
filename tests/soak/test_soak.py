from __future__ import annotations

import random
from pathlib import Path

import pytest

from soak.campaign import SHORT, Soak

pytestmark = pytest.mark.timeout(300)


@pytest.mark.covers("R-001", "R-002", "R-004", "R-156", "R-163", "R-164")
def test_a_service_on_a_machine_where_everything_goes_wrong_loses_nothing_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    report = Soak(SHORT, tmp_path, random.SystemRandom().getrandbits(32)).run()
    assert not report.breaches, report.text()
    assert report.lost == report.doubled == report.crossed == report.strays == 0
    assert report.stored == report.expected > SHORT.sources
    assert report.outcomes_right / report.outcomes_all > 0.98, report.text()
    # All that was to befall it did.
    assert (report.kills, report.freezes) == (len(SHORT.plan.kills), len(SHORT.plan.freezes))
    assert report.held_when_killed
    assert report.refused_writes
    assert report.backlog
    assert report.connections
