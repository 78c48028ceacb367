"""What ends a process that hangs: one that it is tied to, and shows again and again that it goes on; or itself."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import time
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
#: Beating more often than this says nothing more.
_BEAT_EVERY_S = 0.5


def end_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends, whatever this process is busy with.

    Where that cannot be had, a process has to notice the end of a pipe itself.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        # It ended before the kernel was asked.
        os._exit(1)


class Watchdog:
    """For a process that nobody watches over: it ends itself when its work has not gone on for so many seconds.

    A thread that needs no interpreter does it, so it also ends what hangs in native code and hears no signal. It
    prints where every thread was.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._beat_at = 0.0

    def beat(self) -> None:
        """Show that work goes on."""
        now = time.monotonic()
        if now - self._beat_at >= self._seconds / 10:
            self._beat_at = now
            faulthandler.dump_traceback_later(self._seconds, exit=True)

    def close(self) -> None:
        faulthandler.cancel_dump_traceback_later()


class Lifeline:
    """The child's end: which process is its parent, and a pipe to beat on. Passed to it as `PID:DESCRIPTOR`."""

    def __init__(self, passed: str) -> None:
        parent, _, pipe = passed.partition(":")
        self._parent = int(parent)
        self._pipe = int(pipe)
        self._beat_at = 0.0
        # A parent that does not listen holds nobody up.
        os.set_blocking(self._pipe, False)
        os.set_inheritable(self._pipe, False)  # noqa: FBT003 - the signature is Python's

    def end_with_parent(self) -> None:
        end_with(self._parent)

    def beat(self) -> None:
        """Show that work goes on; called from the loop that does the work, so that it stops when that does."""
        now = time.monotonic()
        if now - self._beat_at >= _BEAT_EVERY_S:
            self._beat_at = now
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._pipe, b".")
