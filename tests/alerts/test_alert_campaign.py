"""The campaign in short: `make alerts` is the long form."""

from __future__ import annotations

from pathlib import Path

import pytest

from alerts.campaign import campaign
from postgres_server import shared

pytestmark = pytest.mark.timeout(600)


def test_everything_that_has_to_fire_is_told_once_and_nothing_else(tmp_path: Path) -> None:
    outcome = campaign(tmp_path, seed=7, rounds=24, kills=2, share=0.3)
    assert (outcome.missed, outcome.wrong, outcome.lost, outcome.doubled) == (set(), set(), [], [])
    assert outcome.kills == 2
    assert outcome.is_right
    assert len(outcome.truth) > 80


def test_on_postgresql_everything_that_has_to_fire_is_told_once_and_nothing_else(tmp_path: Path) -> None:
    server = shared()
    store = server.url(server.database(server.ready))
    outcome = campaign(tmp_path, seed=7, rounds=6, kills=1, share=0.2, store=store)
    assert (outcome.missed, outcome.wrong, outcome.lost, outcome.doubled) == (set(), set(), [], [])
    assert outcome.kills == 1
    assert len(outcome.truth) > 12
