"""The campaign in short: `make alerts` is the long form."""

from __future__ import annotations

from pathlib import Path

from alerts.campaign import campaign


def test_everything_that_has_to_fire_is_told_once_and_nothing_else(tmp_path: Path) -> None:
    outcome = campaign(tmp_path, seed=7, rounds=60, kills=4, share=0.3)
    assert (outcome.missed, outcome.wrong, outcome.lost, outcome.doubled) == (set(), set(), [], [])
    assert outcome.kills == 4
    assert outcome.is_right
    assert len(outcome.truth) > 200
