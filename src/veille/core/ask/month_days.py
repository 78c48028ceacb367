"""Times that are named by a month and what stands around it: "last May", "3 to 5 May"."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from veille.core.ask.month_names import MONTH, YEAR, month_of

_END: Final = r"(?:st|nd|rd|th|er|\.|º|°)?"
_OF: Final = r"(?:\s+(?:of|de|del|di|des|der|года?)|,)?"
_LAST: Final = r"last|past|previous|letzten?|letzte[rsm]|vergangene[nrsm]?|vorige[nrsm]?|vorletzten?|afgelopen|vorig"
_LAST_BEHIND: Final = r"derniere?|passee?|pasado|passado|scorso|ultimo"
_LINK: Final = (
    r"\s*(?:-|–|to|and|till|until|through|und|bis|au|et|al|y|e|en|tot|t/m|по|и|a|ate)(?:\s+(?:the|dem|zum|el))?\s*"
)
_LEAD: Final = r"(?:\b(?:between|from|zwischen|von|vom|entre|du|del?|dal|tra|fra|tussen|van|с|между)\s+(?:(?:the|dem|den|le|el|il)\s+)?)?"
#: Each with what its days are; groups: days, month, year, and whether the last year is meant.
_SPANS: Final = (
    (rf"{_LEAD}\b(?P<d1>\d{{1,2}}){_END}{_LINK}(?P<d2>\d{{1,2}}){_END}{_OF}\s+(?P<m>{MONTH})\b\.?(?:{_OF}\s+(?P<y>{YEAR}))?", "days"),
    (rf"{_LEAD}\b(?P<m>{MONTH})\.?\s+(?P<d1>\d{{1,2}}){_END}{_LINK}(?P<d2>\d{{1,2}}){_END}(?!\w)(?!{_OF}\s+{MONTH}\b)(?:,?\s+(?P<y>{YEAR}))?", "days"),
    (rf"\b(?:{_LAST})\s+(?P<m>{MONTH})\b(?!{_OF}\s+{YEAR})|\b(?P<m2>{MONTH})\s+(?:{_LAST_BEHIND})\b", "last"),
)  # fmt: skip
_PATTERNS: Final = tuple((re.compile(pattern), name) for pattern, name in _SPANS)


def month_spans(text: str, today: date) -> list[tuple[date, date, tuple[int, int]]]:
    """From when to before when, and where, for each such time in a folded text."""
    found: list[tuple[date, date, tuple[int, int]]] = []
    for pattern, name in _PATTERNS:
        for match in pattern.finditer(text):
            groups = {key: value for key, value in match.groupdict().items() if value}
            try:
                first, last = _DAYS[name](groups, today)
            except ValueError:
                continue
            if first < last:
                found.append((first, last, match.span()))
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return found


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _days(groups: dict[str, str], today: date) -> tuple[date, date]:
    month = month_of(groups["m"])
    year = int(groups.get("y", today.year))
    first = date(year, month, int(groups["d1"]))
    if "y" not in groups and first > today:
        first = first.replace(year=year - 1)
    return first, first.replace(day=int(groups["d2"])) + timedelta(1)


def _last(groups: dict[str, str], today: date) -> tuple[date, date]:
    month = month_of(groups.get("m") or groups["m2"])
    return _month(today.year - (month >= today.month), month)


_DAYS: Final[dict[str, Callable[[dict[str, str], date], tuple[date, date]]]] = {
    "days": _days,
    "last": _last,
}
