"""Passwords of reader apps: short enough to be typed on a phone, and random, so that nobody can guess them.

Fever apps send an MD5 of name and password. That is no weakness here: nobody chose the password, so there is nothing to
try, and of the MD5 only a SHA-256 is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

#: Letters and digits that nobody mistakes for each other: 20 of them are 99 bits.
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 4, 5


def make_app_password(choice: Callable[[str], str]) -> str:
    """A new password; `choice` picks a letter at random."""
    return "-".join("".join(choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def fever_key(login: str, password: str) -> str:
    """The key that a Fever app sends.

    >>> fever_key("ada", "secret")
    '6614daab2fdfbd23cf7385bd57f93d91'
    """
    return hashlib.md5(f"{login}:{password}".encode(), usedforsecurity=False).hexdigest()
