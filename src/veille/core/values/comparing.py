"""Which of two values is larger, newer or better."""

from __future__ import annotations

from typing import Any, Final

from veille.core.values.availability import rank_of
from veille.core.values.currencies import is_same_unit
from veille.core.values.value import Value, ValueType
from veille.core.values.versions import version_key

_NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})


def compare(a: Value, b: Value) -> int | None:
    """-1 if the first is smaller, older or less available, 1 if it is more, 0 if they are equal.

    None if they cannot be compared: another type, another currency. A number without unit is comparable with any, so
    that `price < 12` needs no currency. Texts are compared without regard to case.
    """
    if a.type in _NUMERIC and b.type in _NUMERIC:
        if not is_same_unit(a.unit, b.unit):
            return None
    elif a.type is not b.type:
        return None
    first, second = _key(a), _key(b)
    return None if first is None or second is None else (first > second) - (first < second)


def is_same(a: Value | None, b: Value | None) -> bool:
    """Whether a value is as it was: of the same type, with the same text. The text has number and unit in it."""
    if a is None or b is None:
        return a is b
    return a.type is b.type and a.text == b.text


def _key(value: Value) -> Any:
    """What values of one type are ordered by; None if it cannot be ordered."""
    if value.type in _NUMERIC or value.type is ValueType.DATE:
        # Numbers are as exact as their floats: each is the one next to what was written.
        return value.number
    if value.type is ValueType.VERSION:
        return version_key(value.text)
    return rank_of(value.text) if value.type is ValueType.AVAILABILITY else value.text.casefold()
