"""When a source is looked at next: by its interval, by the clock, or as often as it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.change.cron import next_cron
from veille.core.feeds.feed_hints import Rhythm
from veille.core.http.caching import turn_length
from veille.core.schedule import MAX_INTERVAL, MIN_INTERVAL, MINUTE, RETRY_CAP, SPREAD, later, next_turn

if TYPE_CHECKING:
    from veille.core.models import Source

#: An adaptive source is looked at up to so many times as often, or as seldom, as its interval says.
ADAPTS = 8
#: The longest pause between two looks at a dead link, in doublings of the ordinary one.
MOST_DOUBLINGS = 5
#: News halves the pace; it takes about three looks without news to lose what one with news won.
_QUIET = 1.25
#: Moments of the clock that many sources share are spread over this long.
_CRON_SPREAD = MINUTE
#: What is looked at every so-manieth turn only, waits for so many moments of the clock at most.
_MOST_MOMENTS = 400


def next_check(source: Source, now: int, seed: str, *, every: int = 1, max_age: int | None = None) -> int:
    """When to look again, if at every so-manieth turn only; the server may have said how long its answer is fresh.

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
    """As often as it changes, but not while server or feed say that there is nothing new; within bounds."""
    (pace, fresh), rhythm, longest = asked, source.rhythm or Rhythm(), bounds(source)[1]
    at = next_turn(max(pace, min(max(fresh, rhythm.every_ms), longest)) * every, now, seed)
    return max(at, min(rhythm.after(at), now + longest * every))


def latest_turn(source: Source, now: int, *, every: int, attempts: int) -> int:
    """The latest moment that a request of the source can have been put off to, whatever it was answered until now.

    What is due later was looked at while the clock was ahead.
    """
    turns = max(every, 1) << (MOST_DOUBLINGS if attempts else 0)
    if source.cron:
        turn = next_check(source, now, "", every=turns) + _CRON_SPREAD
    else:
        longest = max(turn_length(source.interval_ms, MAX_INTERVAL), bounds(source)[1] if source.pace_ms else 0)
        turn = now + round(longest * turns * (1 + SPREAD))
    # A server may ask for patience; and what is looked at once only has no turns.
    return turn if every and not attempts else max(turn, now + RETRY_CAP + MINUTE)


def learned_pace(source: Source, *, told: bool) -> int | None:
    """The pace after a look that brought news, or none; None for a source that does not adapt."""
    if source.pace_ms is None:
        return None
    lowest, highest = bounds(source)
    if source.checked_at is None:
        # At the first look everything is new; that says nothing about how often it changes.
        return source.pace_ms
    # Pages that were followed from the last look count, too: they came after it.
    changed = told or (source.changed_at or 0) > source.checked_at
    wanted = source.pace_ms // 2 if changed else round(source.pace_ms * _QUIET)
    return min(max(wanted, lowest), highest)


def bounds(source: Source) -> tuple[int, int]:
    """The shortest and the longest pace of an adaptive source."""
    usual = source.original_interval_ms or source.interval_ms
    return max(usual // ADAPTS, MIN_INTERVAL), min(usual * ADAPTS, MAX_INTERVAL)


def is_backed_off(source: Source) -> bool:
    """Whether it is looked at less often for now, because it fails."""
    return source.original_interval_ms is not None
