"""When to check or retry: pure functions of what happened and the current time."""

from __future__ import annotations

import hashlib
import re

from veille.errors import ConfigError

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
#: No lease is this long; a longer one was taken while the clock was ahead.
LONGEST_LEASE = DAY

MIN_INTERVAL = MINUTE
MAX_INTERVAL = 7 * DAY

#: Failures in a row before a request waits for the next scheduled check (or, if it is a followed link, is given up).
MAX_ATTEMPTS = 5
RETRY_BASE = 30 * SECOND
RETRY_CAP = DAY
#: How soon a missing page is fetched again before it is reported as removed.
CONFIRM_AFTER = 10 * MINUTE
#: Jitter of scheduled checks, as a share of the interval, so that sources added together spread out.
SPREAD = 0.05
_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_PART = re.compile(
    r"(?<!\d)(\d{1,9})[ \t]*"
    r"(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|w)(?![^\W\d_])",
    re.IGNORECASE,
)
_LONGEST_DURATION = 60


def next_turn(interval_ms: int, now: int, seed: str) -> int:
    """The next scheduled check: one interval from now, plus a jitter that is deterministic per seed."""
    return later(now + interval_ms, round(interval_ms * SPREAD), seed)


def later(at: int, most: int, seed: str) -> int:
    """A time delayed by up to `most`, deterministic per seed."""
    return at + round(most * _share(seed))


def retry_at(attempts: int, now: int, seed: str, retry_after: int | None = None) -> int:
    """When to retry after `attempts` failures: exponential back-off with full jitter, or what the server asked for."""
    if retry_after is not None:
        return now + min(max(retry_after * SECOND, RETRY_BASE), RETRY_CAP)
    ceiling = min(RETRY_BASE << min(attempts, 20), RETRY_CAP)
    # Never immediately: a retry within the same second only repeats the failure.
    return now + SECOND + round(ceiling * _share(f"{seed}:{attempts}"))


def _share(seed: str) -> float:
    """A number from 0 to 1, uniform over seeds: jitter without a random source, so that plans are reproducible."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big") / 0xFFFF_FFFF


def duration_text(span_ms: int) -> str:
    """Format a duration in the largest unit that fits.

    >>> duration_text(7_200_000), duration_text(90_000)
    ('2h', '90s')
    """
    units = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}
    unit = next((name for name, length in units.items() if span_ms >= length and span_ms % length == 0), "s")
    return f"{span_ms // units[unit]}{unit}"


def duration_ms(text: str) -> int:
    """Parse a duration: 90s, 15m, 15 min, 2 hours, 1d, 1w, 1h30m.

    >>> duration_ms("2h"), duration_ms("15min"), duration_ms("1 hour 30 minutes")
    (7200000, 900000, 5400000)
    """
    parts = [] if len(text) > _LONGEST_DURATION else _PART.findall(text)
    if not parts or _PART.sub("", text).strip(" ,\t"):
        raise ConfigError(
            f"{text[:_LONGEST_DURATION]!r} is not a span of time; write it as 15min, 2h, 1 day or 1h30m.",
            code="bad_interval",
        )
    return sum(int(number) * _UNITS[unit[:1].lower()] for number, unit in parts)
