"""What the faults are made of: raw bytes on a socket, so that nothing well-behaved stands in the way."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

import brotli

from veille.core.zstandard import zstd

PAGE = (
    b"<!doctype html><html lang=en><title>A page</title><main><p>" + b"Some honest text. " * 100 + b"</p></main></html>"
)
NEVER = 3600.0
MB = 1024 * 1024


@dataclass
class Talk:
    """One request and the socket to answer on."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    path: str
    options: dict[str, str]
    headers: dict[str, str]
    #: What all requests with the same `key` option share.
    memory: Counter[str]
    port: int

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
        await self.writer.drain()

    async def reply(self, body: bytes = PAGE, status: int = 200, **headers: str) -> None:
        await self.send(head(status, len(body), **headers), body)

    def number(self, name: str, otherwise: int) -> int:
        return int(self.options.get(name, otherwise))

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        sock: socket.socket = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Fault = Callable[[Talk], Awaitable[None]]
FAULTS: dict[str, Fault] = {}


def fault(name: str) -> Callable[[Fault], Fault]:
    def register(function: Fault) -> Fault:
        FAULTS[name] = function
        return function

    return register


@dataclass
class Memory:
    """The server's memory, by key, so that tests may run side by side."""

    by_key: dict[str, Counter[str]] = field(default_factory=dict)
    hits: Counter[str] = field(default_factory=Counter)

    def of(self, key: str) -> Counter[str]:
        return self.by_key.setdefault(key, Counter())


def head(status: int = 200, length: int | None = None, **headers: str) -> bytes:
    lines = {"Content-Type": "text/html; charset=utf-8"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    if length is not None:
        lines.setdefault("Content-Length", str(length))
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status} Whatever\r\n{text}\r\n".encode("latin-1")


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@cache
def gzip_bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(MB)) for _ in range(megabytes)) + packer.flush()


@cache
def brotli_bomb(megabytes: int) -> bytes:
    packer = brotli.Compressor(quality=5)
    packed: bytes = b"".join(packer.process(bytes(MB)) for _ in range(megabytes)) + packer.finish()
    return packed


@cache
def zstd_bomb(megabytes: int) -> bytes:
    packer = zstd.ZstdCompressor(level=3)
    return b"".join(packer.compress(bytes(MB)) for _ in range(megabytes)) + packer.flush()


@cache
def double_gzip_bomb(megabytes: int) -> bytes:
    return gzip.compress(gzip_bomb(megabytes))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def items(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"<item><guid>same</guid><title>Item {number}</title><description>Text {number}</description></item>"


def feed(entries: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{entries}</channel></rss>'.encode()
