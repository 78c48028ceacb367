"""What Python programs give to methods: anything else than what is wanted is an error with a code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from veille.errors import ConfigError

#: No number of a store is larger.
_MOST = 2**63 - 1


def as_text(given: Any) -> str:
    """A text; what programs read elsewhere is often None."""
    if not isinstance(given, str):
        raise _wrong("A text is wanted here", given)
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise _wrong("A text that can be written in UTF-8 is wanted here", given) from error
    return given


def as_number(given: Any) -> int:
    """A number of something, such as a limit."""
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= _MOST:
        raise _wrong(f"A whole number from 1 to {_MOST} is wanted here", given)
    return given


def as_cursor(given: Any) -> str:
    """A cursor, or the number of a change, as text."""
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) <= _MOST:
        return str(given)
    if not isinstance(given, str):
        raise _wrong("A cursor or the number of a change is wanted here", given)
    return as_text(given)


def as_texts(given: Any) -> list[str]:
    """Several texts; a single one is no list of its letters."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise _wrong("A list of texts is wanted here", given)
    return [as_text(one) for one in given]


def as_folder(given: Any) -> Path:
    """A folder, by its path."""
    if not isinstance(given, str | os.PathLike):
        raise _wrong("The path of a folder is wanted here", given)
    path = as_text(os.fspath(given))
    if "\0" in path:
        raise _wrong("The path of a folder is wanted here", given)
    return Path(path)


def _wrong(wanted: str, given: Any) -> ConfigError:
    # Python does not write very long numbers.
    shown = "one of more than 64 bits" if isinstance(given, int) and abs(given) > _MOST else f"{given!r:.80}"
    return ConfigError(f"{wanted}, not {shown}.", code="bad_argument")
