"""Days with names of their own: feasts that are the same day in every year, weeks by number, weekends, decades, seasons."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from veille.core.ask.month_names import YEAR, which_of
from veille.core.ask.parts import Needs, months_later

#: From when to before when, where, and what must stand before it.
NamedDays = tuple[date, date, tuple[int, int], Needs]
#: Month, day and names. A night before Christmas or the new year that may be either is none of them.
_FEASTS: Final = (
    (12, 31, r"new year['’]?s eve|silvester(?:abend)?|(?:la )?saint-sylvestre|nochevieja|(?:notte di )?san silvestro|oudjaar|oudejaars(?:avond|dag)"),
    (1, 1, r"new year['’]?s(?: day)?|new year|neujahr(?:stag)?|nouvel an|jour de l['’]an|capodanno|nieuwjaar(?:sdag)?|нового года|новыи год"),
    (12, 24, r"christmas eve|heiligabend|heiliger abend|veille de noel|nochebuena|vigilia di natale|kerstavond"),
    (12, 26, r"boxing day"),
    (12, 25, r"christmas(?: day)?|xmas|weihnachten|noel|navidad|natale|kerst(?:mis)?"),
    (5, 1, r"may day|tag der arbeit|fete du travail"),
    (10, 31, r"halloween"),
    (11, 1, r"all saints['’]?(?: day)?|allerheiligen|la toussaint"),
)  # fmt: skip
_FEAST: Final = "|".join(names for _, _, names in _FEASTS)
_TURN: Final = r"turn of the year|jahreswechsel|jahreswende|jaarwisseling"
_SEASONS: Final = (
    "spring fruhjahr fruhling printemps primavera lente весн\\w+",
    "summer sommer ete verano estate verao zomer лет(?:о|а|ом|е)",
    "autumn fall herbst automne otono autunno outono herfst осен\\w+",
    "winter hiver invierno inverno зим\\w+",
)
_SEASON: Final = "|".join(name for names in _SEASONS for name in names.split())
LAST: Final = r"last|past|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?|afgelopen|прошл\w+"
LAST_BEHIND: Final = r"derniere?|passee?|pasad[oa]|passad[oa]|scors[oa]|прошл\w+"
_OF: Final = r"(?:\s+(?:of|de|del|di|van))?"
_WEEKEND: Final = "weekend|week-end|wochenendes?|fin de semana|fine settimana|выходные"
_ENGLISH: Final = re.compile(r"christmas|xmas|new year|boxing|may day|halloween|spring|summer|autumn|fall|winter")
#: In English, a name in front of another word is part of something else: "the Christmas market", "the summer school".
_ALONE: Final = re.compile(r"\W*$|\s*[,.;:?!)]|\s+(?:in|at|on|for|to|and|or|was|were|did|about|changed)\b")
_PATTERNS: Final = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (rf"(?<!\w)(?:the\s+)?(?:{_TURN})(?:{_OF}\s+(?P<year>{YEAR}))?\b", "turn"),
        (rf"(?<!\w)(?P<name>{_FEAST}){_OF}\s+(?P<year>{YEAR})\b", "feast"),
        (rf"(?<![\w-])(?P<name>{_FEAST})(?![\w-])", "feast"),
        (rf"(?<!\w)(?P<name>{_SEASON}){_OF}\s+(?P<year>{YEAR})(?:\s?/\s?\d\d(?:\d\d)?)?\b", "season"),
        (rf"(?<!\w)(?P<last>{LAST})\s+(?P<name>{_SEASON})(?!\w)", "season"),
        (rf"(?<!\w)(?P<name>{_SEASON})\s+(?P<last>{LAST_BEHIND})(?!\w)", "season"),
        (rf"(?<![\w-])(?P<name>{_SEASON})(?![\w-])", "season"),
        (rf"(?<!\w)(?:the\s+)?(?:{LAST})\s+(?:{_WEEKEND})(?!\w)|(?<!\w)(?:{_WEEKEND})\s+(?:{LAST_BEHIND})(?!\w)", "weekend"),
        (rf"(?<!\w)(?:week|woche|kw|semaine|semana|settimana)\s*(?P<week>\d\d?)(?!\w)(?:(?:{_OF}\s+|\s*[/,]\s*)(?P<year>{YEAR})\b)?(?!\s+of\b|[./-]\d)", "week"),
        (rf"(?<!\w)(?P<year>{YEAR})-w(?P<week>\d\d)(?!\w)", "week"),
        (rf"(?<!\w)(?:the\s+)?(?P<decade>(?:19|20)\d0)(?:er(?:n|\s+jahren?)?(?!\w)|['’]?s(?={_ALONE.pattern}))", "decade"),
        (r"(?<!\w)(?:annees|anos|anni|jaren)\s+(?P<decade>(?:19|20)\d0)(?!\w)", "decade"),
    )
)  # fmt: skip


def named_days(text: str, today: date) -> list[NamedDays]:
    """The days that a folded text names so; without a year, the last that have begun, or "last" is said and they are over."""
    found: list[NamedDays] = []
    for pattern, kind in _PATTERNS:
        for match in pattern.finditer(text):
            groups = {key: value for key, value in match.groupdict().items() if value}
            is_open = kind != "weekend" and not groups.keys() & {"year", "last", "decade"}
            if is_open and "name" in groups and not _stands_alone(text, match):
                continue
            year = int(groups.get("year", today.year))
            try:
                days = _days(kind, groups, year, today)
                if "year" not in groups and (days[1] if "last" in groups else days[0]) > today:
                    days = _days(kind, groups, year - 1, today)
            except ValueError:
                continue
            needs = Needs.NOTHING if not is_open else Needs.PAST_LEAD if "name" in groups else Needs.PAST
            found.append((*days, match.span(), needs))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return found


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """Whether such a name is no part of another; nor a word of English that is a name elsewhere: "the estate"."""
    if _ENGLISH.match(match["name"]):
        return _ALONE.match(text, match.end()) is not None
    if match["name"] == "ete":
        # In French, "a été" is no summer.
        return text.endswith(("en ", "l'", "l’"), 0, match.start())
    return not text.endswith(("the ", "by "), 0, match.start())


def _days(kind: str, groups: dict[str, str], year: int, today: date) -> tuple[date, date]:
    if kind == "decade":
        first = date(int(groups["decade"]), 1, 1)
        return first, first.replace(year=first.year + 10)
    if kind == "season":
        # Spring begins in March, and winter ends in the next year.
        first = date(year, 3 * which_of(groups["name"], _SEASONS), 1)
        return first, months_later(first, 3)
    if kind == "week":
        first = date.fromisocalendar(year, int(groups["week"]), 1)
        return first, first + timedelta(7)
    if kind == "turn":
        # The turn of a year is the one that it begins with.
        first = date(year - 1, 12, 31)
        return first, first + timedelta(2)
    if kind == "weekend":
        since = (today.weekday() - 5) % 7
        saturday = today - timedelta(since + 7 * (since <= 1))
        return saturday, saturday + timedelta(2)
    month, day = next((month, day) for month, day, names in _FEASTS if re.fullmatch(names, groups["name"]))
    first = date(year, month, day)
    return first, first + timedelta(1)
