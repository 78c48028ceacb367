"""Dates of feeds and pages, as milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import ciso8601

from veille.errors import ConfigError

#: Earlier dates in feeds and pages are placeholders ("1970-01-01"), not publication dates; so are those in the year
#: 9999 ("9999-12-31"), which would overflow in some time zones.
_EARLIEST, _LATEST = (round(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000) for year in (1990, 9999))

#: The months in English, German, French, Spanish, Italian, Portuguese, Dutch and the Nordic languages, in full and as
#: their first three or four letters.
_MONTHS: Final = {
    name[:length]: number
    for number, names in enumerate(
        (
            "january januar janvier enero gennaio janeiro januari",
            "february februar février febrero febbraio fevereiro februari",
            "march märz mars marzo março maart",
            "april avril abril aprile",
            "may mai mayo maggio maio mei maj",
            "june juni juin junio giugno junho",
            "july juli juillet julio luglio julho",
            "august août agosto augustus augusti",
            "september septembre septiembre settembre setembro",
            "october oktober octobre octubre ottobre outubro",
            "november novembre noviembre novembro",
            "december dezember décembre diciembre dicembre dezembro desember",
        ),
        1,
    )
    for name in names.split()
    for length in (3, 4, len(name))
}
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
#: Dates as people write them; numbers between slashes are left out, as nobody can tell which is the month.
_WRITTEN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_YEAR}[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)\b",
        rf"{_YEAR}\s?[年년]\s?(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日일]",
        r"\b(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>(?:(?:19|20)\d\d|\d\d))\b",
        rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er|º|\.)?\s(?:de\s)?(?P<month>[^\W\d_]{{3,10}})\.?,?\s(?:de[l]?\s)?{_YEAR}\b",
        rf"\b(?P<month>[^\W\d_]{{3,10}})\.?\s(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s{_YEAR}",
    )
)
_CLOCK: Final = re.compile(r"\b([01]?\d|2[0-3])[:.h]([0-5]\d)\b")
#: A time of day this many characters after a date belongs to it.
_CLOCK_NEAR: Final = 16


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


def written_date(text: str) -> int | None:
    """The first date in a line of text as people write it, with its time of day if that follows; else None.

    >>> iso(written_date("Do 25.04.24 | 14:07 Uhr") or 0)
    '2024-04-25T14:07:00Z'
    >>> iso(written_date("Published on May 3rd, 2024") or 0)
    '2024-05-03T00:00:00Z'
    """
    for pattern in _WRITTEN:
        match = pattern.search(text)
        at = _moment_of(match, text) if match else None
        if at is not None:
            return at
    return None


def before_date(text: str) -> str:
    """The text before the first date in it, or all of it.

    >>> before_date("Nathan Willis March 25, 2015")
    'Nathan Willis'
    """
    starts = [match.start() for pattern in _WRITTEN if (match := pattern.search(text)) and _moment_of(match, text)]
    return text[: min(starts, default=len(text))].strip()


def _moment_of(match: re.Match[str], text: str) -> int | None:
    found = match.groupdict()
    month = found["month"]
    number = int(month) if month.isdecimal() else _MONTHS.get(month.lower(), 0)
    year = int(found["year"]) + (2000 if len(found["year"]) < len("2000") else 0)
    clock = _CLOCK.search(text, match.end(), match.end() + _CLOCK_NEAR)
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (0, 0)
    try:
        moment = datetime(year, number, int(found["day"]), hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return plausible(round(moment.timestamp() * 1000))


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
