"""Numbers, shares, sums of money, spans of time, times of day and time zones, as they are written in rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from veille.core.rules.phrase import Phrase
from veille.core.rules.tokens import TokenKind
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.core.values.currencies import CODES, CURRENCY
from veille.core.values.numbers import read_figure

#: A currency or another unit.
_WRITTEN: Final = r"[^\W\d_]{0,3}[€$£¥₹₽₩₺₴₪฿₫₱₦]|[%‰]|°[CcFf]|[^\W\d_]{1,2}/[hs]|[^\W\d_]{1,12}[²³]?"
_NUMBER: Final = re.compile(
    rf"(?P<before>{_WRITTEN})?(?P<number>[-−+]?\d+(?:[.,'_]\d+)*)(?P<after>{_WRITTEN})?"  # noqa: RUF001 - people write it
)
_CODE: Final = re.compile(_WRITTEN)
_SPANS: Final = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), MINUTE),
    **dict.fromkeys(("h", "hour", "hours"), HOUR),
    **dict.fromkeys(("d", "day", "days"), DAY),
    **dict.fromkeys(("w", "week", "weeks"), 7 * DAY),
    **dict.fromkeys(("month", "months"), 30 * DAY),
    **dict.fromkeys(("year", "years"), 365 * DAY),
}
_CLOCK: Final = re.compile(r"([01]?\d|2[0-4])(?:[:.h]([0-5]\d))?")
#: Thousands, or thousandths.
_UNCLEAR: Final = re.compile(r"[-−+]?[1-9]\d{0,2}([.,])\d{3}")  # noqa: RUF001
_MOST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, with its unit if it has one, as values have it: `EUR`, `GB`, or %."""

    number: Decimal
    unit: str = ""

    @property
    def is_share(self) -> bool:
        return self.unit == "%"


def amount(phrase: Phrase) -> Amount | None:
    """The next number with its unit: `12`, `12.50 EUR`, `€12`, `10%`, `10 percent`, `10k`."""
    at = phrase.at
    before = ""
    if (ahead := _word(phrase)) and _CODE.fullmatch(ahead):
        before, phrase.at = ahead, at + 1
    match = _NUMBER.fullmatch(_word(phrase))
    if match is None:
        phrase.at = at
        phrase.misses.note(at, what="a number")
        return None
    phrase.at += 1
    unit = before or match["before"] or match["after"] or _unit_after(phrase)
    number = _number(match["number"], phrase, unit)
    if unit == "%":
        return Amount(number, unit)
    # Written as values have them, so that the same readers know their units, and k and million.
    unit = unit.upper() if unit.upper() in CODES else unit
    known = read_figure(f"{number:f}{' ' * (not match['after'])}{unit}", "en", "")
    if known is not None and (known.unit or known.number != number):
        return Amount(known.number, known.unit)
    return Amount(number, unit)


def _word(phrase: Phrase) -> str:
    """The next word as it was written; empty if none is next."""
    token = phrase.next
    return phrase.line[token.start : token.end] if token is not None and token.kind is TokenKind.WORD else ""


def _unit_after(phrase: Phrase) -> str:
    if phrase.take("%", "percent", "per cent"):
        return "%"
    ahead = phrase.next
    if ahead is None or ahead.kind is not TokenKind.WORD or not _CODE.fullmatch(ahead.text):
        return ""
    # A unit ends what is compared: other words belong to the condition.
    following = phrase.parts[phrase.at + 1 : phrase.at + 2]
    if following and following[0].text != "and":
        return ""
    written = _word(phrase)
    phrase.at += 1
    return written


def _number(written: str, phrase: Phrase, unit: str = "") -> Decimal:
    unclear = _UNCLEAR.fullmatch(written)
    # Nobody writes thousandths of a price.
    if unclear and (unclear[1] == "," or CURRENCY.fullmatch(unit) or unit.upper() in CODES):
        phrase.fail("This number can be read in two ways. Write 1299 or 1.30, not 1.299 or 1,299.")
    digits = written.replace("_", "")
    figure = read_figure(digits, "en")
    if figure is None or figure.end < len(digits):
        phrase.fail("This is no number. Write it with one point, like 1299.50.")
    return figure.number


def whole(phrase: Phrase) -> int | None:
    """The next number, which must be a whole one of at least 1."""
    token = phrase.next
    if token is None or not _NUMBER.fullmatch(token.text):
        phrase.misses.note(phrase.at, what="a number")
        return None
    phrase.at += 1
    if not token.text.isdecimal() or not 1 <= int(token.text) <= _MOST:
        phrase.fail("A whole number of at least 1 is needed here.")
    return int(token.text)


def span(phrase: Phrase) -> int | None:
    """The next span of time in milliseconds: `3 days`, `72h`, `a week`."""
    if phrase.take("a", "an", "one", "the last"):
        number = Decimal(1)
    else:
        token = phrase.next
        match = _NUMBER.fullmatch(token.text) if token is not None and token.kind is TokenKind.WORD else None
        if match is None or match["before"]:
            phrase.misses.note(phrase.at, what="a span of time, like 3 days or 72h")
            return None
        phrase.at += 1
        number = _number(match["number"], phrase)
        if match["after"]:
            return _length(number, match["after"], phrase)
    unit = phrase.take(*_SPANS, what="minutes, hours, days or weeks")
    return _length(number, unit, phrase) if unit else None


def _length(number: Decimal, unit: str, phrase: Phrase) -> int:
    if unit not in _SPANS:
        phrase.fail("This is no span of time. Write minutes, hours, days or weeks: 3 days, 72h.")
    found = number * _SPANS[unit]
    if not MINUTE <= found <= 3650 * DAY:
        phrase.fail("A span of time is between one minute and ten years.")
    return int(found)


def days(phrase: Phrase) -> int | None:
    """The next span of time in whole days."""
    found = span(phrase)
    if found is not None and (found < DAY or found % DAY):
        phrase.fail("Whole days are needed here, like 30 days or 2 weeks.")
    return None if found is None else found // DAY


def clock(phrase: Phrase) -> int | None:
    """The next time of day in minutes: `08:00`."""
    token = phrase.next
    match = _CLOCK.fullmatch(token.text) if token is not None and token.kind is TokenKind.WORD else None
    if match is None:
        phrase.misses.note(phrase.at, what="a time of day, like 08:00")
        return None
    phrase.at += 1
    found = int(match[1]) * 60 + int(match[2] or 0)
    if found > DAY // MINUTE:
        phrase.fail("A day ends at 24:00.")
    return found


def zone(phrase: Phrase) -> str:
    """The name of the time zone that follows, as the data base of time zones has it; UTC if there is none."""
    token = phrase.next
    if token is None:
        return "UTC"
    phrase.take("in")
    phrase.at += 1
    token = phrase.parts[min(phrase.at, len(phrase.parts)) - 1]
    written = phrase.line[token.start : token.end]
    try:
        zone_named(written)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        phrase.fail("There is no such time zone. Write it as Europe/Paris or UTC.", token)
    return written


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """The time zone of a name that was checked."""
    # UTC works on machines without a time zone database, too.
    return UTC if name.upper() == "UTC" else ZoneInfo(name)
