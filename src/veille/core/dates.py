"""Dates of feeds and pages, as milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import ciso8601

from veille.errors import ConfigError

#: Earlier dates in feeds and pages are placeholders ("1970-01-01"), not publication dates; so are those in the year
#: 9999 ("9999-12-31"), which would overflow in some time zones.
_EARLIEST, _LATEST = (round(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000) for year in (1990, 9999))


def parse_date(text: str) -> int | None:
    """The time of an ISO 8601 or RFC 822 date (UTC if it has no zone), or None."""
    text = text.strip()
    try:
        moment: datetime | None = ciso8601.parse_datetime(text)
    except ValueError:
        moment = mail_date(text)
    return None if moment is None else plausible(round(_zoned(moment).timestamp() * 1000))


def wanted_date(text: str) -> int | None:
    """The time that a user wrote, None for no text; ConfigError if it is none."""
    found = parse_date(text) if text else None
    if text and found is None:
        raise ConfigError(f"{text!r} is no date; write it as 2026-05-01T00:00:00Z.", code="bad_date")
    return found


def plausible(at: int | None) -> int | None:
    """The time, if it is plausible as a publication date; else None."""
    return at if at is not None and _EARLIEST <= at < _LATEST else None


def iso(at: int) -> str:
    """Format a time as ISO 8601: UTC, to the second.

    >>> iso(1_771_943_400_000)
    '2026-02-24T14:30:00Z'
    """
    return datetime.fromtimestamp(at // 1000, UTC).isoformat().replace("+00:00", "Z")


def iso_or_none(at: int | None) -> str | None:
    """The same for a time that may be unknown."""
    return None if at is None else iso(at)


def mail_date(text: str) -> datetime | None:
    """The time of an RFC 822 date, as in mails and HTTP headers (UTC if it has no zone), or None."""
    try:
        return _zoned(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _zoned(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
