"""API tokens as text: `vk_<id>_<secret>_<crc32>`.

Secret scanners can detect the format, and the checksum rejects a mistyped token without a database query. The id
(10 bytes, base 32) identifies the token in lists and logs; of the secret (32 bytes, base 62) only the SHA-256 is
stored. It is random, so no slow hash is needed.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import dataclass, field

ID_BYTES = 10
SECRET_BYTES = 32
#: Pattern of a token, also to redact tokens in texts that are shown or stored.
TOKEN = re.compile(r"vk_([a-z2-7]{16})_([0-9A-Za-z]{43})_([0-9a-f]{8})")

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_DIGITS = 43


@dataclass(frozen=True, slots=True)
class Proof:
    """The two halves of a token."""

    id: str
    secret: str = field(repr=False)


def make_token(id_bytes: bytes, secret_bytes: bytes) -> str:
    """The text of a token from random bytes."""
    if (len(id_bytes), len(secret_bytes)) != (ID_BYTES, SECRET_BYTES):
        raise ValueError
    body = f"vk_{base64.b32encode(id_bytes).decode().lower()}_{_base62(secret_bytes)}"
    return f"{body}_{_checksum(body)}"


def parse_token(text: str) -> Proof | None:
    """The halves of a token, or None if the format or the checksum is wrong."""
    match = TOKEN.fullmatch(text)
    if match is None or _checksum(text.rpartition("_")[0]) != match[3]:
        return None
    return Proof(match[1], match[2])


def digest(secret: str) -> str:
    """The stored hash of a random secret: of tokens, sessions and one-time links."""
    return hashlib.sha256(secret.encode()).hexdigest()


def without_tokens(text: str) -> str:
    """The text with the secret half of every token redacted."""
    return TOKEN.sub(r"vk_\1_***", text)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _base62(data: bytes) -> str:
    number, digits = int.from_bytes(data, "big"), ""
    for _ in range(_SECRET_DIGITS):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
