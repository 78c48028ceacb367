"""Numbers and prices as people of any country write them.

Which sign is the decimal one is told by the number itself wherever that is possible: `1.299,00`, `1'299.00`, `1,29,999`
and `12,90` can be read in one way only. `1.299` and `1,299` cannot: they are thousands, unless the language of the text
says otherwise, or a currency with three decimals, or a zero in front.
"""

# ruff: noqa: RUF001 - people write in every alphabet

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from veille.core.values.currencies import CURRENCY, currency_of, decimals_of

#: Longer texts are no numbers; only their beginning is looked at.
_MOST_CHARS: Final = 400
#: More digits than this are an identifier.
_MOST_DIGITS: Final = 18
_SIGNS: Final = str.maketrans(
    {
        "٫": ".", "٬": ",", "،": ",", "，": ",", "．": ".", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ",
        "\u200a": " ", "\u3000": " ", "’": "'", "ʼ": "'", "′": "'", "´": "'", "`": "'", "‘": "'", "−": "-", "–": "-",
        "—": "-", "﹣": "-", "－": "-", "＄": "$", "％": "%", "٪": "%", "\u200e": None, "\u200f": None, "\u202a": None,
        "\u202b": None, "\u202c": None, "\u2066": None, "\u2067": None, "\u2069": None, "\ufeff": None, "\u200b": None,
    }
)  # fmt: skip
#: Digits, with signs between them; after a space only groups of three digits belong to the number.
_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?P<minus>[-+]\s?)?(?P<digits>\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?(?![\d'])|(?:\d+(?:[.,']\d+)*)|[.,]\d+)"
)
#: The same anywhere: beside a currency, letters may touch it.
_AFTER_LETTERS: Final = re.compile(_NUMBER.pattern.replace(r"(?<![\w.,])", r"(?<![\d.,])"))
_MULTIPLIERS: Final = {
    "k": 3, "tsd": 3, "thousand": 3, "tausend": 3, "mil": 3, "тыс": 3, "千": 3, "천": 3, "m": 6, "mm": 6, "mio": 6,
    "mln": 6, "million": 6, "millions": 6, "millionen": 6, "millones": 6, "millón": 6, "milioni": 6, "milione": 6,
    "млн": 6, "b": 9, "bn": 9, "mrd": 9, "mld": 9, "billion": 9, "billions": 9, "milliard": 9, "milliards": 9,
    "milliarde": 9, "milliarden": 9, "miliardi": 9, "млрд": 9, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8,
    "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7,
}  # fmt: skip
#: After a number. `m` is a metre and ` K` a temperature, so single letters count only where they mean nothing else.
_TIMES: Final = re.compile(
    r"\s?(?P<east>[千천万萬만億亿억])|(?P<letter>[kKMB])(?![\w/²³])|\s?(?P<word>M|[^\W\d_]{2,9})\.?(?![\w/²³])"
)
_UNITS: Final = (
    "% ‰ °C °F ℃ kg mg g t lb lbs oz km/h mph m/s km cm mm m mi ft in ml l kWh MWh GWh kW MW GW W V A Hz kHz MHz GHz "
    "KB MB GB TB KiB MiB GiB TiB kB hPa mbar bar ppm ms s min h m² m³ ha"
).split()
_UNIT: Final = re.compile(rf"\s?(?P<unit>{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![\w/²³])")
#: Nothing but these may stand between a number and its currency.
_BESIDE: Final = re.compile(r"[\s:*~=]{0,3}")
#: Instead of decimals: `12,-` and `12.—`.
_NO_DECIMALS: Final = re.compile(r"[.,]\s?-{1,2}")
#: Decimals after the currency: `12€90`.
_SPLIT: Final = re.compile(r"\s?€\s?(\d\d)(?!\d)")
#: Languages in which the comma is the decimal sign.
_COMMA: Final = frozenset(
    "bg ca cs da de el es et eu fi fr gl hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sr sv tr uk vi".split()
)
#: Languages in which the point is the decimal sign.
_POINT: Final = frozenset("en zh ja ko th he hi bn ta te ur ms".split())


class Figure(NamedTuple):
    """A number, with its unit or currency, and where it stands in the text that `plain` returns."""

    number: Decimal
    unit: str
    is_price: bool
    start: int
    end: int


