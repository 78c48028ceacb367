from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samples import NOW
from veille.core.schedule import (
    DAY,
    HOUR,
    MAX_INTERVAL,
    MIN_INTERVAL,
    RETRY_BASE,
    RETRY_CAP,
    SECOND,
    SPREAD,
    next_turn,
    retry_at,
)

intervals = st.integers(MIN_INTERVAL, MAX_INTERVAL)


@given(intervals, st.integers(0, 2**45), st.text(st.characters(codec="utf-8")))
def test_a_turn_is_one_interval_away_and_at_most_a_little_later(interval: int, now: int, seed: str) -> None:
    turn = next_turn(interval, now, seed)
    assert now + interval <= turn <= now + interval * (1 + SPREAD) + 1
    assert turn == next_turn(interval, now, seed)


def test_turns_of_different_requests_are_spread() -> None:
    turns = {next_turn(HOUR, NOW, str(number)) for number in range(100)}
    assert len(turns) > 90
    assert max(turns) - min(turns) > HOUR * SPREAD / 2


@given(st.integers(1, 10_000), st.integers(0, 2**45), st.text(st.characters(codec="utf-8")))
def test_a_retry_is_never_at_once_and_never_later_than_the_cap(attempts: int, now: int, seed: str) -> None:
    at = retry_at(attempts, now, seed)
    ceiling = min(RETRY_BASE * 2 ** min(attempts, 60), RETRY_CAP)
    assert now + SECOND <= at <= now + SECOND + ceiling
    assert at == retry_at(attempts, now, seed)


def test_retries_move_apart() -> None:
    def average(attempts: int) -> float:
        return sum(retry_at(attempts, 0, str(number)) for number in range(200)) / 200

    assert average(1) < average(2) < average(4) < average(8)


@given(st.integers(-(10**12), 10**12), st.integers(1, 50))
def test_what_the_server_asks_for_is_granted_within_bounds(seconds: int, attempts: int) -> None:
    at = retry_at(attempts, NOW, "a", retry_after=seconds)
    assert NOW + RETRY_BASE <= at <= NOW + RETRY_CAP
    if RETRY_BASE <= seconds * SECOND <= RETRY_CAP:
        assert at == NOW + seconds * SECOND


def test_retry_after_zero_and_ages_are_clamped() -> None:
    assert retry_at(1, NOW, "a", retry_after=0) == NOW + RETRY_BASE
    assert retry_at(1, NOW, "a", retry_after=10**9) == NOW + DAY
