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
    for change in (Change.CHANGED, Change.NEW, Change.REMOVED):
        assert report.recall(change) >= 0.97, report.text()
    # Two advertisements may be the same by chance at three looks in a row.
    assert report.false_alarms <= 0.01, report.text()
