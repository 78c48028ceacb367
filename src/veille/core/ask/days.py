"""Days, months, seasons and other times as people name them: "1 May 2026", "a year ago", "Q1 2026", "letzten Montag"."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from veille.core.ask.month_days import month_spans
from veille.core.ask.month_names import MONTH, WEEKDAY, WEEKDAYS, YEAR, month_of, weekdays_of_dates, which_of
from veille.core.ask.named_days import LAST_BEHIND, named_days
from veille.core.ask.parts import NTH, Days, Needs, Whole, back, months_later, number_of, parts_of
from veille.core.ask.time_amounts import AMOUNT, AND_A_HALF, amount_of, units


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
    rf"|(?P<dots>\d{{1,2}}(?P<sep>[./-])\d{{1,2}}(?P=sep){_Y})\b"
    r"|(?:(?<=am )|(?<=vom )|(?<=zum )|(?<=seit )|(?<=seit dem )|(?<=bis ))(?P<dm>\d{1,2}\.\d{1,2}\.)(?!\d)"
    rf"|(?P<dmy>{_DAY}{_OF}\s+{_M}\b\.?,?(?:{_OF}\s+{_Y})?)"
    rf"|(?P<mdy>{_M}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b,?(?:\s+{_Y})?)"
    rf"|(?P<my>{_M}\b\.?,?(?:{_OF}\s+{_Y}|\s+['’]\d\d\b)?)"
    rf"|(?P<year>{_Y})\b"
    r"|(?P<cjk>(?:19|20)\d\d年(?:\d\d?月)?(?:\d\d?日)?)"
)
_LAST: Final = (
    "last|past|previous|letzten?|letzte[rsm]?|vergangenen?|vorige?[nrs]?|laatste|derniers?|dernieres?|passee?s?|ultim[oaie]s?|pasad[oa]s?|"
    "passad[oa]s?|scors[oai]|afgelopen|прошл\\w+|последн\\w+"
)
_THE: Final = r"(?:the |le |la |el |il |l['’] ?)?"
_START_OF: Final = r"(?:beginning|start|anfang|beginn|debut|inizio|principios?|comienzos?|inicio|begin|начал\w)"
_OF_THE: Final = r"(?:\s+(?:of|de|du|des|der|del|da|do|van|the|this|la|cette|ce|dieses|dieser|het|dit|deze|este|esta|этого)|\s+l['’]|\s+dell['’])*"
#: Times relative to now or with names of their own; each with what it means, and what it needs.
_NAMED: Final = (
    (
        r"\b(?:(?:the )?day before yesterday|vorgestern|avant-?hier|anteayer|antier|l['’]altro ieri|altroieri|anteontem|eergisteren|позавчера)(?!\w)|前天|一昨日",
        "before_yesterday", Needs.NOTHING,
    ),
    (r"\b(?:yesterday|last night|gestern|hier|ayer|anoche|ieri|ontem|gister(?:en|ochtend|middag|avond)|вчера)\b|昨天|昨日", "yesterday", Needs.NOTHING),
    (r"\b(?:today|this (?:morning|afternoon|evening)|heute|aujourd'hui|aujourd’hui|hoy|oggi|hoje|vandaag|сегодня)\b|今天|今日|本日", "today", Needs.NOTHING),
    (r"(?:(?P<u_year>去年|昨年)|(?P<u_month>上个?月|上個月|先月)|(?P<u_week>上个?(?:周|星期)|上週|先週))(?![\d一二三四五六七八九十])", "last", Needs.NOTHING),
    (r"(?:(?P<u_year>今年)|(?P<u_month>[本今这這]个?月)|(?P<u_week>[本今这這](?:周|週)))(?![\d一二三四五六七八九十])", "this", Needs.NOTHING),
    (rf"\b(?P<n>{AMOUNT})\s+{units()}{AND_A_HALF}\s+(?:ago|fa|geleden|atras|назад)\b", "ago", Needs.NOTHING),
    (rf"(?:\bvor|\bil y a|\bhace|\bha(?= (?:um|\d)))\s+(?P<n>{AMOUNT})\s+{units()}{AND_A_HALF}\b", "ago", Needs.NOTHING),
    (rf"\b{units()}\s+назад\b", "ago", Needs.NOTHING),
    (r"(?<!\w)(?P<n>пол)(?P<u_year>года)\s+назад\b", "ago", Needs.NOTHING),
    (rf"\b(?:{_LAST})\s+(?P<n>{AMOUNT})\s+{units()}{AND_A_HALF}\b", "last_n", Needs.NOTHING),
    (rf"\b(?P<n>(?!(?:an?|one)\b)(?:{AMOUNT}))\s+(?:{_LAST})\s+{units()}\b", "last_n", Needs.NOTHING),
    (rf"\b{_THE}(?:q(?P<q>[1-4])|(?P<nth>{NTH})\s+(?:quarter(?!\s*-?finals?)|quartal|trimestr[ei]|квартал\w*))(?!\w)(?!\s+(?:of|de|di|van)\b)", "quarter", Needs.NOTHING),
    (rf"\b{_THE}(?P<nth>{NTH})\s+(?:halbjahr\w*|полугоди\w)(?!\w)", "half", Needs.PAST),
    (rf"\b(?:the\s+)?(?:{_LAST})\s+(?P<u_fortnight>fortnight)\b", "last_n", Needs.NOTHING),
    (rf"\bvorletzte[nrsm]?\s+{units()}\b", "before_last", Needs.NOTHING),
    (rf"\b(?:the\s+)?{units()}\s+before\s+last\b", "before_last", Needs.NOTHING),
    # "The last day of school" is none that is known.
    (rf"\b(?:the\s+)?(?:{_LAST})\s+{units()}\b(?!\s+(?:of|to|when|des|de|du|del|della|di|van)\b|(?<=tag)\s+der\b|(?<=день))", "last", Needs.NOTHING),
    (r"\bvor(?:(?P<u_week>woche)|(?P<u_month>monats?)|(?P<u_year>jahr(?:es|s)?))\b", "last", Needs.NOTHING),
    (rf"\b{units()}\s+(?:{_LAST})\b", "last", Needs.NOTHING),
    (rf"\b{_THE}{_START_OF}{_OF_THE}\s*{units()}\b", "begun", Needs.NOTHING),
    (r"\b(?P<u_year>jahres|neujahrs)(?:anfang|beginn)\b", "begun", Needs.NOTHING),
    (r"\b(?P<u_month>monats)(?:anfang|beginn)\b", "begun", Needs.NOTHING),
    # A day of this month: "the 3rd floor" is none.
    (r"\bon the (?P<nth>\d\d?)(?:st|nd|rd|th)(?=\s*(?:[?!,;]|$))|\bam (?P<nth2>\d\d?)\.(?=\s*(?:$|[?!,;])|\s+(?:ge|ver)\w+)", "month_day", Needs.PAST),
    (rf"(?<!later )\b(?:this|diese[nrsm]?|cette|ce|est[ae]|quest[ao]|deze|dit|эт\w+)\s+{units()}\b", "this", Needs.NOTHING),
    (rf"\b(?:{_LAST})\s+(?P<name>{WEEKDAY})\b|\b(?P<name2>{WEEKDAY})\s+(?:{_LAST})\b", "weekday", Needs.NOTHING),
    (rf"\b(?P<name>{WEEKDAY})\b", "weekday", Needs.SINCE),
    (rf"\b(?P<n>{AMOUNT})\s+{units()}{AND_A_HALF}\b", "ago", Needs.ONLY_SINCE),
)  # fmt: skip
_PATTERNS: Final = tuple((re.compile(pattern), name, needs) for pattern, name, needs in _NAMED)
#: Which third of a month or year the words before it mean: its beginning, middle or end.
_THIRDS: Final = (
    re.compile(rf"\b{_THE}(?:{_START_OF}|early)(?: of| de| del| di| d[’']| van| in)?\s+$"),
    re.compile(r"\b(?:the )?(?:middle of|mid|mitte|mi|mediados del?|meta(?: di)?|half|середин\w)[\s-]+$"),
    re.compile(
        rf"\b{_THE}(?:end|late|ende|fin|fine|finales|einde?|кон(?:ец|ц\w))(?: of| de| del| di| d[’']| van| in)?\s+$"
    ),
)


_ENGLISH: Final = re.compile(r"\b(?:what|how|who|which|when|where|the|did|does|since|before|after|price|fee)\b")
#: What may stand after "the last week of": the year, or this one.
_THE_UNIT: Final = re.compile(
    rf"(?:(?P<this>this|diese[smr]?|cette|ce|est[ea]|quest[oa]|quest['’]|dit|deze|эт\w+)\s*)?{units()}(?!\w)(?!\s+(?:{LAST_BEHIND}))"
)
_LONGEST: Final = 48


def named_times(text: str, now: int) -> list[NamedTime]:
    """The times that a folded text names; each word is of one of them at most."""
    today, begins = _date(now), {}
    for start, end in weekdays_of_dates(text):
        begins[end] = start
        text = _blanked(text, (start, end))
    found = []
    for first, last, place, needs in parts_of(text, today, lambda whole, at: _whole(whole, at, today)):
        start, days = _third(text, place[0], (first, last))
        text = _blanked(text, (start, place[1]))
        if first < last:
            found.append(NamedTime(ms(days[0]), ms(days[1]), (start, place[1]), needs))
    found += _times(text, today)
    return [replace(one, place=(begins.get(one.place[0], one.place[0]), one.place[1])) for one in found]


def _whole(text: str, at: int, today: date) -> Whole | None:
    """The time of which a part was named, if one begins at that place."""
    rest = text[at : at + _LONGEST]
    if unit := _THE_UNIT.match(rest):
        name = next(key[2:] for key, value in unit.groupdict().items() if key.startswith("u_") and value)
        first = _UNIT_STARTS[name](today)
        return (first, back(first, name, -1)), at + unit.end(), Needs.NOTHING if unit["this"] else Needs.PAST
    for one in _times(rest, today):
        if one.place[0] == 0 and one.needs not in {Needs.SINCE, Needs.ONLY_SINCE}:
            return (_date(one.start), _date(one.end)), at + one.place[1], one.needs
    return None


def _times(text: str, today: date) -> list[NamedTime]:
    """The times that a folded text names, but for parts of others."""
    found = list(_relative(text, today))
    for one in found:
        if one.needs is Needs.NOTHING:
            text = _blanked(text, one.place)
    return [*found, *_written(text, today)]


def _relative(text: str, today: date) -> Iterator[NamedTime]:
    for first, last, place in month_spans(text, today):
        start, (begin, end) = _third(text, place[0], (first, last))
        yield NamedTime(ms(begin), ms(end), (start, place[1]))
        text = _blanked(text, (start, place[1]))
    for first, last, place, needs in named_days(text, today):
        yield NamedTime(ms(first), ms(last), place, needs)
        text = _blanked(text, place)
    for pattern, name, needs in _PATTERNS:
        for match in pattern.finditer(text):
            if days := _meant(name, match, today):
                start, days = _third(text, match.start(), days) if name == "last" else (match.start(), days)
                yield NamedTime(ms(days[0]), ms(days[1]), (start, match.end()), needs)
                if needs is Needs.NOTHING:
                    text = _blanked(text, match.span())


def _blanked(text: str, place: tuple[int, int]) -> str:
    return text[: place[0]] + " " * (place[1] - place[0]) + text[place[1] :]


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
        if length >= timedelta(1) and (before := lead.search(text, max(0, start - 30), start)):
            first = days[0] + at * length
            return before.start(), (first, days[1] if at == len(_THIRDS) - 1 else first + length)
    return start, days


def ms(day: date) -> int:
    """The beginning of a day in UTC, in milliseconds."""
    return (datetime(day.year, day.month, day.day, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )


def _date(at: int) -> date:
    return datetime.fromtimestamp(at / 1000, UTC).date()


def year_before(at: int) -> int:
    """The same day of the year before."""
    return ms(months_later(_date(at), -12))


def _instant(written: str) -> int | None:
    try:
        at = datetime.fromisoformat(written.upper())
    except ValueError:
        return None
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _dated(match: re.Match[str], today: date) -> Days | None:
    """The days of a date in a text; a month without a year is the last one that has begun."""
    written, kind = match[0], match.lastgroup
    numbers = [int(number) for number in re.findall(r"\d+", re.sub(r"['’](?=\d\d$)", "20", written))]
    try:
        if kind in {"iso", "cjk", "year"}:
            return _span(*numbers)
        if kind == "dots":
            return _day_first(numbers, is_english=match["sep"] == "/" and _ENGLISH.search(match.string) is not None)
        if kind == "dm":
            return _last_such_day(numbers[1], numbers[0], today)
        month = month_of(written)
        years = [number for number in numbers if number > 99]  # noqa: PLR2004 - no day has three digits
        year = years[0] if years else today.year - (month > today.month)
        days = [number for number in numbers if number <= 99]  # noqa: PLR2004 - as above
        if days and not years:
            return _last_such_day(month, days[0], today)
        return _span(year, month, *days[:1])
    except (ValueError, StopIteration):
        return None


def _day_first(numbers: list[int], *, is_english: bool) -> Days | None:
    """A day in numbers; in English it may be 3 April or March 4th, unless one of the two is no month."""
    day, month, year = numbers
    if month > 12:  # noqa: PLR2004 - no month has a larger number
        return _span(year, day, month)
    return None if is_english and day <= 12 and day != month else _span(year, month, day)  # noqa: PLR2004 - as above


def _last_such_day(month: int, day: int, today: date) -> Days:
    first = date(today.year - ((month, day) > (today.month, today.day)), month, day)
    return first, first + timedelta(1)


def _span(year: int, month: int = 0, day: int = 0, months: int = 1) -> Days:
    if day:
        first = date(year, month, day)
        return first, first + timedelta(1)
    if month:
        return date(year, month, 1), months_later(date(year, month, 1), months)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _meant(name: str, match: re.Match[str], today: date) -> Days | None:
    groups = {key: value for key, value in match.groupdict().items() if value}
    if name in _DAYS_AGO:
        day = today - timedelta(_DAYS_AGO[name])
        return day, day + timedelta(1)
    if name == "weekday":
        which = which_of(groups.get("name") or groups["name2"], WEEKDAYS) - 1
        day = today - timedelta((today.weekday() - which - 1) % 7 + 1)
        return day, day + timedelta(1)
    if name in {"quarter", "half"}:
        return _of_this_year(3 if name == "quarter" else 6, number_of(groups.get("q") or groups["nth"]), today)
    if name == "month_day":
        return _day_of_month(int(groups.get("nth") or groups["nth2"]), today)
    unit = next(key[2:] for key in groups if key.startswith("u_"))
    count = amount_of(groups.get("n", "1"), groups.get("half", ""))
    first, past, one = _UNIT_STARTS[unit](today), back(today, unit, count), timedelta(1)
    before = _UNIT_STARTS[unit](first - one)
    return {
        "ago": (past, past + one),
        "last_n": (past, today + one),
        "begun": (first, first + one),
        "this": (first, today + one),
        "last": (before, first),
        "before_last": (_UNIT_STARTS[unit](before - one), before),
    }[name]


def _day_of_month(nth: int, today: date) -> Days | None:
    """The last such day of a month; None if that month has none."""
    month = months_later(today.replace(day=1), -(nth > today.day))
    day = month + timedelta(nth - 1)
    return (day, day + timedelta(1)) if day.month == month.month else None


def _of_this_year(months: int, nth: int, today: date) -> Days | None:
    """The nth of so many months of the year; or of the year before, if it has not begun."""
    if not 0 < nth <= 12 // months:
        return None
    first = months_later(today.replace(month=1, day=1), months * (nth - 1))
    first = first.replace(year=first.year - (first > today))
    return first, months_later(first, months)


_DAYS_AGO: Final = {"today": 0, "yesterday": 1, "before_yesterday": 2}
_UNIT_STARTS: Final[dict[str, Callable[[date], date]]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(day.weekday()),
    "fortnight": lambda day: day,
    "month": lambda day: day.replace(day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
