"""Dates as they come in feeds and pages, as milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import ciso8601

#: Older dates in feeds and pages are placeholders ("1970-01-01"), not publications; so are those at the end of all
#: dates ("9999-12-31"), which may be beyond it elsewhere in the world.
_EARLIEST, _LATEST = (round(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000) for year in (1990, 9999))


def parse_date(text: str) -> int | None:
    """The moment an ISO 8601 or RFC 822 date names (UTC when it names no zone), or None."""
    text = text.strip()
    moment = _iso(text) or _mail(text)
    if moment is None:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return plausible(round(moment.timestamp() * 1000))


def plausible(at: int | None) -> int | None:
    """The moment, if something may have been published then."""
    return at if at is not None and _EARLIEST <= at < _LATEST else None


def iso(at: int) -> str:
    """A moment as people and other programs read it: UTC, seconds.

    >>> iso(1_771_943_400_000)
    '2026-02-24T14:30:00Z'
    """
    return datetime.fromtimestamp(at // 1000, UTC).isoformat().replace("+00:00", "Z")


def _iso(text: str) -> datetime | None:
    try:
        return ciso8601.parse_datetime(text)
    except ValueError:
        return None


def _mail(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
