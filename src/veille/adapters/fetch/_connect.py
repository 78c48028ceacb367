"""Connections to checked addresses only: every answer of the resolver and every new socket passes the policy.

Both checks are needed. The resolver is not called for numeric addresses, and the socket is created after the last
time at which a name could have changed its address.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import socket
import ssl
import weakref
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from veille.adapters.fetch._retriever import Resolve, Turn
from veille.core.addresses import IPAddress

if TYPE_CHECKING:
    from pathlib import Path

    from veille.core.http.egress import Policy

#: The host name that the running task connects to: an operator may allow private addresses for a name, not a number.
dialled_host: ContextVar[str] = ContextVar("dialled_host", default="")
#: The host of the running task's order, if the operator configured it: it may have any address.
operators_host: ContextVar[str] = ContextVar("operators_host", default="")
#: The turn of the running task.
held_turn: ContextVar[Turn | None] = ContextVar("held_turn", default=None)

#: Servers may send a few "103 Early Hints"; a flood of them is an attack.
MAX_INTERIM = 10
_INTERIM = range(100, 200)
#: How long closing may take, and how often that is looked at.
_HANG_UP_S, _HANG_UP_TRIES = 1.0, 200
_DNS_TTL_S = 30
_KEEPALIVE_S = 20
#: How many hosts may have idle connections: with thousands of rarely used hosts, none is worth an open file.
MOST_IDLE_HOSTS = 200


class RefusedAddressError(Exception):
    """The policy does not allow connections to this address."""


class MalformedBodyError(aiohttp.ClientError):
    """The body is not correct HTTP."""


class InterimFloodError(Exception):
    """The server sends interim responses without end."""


async def system_resolve(host: str) -> list[IPAddress]:
    """Resolve a name with the operating system."""
    infos = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    # A scope ("fe80::1%eth0") occurs only with link-local addresses, which are refused anyway.
    return [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos]


class CheckedResolver(AbstractResolver):
    """Refuses a name if any of its addresses is refused: a mixed answer is an attempt to get through."""

    def __init__(self, policy: Callable[[], Policy], resolve: Resolve) -> None:
        self._policy = policy
        self._resolve = resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolve(host)
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        policy = self._policy()
        for address in addresses:
            verdict = policy.judge_address(address, port, host)
            if not verdict.allowed:
                raise RefusedAddressError(f"{host} leads to {verdict.detail}")
        wanted = {socket.AF_INET: 4, socket.AF_INET6: 6}.get(family)
        return [_result(host, port, address) for address in addresses if wanted in {None, address.version}]

    async def close(self) -> None:
        pass


def _result(host: str, port: int, address: IPAddress) -> ResolveResult:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004 - IP versions
    return ResolveResult(
        hostname=host, host=str(address), port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST
    )


class _Protocol(ResponseHandler):
    """aiohttp's protocol, but stricter: interim responses are limited, malformed bodies end at once."""

    _interim = 0

    async def read(self) -> Any:
        message = await super().read()
        if message[0].code in _INTERIM:
            self._interim += 1
            if self._interim > MAX_INTERIM:
                raise InterimFloodError(f"more than {MAX_INTERIM} preliminary answers")
        else:
            self._interim = 0
        return message

    def set_exception(self, exc: Any, exc_cause: BaseException | None = None) -> None:
        """Notify the reader of a body, too: aiohttp leaves it waiting if a later chunk is malformed."""
        if exc_cause is None:
            super().set_exception(exc)
        else:
            super().set_exception(exc, exc_cause)
        payload = self._payload
        if isinstance(exc, HttpProcessingError) and payload is not None and not payload.is_eof():
            payload.set_exception(MalformedBodyError(exc.message))


class CheckedConnector(aiohttp.TCPConnector):
    """Pools connections whose addresses were checked at the time of connecting."""

    def __init__(self, policy: Callable[[], Policy], resolve: Resolve, tls: ssl.SSLContext | Literal[True]) -> None:
        self._check = policy
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        super().__init__(
            resolver=CheckedResolver(policy, resolve),
            socket_factory=self._socket,
            ttl_dns_cache=_DNS_TTL_S,
            limit=0,
            ssl=tls,
            keepalive_timeout=_KEEPALIVE_S,
        )
        make: functools.partial[Any] = functools.partial(_Protocol, loop=self._loop)
        self._factory = make

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Any],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - not ours
    ) -> aiohttp.connector.Connection:
        connection = await super().connect(req, traces, timeout)
        turn = held_turn.get()
        if turn is None:
            return connection
        try:
            if (wait := turn.sending()) > 0:
                await asyncio.sleep(wait)
            # Connecting takes time, and a process that was frozen meanwhile finds its connection open.
            turn.check()
        except BaseException:
            connection.close()
            raise
        return connection

    def _release(self, key: Any, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        is_one_more = key not in self._conns and len(self._conns) >= MOST_IDLE_HOSTS
        super()._release(key, protocol, should_close=should_close or is_one_more)

    def _socket(self, info: tuple[Any, ...]) -> socket.socket:
        family, kind, proto, _, sockaddr = info
        address = ipaddress.ip_address(str(sockaddr[0]).partition("%")[0])
        verdict = self._check().judge_address(address, int(sockaddr[1]), dialled_host.get())
        if not verdict.allowed:
            raise RefusedAddressError(verdict.detail)
        sock = socket.socket(family, kind, proto)
        sock.setblocking(False)  # noqa: FBT003 - positional only
        self._sockets.add(sock)
        return sock

    async def hang_up(self) -> None:
        """Wait until all sockets are closed, but for no server: one that says no goodbye would keep the loop busy."""
        for sock in list(self._sockets):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for _ in range(_HANG_UP_TRIES):
            if all(sock.fileno() < 0 for sock in list(self._sockets)):
                return
            await asyncio.sleep(_HANG_UP_S / _HANG_UP_TRIES)


def tls_context(ca_file: Path | None) -> ssl.SSLContext | Literal[True]:
    """Certificates are always checked; an intranet adds its own authority."""
    if ca_file is None:
        # aiohttp's own context, equally strict and already loaded: reading the authorities again takes 50 ms.
        return True
    context = ssl.create_default_context()
    context.load_verify_locations(ca_file)
    return context
