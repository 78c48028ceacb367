"""Rate limits in the memory of one process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MINUTE_S = 60.0


@dataclass
class LocalCallLimits:
    """The port `CallLimits`, as token buckets."""

    clock: Callable[[], float] = time.monotonic
    _seen: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str, per_minute: int) -> float:
        now = self.clock()
        left, at = self._seen.get(name, (float(per_minute), now))
        left = min(per_minute, left + (now - at) * per_minute / MINUTE_S)
        self._forget(now)
        if left < 1:
            self._seen[name] = (left, now)
            return (1 - left) * MINUTE_S / per_minute
        self._seen[name] = (left - 1, now)
        return 0.0

    def _forget(self, now: float) -> None:
        """Drop entries older than a minute: their bucket is full again."""
        if len(self._seen) > 1000:  # noqa: PLR2004 - fewer entries cost no memory to speak of
            self._seen = {name: entry for name, entry in self._seen.items() if now - entry[1] < MINUTE_S}
