from __future__ import annotations

import random
from pathlib import Path

import pytest

from swaps.campaign import swap
from swaps.styles import STYLES

pytestmark = pytest.mark.timeout(120)


@pytest.mark.covers("R-070")
@pytest.mark.parametrize("style", STYLES)
def test_a_new_version_of_a_manual_tells_what_was_edited_in_it_and_nothing_else(style: str, tmp_path: Path) -> None:
    report = swap(tmp_path, style, pages=60, seed=random.SystemRandom().getrandbits(24))
    assert report.edited == 3
    assert not report.empty, report.text()
    # One of 60 pages is more than the campaign allows of 300.
    assert len(report.missed) == 0, report.text()
    assert len(report.wrong) <= 1, report.text()
