from __future__ import annotations

import random
from pathlib import Path

import pytest

from changes.campaign import Campaign
from veille.core.models import Change

pytestmark = pytest.mark.timeout(300)


@pytest.mark.covers("R-070", "R-073")
def test_edits_moves_and_removals_are_told_and_nothing_else(tmp_path: Path) -> None:
    report = Campaign(tmp_path, size=60, seed=random.SystemRandom().getrandbits(32)).run(rounds=5)
    assert report.right[Change.CHANGED] >= 20, report.text()
    # About two in a thousand edits are taken for something that changes by itself (`make changes`): one of these 30
    # now and then, never two.
    assert report.missed.total() <= 1, report.text()
    # Two advertisements may be the same by chance at three looks in a row.
    assert report.false_alarms <= 0.01, report.text()
