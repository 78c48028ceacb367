"""Attempts to deliver changes to a sink: their results, and when to retry."""

from __future__ import annotations

from dataclasses import dataclass

#: The first pause after a failure; each further one is twice as long.
FIRST_PAUSE_MS = 5_000
LONGEST_PAUSE_MS = 3_600_000
#: A sink may ask for a longer pause, up to this.
LONGEST_WISH_MS = 24 * 3_600_000
#: Attempts of each sink that are kept.
KEPT_HANDOVERS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """One attempt to deliver some changes to a sink. Without a code it succeeded.

    With a code and a retry time it failed; with a code only, the changes were skipped permanently.
    """

    sink: str
    at: int
    #: The numbers of the first and the last change, and how many there were.
    first: int
    last: int
    changes: int
    #: How many of them were new to the sink.
    delivered: int = 0
    #: Number of the attempt: 1, unless the ones before it failed.
    attempt: int = 1
    code: str = ""
    error: str = ""
    retry_at: int | None = None
    duration_ms: int = 0


def is_waiting(retry_at: int, now: int) -> bool:
    """Whether it is too early to retry; a time beyond the longest pause was set while the clock was ahead."""
    return now < retry_at <= now + LONGEST_WISH_MS


def next_try(now: int, attempt: int, share: float, wish_s: int | None) -> int:
    """When to retry after so many failed attempts; `share` (0 to 1) is jitter, so that not all retry at once.

    >>> [next_try(0, attempt, 1.0, None) for attempt in (1, 2, 3, 99)]
    [5000, 10000, 20000, 3600000]
    >>> next_try(0, 1, 0.0, None), next_try(0, 1, 0.0, 60)
    (2500, 60000)
    """
    pause: int = min(FIRST_PAUSE_MS * 2 ** min(attempt - 1, 20), LONGEST_PAUSE_MS)
    wish = min((wish_s or 0) * 1000, LONGEST_WISH_MS)
    return now + max(round(pause * (1 + share) / 2), wish)
