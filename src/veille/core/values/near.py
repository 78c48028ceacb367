"""A value between words: found again after small edits of the text around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from veille.core.values.numbers import plain
from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueType
from veille.core.values.versions import is_version
from veille.core.values.wishes import GAP

#: A number with its separators, anywhere in a text.
NUMBER: Final = re.compile(r"\d{1,3}(?:[ ']\d{3})+(?![\d'])(?:[.,]\d+)?|\d+(?:[.,']\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
#: The words on each side that are compared, and how far away they may be.
_MOST_WORDS: Final = 8
_REACH: Final = 160
#: The share of the words around a number that must be there still.
_ENOUGH: Final = 0.6
#: Characters around a number that may be its sign, currency or unit.
_AROUND: Final = 9
#: Texts are looked through up to here.
_MOST_CHARS: Final = 2_000_000
_SPOKEN: Final = frozenset({ValueType.TEXT, ValueType.AVAILABILITY})


class _Anchor(NamedTuple):
    """The words before and after a value, the nearest first; numbers among them may change."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    def likeness(self, before: list[str], after: list[str]) -> float:
        """The share of the anchor's words that stand around a place, 0 to 1; the nearest count double."""
        found = _weight(self.before, before) + _weight(self.after, after)
        return found / (_weight(self.before, self.before) + _weight(self.after, self.after))


def _weight(wanted: tuple[str, ...], there: list[str] | tuple[str, ...]) -> int:
    left = list(there)
    total = 0
    for place, word in enumerate(wanted):
        # A word may have come in between.
        window = left[: place + 3]
        if word in window:
            total += 2 if place == 0 else 1
    return total


def value_near(name: str, text: str, near: str, kind: ValueType | None = None, *, lang: str = "") -> Value | None:
    """The value that stands where `near` says in a text; None if these words are no longer there."""
    line = plain(text[:_MOST_CHARS])
    before, _, after = near.partition(GAP)
    if kind in _SPOKEN:
        found = _between(line, before, after)
        return value_of(name, found, kind, lang=lang) if found else None
    anchor = _Anchor(tuple(_words(before)[::-1][:_MOST_WORDS]), tuple(_words(after)[:_MOST_WORDS]))
    best, number, likeness = "", "", 0.0
    for start, end in _numbers(line):
        here = anchor.likeness(
            _words(line[max(0, start - _REACH) : start])[::-1][: _MOST_WORDS + 2],
            _words(line[end : end + _REACH])[: _MOST_WORDS + 2],
        )
        if here > likeness:
            best, number, likeness = _with_signs(line, start, end), line[start:end], here
    if likeness < _ENOUGH:
        return None
    return value_of(name, best, kind or _kind(name, best, number), lang=lang)


def _kind(name: str, text: str, number: str) -> ValueType | None:
    """What stands between the words is a number, unless it is clearly a version, a price or a date."""
    if is_version(number):
        return ValueType.VERSION
    found = value_of(name, text)
    return ValueType.NUMBER if found is None or found.type is ValueType.TEXT else None


def _words(text: str) -> list[str]:
    return ["#" if word[0].isdigit() else word.casefold() for word in _WORD.findall(text)]


def _numbers(line: str) -> Iterator[tuple[int, int]]:
    for match in NUMBER.finditer(line):
        yield match.span()


def _with_signs(line: str, start: int, end: int) -> str:
    """A number with what may be its sign, currency, unit or stage."""
    left = re.split(r"[\d\n]", line[max(0, start - _AROUND) : start])[-1]
    right = re.split(r"[\d\n]", line[end : end + _AROUND])[0]
    # Words that are cut in the middle are none.
    left = re.sub(r"^\w+(?=\s)", "", left) if start > _AROUND else left
    rest = re.match(r"(?:-?(?:rc|alpha|beta|a|b)\.?\d*)?", line[end:])
    return f"{left}{line[start:end]}{rest[0] if rest and rest[0] else right}"


def _between(line: str, before: str, after: str) -> str:
    """What stands between these words, in one line of the text."""
    first, last = (r"\s+".join(map(re.escape, part.split())) for part in (before, after))
    end = rf"\s*{last}" if last else r"\s*(?:\n|$)"
    match = re.search(rf"{first}[ \t]*(?:\n\s*)?([^\n]{{1,500}}?){end}", line, re.IGNORECASE)
    return match[1].strip() if match else ""
