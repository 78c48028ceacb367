"""What time it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.ports import Clock


def system_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class AppClock:
    """The machine's clock, until a store brings one that all machines share."""

    def __init__(self) -> None:
        self.now: Clock = system_clock

    def __call__(self) -> int:
        return self.now()


def follow(clock: Clock, shared: Clock | None) -> None:
    """Have an `AppClock` show the time that all machines share, if there is one; a clock that was given stays."""
    if isinstance(clock, AppClock) and shared is not None:
        clock.now = shared
