"""The numbers that change: found by comparing texts of one document, each with words by which it is found again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from veille.core.values.near import NUMBER, value_near
from veille.core.values.numbers import plain
from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueType
from veille.core.values.wishes import GAP, ValueWish

_WORDS: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_MOST_LINES: Final = 5000
_MOST_LINE_CHARS: Final = 2000
#: As many are offered, those that changed most recently first.
_MOST_OFFERED: Final = 20
_NAME_WORDS, _NEAR_WORDS = 4, 5
#: Parts of a date or a time are no values: they change by themselves.
_CLOCK: Final = re.compile(r"\d\d?:\d\d(?::\d\d)?|\b\d{4}-\d\d-\d\d\b|\b\d\d?[./]\d\d?[./]\d{2,4}\b")
_AGO: Final = re.compile(
    r"\s*(?:seconds?|minutes?|mins?|hours?|days?|sekunden?|minuten?|stunden?|tagen?)\s+(?:ago|her)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangingNumber:
    """A number that changed in place, and how to follow it."""

    #: A proposal, from the words around it.
    name: str
    wish: ValueWish
    before: Value
    after: Value
    #: The line that it stands in, as it is now.
    line: str


def changing_numbers(texts: Sequence[str], *, lang: str = "") -> list[ChangingNumber]:
    """The numbers that changed in place between any two of these texts, the oldest first, and are in the last one."""
    found: dict[str, ChangingNumber] = {}
    newest = texts[-1] if texts else ""
    for older, newer in reversed(list(pairwise(texts))):
        for one in _changed(older, newer, newest, lang):
            found.setdefault(one.wish.near, one)
    return _renamed(list(found.values())[:_MOST_OFFERED])


def _changed(older: str, newer: str, newest: str, lang: str) -> list[ChangingNumber]:
    before, after = _lines(older), _lines(newer)
    # The matcher takes the square of what it compares: most of two revisions is the same at both ends.
    head = _same(before, after)
    tail = _same(before[head:][::-1], after[head:][::-1])
    # Lines that are the same but for their numbers are one line.
    masked = [[NUMBER.sub("#", line) for line in lines[head : len(lines) - tail]] for lines in (before, after)]
    found = []
    for block in SequenceMatcher(None, masked[0], masked[1], autojunk=False).get_matching_blocks():
        for place in range(block.size):
            old, at = before[head + block.a + place], head + block.b + place
            if old != after[at]:
                found += _of_line(old, after, at, newest, lang)
    return found


def _same(some: list[str], others: list[str]) -> int:
    """How many lines are the same at the beginning."""
    pairs = zip(some, others, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(some), len(others)))


def _of_line(old: str, lines: list[str], at: int, newest: str, lang: str) -> list[ChangingNumber]:
    line = lines[at]
    passing = [match.span() for match in _CLOCK.finditer(line)]
    found = []
    for one, other in zip(NUMBER.finditer(old), NUMBER.finditer(line), strict=True):
        start, end = other.span()
        is_passing = any(first <= start < last for first, last in passing) or _AGO.match(line, end)
        if one[0] == other[0] or is_passing:
            continue
        made = _followed(old, one, lines, at, other, lang)
        if made is not None and _is_found(made, newest, lang):
            found.append(made)
    return found


def _followed(
    old: str, one: re.Match[str], lines: list[str], at: int, other: re.Match[str], lang: str
) -> ChangingNumber | None:
    line = lines[at]
    before, after = line[: other.start()], line[other.end() :]
    # A number alone in its line is told by the line above.
    above = lines[at - 1] if at and not _WORDS.search(before) else ""
    name, near = _name(before or above, after, above), _near(f"{above} {before}", after)
    values = [_read(name, text, match, lang) for text, match in ((old, one), (line, other))]
    if not near or values[0] is None or values[1] is None:
        return None
    kind = values[1].type
    wish = ValueWish(near=near, type=None if kind is ValueType.NUMBER else kind)
    return ChangingNumber(name=name, wish=wish, before=values[0], after=values[1], line=line[:_MOST_LINE_CHARS])


def _read(name: str, line: str, match: re.Match[str], lang: str) -> Value | None:
    left = re.split(r"\d", line[max(0, match.start() - 6) : match.start()])[-1]
    right = re.split(r"\d", line[match.end() : match.end() + 8])[0]
    found = value_of(name, f"{left}{match[0]}{right}", lang=lang)
    if found is None or found.type in {ValueType.TEXT, ValueType.AVAILABILITY, ValueType.DATE}:
        return value_of(name, match[0], ValueType.NUMBER, lang=lang)
    return found


def _near(before: str, after: str) -> str:
    words = re.findall(r"\S+", before)[-_NEAR_WORDS:]
    rest = re.findall(r"\S+", after)[:_NEAR_WORDS]
    near = " ".join([*words, GAP, *rest]).replace("{ }", "")
    return near if _WORDS.search(near) and near.count(GAP) == 1 else ""


def _name(before: str, after: str, above: str) -> str:
    """A name from the nearest words: those before it in its sentence, else those after it, else the line above."""
    for text, is_before in (
        (re.split(r"[.;!?|]\s", before)[-1], True),
        (re.split(r"[.;!?|,]", after)[0], False),
        (above, True),
    ):
        words = _WORDS.findall(text)
        if words:
            chosen = words[-_NAME_WORDS:] if is_before else words[:_NAME_WORDS]
            return " ".join(chosen).lower()[:60]
    return "number"


def _is_found(one: ChangingNumber, newest: str, lang: str) -> bool:
    return value_near(one.name, newest, one.wish.near, one.wish.type, lang=lang) is not None


def _renamed(numbers: list[ChangingNumber]) -> list[ChangingNumber]:
    """The same, with different names."""
    taken: dict[str, int] = {}
    named = []
    for one in numbers:
        taken[one.name] = taken.get(one.name, 0) + 1
        name = one.name if taken[one.name] == 1 else f"{one.name} {taken[one.name]}"
        named.append(ChangingNumber(name=name, wish=one.wish, before=one.before, after=one.after, line=one.line))
    return named


def _lines(text: str) -> list[str]:
    return [line.strip() for line in plain(text).splitlines() if line.strip()][:_MOST_LINES]
