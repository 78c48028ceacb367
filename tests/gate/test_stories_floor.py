"""Near-duplicates are grouped as well as `bench/run.py stories` promises, on a smaller corpus of known stories."""

from __future__ import annotations

import pytest

import case_stories


@pytest.mark.timeout(300)
@pytest.mark.covers("R-242")
@pytest.mark.parametrize("seed", [11, 12])
def test_stories_are_found_and_kept_apart(seed: int) -> None:
    score = case_stories.judged(seed, 3000)
    assert score.pairs > 5000
    assert score.precision >= 0.98
    assert score.recall_up_to(0.15) >= 0.95
    assert score.recall(0.30) >= 0.90
