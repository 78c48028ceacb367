from __future__ import annotations

import random
from pathlib import Path

import pytest

from crawl.campaign import Campaign
from postgres_server import shared

pytestmark = pytest.mark.timeout(600)


@pytest.mark.covers("R-041", "R-042", "R-045", "R-046", "R-047", "R-048")
def test_a_crawl_among_traps_ends_stays_in_bounds_and_is_the_same_however_often_it_is_killed(tmp_path: Path) -> None:
    report = Campaign(tmp_path, size=120, seed=random.SystemRandom().getrandbits(32)).run(kills=3)
    assert not report.breaches, report.text()
    assert report.kills == 3
    assert report.trapped > 10, "The traps were entered, and left again."


@pytest.mark.covers("R-041", "R-045", "R-048")
def test_a_crawl_that_is_kept_in_postgresql_is_the_same_however_often_it_is_killed(tmp_path: Path) -> None:
    server = shared()
    campaign = Campaign(
        tmp_path, 40, random.SystemRandom().getrandbits(32), lambda: server.url(server.database(server.ready))
    )
    report = campaign.run(kills=2)
    assert not report.breaches, report.text()
    assert report.kills == 2
    assert report.trapped, "The traps were entered, and left again."
