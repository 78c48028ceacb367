"""Spans of time as people write them."""

from __future__ import annotations

import pytest

from veille.core.alerts.frequency import frequency_of
from veille.core.schedule import DAY, HOUR, MINUTE, SECOND, duration_ms
from veille.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("90 s", 90 * SECOND),
        ("15m", 15 * MINUTE),
        ("15min", 15 * MINUTE),
        ("15 Min", 15 * MINUTE),
        ("5 minutes", 5 * MINUTE),
        ("1 hour", HOUR),
        ("1h30m", 90 * MINUTE),
        ("1 hour, 30 minutes", 90 * MINUTE),
        ("2 days", 2 * DAY),
        (" 1w ", 7 * DAY),
    ],
)
def test_a_span_is_understood(text: str, span: int) -> None:
    assert duration_ms(text) == span


@pytest.mark.parametrize(
    "text", ["", "15", "min", "1h30", "1.5h", "-5m", "15 parsecs", "15minx", "5m ago", "9" * 10 + "h", "1h" * 40]
)
def test_what_is_no_span_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match="15min") as refused:
        duration_ms(text)
    assert refused.value.code == "bad_interval"


def test_channels_send_as_often_as_people_write() -> None:
    assert [frequency_of(text).every_ms for text in ("every 15min", "every 2 hours", "every 1h30m")] == [
        15 * MINUTE,
        2 * HOUR,
        90 * MINUTE,
    ]
