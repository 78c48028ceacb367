"""Publishing hints of a feed: `ttl`, `sy:updatePeriod`, `skipHours` and `skipDays`.

They are the publisher's hints, so they only make checks rarer, never more frequent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from veille.core.schedule import DAY, HOUR, MAX_INTERVAL, MINUTE

#: The hints come before the entries, near the beginning.
_HEAD_BYTES = 64 * 1024
_ENTRY = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_TTL = re.compile(r"<ttl>\s*(\d{1,9})\s*</ttl>", re.IGNORECASE)
_PERIOD = re.compile(r"<\w+:updatePeriod>\s*(\w+)\s*<", re.IGNORECASE)
_FREQUENCY = re.compile(r"<\w+:updateFrequency>\s*(\d{1,9})\s*<", re.IGNORECASE)
_HOURS = re.compile(r"<skipHours>(.{0,4000}?)</skipHours>", re.IGNORECASE | re.DOTALL)
_HOUR = re.compile(r"<hour>\s*(\d{1,2})\s*</hour>", re.IGNORECASE)
_SKIPPED_DAYS = re.compile(r"<skipDays>(.{0,2000}?)</skipDays>", re.IGNORECASE | re.DOTALL)
_DAY = re.compile(r"<day>\s*([a-z]{3})[a-z]*\s*</day>", re.IGNORECASE)
_PERIODS = {"hourly": HOUR, "daily": DAY, "weekly": 7 * DAY, "monthly": 30 * DAY, "yearly": 365 * DAY}
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS_A_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often to check a feed, and at which hours and days not to, in UTC; Monday is 0."""

    every_ms: int = 0
    hours: tuple[int, ...] = ()
    days: tuple[int, ...] = ()

    def after(self, at: int) -> int:
        """The first time, in whole hours from `at`, that is not skipped; `at` itself if the feed skips everything."""
        return next((moment for moment in range(at, at + 7 * DAY, HOUR) if self._is_open(moment)), at)

    def _is_open(self, at: int) -> bool:
        moment = datetime.fromtimestamp(at / 1000, UTC)
        return moment.hour not in self.hours and moment.weekday() not in self.days


def rhythm_of(body: bytes) -> Rhythm:
    """The hints of the feed in these bytes; an empty Rhythm if it gives none."""
    head = body[:_HEAD_BYTES]
    first = _ENTRY.search(head)
    text = head[: first.start() if first else None].decode("latin-1")
    ttl = _TTL.search(text)
    skipped = _DAY.findall(_inside(_SKIPPED_DAYS, text).lower())
    return Rhythm(
        every_ms=min(max(int(ttl[1]) * MINUTE if ttl else 0, _period(text)), MAX_INTERVAL),
        # Older versions of RSS count hours from 1 to 24.
        hours=tuple(sorted({int(hour) % _HOURS_A_DAY for hour in _HOUR.findall(_inside(_HOURS, text))})),
        days=tuple(number for number, day in enumerate(_WEEK) if day in skipped),
    )


def _period(text: str) -> int:
    found, times = _PERIOD.search(text), _FREQUENCY.search(text)
    length = _PERIODS.get(found[1].lower(), 0) if found else 0
    return length // max(int(times[1]) if times else 1, 1)


def _inside(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""
