"""Which passwords are accepted: long enough, and not common.

The comparison with a list of common passwords ignores case, digits in place of letters, and digits or punctuation at
the ends. `P4ssw0rd!2026` is `password`.
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
#: Rows of keyboards and similar sequences; any part of them, forwards or backwards, is no password.
_ROWS = ("qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz", "01234567890")
#: Likely guesses for this program that are on no general list.
_COMMON = frozenset("administrator correcthorsebatterystaple root superuser temporary veille welcomehome".split())


def normalised(password: str) -> str:
    """The password in NFC: keyboards differ in how they encode accents."""
    return unicodedata.normalize("NFC", password)


def guesses(words: Iterable[str]) -> frozenset[str]:
    """The words themselves, and without digits and punctuation at their ends."""
    return frozenset(guess for word in words for guess in (word.casefold(), _core(word)))


def check_password(password: str, common: AbstractSet[str], *names: str) -> None:
    """Raise ConfigError for a password of bad length, or one in the `guesses` given or like the names of its user."""
    password = normalised(password)
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ConfigError(f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters.", code="bad_password")
    if is_common(password, common, *names):
        raise ConfigError(
            "This password is easy to guess: use several words that do not belong together.", code="bad_password"
        )


def is_common(password: str, common: AbstractSet[str], *names: str) -> bool:
    """Whether the password is one of the first that an attacker would try."""
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
    """Its letters and digits, without digits and punctuation at the ends."""
    return "".join(filter(str.isalnum, text.casefold().strip(digits + punctuation).translate(spelling or {})))


def _repeats(text: str) -> bool:
    """Whether it is a short sequence repeated: `abcdabcdabcd`."""
    return (text + text).find(text, 1) < min(len(text), _MIN_DISTINCT + 1)


def _is_walk(text: str) -> bool:
    """Whether most of it is a sequence of the keyboard or the alphabet."""
    steps = {pair for row in _ROWS for way in (row, row[::-1]) for pair in pairwise(way)}
    along = sum(pair in steps for pair in pairwise(text))
    return along >= (len(text) - 1) * 0.75
