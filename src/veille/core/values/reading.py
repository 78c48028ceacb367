"""From a text to a value: of a wanted type, or of the one that the text looks like."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from veille.core.dates import iso, parse_date, written_date
from veille.core.values.availability import is_availability, read_availability
from veille.core.values.currencies import decimals_of
from veille.core.values.numbers import Figure, plain, read_figure, shown_number
from veille.core.values.value import Value, ValueType
from veille.core.values.versions import is_version, read_version

#: Longer texts are cut: a value is read at a glance.
MOST_CHARS: Final = 500
_DATE_CHARS, _DATE_DIGITS = 40, 5
_DAY: Final = "T00:00:00Z"
_NUMERIC: Final = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})
#: Words in the name of a value that tell its type.
_NAMED: Final = (
    (ValueType.PRICE, re.compile(r"price|preis|prix|precio|prezzo|preço|cost|kosten|fare", re.IGNORECASE)),
    (ValueType.AVAILABILITY, re.compile(r"availab|verfügbar|disponib|stock_?state|lieferbar", re.IGNORECASE)),
    (ValueType.VERSION, re.compile(r"version|release", re.IGNORECASE)),
    (ValueType.COUNT, re.compile(r"count|number_of|anzahl|reviews|stars|followers|downloads|votes", re.IGNORECASE)),
)
#: A text that is a number, with a few words around it.
_FEW_WORDS: Final = 4
_NUMBER_WORD: Final = re.compile(r"\d")


def value_of(name: str, text: str, kind: ValueType | None = None, *, lang: str = "", unit: str = "") -> Value | None:
    """The value in a text; None if it has none of that type. Without a type, it is guessed.

    `lang` is the language of the text, which tells how ambiguous numbers are meant; `unit` a currency that is known.

    >>> value_of("price", "nur 1.299,00 €").text, value_of("state", "Sold out").text
    ('1299.00 EUR', 'out of stock')
    """
    line = " ".join(text[: MOST_CHARS * 4].split())
    if not line:
        return None
    wanted = kind or guessed_type(name, line, unit)
    if wanted in _NUMERIC:
        return _numeric(name, wanted, line, lang, unit)
    if wanted is ValueType.DATE:
        at = parse_date(line) or written_date(plain(line))
        return None if at is None else Value(name=name, type=wanted, text=iso(at).removesuffix(_DAY), number=float(at))
    found = line[:MOST_CHARS]
    if wanted is ValueType.AVAILABILITY:
        found = read_availability(line)
    elif wanted is ValueType.VERSION:
        found = read_version(line)
    return Value(name=name, type=wanted, text=found) if found else None


def guessed_type(name: str, text: str, unit: str = "") -> ValueType:
    """The type that a text looks like; its name counts where the text has what the name says."""
    figure = read_figure(text)
    readable = {
        ValueType.PRICE: figure is not None,
        ValueType.COUNT: figure is not None,
        ValueType.AVAILABILITY: bool(read_availability(text)),
        ValueType.VERSION: bool(read_version(text)),
    }
    for kind, pattern in _NAMED:
        if readable[kind] and pattern.search(name):
            return kind
    if is_availability(text):
        return ValueType.AVAILABILITY
    if is_version(text):
        return ValueType.VERSION
    if _is_date(text):
        return ValueType.DATE
    if figure is None or len(text.split()) > _FEW_WORDS + 1:
        return ValueType.TEXT
    return ValueType.PRICE if figure.is_price or unit else _plain_type(text, figure)


def of_number(name: str, number: Decimal, kind: ValueType, unit: str = "") -> Value:
    """The value of a number that is known already."""
    least = decimals_of(unit) if kind is ValueType.PRICE else 0
    shown = shown_number(number, least)
    return Value(name=name, type=kind, text=f"{shown} {unit}" if unit else shown, number=float(number), unit=unit)


def _numeric(name: str, kind: ValueType, text: str, lang: str, unit: str) -> Value | None:
    figure = read_figure(text, lang, unit)
    if figure is None:
        return None
    number = figure.number
    if kind is ValueType.COUNT:
        # Nobody counts in fractions: what looks like one has a sign for thousands.
        return of_number(name, number.to_integral_value(), kind)
    return of_number(name, number, kind, figure.unit or unit)


def _plain_type(text: str, figure: Figure) -> ValueType:
    words = [word for word in text.split() if not _NUMBER_WORD.search(word)]
    if not figure.unit and len(words) > _FEW_WORDS:
        return ValueType.TEXT
    return ValueType.NUMBER


def _is_date(text: str) -> bool:
    # A date has at least a day and a year, and little else.
    if len(text) > _DATE_CHARS or sum(map(str.isdigit, text)) < _DATE_DIGITS:
        return False
    return parse_date(text) is not None or written_date(plain(text)) is not None