def plain(text: str) -> str:
    """The text with ASCII digits, separators and spaces, and without marks of direction."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() and not sign.isascii() else sign
        for sign in text.translate(_SIGNS)
    )


def read_figure(text: str, lang: str = "", unit: str = "") -> Figure | None:
    """The number in a text: the first one with a currency, else the first one; None if there is none.

    `unit` is the currency where it is known from elsewhere.
    """
    line = plain(text[:_MOST_CHARS])
    found = _beside_currency(line, lang)
    if found is not None:
        return found
    for match in _NUMBER.finditer(line):
        number = _number(match, line, lang, unit)
        if number is not None:
            end = match.end()
            if not unit and (measured := _UNIT.match(line, end)):
                return Figure(number, measured["unit"].replace("℃", "°C"), is_price=False, start=match.start(), end=end)
            value, end = _times(line, number, match)
            return Figure(value, unit, bool(unit), match.start(), end)
    return None


def read_number(text: str, lang: str = "") -> Decimal | None:
    """The number in a text.

    >>> read_number("1.299,00 €"), read_number("1,29,999"), read_number("1.2k")
    (Decimal('1299.00'), Decimal('129999'), Decimal('1200'))
    """
    found = read_figure(text, lang)
    return None if found is None else found.number


def shown_number(number: Decimal, least: int = 0) -> str:
    """A number as it is shown and stored: without separators and idle zeros, with at least so many decimals.

    >>> shown_number(Decimal("1299.50"), 2), shown_number(Decimal("1.20E+3"))
    ('1299.50', '1200')
    """
    whole, _, decimals = format(number, "f").partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    return f"{whole}.{decimals}" if decimals else whole


def _beside_currency(line: str, lang: str) -> Figure | None:
    for match in CURRENCY.finditer(line):
        unit = currency_of(match, lang)
        for number in (_before(line, match.start()), _behind(line, match.end())):
            value = number and _number(number, line, lang, unit)
            if number is None or value is None:
                continue
            cents = _SPLIT.match(line, number.end())
            if cents and "." not in str(value):
                return Figure(
                    value + Decimal(cents[1]) / 100, unit, is_price=True, start=number.start(), end=cents.end()
                )
            value, end = _times(line, value, number)
            return Figure(value, unit, is_price=True, start=number.start(), end=end)
    return None


def _before(line: str, end: int) -> re.Match[str] | None:
    """The number that ends right before a currency."""
    start = max(0, end - 40)
    for match in _AFTER_LETTERS.finditer(line, start, end):
        at = match.end()
        if bare := _NO_DECIMALS.match(line, at, end):
            at = bare.end()
        elif times := _TIMES.match(line, at, end):
            at = times.end() if times[times.lastgroup or 0].lower() in _MULTIPLIERS else at
        between = _BESIDE.match(line, at)
        if between and between.end() >= end:
            return match
    return None


def _behind(line: str, start: int) -> re.Match[str] | None:
    """The number that begins right behind a currency."""
    between = _BESIDE.match(line, start)
    return _AFTER_LETTERS.match(line, between.end() if between else start)


def _number(match: re.Match[str], line: str, lang: str, unit: str) -> Decimal | None:
    text = _decimal(match["digits"], lang, unit, is_multiplied=_power(line, match.end()) > 0)
    if text is None or sum(map(str.isdigit, text)) > _MOST_DIGITS:
        return None
    minus = (match["minus"] or "").strip() == "-" or _is_minus(line, match.start())
    try:
        return -Decimal(text) if minus else Decimal(text)
    except InvalidOperation:
        return None


def _is_minus(line: str, start: int) -> bool:
    """Whether a minus stands before the currency: `-$5`."""
    before = CURRENCY.search(line, max(0, start - 6), start)
    return before is not None and line[: before.start()].endswith("-") and not line[: before.start() - 1][-1:].isalnum()


def _decimal(digits: str, lang: str, unit: str, *, is_multiplied: bool) -> str | None:
    """The digits as Python writes them; None if they are no number but a version, a date or an address."""
    signs = [sign for sign in digits if not sign.isdigit()]
    kinds = dict.fromkeys(signs)
    if not signs:
        return digits
    last = signs[-1]
    if len(kinds) > 1:
        # The last sign is the decimal one, if it occurs once; all others are for thousands.
        if last in " '" or signs.count(last) > 1 or len(kinds) > 2:  # noqa: PLR2004
            return None
        whole, decimals = digits.rsplit(last, 1)
        groups = re.split(r"[ ',.]", whole)
        return f"{''.join(groups)}.{decimals}" if _are_thousands(groups) else None
    groups = digits.split(last)
    if len(signs) > 1 or last in " '":
        return "".join(groups) if _are_thousands(groups) else None
    whole, decimals = groups
    if len(decimals) != 3 or len(whole) > 3 or whole in {"", "0"} or is_multiplied:  # noqa: PLR2004 - thousands have three
        return f"{whole or '0'}.{decimals}"
    return f"{whole}.{decimals}" if _has_three_decimals(last, lang, unit) else f"{whole}{decimals}"


def _has_three_decimals(sign: str, lang: str, unit: str) -> bool:
    if unit:
        return decimals_of(unit) == 3  # noqa: PLR2004
    return lang in (_COMMA if sign == "," else _POINT)


def _are_thousands(groups: list[str]) -> bool:
    """Whether these are groups of three digits, or of two before the last, as in India."""
    if len(groups) == 1:
        return True
    first, *middle, last = groups
    is_indian = len(first) <= 2 and all(len(one) == 2 for one in middle)  # noqa: PLR2004
    return len(last) == 3 and 0 < len(first) <= 3 and (is_indian or all(len(one) == 3 for one in middle))  # noqa: PLR2004


def _power(line: str, end: int) -> int:
    times = _TIMES.match(line, end)
    return _MULTIPLIERS.get(times[times.lastgroup or 0].lower(), 0) if times else 0


def _times(line: str, number: Decimal, match: re.Match[str]) -> tuple[Decimal, int]:
    """The number with its multiplier, and where that ends."""
    times = _TIMES.match(line, match.end())
    power = _power(line, match.end())
    if times is None or not power:
        return number, match.end()
    return Decimal(shown_number(number.scaleb(power))), times.end()
