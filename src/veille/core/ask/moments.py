"""Times in a question: "since March", "as of 1 May 2026", "zwischen März und Mai", "la semaine dernière"."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from veille.core.search.snippets import folded


class TimeRelation(StrEnum):
    """How what is asked relates to a time."""

    #: What was so at that time.
    AT = "at"
    #: What became so after the beginning of that time.
    SINCE = "since"


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a question names: from `start` to before `end`, in milliseconds; and where the words for it are."""

    relation: TimeRelation
    start: int
    end: int
    place: tuple[int, int]
    #: Whether the question says outright that it means the state of a day ("as of").
    is_strict: bool = False


_Days = tuple[date, date]

_NAMES: Final = (
    "january januar janvier enero gennaio janeiro januari stycznia styczniu январ\\w* jan",
    "february februar fevrier febrero febbraio fevereiro februari lutego lutym феврал\\w* feb",
    "march marz mars marzo marco maart marca marcu март\\w* mar",
    "april avril abril aprile kwietnia kwietniu апрел\\w* apr",
    "may mai mayo maggio maio mei maja maju мая мае маи",
    "june juni juin junio giugno junho czerwca czerwcu июн\\w* jun",
    "july juli juillet julio luglio julho lipca lipcu июл\\w* jul",
    "august aout agosto augustus sierpnia sierpniu август\\w* aug",
    "september septembre septiembre settembre setembro wrzesnia wrzesniu сентябр\\w* sept sep",
    "october oktober octobre octubre ottobre outubro pazdziernika pazdzierniku октябр\\w* oct okt",
    "november novembre noviembre novembro listopada listopadzie ноябр\\w* nov",
    "december dezember decembre diciembre dicembre dezembro grudnia grudniu декабр\\w* dec dez",
)
_M: Final = f"(?:{'|'.join(name for names in _NAMES for name in names.split())})"
_Y: Final = r"(?:19|20)\d\d"
_OF: Final = r"(?:\s+(?:de|del|di|of|года?))?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th|er|\.|º|°)?"
#: A day, a month or a year, as people write it.
_DATE: Final = re.compile(
    rf"(?P<iso>{_Y}-\d\d?(?:-\d\d?)?)\b"
    rf"|(?P<dots>\d{{1,2}}[./]\d{{1,2}}[./](?:{_Y}))\b"
    rf"|(?P<dmy>{_DAY}{_OF}\s+{_M}\b\.?,?(?:{_OF}\s+{_Y})?)"
    rf"|(?P<mdy>{_M}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b,?(?:\s+{_Y})?)"
    rf"|(?P<my>{_M}\b\.?,?(?:{_OF}\s+{_Y})?)"
    rf"|(?P<year>{_Y})\b"
    r"|(?P<cjk>(?:19|20)\d\d年(?:\d\d?月)?(?:\d\d?日)?)"
)
_UNITS: Final = {
    "day": "days?|tag(?:e|en)?|jours?|dias?|giorn[io]|dagen|дн\\w+|день",
    "week": "weeks?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)|недел\\w+",
    "month": "months?|monat(?:e|en)?|mois|mes(?:es)?|mesi|maand(?:en)?|месяц\\w*",
    "year": "years?|jahr(?:e|en)?|an(?:s|nees?)?|ano?s?|ann[io]|jaar|jaren|год\\w*|лет",
}
_UNIT: Final = "|".join(f"(?P<u_{name}>{words})" for name, words in _UNITS.items())
_LAST: Final = (
    "last|past|previous|letzten?|letzte[rsm]?|vergangenen?|vorige[nrs]?|derniers?|dernieres?|ultim[oaie]s?|pasad[oa]s?|"
    "passad[oa]s?|scors[oai]|afgelopen|vorige|прошл\\w+|последн\\w+"
)
_NUMBER: Final = "\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_NUMBERS: Final = {
    word: at for at, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
} | {"twelve": 12}
#: Times relative to now; each with what it means.
_RELATIVE: Final = (
    (re.compile(r"\b(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren|вчера)\b"), "yesterday"),
    (re.compile(r"\b(?:today|heute|aujourd'hui|aujourd’hui|hoy|oggi|hoje|vandaag|сегодня)\b"), "today"),
    (re.compile(rf"\b(?P<n>{_NUMBER})\s+(?:{_UNIT})\s+ago\b"
                rf"|\bvor\s+(?P<n2>\d{{1,3}})\s+(?:{_UNIT.replace('u_', 'v_')})\b"
                rf"|\bil y a\s+(?P<n3>\d{{1,3}})\s+(?:{_UNIT.replace('u_', 'w_')})\b"
                rf"|\bhace\s+(?P<n4>\d{{1,3}})\s+(?:{_UNIT.replace('u_', 'x_')})\b"), "ago"),
    (re.compile(rf"\b(?:{_LAST})\s+(?P<n>{_NUMBER})\s+(?:{_UNIT})\b"), "last_n"),
    (re.compile(rf"\b(?:the\s+)?(?:{_LAST})\s+(?:{_UNIT})\b"), "last"),
    (re.compile(rf"\b(?:{_UNIT})\s+(?:{_LAST})\b"), "last"),
    (re.compile(rf"\b(?:this|diese[nrsm]?|cette|ce|est[ae]|quest[ao]|deze|dit|эт\w+)\s+(?:{_UNIT})\b"), "this"),
)  # fmt: skip
_SINCE: Final = r"since|seit|depuis|desde|dal(?:la|l')?|da|sinds|с|со|od|starting|beginning"
#: In some languages such words follow the date.
_SINCE_BEHIND: Final = re.compile(r"\s*(?:から|以来|以降|起|之后|以后)")
_AFTER: Final = r"after|nach|apres|despues del?|dopo|depois de|na|после"
_BEFORE: Final = r"before|prior to|vor|avant|antes del?|prima (?:di|del|dell')|antes d[eo]|voor|до|przed"
_UNTIL: Final = r"until|till|up to|bis(?: zum)?|jusqu'(?:au|a|en)|hasta|fino (?:a|al)|ate|tot"
_AS_OF: Final = (
    r"as of|as at|as on|stand(?: vom| am)?|zum stand|per|zum stichtag|en date du|a la date du|a fecha de|alla data del|"
    r"по состоянию на"
)
_ON: Final = (
    r"back in|on|in|during|at|by|am|im|in der|en|au|le|el|nel|nell'|in de|op|em|na|no|du|de|del|di|of|for|from|"
    r"в|во|на|за|w|um|zum"
)
_AND: Final = r"and|und|et|y|e|en|и|i"
_TO: Final = r"to|until|till|through|bis|a|au|al|ate|hasta|tot|до|по"
_BETWEEN: Final = r"between|zwischen|entre|tra|fra|tussen|между"
_FROM: Final = r"from|von|vom|du|de|desde|dal|da|van|с|от"
_EXPLICIT: Final = re.compile(r"\b(since|as[ -]?of|asof|at|before|until):\s?(\S+)")
_AGE: Final = re.compile(r"(\d{1,4})([hdwmy])$")
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_LEAD: Final = re.compile(
    rf"\b(?:(?P<between>{_BETWEEN})|(?P<asof>{_AS_OF})|(?P<since>{_SINCE})|(?P<after>{_AFTER})|(?P<before>{_BEFORE})"
    rf"|(?P<until>{_UNTIL})|(?P<on>{_ON}))(?:\s+(?:the|dem|den|der|the end of|le|la|el|il|mes de|mese di"
    rf"|mois de))?[\s:]+$"
)


