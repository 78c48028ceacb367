"""Days, months, seasons and other times as people name them: "1 May 2026", "a year ago", "Q1 2026", "letzten Montag"."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from veille.core.ask.month_days import month_spans
from veille.core.ask.month_names import MONTH, WEEKDAY, WEEKDAYS, YEAR, month_of, weekdays_of_dates, which_of
from veille.core.ask.time_amounts import AMOUNT, AND_A_HALF, amount_of

Days = tuple[date, date]


class Needs(StrEnum):
    """What must stand before words that can also mean something else, so that they are a time."""

    NOTHING = ""
    #: A word such as "in", "since" or "until".
    LEAD = "lead"
    #: A word such as "since": things are open "on Mondays".
    SINCE = "since"
    #: The word "since" itself, not "after": "after two weeks" may be said of any two weeks.
    ONLY_SINCE = "only since"


@dataclass(frozen=True, slots=True)
class NamedTime:
    """Some words for a time: from when to before when it was, in milliseconds, and where they are."""

    start: int
    end: int
    place: tuple[int, int]
    needs: Needs = Needs.NOTHING


_M, _Y = MONTH, YEAR
_OF: Final = r"(?:\s+(?:de|del|di|of|года?))?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th|er|\.|º|°)?"
#: A day, a month or a year, as people write it.
_DATE: Final = re.compile(
    rf"(?P<time>{_Y}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)(?!\w)"
    rf"|(?P<iso>{_Y}-\d\d?(?:-\d\d?)?)\b"
    rf"|(?P<dots>\d{{1,2}}[./]\d{{1,2}}[./](?:{_Y}))\b"
    rf"|(?P<dmy>{_DAY}{_OF}\s+{_M}\b\.?,?(?:{_OF}\s+{_Y})?)"
    rf"|(?P<mdy>{_M}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b,?(?:\s+{_Y})?)"
    rf"|(?P<my>{_M}\b\.?,?(?:{_OF}\s+{_Y})?)"
    rf"|(?P<year>{_Y})\b"
    r"|(?P<cjk>(?:19|20)\d\d年(?:\d\d?月)?(?:\d\d?日)?)"
)
_UNITS: Final = {
    "day": "days?|tag(?:e|en|s)?|jours?|dias?|giorn[io]|dagen|дн\\w+|день",
    "week": "weeks?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)|недел\\w+",
    "month": "months?|monat(?:e|en|s)?|mois|mes(?:es)?|mes[ei]|maand(?:en)?|месяц\\w*",
    "quarter": "quarters? of (?:a|the) year|quarters?|vierteljahr(?:e|en|es|s)?|quartal(?:e|en|s)?|trimestr[ei]s?",
    "year": "years?|jahr(?:e|en|es|s)?|an(?:s|nees?|no)?|ano?s?|ann[io]|jaar|jaren|год\\w*|лет",
}


def _unit(group: str = "u") -> str:
    return "(?:" + "|".join(f"(?P<{group}_{name}>{words})" for name, words in _UNITS.items()) + ")"


_LAST: Final = (
    "last|past|previous|letzten?|letzte[rsm]?|vergangenen?|vorige[nrs]?|derniers?|dernieres?|ultim[oaie]s?|pasad[oa]s?|"
    "passad[oa]s?|scors[oai]|afgelopen|vorige|прошл\\w+|последн\\w+"
)
_SEASONS: Final = (
    "spring fruhjahr fruhling printemps primavera lente весн\\w+",
    "summer sommer ete verano estate verao zomer лет\\w+",
    "autumn fall herbst automne otono autunno outono herfst осен\\w+",
    "winter hiver invierno inverno зим\\w+",
)
_ORDINALS: Final = (
    "q1 first 1st erste[nrs]? 1\\. premier 1er primer primo",
    "q2 second 2nd zweite[nrs]? 2\\. deuxieme 2e segundo secondo",
    "q3 third 3rd dritte[nrs]? 3\\. troisieme 3e tercer terzo",
    "q4 fourth 4th last vierte[nrs]? 4\\. quatrieme 4e cuarto quarto",
)


_THE: Final = r"(?:the |le |la |el |il |l['’] ?)?"
_START_OF: Final = r"(?:beginning|start|anfang|beginn|debut|inizio|principios?|comienzos?|inicio|begin|начал\w)"
_OF_THE: Final = r"(?:\s+(?:of|de|du|des|der|del|da|do|van|the|this|la|cette|ce|dieses|dieser|het|este|esta|этого)|\s+l['’]|\s+dell['’])*"
_SEASON: Final = "|".join(name for names in _SEASONS for name in names.split())
_ORDINAL: Final = "|".join(name for names in _ORDINALS for name in names.split())
#: Times relative to now or with names of their own; each with what it means, and what it needs.
_NAMED: Final = (
    (
        r"\b(?:(?:the )?day before yesterday|vorgestern|avant-?hier|anteayer|antier|l['’]altro ieri|altroieri|anteontem|eergisteren|позавчера)(?!\w)",
        "before_yesterday", Needs.NOTHING,
    ),
    (r"\b(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren|вчера)\b", "yesterday", Needs.NOTHING),
    (r"\b(?:today|heute|aujourd'hui|aujourd’hui|hoy|oggi|hoje|vandaag|сегодня)\b", "today", Needs.NOTHING),
    (rf"\b(?P<n>{AMOUNT})\s+{_unit()}{AND_A_HALF}\s+(?:ago|fa|geleden|atras|назад)\b", "ago", Needs.NOTHING),
    (rf"(?:\bvor|\bil y a|\bhace|\bha(?= (?:um|\d)))\s+(?P<n>{AMOUNT})\s+{_unit()}{AND_A_HALF}\b", "ago", Needs.NOTHING),
    (rf"\b{_unit()}\s+назад\b", "ago", Needs.NOTHING),
    (r"(?<!\w)(?P<n>пол)(?P<u_year>года)\s+назад\b", "ago", Needs.NOTHING),
    (rf"\b(?:{_LAST})\s+(?P<n>{AMOUNT})\s+{_unit()}{AND_A_HALF}\b", "last_n", Needs.NOTHING),
    (rf"\b(?P<n>(?!(?:an?|one)\b)(?:{AMOUNT}))\s+(?:{_LAST})\s+{_unit()}\b", "last_n", Needs.NOTHING),
    (
        rf"(?:\b{_THE}(?P<name>q[1-4]|(?:{_ORDINAL})\s+(?:quarter(?!\s*-?finals?)|quartal|trimestr[ei])))\b(?:(?:\s+(?:of|de|del|di))?\s*/?\s*(?P<year>{_Y})\b|(?=\W|$))",
        "quarter", Needs.NOTHING,
    ),
    (rf"\b(?:the\s+)?(?:{_LAST})\s+{_unit()}\b", "last", Needs.NOTHING),
    (rf"\b{_unit()}\s+(?:{_LAST})\b", "last", Needs.NOTHING),
    (rf"\b{_THE}{_START_OF}{_OF_THE}\s*{_unit()}\b", "begun", Needs.NOTHING),
    (r"\b(?P<u_year>jahres|neujahrs)(?:anfang|beginn)\b", "begun", Needs.NOTHING),
    (r"\b(?P<u_month>monats)(?:anfang|beginn)\b", "begun", Needs.NOTHING),
    (rf"\b(?:this|diese[nrsm]?|cette|ce|est[ae]|quest[ao]|deze|dit|эт\w+)\s+{_unit()}\b", "this", Needs.NOTHING),
    (rf"\b(?P<name>{_SEASON})(?:\s+(?:of|de|del|di))?\s+(?P<year>{_Y})(?:\s?/\s?\d\d(?:\d\d)?)?\b", "season", Needs.NOTHING),
    (rf"\b(?:{_LAST})\s+(?P<name>{_SEASON})\b", "season", Needs.NOTHING),
    (rf"\b(?:{_LAST})\s+(?P<name>{WEEKDAY})\b|\b(?P<name2>{WEEKDAY})\s+(?:{_LAST})\b", "weekday", Needs.NOTHING),
    (rf"\b(?P<name>{WEEKDAY})\b", "weekday", Needs.SINCE),
    (rf"\b(?P<n>{AMOUNT})\s+{_unit()}{AND_A_HALF}\b", "ago", Needs.ONLY_SINCE),
)  # fmt: skip
_PATTERNS: Final = tuple((re.compile(pattern), name, needs) for pattern, name, needs in _NAMED)
#: Which third of a month or year the words before it mean: its beginning, middle or end.
_THIRDS: Final = (
    re.compile(rf"\b{_THE}(?:{_START_OF}|early)(?: of| de| del| di| d[’']| van| in)?\s+$"),
    re.compile(r"\b(?:the )?(?:middle of|mid|mitte|mi|mediados de|meta)[\s-]+$"),
    re.compile(rf"\b{_THE}(?:end|late|ende|fin|fine|finales|einde)(?: of| de| del| di| d[’']| van| in)?\s+$"),
)


def named_times(text: str, now: int) -> list[NamedTime]:
    """The times that a folded text names; each word is of one of them at most."""
    today, begins = datetime.fromtimestamp(now / 1000, UTC).date(), {}
    for start, end in weekdays_of_dates(text):
        begins[end] = start
        text = text[:start] + " " * (end - start) + text[end:]
    found = [*_relative(text, today)]
    for one in found:
        if one.needs is Needs.NOTHING:
            text = text[: one.place[0]] + " " * (one.place[1] - one.place[0]) + text[one.place[1] :]
    found += _written(text, today)
    return [replace(one, place=(begins.get(one.place[0], one.place[0]), one.place[1])) for one in found]


def _relative(text: str, today: date) -> list[NamedTime]:
    found = []
    for first, last, place in month_spans(text, today):
        start, (begin, end) = _third(text, place[0], (first, last))
        found.append(NamedTime(ms(begin), ms(end), (start, place[1])))
        text = text[:start] + " " * (place[1] - start) + text[place[1] :]
    for pattern, name, needs in _PATTERNS:
        for match in pattern.finditer(text):
            if days := _meant(name, match, today):
                start, days = _third(text, match.start(), days) if name == "last" else (match.start(), days)
                found.append(NamedTime(ms(days[0]), ms(days[1]), (start, match.end()), needs))
                if needs is Needs.NOTHING:
                    text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return found


def _written(text: str, today: date) -> Iterator[NamedTime]:
    for match in _DATE.finditer(text):
        kind = match.lastgroup
        if kind == "time":
            at = _instant(match[0])
            if at is not None:
                yield NamedTime(at, at + 1, match.span())
        elif days := _dated(match, today):
            needs = (
                Needs.LEAD
                if kind in {"my", "year"} and (kind == "year" or not re.search(_Y, match[0]))
                else Needs.NOTHING
            )
            start, days = _third(text, match.start(), days)
            yield NamedTime(
                ms(days[0]), ms(days[1]), (start, match.end()), Needs.NOTHING if start < match.start() else needs
            )


def _third(text: str, start: int, days: Days) -> tuple[int, Days]:
    """With the words before them, which third of some days is meant; without such words, the days."""
    length = (days[1] - days[0]) // len(_THIRDS)
    for at, lead in enumerate(_THIRDS):
        if length and (before := lead.search(text, max(0, start - 30), start)):
            first = days[0] + at * length
            return before.start(), (first, days[1] if at == len(_THIRDS) - 1 else first + length)
    return start, days


def ms(day: date) -> int:
    """The beginning of a day in UTC, in milliseconds."""
    return (datetime(day.year, day.month, day.day, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )


def year_before(at: int) -> int:
    """The same day of the year before."""
    return ms(_months_later(datetime.fromtimestamp(at / 1000, UTC).date(), -12))


def _instant(written: str) -> int | None:
    try:
        at = datetime.fromisoformat(written.upper())
    except ValueError:
        return None
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _dated(match: re.Match[str], today: date) -> Days | None:
    """The days of a date in a text; a month without a year is the last one that has begun."""
    written, kind = match[0], match.lastgroup
    numbers = [int(number) for number in re.findall(r"\d+", written)]
    try:
        if kind in {"iso", "cjk", "year"}:
            return _span(*numbers)
        if kind == "dots":
            return _span(numbers[2], numbers[1], numbers[0])
        month = month_of(written)
        years = [number for number in numbers if number > 31]  # noqa: PLR2004 - no day has a larger number
        year = years[0] if years else today.year - (month > today.month)
        days = [number for number in numbers if number <= 31]  # noqa: PLR2004 - as above
        if days and not years and date(year, month, days[0]) > today:
            year -= 1
        return _span(year, month, *days[:1])
    except (ValueError, StopIteration):
        return None


def _span(year: int, month: int = 0, day: int = 0, months: int = 1) -> Days:
    if day:
        first = date(year, month, day)
        return first, first + timedelta(1)
    if month:
        return date(year, month, 1), _months_later(date(year, month, 1), months)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _months_later(first: date, months: int) -> date:
    """The same day of another month, or its last one."""
    at = first.year * 12 + first.month - 1 + months
    next_first = date((at + 1) // 12, (at + 1) % 12 + 1, 1)
    return date(at // 12, at % 12 + 1, min(first.day, (next_first - timedelta(1)).day))


def _meant(name: str, match: re.Match[str], today: date) -> Days | None:
    groups = {key: value for key, value in match.groupdict().items() if value}
    if name in _DAYS_AGO:
        day = today - timedelta(_DAYS_AGO[name])
        return day, day + timedelta(1)
    if name == "weekday":
        which = which_of(groups.get("name") or groups["name2"], WEEKDAYS) - 1
        day = today - timedelta((today.weekday() - which - 1) % 7 + 1)
        return day, day + timedelta(1)
    if name in {"quarter", "season"}:
        return _of_year(name, groups, today)
    unit = next(key[2:] for key in groups if key.startswith("u_"))
    count = amount_of(groups.get("n", "1"), groups.get("half", ""))
    first, back, one = _UNIT_STARTS[unit](today), _back(today, unit, count), timedelta(1)
    return {
        "ago": (back, back + one),
        "last_n": (back, today + one),
        "begun": (first, first + one),
        "this": (first, today + one),
        "last": (_UNIT_STARTS[unit](first - one), first),
    }[name]


def _of_year(name: str, groups: dict[str, str], today: date) -> Days | None:
    """A quarter or season of a year; without one, the last that is over, or a quarter that has begun."""
    if name == "quarter" and "year" not in groups and groups["name"].startswith("last"):
        return None
    # Spring begins in March, and winter ends in the next year.
    month = 3 * which_of(groups["name"], _ORDINALS) - 2 if name == "quarter" else 3 * which_of(groups["name"], _SEASONS)
    year = int(groups.get("year", today.year))
    days = _span(year, month, months=3)
    if "year" not in groups and (days[0] if name == "quarter" else days[1]) > today:
        days = _span(year - 1, month, months=3)
    return days


def _back(today: date, unit: str, count: float) -> date:
    """So many units before; of what is less than a month, the days."""
    if unit not in _MONTHS:
        return today - timedelta(round(count * {"day": 1, "week": 7}[unit]))
    months, rest = divmod(count * _MONTHS[unit], 1)
    return _months_later(today, -int(months)) - timedelta(round(rest * 30))


_DAYS_AGO: Final = {"today": 0, "yesterday": 1, "before_yesterday": 2}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_UNIT_STARTS: Final[dict[str, Callable[[date], date]]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(day.weekday()),
    "month": lambda day: day.replace(day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
