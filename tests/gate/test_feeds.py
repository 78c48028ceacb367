"""Agreement with feedparser on its own suite and on real feeds must not fall below the floors in feeds.toml."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

import agreement

FLOORS = tomllib.loads((Path(__file__).parent / "feeds.toml").read_text())


@pytest.fixture(scope="module")
def scores() -> dict[str, agreement.Score]:
    if not agreement.DATA.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"The feeds to compare with are missing: {agreement.DATA}.")
        pytest.skip(f"The feeds to compare with are missing: {agreement.DATA}.")
    return agreement.measure()


@pytest.mark.timeout(300)
@pytest.mark.covers("R-085", "R-086")
def test_feeds_are_read_as_feedparser_reads_them(scores: dict[str, agreement.Score]) -> None:
    found = {
        name: {field: round(100 * score.share(field), 2) for field in FLOORS[name]} for name, score in scores.items()
    }
    below = {
        (name, field): (found[name][field], floor)
        for name, floors in FLOORS.items()
        for field, floor in floors.items()
        if found[name][field] < floor
    }
    assert below == {}, agreement.table(scores)
    assert {name: score.crashes for name, score in scores.items()} == dict.fromkeys(FLOORS, 0)
