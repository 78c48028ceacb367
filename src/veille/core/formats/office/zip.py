"""The members of an untrusted zip, extracted by our own code: in small steps, with limits, trusting no declared size.

Nested archives are not opened: a zip inside a zip is just bytes. The older container of Office files is recognised
only.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from veille.core.archive.zips import spans
from veille.errors import ReadError

#: The container of Office files before 2007, and of password-protected ones since.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: The UTF-16 name of the stream that holds a password-protected Office file.
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
#: Stream names of other Office files, which may embed a workbook, and of workbooks of Excel 97 to 2003.
_OTHER_STREAMS = (_ENCRYPTED_STREAM, *(name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document")))
_BOOK_STREAMS = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "Book\0"))
_STEP = 64 * 1024
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much may be extracted from a zip."""

    member_bytes: int = 64 * 1024 * 1024
    total_bytes: int = 200 * 1024 * 1024
    #: Bytes out per byte in, for members over a megabyte: real sheets reach 60, deflate itself 1,032.
    ratio: int = 200
    ratio_from: int = 1024 * 1024
    members: int = 2_000


LIMITS = Limits()


def members(data: bytes, wanted: Callable[[str], bool], limits: Limits = LIMITS) -> dict[str, bytes]:
    """The wanted members by name, or a ReadError with any code but `empty`."""
    infos = _directory(data, limits)
    found: dict[str, bytes] = {}
    left = limits.total_bytes
    for info, start in spans(data, infos):
        if wanted(info.filename):
            if info.filename in found:
                raise ReadError(f"Two members of the zip are called {info.filename!r}.", code="hostile")
            found[info.filename] = _inflated(data, info, start, limits, left)
            left -= len(found[info.filename])
    return found


def parts_and_pictures(
    data: bytes, wanted: Callable[[str], bool], folder: str, limits: Limits = LIMITS
) -> tuple[dict[str, bytes], bool]:
    """The wanted members, and whether there are any in the folder of pictures."""
    names: set[str] = set()

    def noted(name: str) -> bool:
        names.add(name)
        return wanted(name)

    return members(data, noted, limits), any(name.startswith(folder) for name in names)


def repacked(parts: dict[str, bytes]) -> bytes:
    """A new zip of safely extracted members, for a library that needs a zip."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(ZipInfo(name), content)
    return target.getvalue()


def is_old_book(data: bytes) -> bool:
    """Whether this is an Excel workbook from before 2007."""
    if not data.startswith(OLE) or any(name in data for name in _OTHER_STREAMS):
        return False
    return any(name in data for name in _BOOK_STREAMS)


def _directory(data: bytes, limits: Limits) -> list[ZipInfo]:
    if data.startswith(OLE):
        if _ENCRYPTED_STREAM in data:
            raise ReadError("The document is protected by a password.", code="needs_password")
        raise ReadError("This is an Office file of before 2007; save it in the newer format.", code="unsupported")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    # The library fails on broken directories in all these ways.
    except (BadZipFile, ValueError, OSError, NotImplementedError, struct.error, OverflowError, IndexError) as error:
        raise ReadError(f"The document is broken: {error}.", code="corrupt") from error
    if len(infos) > limits.members:
        raise ReadError(f"The zip has {len(infos):,} members, {limits.members:,} are allowed.", code="hostile")
    return infos


def _inflated(data: bytes, info: ZipInfo, start: int, limits: Limits, left: int) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise ReadError("The document is protected by a password.", code="needs_password")
    packed = memoryview(data)[start : start + info.compress_size]
    if info.compress_type == ZIP_STORED:
        content = bytes(packed)
    elif info.compress_type == ZIP_DEFLATED:
        content = _deflated(packed, info, limits, left)
    else:
        raise ReadError(f"The zip uses compression method {info.compress_type}.", code="unsupported")
    _check_size(len(content), info, limits, left)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise ReadError(f"The member {info.filename!r} is damaged.", code="corrupt")
    return content


def _deflated(packed: memoryview, info: ZipInfo, limits: Limits, left: int) -> bytes:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size = 0
    at = 0
    rest = b""
    try:
        while not inflate.eof and (rest or at < len(packed)):
            piece = inflate.decompress(rest or packed[at : at + _STEP], _STEP)
            at += 0 if rest else _STEP
            rest = inflate.unconsumed_tail
            size += len(piece)
            _check_size(size, info, limits, left)
            pieces.append(piece)
    except zlib.error as error:
        raise ReadError(f"The member {info.filename!r} is damaged.", code="corrupt") from error
    # At most a few kilobytes remain inside, as all input has been consumed.
    return b"".join([*pieces, inflate.flush()])


def _check_size(size: int, info: ZipInfo, limits: Limits, left: int) -> None:
    if size > info.file_size:
        raise ReadError(f"The member {info.filename!r} is larger than it says it is.", code="hostile")
    if size > limits.member_bytes or size > left:
        raise ReadError(f"The member {info.filename!r} is too large when unpacked.", code="too_large")
    if size > limits.ratio_from and size > limits.ratio * max(1, info.compress_size):
        raise ReadError(f"The member {info.filename!r} is a zip bomb.", code="hostile")
