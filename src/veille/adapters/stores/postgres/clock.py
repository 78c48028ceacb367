"""The clock of the database, for all machines: theirs may differ."""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

#: How often it is compared.
_EVERY_S = 20.0
#: By how much a machine's clock may run faster or slower than the database's: worse than any quartz.
_DRIFT = 0.000_2
#: A comparison that may be wrong by more is made again, so often at most.
_GOOD_MS, _TRIES = 5.0, 4
_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
#: Goes on while the machine sleeps, and nobody can set it.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class _Sample(NamedTuple):
    """One comparison: what is added to our steady clock, when it was made, and how wrong it may be at most."""

    offset_ms: float
    at_s: float
    error_ms: float

    def error_by(self, at_s: float) -> float:
        return self.error_ms + (at_s - self.at_s) * 1000 * _DRIFT


class DatabaseClock:
    """Milliseconds since 1970 as the database has them. Asking never waits: it is compared beside, now and then.

    Right to half of a round trip; between two comparisons the machine's own steady clock goes on.
    """

    def __init__(self, first: Connection, borrow: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._borrow = borrow
        self._best = _compared(first)
        self._tried_s = _steady()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        now_s = _steady()
        if now_s - self._tried_s > _EVERY_S:
            self._compare_beside(now_s)
        return round(now_s * 1000 + self._best.offset_ms)

    def compare(self) -> None:
        """Compare it now; while the server cannot be reached, it goes on as before."""
        try:
            with self._borrow() as connection:
                sample = _compared(connection)
        except StoreError:
            return
        if sample.error_ms <= self._best.error_by(sample.at_s):
            self._best = sample

    def _compare_beside(self, now_s: float) -> None:
        with self._lock:
            if now_s - self._tried_s <= _EVERY_S:
                return
            self._tried_s = now_s
        threading.Thread(target=self.compare, name="veille-clock", daemon=True).start()


def _steady() -> float:
    return time.clock_gettime(_STEADY)


def _compared(connection: Connection) -> _Sample:
    """The best of a few comparisons: on a busy machine one of them may take long."""
    best = _once(connection)
    for _ in range(_TRIES):
        if best.error_ms <= _GOOD_MS:
            break
        best = min(best, _once(connection), key=lambda one: one.error_ms)
    return best


def _once(connection: Connection) -> _Sample:
    sent_s = _steady()
    row = connection.execute(_NOW).fetchone()
    came_s = _steady()
    theirs = float(row[0]) if row else 0.0
    return _Sample(theirs - (sent_s + came_s) * 500, came_s, (came_s - sent_s) * 500)
