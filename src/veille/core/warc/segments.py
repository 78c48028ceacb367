"""A record of a segment: a gzip member with a WARC record, which holds one kept answer or one picture."""

from __future__ import annotations

import re
import zlib
from typing import Final

from veille.core.warc.messages import http_message
from veille.errors import ReadError

#: For zlib: a gzip member.
_GZIP: Final = 31
#: More than the headers of a record of ours have, and of the answer in it.
_MOST_HEADERS: Final = 256 * 1024
_LENGTH: Final = re.compile(rb"^Content-Length: ([0-9]{1,12})\r?$", re.MULTILINE | re.IGNORECASE)
_TARGET: Final = re.compile(rb"^WARC-Target-URI: (\S+)\r?$", re.MULTILINE | re.IGNORECASE)


def picture_urn(sha256: str) -> str:
    """The address under which a picture is in a segment: not that of its page, which it would take the place of."""
    return f"urn:veille:picture:{sha256}"


def answer_in(member: bytes, size: int) -> bytes:
    """The body of the answer in a member, which should have so many bytes; ReadError `body_damaged`."""
    _, block = _record(member, size)
    try:
        return http_message(block).body
    except ReadError as error:
        raise damaged() from error


def picture_in(member: bytes, sha256: str, most: int) -> bytes:
    """The picture with this hash in a member; ReadError `body_damaged` if it is damaged, or another one is there."""
    head, block = _record(member, most)
    target = _TARGET.search(head)
    if target is None or target[1] != picture_urn(sha256).encode():
        raise damaged()
    return block


def damaged() -> ReadError:
    """What is read is not what was kept."""
    return ReadError(
        "The kept bytes of this answer or picture are damaged in their segment: put a good copy of it in its place.",
        code="body_damaged",
    )


def _record(member: bytes, size: int) -> tuple[bytes, bytes]:
    """The header and the block; no more is unpacked than there should be. gzip itself notices changed bytes."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        record = unpacker.decompress(member, size + _MOST_HEADERS)
    except zlib.error as error:
        raise damaged() from error
    head, _, rest = record.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    if not unpacker.eof or not record.startswith(b"WARC/1.") or length is None or len(rest) < int(length[1]):
        raise damaged()
    return head, rest[: int(length[1])]
