"""What sinks and channels that post to an address have in common: options, signatures, and what an answer means."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from pydantic import SecretStr

from veille.core.addresses import AddressError, parse
from veille.core.http.credentials import header_problem
from veille.core.traffic import Failure, Payload

#: Statuses below 500 that are not refusals.
_LATER = frozenset({408, 425, 429})
_TAKEN = range(200, 300)


def checked_address(url: str) -> str:
    """The address, if it is one; otherwise ValueError."""
    try:
        parse(url)
    except AddressError as error:
        raise ValueError(str(error)) from error
    return url


def checked_headers(headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
    """The headers, if they can be sent; otherwise ValueError."""
    problem = header_problem(revealed(headers))
    if problem:
        raise ValueError(problem)
    return headers


def revealed(headers: Mapping[str, SecretStr]) -> tuple[tuple[str, str], ...]:
    """The headers with their values, for the request."""
    return tuple((name, value.get_secret_value()) for name, value in headers.items())


def signature(secret: SecretStr, body: bytes, now: int) -> tuple[tuple[str, str], ...]:
    """`Veille-Timestamp`, and `Veille-Signature`: the HMAC-SHA256 of `<timestamp>.<body>`."""
    timestamp = str(now // 1000)
    key = secret.get_secret_value().encode()
    digest = hmac.new(key, f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return (("Veille-Timestamp", timestamp), ("Veille-Signature", f"t={timestamp},v1={digest}"))


def is_taken(answer: Payload | Failure) -> bool:
    """Whether it was accepted, also if the body of the answer could not be read."""
    return answer.status in _TAKEN


def is_temporary(answer: Payload | Failure) -> bool:
    """Whether the same request may be accepted later."""
    return isinstance(answer, Failure) and (answer.retryable or answer.status in _LATER)


def said(answer: Payload | Failure) -> str:
    """What the answer was, for messages."""
    return answer.message.rstrip(".") if isinstance(answer, Failure) else f"status {answer.status}"
