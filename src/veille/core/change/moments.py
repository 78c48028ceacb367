"""The time of loading, as pages show it: today's date, the time, "3 hours ago".

A date in a page is the time of loading only if it moves with it: in two fetches a day apart, it must differ by a day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from veille.core.schedule import DAY, HOUR, MINUTE

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_DAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_DATE = re.compile(
    rf"\b{_DAY}(?:"
    r"(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})"
    r"|(?P<d2>\d{1,2})[./-](?P<m2>\d{1,2})[./-](?P<y2>\d{4})"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+{_MONTH.format('m3')}\.?,?\s+(?P<y3>\d{{4}})"
    rf"|{_MONTH.format('m4')}\.?\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y4>\d{{4}})"
    rf")(?:(?:T|,?\s+(?:at\s+)?)(?P<clock>{_CLOCK}))?",
    re.IGNORECASE,
)
_UNITS = (
    r"(?:s|m|h|d|w|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)\s+ago",
    r"(?:sekunden?|minuten?|stunden?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)",
    r"(?:secondes?|minutes?|heures?|jours?|semaines?|mois|ans?)",
    r"(?:segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?)",
)
_AGO = re.compile(
    rf"\b(?:(?:(?:about|over|almost)\s+)?(?:\d+|an?|one|a few)\s*{_UNITS[0]}|just now|"
    rf"vor\s+(?:\d+|einer?|einem)\s+{_UNITS[1]}|il y a\s+(?:\d+|une?)\s+{_UNITS[2]}|"
    rf"hace\s+(?:\d+|una?)\s+{_UNITS[3]})\b",
    re.IGNORECASE,
)
_TIME = re.compile(rf"\b{_CLOCK}", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
#: Every moment contains a digit or one of these words. Most lines have neither, and skip the slower patterns.
_HINTS = ("ago", "just now", "vor", "il y a", "hace")
_NUMBER = re.compile(r"\d+")
#: Prefixes of the names of a time unit, and its length.
_LENGTHS = (
    (("sec", "sek", "seg", "s"), 1000),
    (("min", "m"), MINUTE),
    (("hour", "hr", "heure", "hora", "stund", "h"), HOUR),
    (("day", "jour", "día", "tag", "d"), DAY),
    (("week", "wo", "semai", "seman", "w"), 7 * DAY),
    (("month", "monat", "mois", "mes"), 30 * DAY),
    (("year", "jahr", "an", "año"), 365 * DAY),
)
#: The maximum distance of such a date from the time of loading: time zones differ.
_NEAR = DAY + 14 * HOUR
#: Tolerance between the difference of two shown times and that of the two fetches.
_DRIFT = 3 * MINUTE
_SIGN = "\x00"
_MOST_DIGITS = 9
#: Longer lines are not searched: a megabyte takes a second, and every line is searched several times.
_MOST_LETTERS = 20_000


@dataclass(frozen=True, slots=True)
class _Moment:
    """A time in a page: a date, a date with a time, a time of day, or how long ago."""

    kind: str
    value: int
    #: Its precision, in milliseconds.
    grain: int


def moves_along(old: str, old_at: int, new: str, new_at: int) -> bool:
    """Whether two lines differ only in moments, by as much as the times of the two fetches."""
    old_frame, old_moments = _read(old)
    new_frame, new_moments = _read(new)
    if not old_moments or old_frame != new_frame:
        return False
    passed = new_at - old_at
    pairs = zip(old_moments, new_moments, strict=True)
    return all(_agree(one, old_at, other, new_at, passed) for one, other in pairs)


def frame_of(line: str) -> str:
    """The line with a placeholder for every moment; `moves_along` is false for lines with different frames."""
    return _read(line)[0]


def _agree(old: _Moment, old_at: int, new: _Moment, new_at: int, passed: int) -> bool:
    if old.kind != new.kind:
        return False
    if old.kind == "ago":
        # Both refer to the same event, rounded to their units.
        return abs((new_at - new.value) - (old_at - old.value)) <= old.grain + new.grain
    moved = new.value - old.value
    if old.kind == "clock":
        away = abs(moved - passed) % DAY
        return min(away, DAY - away) <= _DRIFT
    if max(abs(old.value - old_at), abs(new.value - new_at)) > _NEAR:
        return moved == 0
    return abs(moved - passed) < max(old.grain, _DRIFT)


def _read(line: str) -> tuple[str, list[_Moment]]:
    if len(line) > _MOST_LETTERS or not _may_have_moments(line):
        return line, []
    found: list[_Moment] = []

    def note(moment: _Moment | None, text: str) -> str:
        if moment is None:
            return text
        found.append(moment)
        return _SIGN

    line = _DATE.sub(lambda match: note(_date(match), match[0]), line)
    line = _AGO.sub(lambda match: note(_ago(match[0]), match[0]), line)
    return _TIME.sub(lambda match: note(_clock(match[0]), match[0]), line), found


def _may_have_moments(line: str) -> bool:
    if _DIGIT.search(line):
        return True
    folded = line.casefold()
    return any(hint in folded for hint in _HINTS)


def _date(match: re.Match[str]) -> _Moment | None:
    found = {name[0]: value for name, value in match.groupdict().items() if value and name != "clock"}
    month = found["m"].lower()[:3]
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
    try:
        day = datetime(int(found["y"]), number, int(found["d"]), tzinfo=UTC)
    except ValueError:
        return None
    at = round(day.timestamp() * 1000)
    clock = _clock(match["clock"]) if match["clock"] else None
    return _Moment("date", at + DAY // 2, DAY) if clock is None else _Moment("moment", at + clock.value, _DRIFT)


def _clock(text: str) -> _Moment | None:
    hours, minutes, *_ = map(int, _NUMBER.findall(text)[:2])
    lowered = text.lower()
    hours += 12 if "p" in lowered and hours < 12 else -12 if "a" in lowered and hours == 12 else 0  # noqa: PLR2004
    return _Moment("clock", hours * HOUR + minutes * MINUTE, MINUTE)


def _ago(text: str) -> _Moment:
    number = _NUMBER.search(text)
    words = text.lower().replace("il y a", "").removesuffix("ago").split()
    unit = _NUMBER.sub("", words[-1]) or words[-1]
    length = next((length for names, length in _LENGTHS if unit.startswith(names)), 0)
    # Python refuses to parse numbers with thousands of digits.
    return _Moment("ago", int(number[0][:_MOST_DIGITS]) * length if number else length, max(length, MINUTE))
