"""Dates as feeds write them: the two usual spellings quickly, all others as feedparser reads them."""

from __future__ import annotations

import re
from calendar import timegm
from datetime import UTC, datetime

import ciso8601
from feedparser.datetimes import _parse_date

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})")
_MAIL = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?([0-9]{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([0-9]{4}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) (?:GMT|Z|([+-])([0-9]{2})([0-9]{2}))"
)
_MONTHS = {name: n for n, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
#: No date is longer; the patterns behind the odd spellings are not made for more.
_MAX_LENGTH = 100


def moment(text: str) -> int | None:
    """Milliseconds since 1970, in whole seconds as feedparser counts; None when it is no date.

    >>> moment("Thu, 01 Jan 2026 00:00:00 +0100") == moment("2025-12-31T23:00:00Z")
    True
    """
    try:
        if _ISO.fullmatch(text):
            return int(ciso8601.parse_datetime(text).timestamp() // 1) * 1000
        if found := _MAIL.fullmatch(text):
            return _mail(found)
    except ValueError:  # a 32nd of January; feedparser may still make something of it
        pass
    if not text or len(text) > _MAX_LENGTH:
        return None
    try:
        parts = _parse_date(text)
        return timegm(parts) * 1000 if parts else None
    except (ValueError, TypeError, IndexError, OverflowError, ArithmeticError):
        return None


def _mail(found: re.Match[str]) -> int:
    day, month, year, hour, minute, second, sign, zone_hours, zone_minutes = found.groups()
    at = datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), tzinfo=UTC).timestamp()
    offset = 3600 * int(zone_hours) + 60 * int(zone_minutes) if sign else 0
    return int(at + offset if sign == "-" else at - offset) * 1000
