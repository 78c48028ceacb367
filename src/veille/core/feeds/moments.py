"""Dates in feeds: the two common formats fast, all others by feedparser."""

from __future__ import annotations

import re
from calendar import timegm
from typing import Any

import ciso8601
from feedparser.datetimes import _parse_date

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})")
_MAIL = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} (?:GMT|[+-][0-9]{4})")
_DAYS = frozenset("Mon Tue Wed Thu Fri Sat Sun".split())
_MONTHS = {name: f"{n:02}" for n, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
#: No date is longer; the patterns for the odd formats are not made for more.
_MAX_LENGTH = 100


def moment(text: str) -> int | None:
    """Milliseconds since 1970, in whole seconds as in feedparser; None if it is not a date.

    >>> moment("Thu, 01 Jan 2026 00:00:00 +0100") == moment("2025-12-31T23:00:00Z")
    True
    """
    try:
        if _ISO.fullmatch(text):
            return int(ciso8601.parse_datetime(text).timestamp() // 1) * 1000
        if _MAIL.fullmatch(text) and text[:3] in _DAYS:
            zone = "Z" if text[26] == "G" else text[26:]
            written = f"{text[12:16]}-{_MONTHS[text[8:11]]}-{text[5:7]}T{text[17:25]}{zone}"
            return int(ciso8601.parse_datetime(written).timestamp()) * 1000
    except (ValueError, KeyError):  # a 32nd of January; feedparser may still parse it
        pass
    try:
        return at_of(_parse_date(text)) if 0 < len(text) <= _MAX_LENGTH else None
    except (ValueError, TypeError, IndexError, ArithmeticError):
        return None


def at_of(parts: Any) -> int | None:
    """Milliseconds since 1970 of a date as feedparser gives it; None if there is none."""
    try:
        return timegm(parts) * 1000 if parts else None
    except (ValueError, TypeError, OverflowError):
        return None
