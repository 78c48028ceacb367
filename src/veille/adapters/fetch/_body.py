"""Reading a body within limits: bytes on the wire, bytes after decompression, the ratio of the two, and the pace.

All common clients accept a truncated gzip body as complete, and decompress bombs before any limit applies. Here one
coding is decoded, in small steps, and the stream must have ended properly.
"""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Protocol

import brotli

from veille.core.zstandard import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import aiohttp

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
STEP = 64 * 1024
#: Text compresses to a fiftieth at best; above this much output, a higher ratio is a bomb.
MAX_RATIO = 200
RATIO_FROM = 1024 * 1024
#: Decompressed at once: small enough that a bomb shows its ratio before its size.
_SLICE = 4096
#: RFC 9659: no more than 8 MB of window.
_ZSTD_WINDOW_LOG = 23
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_GZIP_MAGIC = b"\x1f\x8b"


class BodyError(Exception):
    """The body cannot be used; `code` says why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Pace:
    """Moves a timeout along with the bytes: it expires at the total limit, or once the rate falls too low."""

    def __init__(self, timeout: asyncio.Timeout, deadline: float, rate: int, grace: float) -> None:
        self._timeout = timeout
        self.deadline = deadline
        self._rate = rate
        self._grace = grace
        self._start = 0.0
        #: Bytes of the body received so far.
        self.wire_bytes = 0

    def start(self) -> None:
        """The headers have arrived; from here on bytes must flow."""
        self._start = asyncio.get_running_loop().time()
        self.keep_up()

    def keep_up(self) -> None:
        """More data has arrived, and more is expected."""
        if self._rate:
            allowed = max(self._grace, self.wire_bytes / self._rate)
            self._timeout.reschedule(min(self.deadline, self._start + allowed))

    def stop(self) -> None:
        """Suspend the timeout: time that we choose to wait does not count."""
        self._timeout.reschedule(None)

    def go_on(self, waited: float) -> None:
        self.deadline += waited
        self._timeout.reschedule(self.deadline)


class _Decoder(Protocol):
    def feed(self, data: bytes) -> Iterator[bytes]: ...

    @property
    def ended(self) -> bool: ...


class _Zlib:
    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inner = zlib.decompressobj(wbits)

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._inner.eof:
            yield self._inner.decompress(data, STEP)
            data = self._inner.unconsumed_tail
            if self._inner.eof:
                data = self._next_member()
        if not self._inner.eof:
            # Pending output is returned without more input.
            while piece := self._inner.decompress(b"", STEP):
                yield piece

    def _next_member(self) -> bytes:
        # Several gzip members may follow each other; anything else after the end is junk that browsers ignore.
        rest = self._inner.unused_data
        if self._wbits == _GZIP and rest.startswith(_GZIP_MAGIC):
            self._inner = zlib.decompressobj(self._wbits)
            return rest
        return b""

    @property
    def ended(self) -> bool:
        return self._inner.eof


_GZIP = 31
_ZLIB = 15
_RAW = -15


class _Deflate:
    """`deflate` means zlib by the standard and raw deflate from some servers: the first byte tells which."""

    def __init__(self) -> None:
        self._inner: _Zlib | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            if not data:
                return
            self._inner = _Zlib(_ZLIB if data[0] & 0x0F == 8 and data[0] >> 4 <= 7 else _RAW)  # noqa: PLR2004 - RFC 1950
        yield from self._inner.feed(data)

    @property
    def ended(self) -> bool:
        return self._inner is not None and self._inner.ended


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner.is_finished():
            return
        piece = self._inner.process(data, output_buffer_limit=STEP)
        # It reports that it can take more input while output is pending, so call it until nothing is returned.
        while piece:
            yield piece
            piece = b"" if self._inner.is_finished() else self._inner.process(b"", output_buffer_limit=STEP)

    @property
    def ended(self) -> bool:
        return bool(self._inner.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._inner = self._new()

    @staticmethod
    def _new() -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self._inner.eof:
            yield self._inner.decompress(data, max_length=STEP)
            data = b""
            if self._inner.eof and self._inner.unused_data.startswith(_ZSTD_MAGIC):
                data, self._inner = self._inner.unused_data, self._new()
            elif self._inner.needs_input:
                return

    @property
    def ended(self) -> bool:
        return self._inner.eof


_DECODERS: dict[str, Callable[[], _Decoder | None]] = {
    "": lambda: None,
    "identity": lambda: None,
    "gzip": lambda: _Zlib(_GZIP),
    "x-gzip": lambda: _Zlib(_GZIP),
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


def _decoder(coding: str) -> _Decoder | None:
    name = coding.strip().lower()
    if name in _DECODERS:
        return _DECODERS[name]()
    several = "," in name
    raise BodyError(
        "bad_encoding", "it is compressed more than once" if several else f"the compression {name[:40]!r} is not known"
    )


class Unpacker:
    """Collects a body, decodes its one coding, and stops at the first exceeded limit."""

    def __init__(self, coding: str, limit: int, heard: Callable[[bytes], object] | None = None) -> None:
        self._heard = heard
        self._decoder = _decoder(coding)
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._packed = 0
        self.wire_bytes = 0

    def feed(self, data: bytes) -> None:
        self.wire_bytes += len(data)
        if self.wire_bytes > self._limit:
            raise BodyError("too_large", f"more than {self._limit} bytes")
        if self._decoder is None:
            self._keep(data)
            return
        try:
            for at in range(0, len(data), _SLICE):
                part = data[at : at + _SLICE]
                self._packed += len(part)
                for piece in self._decoder.feed(part):
                    self._add(piece)
        except (zlib.error, brotli.error, zstd.ZstdError) as error:
            raise BodyError("bad_encoding", str(error)) from error

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > RATIO_FROM and self._size > MAX_RATIO * self._packed:
            raise BodyError("bomb", f"{self._packed} bytes unpack to more than {self._size}")
        if self._size > self._limit:
            raise BodyError("too_large", f"more than {self._limit} bytes after unpacking")
        self._keep(piece)

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        if self._heard is not None:
            self._heard(piece)

    def finish(self) -> bytes:
        """The whole body; a compressed one must be complete (an empty one has no end)."""
        if self._decoder is not None and self.wire_bytes and not self._decoder.ended:
            raise BodyError("truncated", "the compressed data stops before its end")
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


async def read_body(
    response: aiohttp.ClientResponse, limit: int, pace: Pace, heard: Callable[[bytes], object] | None = None
) -> bytes:
    """The decompressed body, of which `heard` gets each part at once; the pace counts the bytes on the wire."""
    length = response.content_length if response.method != "HEAD" else None
    if length is not None and length > limit:
        raise BodyError("too_large", f"{length} bytes are announced, {limit} are allowed")
    headers = response.headers
    coding = ",".join(headers.getall("Content-Encoding")) if "Content-Encoding" in headers else ""
    unpacker = Unpacker(coding, limit, heard)
    content = response.content
    if not content.is_eof():
        # Moving a timer costs as much as reading a small page, so pages that are complete already get none.
        pace.start()
    while data := await content.readany():
        pace.wire_bytes += len(data)
        unpacker.feed(data)
        if not content.is_eof():
            pace.keep_up()
    return unpacker.finish()
