from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW, source
from veille.core.change.cron import next_cron
from veille.core.change.next_check import ADAPTS, MOST_DOUBLINGS, bounds, latest_turn, learned_pace, next_check
from veille.core.schedule import DAY, HOUR, MAX_INTERVAL, MIN_INTERVAL, MINUTE, SPREAD
from veille.errors import ConfigError

intervals = st.integers(MIN_INTERVAL, MAX_INTERVAL)
times = st.integers(0, 2**42)
seeds = st.text(st.characters(codec="utf-8"), max_size=20)
crons = st.sampled_from(["0 6 * * *", "*/5 * * * *", "30 2 29 2 *", "@weekly", "CRON_TZ=Europe/Madrid 15 3 * * 1-5"])


@given(crons, times)
def test_a_cron_expression_gives_the_first_time_after_now(cron: str, now: int) -> None:
    moment = next_cron(cron, now)
    assert moment > now
    assert moment % MINUTE == 0
    assert next_cron(cron, moment - 1) == moment
    assert next_cron(cron, now + (moment - now) // 2) == moment


def test_a_cron_expression_is_in_utc_or_in_its_own_time_zone() -> None:
    def hour(cron: str, month: int) -> int:
        start = datetime(2026, month, 1, tzinfo=UTC).timestamp() * 1000
        return datetime.fromtimestamp(next_cron(cron, round(start)) / 1000, UTC).hour

    assert hour("0 6 * * *", 1) == hour("0 6 * * *", 7) == 6
    assert hour("CRON_TZ=Europe/Madrid 0 6 * * *", 1) == 5
    assert hour("CRON_TZ=Europe/Madrid 0 6 * * *", 7) == 4


@pytest.mark.parametrize("cron", ["", "x", "* * * *", "* * * * * *", "61 * * * *", "0 0 31 2 *", "@often", "* * * * 9"])
def test_a_cron_expression_that_never_matches_is_refused(cron: str) -> None:
    with pytest.raises(ConfigError) as caught:
        next_cron(cron, NOW)
    assert caught.value.code == "bad_cron"


@pytest.mark.parametrize("zone", ["Nowhere/At_all", "../../etc/passwd", "/etc/passwd"])
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(ConfigError) as caught:
        next_cron(f"CRON_TZ={zone} 0 6 * * *", NOW)
    assert caught.value.code == "bad_zone"


@pytest.mark.covers("R-156")
@given(crons, times, seeds, st.integers(1, 5))
def test_a_source_with_a_cron_expression_is_checked_within_a_minute_of_its_time(
    cron: str, now: int, seed: str, every: int
) -> None:
    at = next_check(source(cron=cron), now, seed, every=every)
    moment = now
    for _ in range(every):
        moment = next_cron(cron, moment)
    assert moment <= at <= moment + MINUTE
    assert at == next_check(source(cron=cron), now, seed, every=every)


@given(crons, times, st.integers(1, 24))
def test_a_backed_off_source_with_a_cron_expression_skips_times(cron: str, now: int, hours: int) -> None:
    failing = source(cron=cron, interval_ms=hours * HOUR, original_interval_ms=HOUR)
    assert next_check(failing, now, "a") >= now + hours * HOUR


@given(intervals, times, seeds)
def test_by_default_the_next_check_is_one_interval_later(interval: int, now: int, seed: str) -> None:
    at = next_check(source(interval_ms=interval), now, seed)
    assert now + interval <= at <= now + interval * (1 + SPREAD) + 1


@given(intervals, st.lists(st.booleans(), max_size=60))
def test_a_pace_always_stays_within_its_bounds(interval: int, told: list[bool]) -> None:
    of = source(interval_ms=interval, pace_ms=interval, checked_at=NOW)
    lowest, highest = bounds(of)
    assert MIN_INTERVAL <= lowest <= interval <= highest <= MAX_INTERVAL
    for news in told:
        pace = learned_pace(of, told=news)
        assert pace is not None
        assert of.pace_ms is not None
        assert lowest <= pace <= highest
        assert pace <= of.pace_ms if news else pace >= of.pace_ms
        of = source(interval_ms=interval, pace_ms=pace, checked_at=NOW)


def _pace(told: bool, looks: int) -> int:  # noqa: FBT001 - one question, asked twice
    pace: int | None = 2 * HOUR
    for _ in range(looks):
        pace = learned_pace(source(interval_ms=2 * HOUR, pace_ms=pace, checked_at=NOW), told=told)
    assert pace is not None
    return pace


def test_an_adaptive_source_is_checked_more_often_while_it_changes_and_less_often_while_not() -> None:
    assert _pace(told=True, looks=3) == 2 * HOUR // ADAPTS
    assert _pace(told=False, looks=10) == 2 * HOUR * ADAPTS


def test_the_first_check_does_not_change_the_pace() -> None:
    assert learned_pace(source(pace_ms=HOUR), told=True) == HOUR
    assert learned_pace(source(), told=True) is None


def test_pages_that_were_followed_since_the_last_check_count_as_news() -> None:
    followed = source(pace_ms=HOUR, checked_at=NOW, changed_at=NOW + 1)
    assert learned_pace(followed, told=False) == HOUR // 2
    earlier = source(pace_ms=HOUR, checked_at=NOW, changed_at=NOW)
    assert learned_pace(earlier, told=False) == HOUR * 5 // 4


@given(st.integers(0, 10**7))
def test_an_adaptive_source_is_not_checked_while_its_answer_is_fresh_within_bounds(max_age: int) -> None:
    of = source(interval_ms=HOUR, pace_ms=HOUR)
    wait = next_check(of, NOW, "a", max_age=max_age) - NOW
    length = min(max(HOUR, max_age * 1000), 8 * HOUR)
    assert length <= wait <= length * (1 + SPREAD) + 1


def test_a_backed_off_adaptive_source_waits_for_its_lengthened_interval() -> None:
    failing = source(interval_ms=DAY, original_interval_ms=HOUR, pace_ms=10 * MINUTE)
    assert next_check(failing, NOW, "a") >= NOW + DAY


@given(intervals, times, seeds, st.integers(1, 30), st.integers(0, 2**31))
def test_no_check_is_scheduled_later_than_the_latest_possible_time(
    interval: int, now: int, seed: str, every: int, max_age: int
) -> None:
    usual, eager = source(interval_ms=interval), source(interval_ms=interval, pace_ms=interval * 2)
    for one in (usual, replace(usual, original_interval_ms=MIN_INTERVAL), eager):
        at = next_check(one, now, seed, every=every, max_age=max_age)
        assert at <= latest_turn(one, now, every=every, attempts=0)
        dead = next_check(one, now, seed, every=every << MOST_DOUBLINGS, max_age=max_age)
        assert dead <= latest_turn(one, now, every=every, attempts=9)


@given(crons, times, seeds, st.integers(1, 3))
def test_no_time_of_a_cron_expression_is_later_than_the_latest_possible_time(
    cron: str, now: int, seed: str, every: int
) -> None:
    one = source(cron=cron)
    assert next_check(one, now, seed, every=every) <= latest_turn(one, now, every=every, attempts=0)


def test_a_request_of_an_hourly_source_that_is_due_in_a_year_is_too_late() -> None:
    assert latest_turn(source(interval_ms=HOUR), NOW, every=1, attempts=0) < NOW + 3 * HOUR
    assert latest_turn(source(cron="0 6 * * *"), NOW, every=1, attempts=0) <= NOW + DAY + 2 * MINUTE
    assert DAY < latest_turn(source(interval_ms=HOUR), NOW, every=0, attempts=0) - NOW < 2 * DAY
