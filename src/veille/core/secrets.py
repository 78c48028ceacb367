"""Secrets by name: configured header values refer to them, and only the source's own origin ever gets them.

`${secret:NAME}` is looked up in the vault of the source's dossier. `${NAME}` is an environment variable, and only one
that the operator listed in `fetch.allow_env`. Nothing else is expanded: `$HOME` and `%PATH%` are sent as they stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from veille.core.addresses import AddressError, parse
from veille.core.models import Failure
from veille.core.outcomes import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: What secrets may be called.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
HIDDEN = "***"

_REFERENCE = re.compile(r"\$\{(secret:)?([^${}]*)\}")

Headers = tuple[tuple[str, str], ...]


class _MissingError(Exception):
    pass


def names_in(values: Iterable[str]) -> set[str]:
    """The secrets these values refer to."""
    return {match[2] for value in values for match in _REFERENCE.finditer(value) if match[1]}


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have scheme, host and port in common."""
    try:
        return parse(one).origin == parse(other).origin
    except AddressError:
        return False


def filled(
    headers: Mapping[str, str], secret: Callable[[str], str | None], env: Mapping[str, str]
) -> Headers | Failure:
    """The headers with every reference replaced, or why that cannot be. The message never holds a value."""

    def replaced(match: re.Match[str]) -> str:
        value = secret(match[2]) if match[1] else env.get(match[2])
        if value is None:
            raise _MissingError(_missing(match))
        return value

    try:
        return tuple((name, _REFERENCE.sub(replaced, value)) for name, value in headers.items())
    except _MissingError as error:
        return failure("secret", str(error))


def hidden(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as they may be shown: references stay, and so do values that cannot be credentials."""
    return {
        name: value if name.lower() in _HARMLESS or _REFERENCE.fullmatch(value.split(" ")[-1]) else HIDDEN
        for name, value in headers.items()
    }


_HARMLESS = frozenset({"accept", "accept-language", "cache-control", "dnt", "from", "referer", "user-agent"})


def _missing(match: re.Match[str]) -> str:
    if match[1]:
        return f"there is none called {match[2]!r} in this dossier"
    return f"{match[0]} is no variable the operator allows; write ${{secret:{match[2] or 'NAME'}}}"
