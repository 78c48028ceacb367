"""The time of the next check of a source: by its interval, its cron expression, or how often it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.change.cron import next_cron
from veille.core.feed_hints import Rhythm
from veille.core.http.caching import turn_length
from veille.core.schedule import MAX_INTERVAL, MIN_INTERVAL, MINUTE, RETRY_CAP, SPREAD, later, next_turn

if TYPE_CHECKING:
    from veille.core.models import Source

#: The pace of an adaptive source is at most this factor shorter or longer than its interval.
ADAPTS = 8
#: The maximum number of doublings of the interval of a dead link.
MOST_DOUBLINGS = 5
#: News halves the pace; about three checks without news double it again.
_QUIET = 1.25
#: Checks that cron sets for the same minute are spread over this time.
_CRON_SPREAD = MINUTE
#: For a request of every Nth check: N is at most this with a cron expression.
_MOST_MOMENTS = 400


def next_check(source: Source, now: int, seed: str, *, every: int = 1, max_age: int | None = None) -> int:
    """When to check again, at every Nth check if `every` is N; `max_age` says how long the answer is fresh.

    While a source is backed off, never sooner than its lengthened interval.
    """
    if source.cron:
        at = now + (source.interval_ms if is_backed_off(source) else 0)
        for _ in range(min(every, _MOST_MOMENTS)):
            at = next_cron(source.cron, at)
        return later(at, _CRON_SPREAD, seed)
    if source.pace_ms is None:
        length = turn_length(source.interval_ms, max_age)
    else:
        pace = max(source.pace_ms, source.interval_ms) if is_backed_off(source) else source.pace_ms
        return _adapted(source, now, seed, (pace, (max_age or 0) * 1000), every)
    return next_turn(length * every, now, seed)


def _adapted(source: Source, now: int, seed: str, asked: tuple[int, int], every: int) -> int:
    """At the adaptive pace, but not while the answer is fresh or the feed's hints exclude news; within bounds."""
    (pace, fresh), rhythm, longest = asked, source.rhythm or Rhythm(), bounds(source)[1]
    at = next_turn(max(pace, min(max(fresh, rhythm.every_ms), longest)) * every, now, seed)
    return max(at, min(rhythm.after(at), now + longest * every))


def latest_turn(source: Source, now: int, *, every: int, attempts: int) -> int:
    """The latest time that a request of the source can be due, whatever the answers were.

    A request with a later due time was scheduled while the clock was ahead.
    """
    turns = max(every, 1) << (MOST_DOUBLINGS if attempts else 0)
    if source.cron:
        turn = next_check(source, now, "", every=turns) + _CRON_SPREAD
    else:
        longest = max(turn_length(source.interval_ms, MAX_INTERVAL), bounds(source)[1] if source.pace_ms else 0)
        turn = now + round(longest * turns * (1 + SPREAD))
    # A server may ask for a long pause; and a request that is sent only once has no next check.
    return turn if every and not attempts else max(turn, now + RETRY_CAP + MINUTE)


def learned_pace(source: Source, *, told: bool) -> int | None:
    """The pace after a check with or without news; None for a source that does not adapt."""
    if source.pace_ms is None:
        return None
    lowest, highest = bounds(source)
    if source.checked_at is None:
        # At the first check everything is new; that does not show how often the source changes.
        return source.pace_ms
    # Pages that the last check linked to count, too: they were read after it.
    changed = told or (source.changed_at or 0) > source.checked_at
    wanted = source.pace_ms // 2 if changed else round(source.pace_ms * _QUIET)
    return min(max(wanted, lowest), highest)


def bounds(source: Source) -> tuple[int, int]:
    """The shortest and the longest pace of an adaptive source."""
    usual = source.original_interval_ms or source.interval_ms
    return max(usual // ADAPTS, MIN_INTERVAL), min(usual * ADAPTS, MAX_INTERVAL)


def is_backed_off(source: Source) -> bool:
    """Whether the source is checked less often because it fails."""
    return source.original_interval_ms is not None