def moments_of(text: str, now: int) -> list[Moment]:
    """The times that a question names, in order; words that only look like months are not."""
    return sorted(_found(folded(text), now), key=lambda one: one.place)


def _found(text: str, now: int) -> Iterator[Moment]:
    today = datetime.fromtimestamp(now / 1000, UTC).date()
    for match in _EXPLICIT.finditer(text):
        if moment := _explicit(match, now):
            yield moment
            text = _blanked(text, match.span())
    for pattern, name in _RELATIVE:
        for match in pattern.finditer(text):
            yield _led(text, match.start(), match.end(), _relative(name, match, today))
            text = _blanked(text, match.span())
    dates = [(match, days) for match in _DATE.finditer(text) if (days := _dated(match, today))]
    at = 0
    while at < len(dates):
        match, days = dates[at]
        following = dates[at + 1] if at + 1 < len(dates) else None
        if following and (begin := _range_start(text, match, following[0])) is not None:
            first = days[0] if days[0] < following[1][1] else days[0].replace(day=1, year=days[0].year - 1)
            yield _moment(TimeRelation.AT, (first, following[1][1]), (begin, following[0].end()))
            at += 2
            continue
        lead = _LEAD.search(text, max(0, match.start() - 30), match.start())
        if lead or match.lastgroup in {"iso", "dots", "dmy", "mdy", "cjk"} or re.search(_Y, match[0]):
            yield _led(text, match.start(), match.end(), days)
        at += 1


def _blanked(text: str, place: tuple[int, int]) -> str:
    return text[: place[0]] + " " * (place[1] - place[0]) + text[place[1] :]


