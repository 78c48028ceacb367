"""The moment a page was loaded, as pages write it: today's date, the time, "3 hours ago"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

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
    rf")(?:(?:T|,?\s+(?:at\s+)?){_CLOCK})?",
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
#: How far from the moment of loading a date may lie and still mean it: clocks and zones differ.
_NEAR = timedelta(days=1, hours=14)
#: The same for the minutes of a clock; its hours depend on the zone.
_NEAR_MINUTES = 3
NOW = "⏱"


def without_moments(line: str, at: int) -> str:
    """The line with a sign for every mention of the moment it was loaded, and of how long ago something was."""
    if not any(character.isdigit() for character in line) and "ago" not in line and "now" not in line:
        return line
    loaded = datetime.fromtimestamp(at / 1000, UTC)
    line = _DATE.sub(lambda match: NOW if _is_near(match, loaded) else match[0], line)
    line = _AGO.sub(NOW, line)
    return _TIME.sub(lambda match: NOW if _is_this_minute(match[0], loaded) else match[0], line)


def _is_near(match: re.Match[str], loaded: datetime) -> bool:
    found = {name[0]: value for name, value in match.groupdict().items() if value}
    month = found["m"].lower()[:3]
    try:
        day = datetime(
            int(found["y"]), _MONTHS.index(month) + 1 if month in _MONTHS else int(month), int(found["d"]), tzinfo=UTC
        )
    except ValueError:
        return False
    return abs(day + timedelta(hours=12) - loaded) <= _NEAR


def _is_this_minute(clock: str, loaded: datetime) -> bool:
    away = abs(int(clock.split(":")[1][:2]) - loaded.minute)
    return min(away, 60 - away) <= _NEAR_MINUTES
