"""Parts of a time, said before it: "the last day of March", "Q3 2025", "two weeks before 1 May", "5 May of last year"."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from veille.core.ask.month_names import MONTH, WEEKDAY, WEEKDAYS, YEAR, month_of, which_of
from veille.core.ask.time_amounts import AMOUNT, MONTHS_OF, UNITS, amount_of, units

Days = tuple[date, date]


class Needs(StrEnum):
    """What must stand before words that can also mean something else, so that they are a time."""

    NOTHING = ""
    #: A word such as "in", "since" or "until".
    LEAD = "lead"
    #: A word such as "since": things are open "on Mondays".
    SINCE = "since"
    #: A question about the past: "what changed in week 12", but not "is it open in week 12".
    PAST = "past"
    #: Both a word such as "in" and a question about the past: "what changed at Christmas".
    PAST_LEAD = "past lead"
    #: The word "since" itself, not "after": "after two weeks" may be said of any two weeks.
    ONLY_SINCE = "only since"


#: The days of a time, where it ends in the text, and what must stand before it.
Whole = tuple[Days, int, Needs]
#: From when to before when (neither, if there was no such day), where, and what must stand before it.
Part = tuple[date, date, tuple[int, int], Needs]

_LAST: Final = "last letzte[nrsm]? derniere? ultim[oa] laatste последн\\w+"
ORDINALS: Final = (
    "first erste[nrsm]? premiere? primer[oa]? prim[oa] primeir[oa] eerste перв\\w+",
    "second zweite[nrsm]? deuxieme seconde? segund[oa] second[oa] tweede втор\\w+",
    "third dritte[nrsm]? troisieme tercera? tercer[oa]? terz[oa] terceir[oa] derde треть\\w+",
    "fourth vierte[nrsm]? quatrieme cuart[oa] quart[oa] vierde четверт\\w+",
    _LAST,
)
_WORDS: Final = "|".join(word for words in ORDINALS for word in words.split())
NTH: Final = rf"(?:{_WORDS}|\d{{1,2}}(?:st|nd|rd|th|er?|re|eme|\.|[ºª°]))"
_THE: Final = r"(?:(?:the|der|die|das|dem|den|le|la|el|il|lo|o|de|het)\s+|l['’]\s*)?"
_OF_WORD: Final = r"of|des|der|vom|von|de|du|del|di|do|da|van"
_OF: Final = rf"(?:\s+(?:{_OF_WORD}|in|im)(?!\w)|\s+dell?['’]|\s+d['’])"
#: Where what it is a part of begins: "the march" is a walk.
_THE_WHOLE: Final = rf"(?:\s+the\s+(?!{MONTH})|\s+(?:la|le|el|il|het|de|dem|den)\s+|\s*l['’]|[\s,/]+|(?<=['’]))(?=\w)"
_HALF: Final = r"half|halfte|halbjahr(?:es|s)?|moitie|semestr[ei]|mitad|meta|metade|helft|половин\w|полугоди\w"
_OFFSET: Final = r"(?P<back>before|vor|avant|antes|prima|voor|до)|after|nach|apres|despues|dopo|na|после"
_HEADS: Final = tuple(
    re.compile(rf"(?<![\w.]){head}{_THE_WHOLE}")
    for head in (
        rf"(?P<n>{AMOUNT})\s+{units()}\s+(?:{_OFFSET})(?:\s+(?:dem|del?|di))?",
        rf"{_THE}(?P<nth>{NTH})\s+(?:(?P<n>{AMOUNT})\s+)?(?:{units()}|(?P<half>{_HALF})|(?P<weekday>{WEEKDAY}))(?!\w)(?P<of>{_OF})?",
        r"[qt](?P<q>[1-4])(?!\w)(?:\s+of\b)?",
        r"h(?P<h>[12])(?!\w)(?:\s+of\b)?",
        rf"{_THE}(?P<nth>{NTH})\s+(?:{_OF_WORD})\b",
        rf"(?:(?P<nth>\d{{1,2}})(?:st|nd|rd|th|er|[.º°])?(?:\s+(?:of|de|di))?\s+)?(?P<month>{MONTH})(?!\w)(?:(?P<of>{_OF})|,)?(?!\s*{YEAR})",
        rf"{_THE}(?P<u_week>{UNITS['week']})\s+(?:of|beginning|commencing|starting|vom|du|del|van)(?:\s+the)?",
    )
)
_YEAR_DAYS: Final = (365, 366)
_NO_DAYS: Final = (date.max, date.max)
#: A part of a time of the past is one, too; parts of other times are times anywhere.
_NEEDS: Final = {Needs.PAST: Needs.PAST, Needs.PAST_LEAD: Needs.PAST}


def parts_of(text: str, today: date, whole_at: Callable[[str, int], Whole | None]) -> list[Part]:
    """The parts of times that a folded text names, and where such words are that name no day that there was."""
    found: list[Part] = []
    for head in _HEADS:
        for match in head.finditer(text):
            whole = whole_at(text, match.end())
            if whole is None:
                continue
            groups = {key: value for key, value in match.groupdict().items() if value}
            days, end, needs = whole
            place = (match.start(), end)
            if "month" in groups and (days[1] - days[0]).days not in _YEAR_DAYS:
                continue
            try:
                part = _part(groups, *days)
            except (ValueError, OverflowError):
                # Years that no calendar has.
                part = None
            if part is None and "of" not in groups:
                continue
            begin, last = _NO_DAYS if part is None or part[0] > today else part
            found.append((begin, last, place, _NEEDS.get(needs, Needs.NOTHING)))
            text = text[: place[0]] + " " * (place[1] - place[0]) + text[place[1] :]
    return found


def _part(groups: dict[str, str], first: date, last: date) -> Days | None:
    """The days of a part of a time from `first` to before `last`; None if it has no such part."""
    unit = next((key[2:] for key in groups if key.startswith("u_")), "")
    nth = number_of(groups.get("nth") or groups.get("q") or groups.get("h") or "1")
    if unit and "nth" not in groups:
        return _moved(groups, unit, first, last)
    if "weekday" in groups:
        found = _weekday(which_of(groups["weekday"], WEEKDAYS) - 1, nth, first, last)
    elif "month" in groups:
        found = month = _months(first, month_of(groups["month"]) - 1, 1)
        if "nth" in groups:
            found = _nth(nth, *month, timedelta(1))
            last = month[1]
    elif "half" in groups or "h" in groups:
        found = _half(nth, first, last)
    else:
        found = _units("quarter" if "q" in groups else unit, nth, int(amount_of(groups.get("n", "1"))), first, last)
    return found if first <= found[0] < found[1] <= last and found != (first, last) else None


def _weekday(which: int, nth: int, first: date, last: date) -> Days:
    day = first + timedelta((which - first.weekday()) % 7 + 7 * (nth - 1))
    if nth < 0:
        day = last - timedelta(((last - timedelta(1)).weekday() - which) % 7 + 1)
    return day, day + timedelta(1)


def _half(nth: int, first: date, last: date) -> Days:
    length = (last - first).days
    middle = months_later(first, 6) if length in _YEAR_DAYS else first + timedelta(length // 2)
    return {1: (first, middle), 2: (middle, last), -1: (middle, last)}.get(nth, _NO_DAYS)


def _units(unit: str, nth: int, count: int, first: date, last: date) -> Days:
    """The nth so many days, weeks or months; "the first of March" is a day, that of a year is nothing in particular."""
    if unit in MONTHS_OF:
        size = MONTHS_OF[unit] * count
        return _months(first, size * (nth - 1), size) if nth > 0 else (months_later(last, -size), last)
    if not unit and not 28 <= (last - first).days <= 31:  # noqa: PLR2004 - the lengths of months
        return _NO_DAYS
    return _nth(nth, first, last, timedelta({"week": 7, "fortnight": 14}.get(unit, 1) * count))


def _moved(groups: dict[str, str], unit: str, first: date, last: date) -> Days | None:
    """The week of a day; or the day that is so long before or after a time."""
    if "n" not in groups:
        monday = first - timedelta(first.weekday())
        return (monday, monday + timedelta(7)) if last - first == timedelta(1) else None
    count = amount_of(groups["n"])
    day = back(first, unit, count) if "back" in groups else back(last - timedelta(1), unit, -count)
    return day, day + timedelta(1)


def _nth(nth: int, first: date, last: date, size: timedelta) -> Days:
    return (last - size, last) if nth < 0 else (first + size * (nth - 1), first + size * nth)


def _months(first: date, start: int, size: int) -> Days:
    return months_later(first, start), months_later(first, start + size)


def number_of(nth: str) -> int:
    """The number that an ordinal is; -1 for the last."""
    if nth[0].isdecimal():
        return int(re.sub(r"\D", "", nth))
    at = which_of(nth, ORDINALS)
    return at if at < len(ORDINALS) else -1


def months_later(first: date, months: int) -> date:
    """The same day of another month, or its last one."""
    at = first.year * 12 + first.month - 1 + months
    year, month = at // 12, at % 12 + 1
    return date(year, month, min(first.day, monthrange(year, month)[1]))


def back(day: date, unit: str, count: float) -> date:
    """So many units before; of what is less than a month, the days."""
    if unit not in MONTHS_OF:
        return day - timedelta(round(count * {"day": 1, "week": 7, "fortnight": 14}[unit]))
    months, rest = divmod(count * MONTHS_OF[unit], 1)
    return months_later(day, -int(months)) - timedelta(round(rest * 30))
