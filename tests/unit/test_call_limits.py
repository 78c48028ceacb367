from __future__ import annotations

from dataclasses import dataclass

from veille.adapters.call_limits import LocalCallLimits


@dataclass
class Seconds:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_everybody_has_a_share_of_their_own_that_comes_back_with_time() -> None:
    clock = Seconds()
    limits = LocalCallLimits(clock)
    assert [limits.take("a", 6) for _ in range(6)] == [0.0] * 6
    assert limits.take("a", 6) == 10.0
    assert limits.take("b", 6) == 0.0
    clock.now = 4.0
    assert round(limits.take("a", 6), 6) == 6.0
    clock.now = 10.0
    assert limits.take("a", 6) == 0.0
    assert limits.take("a", 6) > 9
    clock.now = 1000.0
    assert [limits.take("a", 6) > 0 for _ in range(7)] == [False] * 6 + [True]


def test_those_who_do_not_come_again_are_forgotten() -> None:
    clock = Seconds()
    limits = LocalCallLimits(clock)
    for name in range(2000):
        limits.take(str(name), 6)
    clock.now = 61.0
    limits.take("a", 6)
    assert len(limits._seen) == 1
