"""Translates errors of the HTTP library into our failures; the only place that does."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

import aiohttp

from veille.adapters.fetch._connect import InterimFloodError, RefusedAddressError
from veille.core.outcomes import failure

if TYPE_CHECKING:
    from veille.core.traffic import Failure

TRANSLATED = (aiohttp.ClientError, OSError, ssl.SSLError, RefusedAddressError, InterimFloodError, ValueError)

# The first match counts, so the more specific ones come first.
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (RefusedAddressError, "refused_address"),
    (InterimFloodError, "protocol"),
    (aiohttp.ClientConnectorDNSError, "dns"),
    (aiohttp.ClientSSLError, "tls"),
    (ssl.SSLError, "tls"),
    (aiohttp.ClientConnectorError, "connect"),
    (aiohttp.ServerDisconnectedError, "reset"),
    (aiohttp.ClientOSError, "reset"),
    (aiohttp.ClientPayloadError, "truncated"),
    (aiohttp.ClientResponseError, "protocol"),
    (aiohttp.InvalidURL, "bad_url"),
    (aiohttp.ClientError, "protocol"),
    (OSError, "connect"),
    (ValueError, "protocol"),
)
_TOO_LARGE = ("Got more than", "Too many headers", "Too many trailers")


def translated(error: Exception) -> Failure:
    """The failure that corresponds to an exception."""
    code = next(code for kind, code in _CODES if isinstance(error, kind))
    text = _said(error)
    too_large = code == "protocol" and any(word in text for word in _TOO_LARGE)
    return failure("headers_too_large" if too_large else code, _one_line(text))


def _said(error: Exception) -> str:
    """The message worth showing: for a failed connection, its target and the reason."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return error.host
    if isinstance(error, aiohttp.ClientConnectorError) and not isinstance(error, aiohttp.ClientSSLError):
        reason = os.strerror(error.errno) if error.errno else str(error.os_error)
        return f"{error.host}:{error.port} ({reason})"
    return str(error) or type(error).__name__


def _one_line(text: str) -> str:
    """A library's message without line breaks and control characters, which a hostile server may have inserted."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(plain.split()).rstrip(".")[:200]
