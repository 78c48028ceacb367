"""Starts children: from the nursery of the service that this process is part of, or from its own."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from veille.settings import WorkshopSettings

#: An order to the nursery: the memory limit in bytes, the CPU seconds per task, and whether all code is needed.
ORDER: Final = struct.Struct("<Qd?")
#: The nursery's messages about a child: its process id (or a negative error number), and at the end its exit status.
FATE: Final = struct.Struct("<i")
#: Importing everything takes about half a second; on a busy machine much more.
START_S = 60
PROGRAM = "veille.adapters.workshop.nursery"
#: The buffers of a channel hold most bodies whole, so that no side waits in the middle of one, which took most of the
#: time of an exchange. The system may grant less.
_BUFFER_BYTES: Final = 1 << 20

_shared: socket.socket | None = None


def use_nursery(descriptor: int) -> None:
    """Use the nursery at the other end of this socket from now on."""
    global _shared  # noqa: PLW0603 - a process is part of one service
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - the signature is Python's
    _shared = socket.socket(fileno=descriptor)


def nursery_ends() -> tuple[int, int]:
    """The two ends of the socket on which children are ordered: for the processes that order, and for the nursery."""
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


class Newborn:
    """A child from the parent's side: its process id, a channel to it, and the socket that reports its end."""

    def __init__(self, pid: int, channel: socket.socket, fate: socket.socket) -> None:
        self.pid = pid
        self.channel = channel
        self._fate = fate

    def kill(self) -> None:
        """Kill it now; from any thread."""
        try:
            self._fate.shutdown(socket.SHUT_WR)
        except OSError:
            # It has ended, or the nursery has.
            return

    def told(self, timeout: float) -> int | None:
        """The nursery's next message: at the end the exit status. 0 on a timeout; None if the nursery is gone."""
        self._fate.settimeout(timeout)
        try:
            told = self._fate.recv(FATE.size)
        except TimeoutError:
            return 0
        except OSError:
            return None
        said: int | None = FATE.unpack(told)[0] if told else None
        return said

    def close(self) -> None:
        """Kill it, and release its sockets."""
        self.channel.close()
        self._fate.close()


class Starter:
    """Starts children for one process. Its own nursery starts with the first, and ends with `close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        #: Whether children have the code for every task. The first ones have what most pages need.
        self.is_whole = False

    def start(self, settings: WorkshopSettings) -> Newborn:
        """A new child; OSError with the reason if it did not start."""
        channel, theirs = socket.socketpair()
        fate, told = socket.socketpair()
        for end in (channel, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        with theirs, told:
            try:
                order = ORDER.pack(settings.memory_mb * 1024 * 1024, settings.timeout_s, self.is_whole)
                self._order(order, theirs, told)
            except OSError:
                channel.close()
                fate.close()
                raise
        newborn = Newborn(0, channel, fate)
        pid = newborn.told(START_S)
        if not pid or pid < 0:
            newborn.close()
            raise OSError(os.strerror(-pid) if pid else self._reason())
        newborn.pid = pid
        return newborn

    def close(self) -> None:
        """End the nursery of this process, and with it its children."""
        with self._lock:
            self._end()

    def _order(self, order: bytes, *sockets: socket.socket) -> None:
        descriptors = [one.fileno() for one in sockets]
        if _shared is not None:
            socket.send_fds(_shared, [order], descriptors)
            return
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._end()
                self._launch()
            assert self._orders is not None  # noqa: S101 - launched
            socket.send_fds(self._orders, [order], descriptors)

    def _launch(self) -> None:
        self._orders, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, without external input
                [sys.executable, "-P", "-m", PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                env=nursery_environment(),
                cwd="/",
                start_new_session=True,
            )

    def _reason(self) -> str:
        """The last error output of this process's nursery."""
        process = self._process
        if process is None:
            return "the process that children are forked from does not answer"
        process.kill()
        errors = process.communicate()[1].decode(errors="replace").strip()
        return errors.splitlines()[-1] if errors else "it gave no reason"

    def _end(self) -> None:
        if self._orders is not None:
            self._orders.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()
        self._process = self._orders = None


def nursery_environment() -> dict[str, str]:
    """Only the path to the code; one thread, because only a single-threaded process can get a namespace.

    Plugins of pydantic are not looked for: that reads the list of entry points of every package.
    """
    path = os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path if folder)
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {"PYTHONPATH": path, "PYDANTIC_DISABLE_PLUGINS": "__all__", **threads}
