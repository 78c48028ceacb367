"""The headers of a source, which may be credentials: which may be set, what is shown of them, and who gets them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from veille.core.addresses import REFERENCE, AddressError, Url, parse
from veille.core.models import Json
from veille.errors import ConfigError

HIDDEN = "***"
#: A value that is only a reference, with an optional scheme such as `Bearer` before it.
_BY_NAME = re.compile(rf"(?:(?:basic|bearer|token|key|apikey) )?{REFERENCE.pattern}", re.IGNORECASE)
_HARMLESS = frozenset({"accept", "accept-language", "cache-control", "dnt", "from", "referer", "user-agent"})
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e\t]{0,8000}")
#: Set by us or by the connection, or trusted by servers that trust our machine.
_RESERVED = frozenset(
    "accept-encoding connection content-length expect host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since keep-alive range remote-user te trailer transfer-encoding upgrade via forwarded".split()
)
_RESERVED_PREFIXES = tuple("x-forwarded- x-real- x-remote- x-original- x-envoy- proxy- sec- x-auth-request-".split())


def hidden(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, redacted: references stay, and so do values that cannot be credentials."""
    return {
        name: value if name.lower() in _HARMLESS or _BY_NAME.fullmatch(value) else HIDDEN
        for name, value in headers.items()
    }


def shown_options(config: Json) -> Json:
    """The options of a source, with its headers redacted."""
    headers = config.get("headers")
    return config | {"headers": hidden(headers)} if headers else config


def unhidden(headers: Json, known: Mapping[str, str]) -> Json:
    """Restore the values of redacted headers that a client sends back."""
    return {name: known.get(name, value) if value == HIDDEN else value for name, value in headers.items()}


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    first, second = _url(one), _url(other)
    return first is not None and second is not None and first.origin == second.origin


def would_hand_over(config: Json, url: str, other: str) -> bool:
    """Whether a source with these options, moved to the other address, would send its credentials to a new host."""
    old, new = _url(url), _url(other)
    if old is None or new is None or old.origin == new.origin:
        return False
    is_only_safer = (old.scheme, old.host_key, new.scheme) == ("http", new.host_key, "https")
    return not is_only_safer and (HIDDEN in hidden(config.get("headers") or {}).values() or _refers(config))


def refuse_to_hand_over(known: Mapping[str, str], sent: Json, before: str, after: str) -> None:
    """Raise ConfigError if hidden headers would go to a new host: a user who cannot see them must not redirect them."""
    if HIDDEN in sent.values() and would_hand_over({"headers": known}, before, after):
        raise ConfigError(
            "The hidden headers were set for another host: write their values anew, or leave them out.",
            code="headers_elsewhere",
        )


def _url(text: str) -> Url | None:
    try:
        return parse(text)
    except AddressError:
        return None


def _refers(config: Json) -> bool:
    return bool(REFERENCE.search(json.dumps([config.get("headers"), config.get("body"), config.get("steps")])))


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
