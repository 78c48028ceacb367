"""Which headers a source may set: none that affects the connection or a proxy, or identifies our machine."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e\t]{0,8000}")
#: Set by us or by the connection, or trusted by servers that trust our machine.
_RESERVED = frozenset(
    "accept-encoding connection content-length expect host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since keep-alive range remote-user te trailer transfer-encoding upgrade via forwarded".split()
)
_RESERVED_PREFIXES = tuple("x-forwarded- x-real- x-remote- x-original- x-envoy- proxy- sec- x-auth-request-".split())


def header_problem(headers: Iterable[tuple[str, str]]) -> str:
    """Why these headers cannot be sent; empty if they can. The message has no values: they may be secret."""
    for name, value in headers:
        lowered = name.lower()
        if not _NAME.fullmatch(name):
            return f"{name[:40]!r} is not a header name"
        if lowered in _RESERVED or lowered.startswith(_RESERVED_PREFIXES):
            return f"{name} may not be set by a source"
        if not _VALUE.fullmatch(value):
            return f"the value of {name} holds characters that cannot be sent"
    return ""
