"""The values of an item of a JSON answer, at their paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from veille.core.json.json_answers import MISSING, at
from veille.core.values.reading import guessed_type, of_number, value_of
from veille.core.values.value import Value, ValueType
from veille.core.values.wishes import ValueWish

#: In front of a path that begins at the whole answer.
_WHOLE: Final = "$."
NO_WISHES: Final[Mapping[str, ValueWish]] = MappingProxyType({})
_NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})
#: Larger numbers are identifiers, which a float cannot hold.
_LARGEST: Final = 2**53


def json_values(wishes: Mapping[str, ValueWish], item: Any, answer: Any, lang: str = "") -> tuple[Value, ...]:
    """The values that are at their paths in an item, or in the whole answer."""
    found = []
    for name, wish in wishes.items():
        if wish.path:
            whole = wish.path.startswith(_WHOLE)
            there = at(answer, wish.path.removeprefix(_WHOLE)) if whole else at(item, wish.path)
            value = None if there is MISSING else _value(name, there, wish.type, lang)
            if value is not None:
                found.append(value)
    return tuple(found)


def _value(name: str, there: Any, kind: ValueType | None, lang: str) -> Value | None:
    if isinstance(there, list) and kind is ValueType.COUNT:
        return of_number(name, Decimal(len(there)), kind)
    if isinstance(there, list) and there and not isinstance(there[0], dict | list):
        there = there[0]
    if isinstance(there, bool) or there is None:
        return None if there is None else value_of(name, "true" if there else "false", kind or ValueType.TEXT)
    if isinstance(there, int | float) and abs(there) < _LARGEST:
        number = Decimal(str(there))
        wanted = kind or guessed_type(name, str(number))
        if wanted in _NUMERIC or kind is None:
            return of_number(name, number, wanted if wanted in _NUMERIC else ValueType.NUMBER)
        there = format(number, "f")
    text = there if isinstance(there, str) else json.dumps(there, ensure_ascii=False, sort_keys=True)
    return value_of(name, text, kind, lang=lang)