def _led(text: str, start: int, end: int, days: _Days) -> Moment:
    """The moment with what the words before it say."""
    if behind := _SINCE_BEHIND.match(text, end):
        return _moment(TimeRelation.SINCE, (days[0], date.max), (start, behind.end()))
    lead = _LEAD.search(text, max(0, start - 30), start)
    if lead is None:
        return _moment(TimeRelation.AT, days, (start, end))
    place, day, kind = (lead.start(), end), timedelta(1), lead.lastgroup
    spans: dict[str | None, tuple[TimeRelation, _Days]] = {
        "since": (TimeRelation.SINCE, (days[0], date.max)),
        "after": (TimeRelation.SINCE, (days[1], date.max)),
        "before": (TimeRelation.AT, (days[0] - day, days[0])),
        "until": (TimeRelation.AT, (days[1] - day, days[1])),
    }
    relation, span = spans.get(kind, (TimeRelation.AT, days))
    return _moment(relation, span, place, is_strict=kind in {"before", "until", "asof"})


def _range_start(text: str, first: re.Match[str], second: re.Match[str]) -> int | None:
    """Where "between … and …" begins, if these two dates are of one."""
    gap = text[first.end() : second.start()].strip(" .,")
    for lead, link in ((_BETWEEN, _AND), (_FROM, _TO)):
        begin = re.search(rf"\b(?:{lead})\s+(?:the\s+|dem\s+|el\s+|le\s+)?$", text[: first.start()])
        if begin and re.fullmatch(rf"(?:{link})(?:\s+(?:the|dem|zum|el|le))?", gap):
            return begin.start()
    return None


def _moment(relation: TimeRelation, days: _Days, place: tuple[int, int], *, is_strict: bool = False) -> Moment:
    start, end = (_ms(day) for day in days)
    return Moment(relation, start, end, place, is_strict)


def _ms(day: date) -> int:
    if day == date.max:
        return 2**62
    return (datetime(day.year, day.month, day.day, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )


def _explicit(match: re.Match[str], now: int) -> Moment | None:
    """`since:2026-03`, `as of:2026-03-01`, `since:7d`."""
    is_since = match[1] == "since"
    relation = TimeRelation.SINCE if is_since else TimeRelation.AT
    if age := _AGE.fullmatch(match[2]):
        start = now - int(age[1]) * _HOURS[age[2]] * 3_600_000
        return Moment(relation, start, 2**62 if is_since else start + 1, match.span(), is_strict=True)
    found = _DATE.fullmatch(match[2])
    days = _dated(found, datetime.fromtimestamp(now / 1000, UTC).date()) if found else None
    if days is None:
        return None
    if match[1] == "before":
        days = (days[0] - timedelta(1), days[0])
    return _moment(relation, (days[0], date.max) if is_since else days, match.span(), is_strict=True)


def _dated(match: re.Match[str], today: date) -> _Days | None:
    """The days of a date in a text; a month without a year is the last one that has begun."""
    written, kind = match[0], match.lastgroup
    numbers = [int(number) for number in re.findall(r"\d+", written)]
    try:
        if kind in {"iso", "cjk", "year"}:
            return _span(*numbers)
        if kind == "dots":
            return _span(numbers[2], numbers[1], numbers[0])
        month = next(
            at for at, name in enumerate(_NAMES, 1) if re.search(rf"\b(?:{'|'.join(name.split())})\b", written)
        )
        years = [number for number in numbers if number > 31]  # noqa: PLR2004 - no day has a larger number
        year = years[0] if years else today.year - (month > today.month)
        days = [number for number in numbers if number <= 31]  # noqa: PLR2004 - as above
        if days and not years and date(year, month, days[0]) > today:
            year -= 1
        return _span(year, month, *days[:1])
    except (ValueError, StopIteration):
        return None


def _span(year: int, month: int = 0, day: int = 0) -> _Days:
    if day:
        first = date(year, month, day)
        return first, first + timedelta(1)
    if month:
        return date(year, month, 1), _next_month(date(year, month, 1))
    return date(year, 1, 1), date(year + 1, 1, 1)


def _next_month(first: date) -> date:
    return (first.replace(day=1) + timedelta(32)).replace(day=1)


def _relative(name: str, match: re.Match[str], today: date) -> _Days:
    if name in {"today", "yesterday"}:
        day = today - timedelta(name == "yesterday")
        return day, day + timedelta(1)
    groups = {key: value for key, value in match.groupdict().items() if value}
    unit = next(key[2:] for key in groups if key[1:2] == "_")
    said = next((value for key, value in groups.items() if key.startswith("n")), "1")
    count = int(said) if said.isdecimal() else _NUMBERS[said]
    if name == "ago":
        day = _back(today, unit, count)
        return day, day + timedelta(1)
    if name == "last_n":
        return _back(today, unit, count), today + timedelta(1)
    first = _UNIT_STARTS[unit](today)
    if name == "this":
        return first, today + timedelta(1)
    return _UNIT_STARTS[unit](first - timedelta(1)), first


def _back(today: date, unit: str, count: int) -> date:
    return today - timedelta({"day": 1, "week": 7, "month": 30, "year": 365}[unit] * count)


_UNIT_STARTS: Final[dict[str, Callable[[date], date]]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(day.weekday()),
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
