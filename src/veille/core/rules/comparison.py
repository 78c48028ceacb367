"""Comparison of values with what a rule says, and what became of them in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from veille.core.rules.words import folded
from veille.core.values.comparing import compare
from veille.core.values.reading import value_of
from veille.core.values.value import Value, ValueType

#: Values whose numbers are amounts.
NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})
#: Values that can be less or more than others.
_ORDERED: Final = NUMERIC | {ValueType.DATE, ValueType.VERSION}


@dataclass(frozen=True, slots=True)
class Operand:
    """What a rule compares a value with: a number with or without unit, a date, a version, a state or a text."""

    written: str
    number: Decimal | None = None
    unit: str = ""
    #: What it means for values of each type, read when it is first needed.
    _meant: dict[ValueType, Value | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def meant(self, kind: ValueType) -> Value | None:
        """It as a value of a type; None if it is none."""
        try:
            return self._meant[kind]
        except KeyError:
            return self._meant.setdefault(kind, self._read(kind))

    def _read(self, kind: ValueType) -> Value | None:
        if kind in NUMERIC and self.number is not None:
            return Value(name="", type=kind, text=self.written, number=float(self.number), unit=self.unit)
        if kind is ValueType.TEXT:
            return Value(name="", type=kind, text=folded(self.written))
        return value_of("", self.written, kind, lang="en")


def order(value: Value, operand: Operand) -> int | None:
    """-1, 0 or 1 if the value is less than the operand, the same or more; None if they cannot be compared."""
    if value.type not in _ORDERED:
        return None
    meant = operand.meant(value.type)
    return None if meant is None else compare(value, meant)


def is_same(value: Value, operand: Operand) -> bool | None:
    """Whether a value is what the operand says; None if they cannot be compared."""
    meant = operand.meant(value.type)
    if meant is None:
        return None
    if value.type is ValueType.TEXT:
        return folded(value.text) == meant.text
    found = compare(value, meant)
    return None if found is None else found == 0


def step(before: Value, after: Value) -> int | None:
    """-1, 0 or 1 if a value fell, stayed or rose; None if that cannot be said, as of texts or of two currencies."""
    return compare(after, before) if before.type in _ORDERED else None


def differs(before: Value, after: Value) -> bool:
    """Whether two values are different, not only written differently."""
    found = step(before, after)
    if found is not None:
        return found != 0
    return before.type is not after.type or folded(before.text) != folded(after.text)


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
