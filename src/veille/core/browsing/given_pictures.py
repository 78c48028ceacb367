"""Pictures that a service hands over with a document: WebP in base64, kept as they are.

Only their head is read, so they need no extra. To compare two of them pixel by pixel does.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode
from typing import Any, Final

from veille.core.browsing.pictures import Picture
from veille.errors import ReadError

#: The most bytes of such a picture, and its longest side.
_MOST_BYTES: Final = 2_000_000
_MOST_SIDE: Final = 10_000
#: Where the head of a WebP file ends.
_HEAD: Final = 30
#: After these bytes a lossy frame and a lossless one begin.
_LOSSY, _LOSSLESS = b"\x9d\x01\x2a", 0x2F


def given_picture(value: Any) -> Picture:
    """The picture that a service gave in base64; ReadError if it is none, or too large."""
    try:
        data = b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise ReadError("The picture is not base64.", code="bad_picture") from error
    width, height = _size(data)
    if len(data) > _MOST_BYTES or not (0 < width <= _MOST_SIDE and 0 < height <= _MOST_SIDE):
        raise ReadError(
            f"The picture is too large: {_MOST_BYTES:,} bytes and {_MOST_SIDE:,} pixels a side at most.",
            code="bad_picture",
        )
    return Picture(hash=hashlib.sha256(data).hexdigest(), width=width, height=height, webp=data)


def _size(data: bytes) -> tuple[int, int]:
    """Width and height, from the first frame of a WebP file."""
    if len(data) < _HEAD or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ReadError("The picture is no WebP.", code="bad_picture")
    kind, frame = data[12:16], data[20:_HEAD]
    if kind == b"VP8X":
        return _number(frame[4:7]) + 1, _number(frame[7:10]) + 1
    if kind == b"VP8L" and frame[0] == _LOSSLESS:
        sides = _number(frame[1:5])
        return (sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and frame[3:6] == _LOSSY:
        return _number(frame[6:8]) & 0x3FFF, _number(frame[8:10]) & 0x3FFF
    raise ReadError("The picture is no WebP.", code="bad_picture")


def _number(some: bytes) -> int:
    return int.from_bytes(some, "little")
