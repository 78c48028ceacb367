from __future__ import annotations

from dataclasses import replace

import pytest

from veille.core.http.politeness import (
    BREAK_AFTER,
    HostState,
    failed,
    merged,
    on_probation,
    slowed,
    succeeded,
)

NOW = 1_800_000_000_000
FRESH = HostState(key="a.example")


@pytest.mark.covers("R-063")
def test_the_breaker_opens_after_trouble_in_a_row_with_several_addresses_and_longer_each_time() -> None:
    state = FRESH
    for _ in range(BREAK_AFTER - 1):
        state = failed(state, NOW, 1.0, addresses=3)
        assert state.paused_until == 0
    state = failed(state, NOW, 1.0, addresses=3)
    first = state.paused_until - NOW
    assert first == 60_000
    assert on_probation(state)
    state = failed(state, NOW, 1.0, addresses=3)
    assert state.paused_until - NOW == 2 * first
    for _ in range(20):
        state = failed(state, NOW, 1.0, addresses=3)
    assert state.paused_until - NOW == 3_600_000, "an hour at most"


def test_one_bad_address_does_not_close_a_host() -> None:
    state = FRESH
    for _ in range(50):
        state = failed(state, NOW, 1.0, addresses=1)
    assert state.paused_until == 0


def test_one_good_answer_closes_the_breaker() -> None:
    state = FRESH
    for _ in range(9):
        state = failed(state, NOW, 0.5, addresses=3)
    state = succeeded(state, 1000)
    assert (state.failures, state.pauses) == (0, 0)
    assert not on_probation(state)


@pytest.mark.covers("R-048", "R-063")
def test_slow_down_doubles_the_delay_and_keeps_the_pause_the_server_asks_for() -> None:
    state = slowed(FRESH, NOW, 0.5, 1000, retry_after=120)
    assert (state.delay_ms, state.paused_until) == (2000, NOW + 120_000)
    state = slowed(state, NOW, 0.5, 1000, retry_after=None)
    assert state.delay_ms == 4000
    assert state.paused_until == NOW + 120_000
    for _ in range(40):
        state = slowed(state, NOW, 1.0, 1000, retry_after=None)
    assert state.delay_ms == 24 * 3_600_000
    assert state.paused_until == NOW + 24 * 3_600_000


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_pause_without_retry_after_has_full_jitter(share: float) -> None:
    assert slowed(FRESH, NOW, share, 1000, retry_after=None).paused_until == NOW + round(30_000 * share)


def test_a_learned_delay_fades_with_good_answers() -> None:
    state = replace(FRESH, delay_ms=8000)
    steps = 0
    while state.delay_ms:
        state = succeeded(state, 1000)
        steps += 1
    assert steps < 12
    assert succeeded(state, 1000) is state


def test_a_host_that_a_redirect_led_to_keeps_the_more_careful_state() -> None:
    stored = HostState(key="a", paused_until=900, delay_ms=50, robots="User-agent: *", robots_until=700, failures=2)
    seen = HostState(key="a", next_at=20, delay_ms=80, last_status=200)
    kept = merged(stored, seen)
    assert (kept.paused_until, kept.delay_ms, kept.next_at, kept.failures) == (900, 80, 20, 2)
    assert (kept.robots, kept.robots_until, kept.last_status) == ("User-agent: *", 700, 200)
