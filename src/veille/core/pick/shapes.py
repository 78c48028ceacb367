"""What a short text looks like: a price, a date, a number, a version, or words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_MONEY: Final = r"(?:[$€£¥₹₽₩₺₴₫฿]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|AUD|CAD|Kč|zł|kr|Fr)\b\.?)"
_NUMBER: Final = r"[-+\u2212]?\d[\d.,'\u00a0\u202f ]*"
_MONTH: Final = (
    r"(?:jan|feb|fev|fév|mar|mär|apr|avr|may|mai|jun|jui|jul|aug|aoû|ago|sep|okt|oct|nov|dec|dez|déc|ene|abr|dic)\w*"
)
_SHAPES: Final = (
    ("price", re.compile(rf"{_MONEY}\s*{_NUMBER}|{_NUMBER}\s*{_MONEY}", re.IGNORECASE)),
    (
        "date",
        re.compile(rf"\b\d{{4}}-\d\d?-\d\d?|\b\d\d?[./]\d\d?[./]\d{{2,4}}|\b\d\d?\.?\s+{_MONTH}\b|{_MONTH}\s+\d\d?\b"),
    ),
    ("time", re.compile(r"\b\d\d?:\d\d\b")),
    ("share", re.compile(r"\d\s*%")),
    ("version", re.compile(r"\bv?\d+\.\d+\.\d+")),
    ("number", re.compile(rf"^\W*{_NUMBER}\W*\w{{0,12}}\W*$")),
)
_MOST_SHAPED: Final = 60
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def shape_of(text: str) -> str:
    """price, date, time, share, version, number, words, text or nothing."""
    line = text.strip()
    if not line:
        return "nothing"
    if len(line) <= _MOST_SHAPED:
        for name, pattern in _SHAPES:
            if pattern.search(line.casefold() if name == "date" else line):
                return name
        return "words"
    return "text"


@lru_cache(maxsize=4096)
def words_of(text: str, most: int = 40) -> tuple[str, ...]:
    """The words of a text, without case; every number is the same word."""
    words = ["#" if word[0].isdigit() else word.casefold() for word in _WORD.findall(text[: most * 20])]
    return tuple(words[:most])


def likeness(one: str, other: str) -> float:
    """How alike two short texts are, 0 to 1: the words they share, of all they have."""
    if one == other:
        return 1.0
    mine, theirs = words_of(one), words_of(other)
    if not mine or not theirs:
        return 0.0
    both = set(mine) & set(theirs)
    # A number alone is no agreement.
    if both <= {"#"} and len(set(mine) | set(theirs)) > 1:
        return 0.0
    return len(both) / len(set(mine) | set(theirs))


def title_likeness(one: str, other: str) -> float:
    """The same for titles, in which every digit counts."""
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return 0.0
    return likeness(one, other)
