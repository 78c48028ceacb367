"""HTTP answers as WARC files keep them: the bytes of the message, from the status line on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from veille.errors import ReadError

#: More than any server sends, in bytes.
_MOST_HEADER: Final = 128 * 1024
_STATUS_LINE: Final = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_HEADER_END: Final = re.compile(rb"\r?\n\r?\n")
_CHUNK: Final = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpMessage:
    """An answer: its status, its headers (names in lower case, several of one name joined), and its body."""

    status: int
    headers: dict[str, str]
    body: bytes


def http_message(block: bytes) -> HttpMessage:
    """The answer in the block of a record, without its transfer coding; ReadError `warc_record` if it is none."""
    status = _STATUS_LINE.match(block)
    end = _HEADER_END.search(block, 0, _MOST_HEADER)
    if status is None or end is None:
        raise _broken("it holds no HTTP answer")
    headers: dict[str, str] = {}
    for line in block[: end.start()].decode("latin-1").splitlines()[1:]:
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if colon and name:
            headers[name] = f"{headers[name]}, {value.strip()}" if name in headers else value.strip()
    body = block[end.end() :]
    if headers.get("transfer-encoding", "").lower().endswith("chunked"):
        body = _joined(body)
    return HttpMessage(status=int(status[1]), headers=headers, body=body)


def _joined(body: bytes) -> bytes:
    """The chunks of a body as one. Many tools keep the header of a body that they joined already: it stays as it is."""
    pieces: list[bytes] = []
    at = 0
    while chunk := _CHUNK.match(body, at):
        size = int(chunk[1], 16)
        piece = body[chunk.end() : chunk.end() + size]
        if not size:
            return b"".join(pieces)
        pieces.append(piece)
        at = chunk.end() + size
        if len(piece) < size or body[at : at + 1] not in {b"\r", b"\n"}:
            break
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    if not pieces or not _CHUNK.match(body):
        return body
    raise _broken("its body stops before its end")


def _broken(why: str) -> ReadError:
    return ReadError(f"The record cannot be read: {why}.", code="warc_record")
