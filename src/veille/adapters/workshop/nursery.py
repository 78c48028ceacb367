"""The process that children are forked from: it has imported what they need, and never reads anything itself.

Started as `python -m veille.adapters.workshop.nursery SOCKET [LIFELINE]`. The process at the other end of the socket
orders a child by sending its limits, whether it needs all code, and two sockets: the channel that the child answers on,
and one for its fate. On the latter the nursery sends the child's process id, and at the end its exit status; closing it
kills the child.
"""

from __future__ import annotations

import errno
import gc
import os
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from veille.adapters.workshop._life import CHANNEL, TURNS, import_everything, import_usual, work
from veille.adapters.workshop._starter import FATE, ORDER
from veille.lifeline import Lifeline, end_with

if TYPE_CHECKING:
    from collections.abc import Callable

#: How often it reports that it is alive.
_BEAT_MS = 1000
#: More descriptors than it ever has open.
_MANY_FILES = 1024
#: An order comes with a channel and a fate.
_SOCKETS = 2


class Nursery:
    """Forks a child for every order, kills those whose owner is gone, and reports how they ended."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._pid = os.getpid()
        self._turns = os.memfd_create("turns")
        self._is_whole = False
        self._fates: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._poll.register(orders, select.POLLIN)
        self._woken, wake = socket.socketpair()
        for end in (self._woken, wake):
            end.settimeout(0)
        self._poll.register(self._woken, select.POLLIN)
        self._wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def complete(self) -> None:
        """Import all that any child may need, unless it is done."""
        if not self._is_whole:
            _load(import_everything)
            self._is_whole = True

    def turn(self) -> bool:
        """Handle pending events, after a second at the latest; False if no process is left to order children."""
        for descriptor, _ in self._poll.poll(_BEAT_MS):
            if descriptor == self._orders.fileno():
                if not self._take_order():
                    return False
            elif descriptor == self._woken.fileno():
                self._woken.recv(4096)
            else:
                self._forsake(descriptor)
        self._bury()
        return True

    def _take_order(self) -> bool:
        order, descriptors, _, _ = socket.recv_fds(self._orders, ORDER.size, _SOCKETS)
        if not order:
            return False
        if len(descriptors) != _SOCKETS:
            # Too many files are open. The owner sees its sockets closed.
            for descriptor in descriptors:
                os.close(descriptor)
            return True
        channel, fate = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        *limits, is_whole = ORDER.unpack(order)
        if is_whole:
            self.complete()
        try:
            pid = os.fork()
        except OSError as error:
            channel.close()
            _report(fate, -(error.errno or errno.EAGAIN))
            fate.close()
            return True
        if not pid:
            self._become(channel, *limits)
        channel.close()
        _report(fate, pid)
        self._fates[pid] = fate
        # The owner never sends on it: it becomes readable when the other end is closed.
        self._poll.register(fate, select.POLLIN)
        return True

    def _become(self, channel: socket.socket, *limits: Any) -> None:
        """Become the child; never returns."""
        status = 1
        try:
            end_with(self._pid)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(channel.fileno(), CHANNEL)
            os.dup2(self._turns, TURNS)
            os.closerange(TURNS + 1, _MANY_FILES)
            work(*limits, is_whole=self._is_whole)
            status = 0
        except Exception:  # noqa: BLE001 - the end of the process: whatever it is, it is shown
            traceback.print_exc()
        finally:
            os._exit(status)

    def _forsake(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        for pid, fate in self._fates.items():
            if fate.fileno() == descriptor:
                os.kill(pid, signal.SIGKILL)

    def _bury(self) -> None:
        while self._fates:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._fates.pop(pid) as fate:
                with suppress(KeyError):
                    self._poll.unregister(fate)
                _report(fate, os.waitstatus_to_exitcode(status))


def _report(fate: socket.socket, number: int) -> None:
    # The owner may have ended, or not be interested.
    with suppress(OSError):
        fate.send(FATE.pack(number))


def _load(modules: Callable[[], None]) -> None:
    # Collecting while modules are loaded takes a sixth of the start, and there is hardly anything to collect after it.
    gc.disable()
    modules()
    # Objects that the garbage collector ignores are not written to, and stay shared.
    gc.freeze()
    gc.enable()


def main() -> None:
    """Import what most children need, or everything for a service; then fork until no process needs any more."""
    # Ctrl-C is for the service, which needs the nursery until its workers have finished.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = socket.socket(fileno=int(sys.argv[1]))
    lifeline = Lifeline(sys.argv[2]) if len(sys.argv) > 2 else None  # noqa: PLR2004 - the second argument
    _load(import_usual)
    nursery = Nursery(orders)
    if lifeline:
        # A service lives long: sooner or later it needs all of it.
        nursery.complete()
    while nursery.turn():
        if lifeline:
            lifeline.beat()


if __name__ == "__main__":
    main()
