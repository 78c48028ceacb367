"""Times as people type them: those of tests/ask/times.tsv are understood, and none is taken for another."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from veille.core.ask.moments import FOREVER
from veille.core.ask.question import understood

NOW = round(datetime(2026, 11, 17, 12, tzinfo=UTC).timestamp() * 1000)
#: What is not read, and is told to be no time at least.
UNREAD = {"Was kostete es 2024 und im Jahr davor?"}
LINES = (Path(__file__).parents[1] / "ask" / "times.tsv").read_text(encoding="utf-8").splitlines()
CASES = [tuple(line.split("\t")[1:]) for line in LINES if not line.startswith("#")]


@pytest.mark.parametrize(("question", "meant"), CASES)
def test_a_time_is_the_one_that_is_meant(question: str, meant: str) -> None:
    assert _time(question) == ("-" if question in UNREAD else meant)


def _time(question: str) -> str:
    moment = understood(question, NOW).moment
    if moment is None:
        return "-"
    first, last = _day(moment.start), _day(moment.end - 1) if moment.end < FOREVER else ""
    if not last:
        return f"since {first}"
    if moment.is_until:
        return f"until {last}"
    return first if first == last else f"{first}..{last}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
