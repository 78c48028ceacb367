from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW, source
from veille.core.change.next_check import bounds, next_check
from veille.core.feed_hints import Rhythm, rhythm_of
from veille.core.schedule import DAY, HOUR, MAX_INTERVAL, MINUTE, SPREAD

SAID = {
    "<ttl>60</ttl>": Rhythm(every_ms=HOUR),
    "<ttl> 15 </ttl>": Rhythm(every_ms=15 * MINUTE),
    "<ttl>often</ttl>": Rhythm(),
    "<ttl>999999999</ttl>": Rhythm(every_ms=MAX_INTERVAL),
    "<sy:updatePeriod>\n hourly </sy:updatePeriod><sy:updateFrequency> 2 </sy:updateFrequency>": Rhythm(
        every_ms=HOUR // 2
    ),
    "<s:updatePeriod>daily</s:updatePeriod>": Rhythm(every_ms=DAY),
    "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>": Rhythm(every_ms=DAY),
    "<sy:updateFrequency>9</sy:updateFrequency>": Rhythm(),
    "<sy:updatePeriod>sometimes</sy:updatePeriod>": Rhythm(),
    "<ttl>5</ttl><sy:updatePeriod>hourly</sy:updatePeriod>": Rhythm(every_ms=HOUR),
    "<skipHours><hour>1</hour><hour> 0 </hour><hour>24</hour></skipHours>": Rhythm(hours=(0, 1)),
    "<skipDays><day>Sunday</day><day>saturday</day><day>Feastday</day></skipDays>": Rhythm(days=(5, 6)),
    "": Rhythm(),
}


@pytest.mark.parametrize("head", SAID)
def test_what_a_feed_says_about_how_often_it_is_worth_a_look(head: str) -> None:
    feed = f"<rss><channel><title>T</title>{head}<item><ttl>77777</ttl></item></channel></rss>"
    assert rhythm_of(feed.encode()) == SAID[head]


@given(st.binary(max_size=300))
def test_any_bytes_have_a_rhythm(body: bytes) -> None:
    assert rhythm_of(b"<ttl>" + body + b"</ttl><skipHours><hour>" + body).every_ms <= MAX_INTERVAL


@given(st.integers(0, 30 * DAY), st.integers(1, 14), st.integers(0, 10**6))
def test_hints_make_looks_rarer_within_the_bounds_of_the_source(every: int, pace: int, now: int) -> None:
    of = source(interval_ms=HOUR, pace_ms=pace * 30 * MINUTE, rhythm=Rhythm(every_ms=every))
    wait = next_check(of, now, "a") - now
    length = max(pace * 30 * MINUTE, min(every, bounds(of)[1]))
    assert length <= wait <= length * (1 + SPREAD) + 1


def test_hours_and_days_that_a_feed_skips_are_skipped() -> None:
    saturday = round(datetime(2026, 11, 14, 10, 30, tzinfo=UTC).timestamp() * 1000)
    nights = Rhythm(hours=tuple(range(10, 14)))
    assert nights.after(saturday) == saturday + 4 * HOUR
    monday = Rhythm(days=(5, 6)).after(saturday)
    assert datetime.fromtimestamp(monday / 1000, UTC) == datetime(2026, 11, 16, 0, 30, tzinfo=UTC)
    of = source(interval_ms=HOUR, pace_ms=HOUR, rhythm=nights)
    at = datetime.fromtimestamp(next_check(of, saturday, "a") / 1000, UTC)
    assert at.hour == 14


def test_whoever_skips_everything_is_not_heard_and_nobody_is_silent_for_longer_than_the_bounds() -> None:
    assert Rhythm(hours=tuple(range(24))).after(NOW) == NOW
    assert Rhythm(days=tuple(range(7))).after(NOW) == NOW
    of = source(interval_ms=HOUR, pace_ms=HOUR, rhythm=Rhythm(days=(0, 1, 2, 3, 4)))
    monday = round(datetime(2026, 11, 16, tzinfo=UTC).timestamp() * 1000)
    assert next_check(of, monday, "a") == monday + bounds(of)[1]


def test_hints_are_for_sources_that_adapt() -> None:
    fixed = source(interval_ms=HOUR, rhythm=Rhythm(every_ms=DAY, hours=tuple(range(23))))
    assert next_check(fixed, NOW, "a") <= NOW + HOUR * (1 + SPREAD) + 1
