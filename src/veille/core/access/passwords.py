"""Which passwords are taken: long enough, and none of those that are tried first.

A list of common ones is not taken word by word: case, digits written for letters, and figures or signs at the ends make
no difference. `P4ssw0rd!2026` is `password`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from string import digits, punctuation

from veille.errors import ConfigError

MIN_LENGTH = 10
#: Hashing time grows with length; nobody types more.
MAX_LENGTH = 512
_MIN_DISTINCT = 5

_LEET = str.maketrans("013457@$!", "oleastasi")
#: Rows of keyboards and the like; any stretch of them, forwards or backwards, is no password.
_ROWS = ("qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz", "01234567890")
#: What is tried first here and is on no general list.
_COMMON = frozenset("administrator correcthorsebatterystaple root superuser temporary veille welcomehome".split())


def normalised(password: str) -> str:
    """The same password, however a keyboard spells its accents."""
    return unicodedata.normalize("NFC", password)


def guesses(words: Iterable[str]) -> frozenset[str]:
    """The words as they are, and without the figures and signs at their ends."""
    return frozenset(guess for word in words for guess in (word.casefold(), _core(word)))


def check_password(password: str, common: AbstractSet[str], *names: str) -> None:
    """Refuse a password that would be guessed soon: by the `guesses` given, or by the names of its user."""
    password = normalised(password)
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ConfigError(f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters.", code="bad_password")
    if is_common(password, common, *names):
        raise ConfigError(
            "This password would be guessed soon: take several words that do not belong together.", code="bad_password"
        )


def is_common(password: str, common: AbstractSet[str], *names: str) -> bool:
    """Whether it is one of the first that are tried."""
    lower = password.casefold()
    if len(set(lower)) < _MIN_DISTINCT or _repeats(lower) or _is_walk(lower):
        return True
    own = {"", *_COMMON, *(_core(part) for name in names for part in (name, *name.split("@"), *name.split()))}
    forms = {lower, _core(lower), _core(lower, _LEET)}
    return any(form in own or form in common for form in {*forms, *map(_undoubled, forms)})


def _undoubled(text: str) -> str:
    """`secretsecret` is `secret`."""
    half = text[: len(text) // 2]
    return half if half * 2 == text else text


def _core(text: str, spelling: Mapping[int, int] | None = None) -> str:
    """Its letters and digits, without what stands before the first letter and after the last."""
    return "".join(filter(str.isalnum, text.casefold().strip(digits + punctuation).translate(spelling or {})))


def _repeats(text: str) -> bool:
    """Whether it is a few characters again and again: `abcdabcdabcd`."""
    return (text + text).find(text, 1) < min(len(text), _MIN_DISTINCT + 1)


def _is_walk(text: str) -> bool:
    """Whether most of it is walked along the keyboard or the alphabet."""
    steps = {pair for row in _ROWS for way in (row, row[::-1]) for pair in pairwise(way)}
    along = sum(pair in steps for pair in pairwise(text))
    return along >= (len(text) - 1) * 0.75
