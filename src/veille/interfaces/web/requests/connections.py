"""Deadlines and limits for connections: a client that opens many and sends nothing does not lock out the others.

A connection waits either for us or for its client: the client has to send the rest of a request, or to read our
response. Only in the second case does it have a deadline. When there are too many, a new connection replaces the one
that has waited longest for its client, of the address that has most such connections.
"""

from __future__ import annotations

import logging
import resource
import time
from collections import Counter
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from veille.core.access.logins import counted_address

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from veille.interfaces.web.views.metrics import ServiceMetrics
    from veille.settings import ServeSettings

_log = logging.getLogger(__name__)

#: Open files that the service needs besides its connections.
_OTHER_FILES = 512
_FEWEST = 16
#: Time limit for receiving a whole request, as a multiple of the longest allowed silence within it.
_WHOLE = 10
#: A limit that is reached repeatedly is logged at most this often.
_TELL_EVERY_S = 60.0
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n"

#: Log texts for why connections were closed.
_WHY = {
    "too_many": "more connections than serve.connections allows",
    "address": "more connections from one address than serve.connections_per_address allows",
    "slow": "a request was not received, or a response was not read, in time",
}


class Connections:
    """All connections of the service. Only for use in its event loop."""

    def __init__(self, settings: ServeSettings, metrics: ServiceMetrics) -> None:
        self.settings = settings
        self._metrics = metrics
        self._most = _affordable(settings.connections)
        self._number = 0
        self._by_address: Counter[str] = Counter()
        #: Connections that wait for their client, by address, the longest waiting first.
        self._awaited: dict[str, dict[Connection, None]] = {}
        self._untold: Counter[str] = Counter()
        self._told_at: dict[str, float] = {}
        metrics.connections.set_function(lambda: self._number)

    @property
    def protocol(self) -> Callable[..., Connection]:
        """The protocol factory for uvicorn."""
        return partial(Connection, self)

    def enter(self, connection: Connection) -> bool:
        """Make room for a new connection; False if there is none."""
        address = connection.address
        mine = self._awaited.get(address, {})
        crowded = self._by_address[address] >= self.settings.connections_per_address and not self._is_proxy(address)
        if crowded and not self._displace(mine, "address"):
            return False
        if self._number >= self._most:
            most = max(self._awaited.values(), key=len, default={})
            if not self._displace(most, "too_many"):
                return False
        self._number += 1
        self._by_address[address] += 1
        return True

    def leave(self, connection: Connection) -> None:
        self.stop_awaiting(connection)
        self._number -= 1
        self._by_address[connection.address] -= 1
        if not self._by_address[connection.address]:
            del self._by_address[connection.address]

    def await_move(self, connection: Connection) -> None:
        """Wait for the client; a connection that already waits keeps its place."""
        self._awaited.setdefault(connection.address, {}).setdefault(connection)

    def stop_awaiting(self, connection: Connection) -> None:
        mine = self._awaited.get(connection.address, {})
        mine.pop(connection, None)
        if not mine:
            self._awaited.pop(connection.address, None)

    def count(self, reason: str) -> None:
        """Count a connection closed for this reason; log the count now and then."""
        self._metrics.dropped.labels(reason).inc()
        self._untold[reason] += 1
        now = time.monotonic()
        if now - self._told_at.get(reason, -_TELL_EVERY_S) >= _TELL_EVERY_S:
            _log.warning("Closed %d connections: %s.", self._untold.pop(reason), _WHY[reason])
            self._told_at[reason] = now

    def _displace(self, candidates: dict[Connection, None], reason: str) -> bool:
        self.count(reason)
        oldest = next(iter(candidates), None)
        if oldest is None:
            return False
        oldest.drop()
        return True

    def _is_proxy(self, address: str) -> bool:
        """Whether this is a trusted proxy: all clients behind it have its address."""
        try:
            host = ip_address(address)
        except ValueError:
            return False
        return any(host in network for network in self.settings.trusted_proxies)


class Connection(H11Protocol):
    """A connection of uvicorn, with a deadline."""

    def __init__(self, all_of_them: Connections, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._all = all_of_them
        self._is_in = False
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited_for = ""
        self._began_at = 0.0
        self._unsent = 0
        self.address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = counted_address(self.client[0]) if self.client else ""
        self._is_in = self._all.enter(self)
        if not self._is_in:
            transport.write(_BUSY)
            transport.close()
            return
        self._review()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        if self._is_in:
            self._is_in = False
            self._all.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._awaited_for == "body":
            self._start_clock()
        self._review()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._review()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._review()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._review()

    def drop(self) -> None:
        """Close it at once, even with unsent data."""
        self._stop_clock()
        self._all.leave(self)
        self._is_in = False
        self.transport.abort()

    def _unsupported_upgrade_warning(self) -> None:
        """No warning: WebSockets are not supported, the request is answered like any other."""

    def _review(self) -> None:
        """Update whether we wait for the client, and the deadline with it."""
        if not self._is_in:
            return
        awaited_for = self._owed()
        if awaited_for == self._awaited_for:
            return
        self._awaited_for = awaited_for
        if awaited_for:
            self._began_at, self._unsent = self.loop.time(), self.transport.get_write_buffer_size()
            self._all.await_move(self)
            self._start_clock()
        else:
            self._all.stop_awaiting(self)
            self._stop_clock()

    def _owed(self) -> str:
        """What we wait for: the client reading (`taking`), a `body` or a `head`; empty when we have to answer."""
        if self.flow.write_paused:
            return "taking"
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        return "head" if self.conn.their_state is h11.IDLE else ""

    def _start_clock(self) -> None:
        self._stop_clock()
        settings = self._all.settings
        seconds = settings.header_s if self._awaited_for == "head" else settings.idle_s
        if self._awaited_for == "body":
            seconds = min(seconds, max(0.0, self._began_at + seconds * _WHOLE - self.loop.time()))
        self._deadline = self.loop.call_later(seconds, self._late)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        takes_some = self._awaited_for == "taking" and unsent < self._unsent
        # We have paused reading the body, or have not sent "100 Continue" yet: not the client's fault.
        is_ours = self._awaited_for == "body" and (self.flow.read_paused or self.cycle.waiting_for_100_continue)
        if takes_some or is_ours:
            self._began_at, self._unsent = self.loop.time(), unsent
            self._start_clock()
            return
        self._all.count("slow")
        self.drop()


def _affordable(wanted: int) -> int:
    """As many connections as the limit on open files allows."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY or wanted + _OTHER_FILES <= soft:
        return wanted
    most = max(_FEWEST, soft - _OTHER_FILES)
    _log.warning("This process may open %d files only: it takes %d connections at once, not %d.", soft, most, wanted)
    return most
