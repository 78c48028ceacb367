"""Comparison of values, with each other and with what a rule says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final

from veille.core.dates import parse_date
from veille.core.rules.words import folded
from veille.core.values.value import Value, ValueType

#: Values whose numbers are amounts.
NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})
_DIGITS: Final = re.compile(r"\d+|[^\W\d_]+")
#: The same state of an offer in other words.
_STATES: Final = {
    "available": "in stock",
    "instock": "in stock",
    "sold out": "out of stock",
    "outofstock": "out of stock",
    "soldout": "out of stock",
    "unavailable": "out of stock",
    "not available": "out of stock",
    "preorder": "pre-order",
    "pre order": "pre-order",
    "backorder": "back-order",
    "back order": "back-order",
}
_BEFORE_RELEASE: Final = -1


@dataclass(frozen=True)
class Operand:
    """What a rule compares a value with: a number with or without unit, a date, a version or a text."""

    written: str
    number: Decimal | None = None
    #: In small letters.
    unit: str = ""

    @cached_property
    def float(self) -> float | None:
        """The number as values have it: 12.9 is the same 12.9 in both."""
        return None if self.number is None else float(self.number)

    @cached_property
    def text(self) -> str:
        return folded(self.written)

    @cached_property
    def state(self) -> str:
        return _STATES.get(self.text, self.text)

    @cached_property
    def version(self) -> tuple[tuple[int, str], ...]:
        return version_parts(self.written)

    @cached_property
    def date(self) -> int | None:
        """The time that it means, in milliseconds; None if it is no date."""
        return parse_date(self.written)


def order(value: Value, operand: Operand) -> int | None:
    """-1, 0 or 1 if the value is less than the operand, the same or more; None if they cannot be compared."""
    if value.type in NUMERIC:
        number, limit = value.number, operand.float
        if number is None or limit is None or (operand.unit and operand.unit != value.unit.casefold()):
            return None
        return (number > limit) - (number < limit)
    if value.type is ValueType.DATE:
        number, date = value.number, operand.date
        return None if number is None or date is None else (number > date) - (number < date)
    if value.type is ValueType.VERSION:
        ours, theirs = version_parts(value.text), operand.version
        return (ours > theirs) - (ours < theirs)
    return None


def is_same(value: Value, operand: Operand) -> bool:
    """Whether a value is what the operand says."""
    if value.type in NUMERIC or value.type in {ValueType.DATE, ValueType.VERSION}:
        return order(value, operand) == 0
    text = folded(value.text)
    if value.type is ValueType.AVAILABILITY:
        return _STATES.get(text, text) == operand.state
    return text == operand.text


def step(before: Value, after: Value) -> int | None:
    """-1, 0 or 1 if a value fell, stayed or rose; None if that cannot be said, as of texts or of two currencies."""
    if before.type is not after.type or before.unit.casefold() != after.unit.casefold():
        return None
    if before.type is ValueType.VERSION:
        old, new = version_parts(before.text), version_parts(after.text)
        return (new > old) - (new < old)
    if before.number is None or after.number is None:
        return None
    return (after.number > before.number) - (after.number < before.number)


def differs(before: Value, after: Value) -> bool:
    """Whether two values are different, not only written differently."""
    if before.type is not after.type or before.unit.casefold() != after.unit.casefold():
        return True
    if before.number is not None and after.number is not None:
        return before.number != after.number
    return folded(before.text) != folded(after.text)


def version_parts(text: str) -> tuple[tuple[int, str], ...]:
    """A version as something that sorts: 3.9 is before 3.11, and 2.0rc1 before 2.0.

    >>> version_parts("v3.9") < version_parts("3.11") and version_parts("2.0rc1") < version_parts("2.0")
    True
    """
    parts: list[tuple[int, str]] = []
    for part in _DIGITS.findall(folded(text).removeprefix("v")):
        if part.isdecimal():
            parts.append((int(part[:18]), ""))
        else:
            while parts and parts[-1] == (0, ""):
                parts.pop()
            parts.append((_BEFORE_RELEASE, part))
    while parts and parts[-1] == (0, ""):
        parts.pop()
    # What ends here comes after what goes on with letters, and before what goes on with a number.
    return (*parts, (_BEFORE_RELEASE, "\U0010ffff"))


def told(name: str, before: Value | None, after: Value | None) -> str:
    """What became of a value, in plain words: `price fell from 12.90 EUR to 11.50 EUR`."""
    if after is None:
        return f"{name} is gone; it was {before.text}" if before is not None else f"{name} is not known"
    if before is None or not differs(before, after):
        return f"{name} is {after.text}"
    verb = {-1: "fell", 1: "rose"}.get(step(before, after) or 0, "changed")
    if after.type is ValueType.DATE:
        verb = "changed"
    return f"{name} {verb} from {before.text} to {after.text}"
