"""Offsets of the members of an untrusted zip, from their local headers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from mmap import mmap
from zipfile import ZipInfo

from veille.errors import ReadError

_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


def spans(data: bytes | mmap, infos: Sequence[ZipInfo]) -> list[tuple[ZipInfo, int]]:
    """Every member with the offset of its data; overlaps are refused (zip bombs reuse the same data many times)."""
    found = []
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise ReadError("Members of the zip overlap.", code="hostile")
        start = _start(data, info)
        end = start + info.compress_size
        if end > len(data):
            raise ReadError("The document ends in the middle of a member.", code="corrupt")
        found.append((info, start))
    return found


def _start(data: bytes | mmap, info: ZipInfo) -> int:
    head = data[info.header_offset : info.header_offset + _LOCAL_HEADER.size]
    if len(head) < _LOCAL_HEADER.size or not head.startswith(b"PK\x03\x04"):
        raise ReadError("A member of the zip is not where the directory says.", code="corrupt")
    fields = _LOCAL_HEADER.unpack(head)
    return info.header_offset + _LOCAL_HEADER.size + int(fields[-2]) + int(fields[-1])
