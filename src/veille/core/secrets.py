"""Secrets by name: configured headers and bodies refer to them, and only the source's own origin ever gets them.

`${secret:NAME}` is looked up in the vault of the source's dossier. In headers `${NAME}` is an environment variable, and
only one that the operator listed in `fetch.allow_env`. Nothing else is expanded: `$HOME` and `%PATH%` are sent as they
stand. Addresses hold no secrets: they are stored, reported and handed on.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus, unquote

from veille.core.outcomes import failure
from veille.core.traffic import Failure
from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

#: What secrets may be called.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
#: What is said of an address that refers to one.
IN_ADDRESS = "a secret cannot stand in an address, which is stored and shown; send it in `headers`, or in `body`"

#: A reference to one, or to a variable.
REFERENCE = re.compile(r"\$\{(secret:)?([^${}]*)\}")

Headers = tuple[tuple[str, str], ...]


class _MissingError(Exception):
    pass


def names_in(values: Iterable[str]) -> set[str]:
    """The secrets these values refer to."""
    return {match[2] for value in values for match in REFERENCE.finditer(value) if match[1]}


def is_in_address(url: str) -> bool:
    """Whether an address refers to a secret, in whatever spelling."""
    return bool(names_in([unquote(url)]))


def refuse_in_address(url: str) -> None:
    """ConfigError for an address that refers to a secret."""
    if is_in_address(url):
        raise ConfigError(f"{url[:120]}: {IN_ADDRESS}.", code="secret_in_url")


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
        return tuple((name, REFERENCE.sub(replaced, value)) for name, value in headers.items())
    except _MissingError as error:
        return failure("secret", str(error))


def filled_body(
    body: bytes, names: Collection[str], media_type: str, secret: Callable[[str], str | None]
) -> bytes | Failure:
    """The body with these secrets put in, written as its media type asks; what else looks like a reference stays."""

    def replaced(match: re.Match[str]) -> str:
        if not match[1] or match[2] not in names:
            return match[0]
        value = secret(match[2])
        if value is None:
            raise _MissingError(_missing(match))
        if "json" in media_type:
            return json.dumps(value, ensure_ascii=False)[1:-1]
        return quote_plus(value) if "form-urlencoded" in media_type else value

    try:
        return REFERENCE.sub(replaced, body.decode()).encode()
    except _MissingError as error:
        return failure("secret", str(error))


def _missing(match: re.Match[str]) -> str:
    if match[1]:
        return f"there is none called {match[2]!r} in this dossier"
    return f"{match[0]} is no variable the operator allows; write ${{secret:{match[2] or 'NAME'}}}"
