"""A forward proxy for the browser, so that each of its connections passes the same checks as ours.

It listens on loopback for one browser, which must present a password; names are resolved and checked here, and the
checked address is the one connected to.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from veille.adapters.fetch._connect import CheckedResolver, RefusedAddressError
from veille.core.addresses import AddressError, Url, parse

if TYPE_CHECKING:
    from veille.adapters.fetch._retriever import Surroundings

_MAX_HEAD = 64 * 1024
_HEAD_S = 10.0
_CONNECT_S = 15.0
_STEP = 64 * 1024
_LINE = re.compile(r"([A-Z]+) (\S+) HTTP/1\.[01]")
#: Headers for the proxy, not for the server.
_OURS = ("proxy-authorization:", "proxy-connection:", "connection:")


class _RefusedError(Exception):
    pass


class CheckedProxy:
    """Started once per browser; `server`, `user` and `password` are passed to the browser."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._resolver = CheckedResolver(around.policy, around.resolve)
        self._listener: asyncio.Server | None = None
        self.user = "veille"
        self.password = secrets.token_urlsafe(24)
        self.server = ""
        self._word = "basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()

    async def start(self) -> None:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_MAX_HEAD)
        self.server = f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            try:
                async with asyncio.timeout(_HEAD_S):
                    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                await self._relay(head, reader, writer)
            except _RefusedError as error:
                writer.write(f"HTTP/1.1 {error}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode("latin-1"))
                await writer.drain()
        writer.close()

    async def _relay(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = head.split("\r\n")
        shape = _LINE.fullmatch(lines[0])
        if shape is None:
            raise _RefusedError("400 Bad Request")
        fields = [line for line in lines[1:] if line]
        if not any(self._is_password(line) for line in fields):
            raise _RefusedError('407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="veille"')
        tunnel = shape[1] == "CONNECT"
        url = self._judged(f"https://{shape[2]}/" if tunnel else shape[2])
        far_reader, far_writer = await self._dial(url)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                kept = [line for line in fields if not line.lower().startswith(_OURS)]
                request = [f"{shape[1]} {url.target} HTTP/1.1", *kept, "Connection: close", "", ""]
                far_writer.write("\r\n".join(request).encode("latin-1"))
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            far_writer.close()

    def _is_password(self, line: str) -> bool:
        name, _, value = line.partition(":")
        given = " ".join(value.split())
        return name.lower() == "proxy-authorization" and secrets.compare_digest(
            given[:6].lower() + given[6:], self._word
        )

    def _judged(self, text: str) -> Url:
        try:
            url = parse(text)
        except AddressError:
            raise _RefusedError("400 Bad Request") from None
        if not self._around.policy().judge_url(url).allowed:
            raise _RefusedError("403 Forbidden")
        return url

    async def _dial(self, url: Url) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(_CONNECT_S):
                address = str(url.address)
                if url.address is None:
                    address = (await self._resolver.resolve(url.host, url.port))[0]["host"]
                return await asyncio.open_connection(address, url.port, limit=_STEP)
        except RefusedAddressError:
            raise _RefusedError("403 Forbidden") from None
        except (OSError, TimeoutError):
            raise _RefusedError("502 Bad Gateway") from None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_STEP):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
