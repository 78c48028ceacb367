"""The search language: words, "phrases", -not, OR, prefix*; filters source lang kind topic tag after before.

Two hyphens are no "not" but the beginning of an option (`--dry-run`).
Every text is a valid query. Anything that is not an operator is a word, and a word not in the index finds nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from veille.core.text import visible

#: People type searches; beyond this many terms it is a pasted text, and its first words are enough.
MAX_TERMS = 128

_TOKEN = re.compile(
    r"""(?P<not>(?:-(?!-))?)(?:(?P<filter>source|lang|kind|topic|tag|after|before):(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))"""
    r"""|"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))""",
    re.IGNORECASE,
)
_MARKS = ("?", "\uff1f", "؟", "\u037e")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$")
_AGO = re.compile(r"(\d{1,4})([hdwmy])$")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word or phrase to find; as a prefix, words that begin with it match too."""

    text: str
    prefix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to find: every group must match by one of its terms, no excluded term may match."""

    groups: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    sources: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    after: int | None = None
    before: int | None = None
    #: Whether it ends with a question mark.
    asks: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Query(asks=self.asks)


def parse(text: str, now: int) -> Query:
    """Parse a query. Dates are days (2026-03-01), months, years, or ages such as 7d, 12h, 3w."""
    groups: list[list[Term]] = []
    excluded: list[Term] = []
    named: dict[str, list[str]] = {"source": [], "lang": [], "kind": [], "topic": [], "tag": []}
    bounds: dict[str, int] = {}
    joins, last = False, ""
    for match in _TOKEN.finditer(_visible(text)):
        if len(excluded) + sum(map(len, groups)) >= MAX_TERMS:
            break
        negated = match["not"] == "-"
        if not negated and _filters(match, named, bounds, now):
            continue
        last = match[0]
        if match["word"] == "OR" and not negated:
            joins = True
        elif (term := _term(match)) is not None:
            if negated:
                excluded.append(term)
            elif joins and groups:
                groups[-1].append(term)
            else:
                groups.append([term])
            joins = False
    return Query(
        groups=tuple(map(tuple, groups)),
        excluded=tuple(excluded),
        sources=tuple(named["source"]),
        langs=tuple(named["lang"]),
        kinds=tuple(named["kind"]),
        topics=tuple(named["topic"]),
        tags=tuple(named["tag"]),
        asks=bool(groups) and last.endswith(_MARKS),
        **bounds,
    )


def _visible(text: str) -> str:
    # In the stored form; a lone surrogate (a badly encoded argument) is not text that a store could take.
    return visible(text.replace("\x00", " "))


def _filters(match: re.Match[str], named: dict[str, list[str]], bounds: dict[str, int], now: int) -> bool:
    """Whether this is a valid filter, which is noted; if not, its text is searched for like any other."""
    name, value = (match["filter"] or "").lower(), _value(match)
    if name in named:
        named[name].append(value if name == "source" else value.casefold())
    elif name and (moment := _moment(value, now)) is not None:
        bounds[name] = moment
    else:
        return False
    return True


def of_words(text: str) -> Query:
    """What a text asks if no sign in it is an operator: questions that others wrote have quotes, dashes and colons.

    >>> [group[0].text for group in of_words('Why "-not" OR lang:fr?').groups]
    ['Why', '-not', 'OR', 'lang:fr?']
    """
    words = [word for word in _visible(text).replace('"', " ").split() if _has_letters(word)]
    return Query(groups=tuple((Term(text=word),) for word in words[:MAX_TERMS]), asks=text.rstrip().endswith(_MARKS))


def spoken(text: str) -> str:
    """What a text asks, as it is written: without filters and excluded words. Signs say much to an embedder.

    >>> spoken("Qui va là ? lang:fr -jamais")
    'Qui va là ?'
    """
    return " ".join(match[0] for match in _TOKEN.finditer(visible(text)) if not match["filter"] and not match["not"])


def filters_of(text: str, name: str) -> list[tuple[int, int, str]]:
    """The start, end and value of every such filter in a text."""
    return [
        (*match.span(), _value(match))
        for match in _TOKEN.finditer(text)
        if (match["filter"] or "").lower() == name and not match["not"]
    ]


def no_dates(text: str) -> list[str]:
    """The date filters without a valid date, verbatim; they are searched for as words."""
    return [
        text[begin:end]
        for name in ("after", "before")
        for begin, end, value in filters_of(text, name)
        if _moment(value, 0) is None
    ]


def _value(match: re.Match[str]) -> str:
    return match["quoted"] or match["plain"] or ""


def _term(match: re.Match[str]) -> Term | None:
    if match["filter"]:
        return Term(text=f"{match['filter']} {_value(match)}")
    if match["phrase"] is not None:
        return Term(text=match["phrase"]) if _has_letters(match["phrase"]) else None
    word = match["word"]
    prefix = word.endswith("*")
    return Term(text=word.rstrip("*"), prefix=prefix) if _has_letters(word) else None


def _has_letters(text: str) -> bool:
    # Punctuation and emoji are not in the index: with them, "C & A" would find nothing.
    return any(character.isalnum() for character in text)


def _moment(text: str, now: int) -> int | None:
    if ago := _AGO.match(text.lower()):
        return now - int(ago[1]) * _HOURS[ago[2]] * 3_600_000
    if not (date := _DATE.match(text)):
        return None
    try:
        day = datetime(int(date[1]), int(date[2] or 1), int(date[3] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return (day - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
