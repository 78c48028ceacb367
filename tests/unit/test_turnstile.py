from __future__ import annotations

from dataclasses import dataclass

from veille.interfaces.programs import Turnstile


@dataclass
class Seconds:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_everybody_has_a_share_of_their_own_that_comes_back_with_time() -> None:
    clock = Seconds()
    turnstile = Turnstile(6, clock)
    assert [turnstile.enter("a") for _ in range(6)] == [0.0] * 6
    assert turnstile.enter("a") == 10.0
    assert turnstile.enter("b") == 0.0
    clock.now = 4.0
    assert round(turnstile.enter("a"), 6) == 6.0
    clock.now = 10.0
    assert turnstile.enter("a") == 0.0
    assert turnstile.enter("a") > 9
    clock.now = 1000.0
    assert [turnstile.enter("a") > 0 for _ in range(7)] == [False] * 6 + [True]


def test_those_who_do_not_come_again_are_forgotten() -> None:
    clock = Seconds()
    turnstile = Turnstile(6, clock)
    for name in range(2000):
        turnstile.enter(str(name))
    clock.now = 61.0
    turnstile.enter("a")
    assert len(turnstile._seen) == 1
