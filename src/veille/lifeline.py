"""Ends a process that hangs: a parent that listens to its heartbeat, or a watchdog in the process itself."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import time
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
#: The shortest time between two heartbeats.
_BEAT_EVERY_S = 0.5


def end_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends, whatever it is doing.

    On other systems than Linux, a process has to notice the end of a pipe itself.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        # The parent ended before the call.
        os._exit(1)


class Watchdog:
    """For a process without a supervisor: it ends itself when its work made no progress for so many seconds.

    A thread outside the interpreter does it, so it also works when native code hangs and signals are not handled. It
    prints the traceback of every thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._beat_at = 0.0

    def beat(self) -> None:
        """Show that the work makes progress."""
        now = time.monotonic()
        if now - self._beat_at >= self._seconds / 10:
            self._beat_at = now
            faulthandler.dump_traceback_later(self._seconds, exit=True)

    def close(self) -> None:
        faulthandler.cancel_dump_traceback_later()


class Lifeline:
    """The child's end: it ends with its parent, and sends it heartbeats. Passed to it as `PID:DESCRIPTOR`."""

    def __init__(self, passed: str) -> None:
        parent, _, pipe = passed.partition(":")
        end_with(int(parent))
        self._pipe = int(pipe)
        self._beat_at = 0.0
        # Never block if the parent does not read.
        os.set_blocking(self._pipe, False)
        os.set_inheritable(self._pipe, False)  # noqa: FBT003 - the signature is Python's

    def beat(self) -> None:
        """Send a heartbeat; called from the loop that does the work, so that it stops when the loop does."""
        now = time.monotonic()
        if now - self._beat_at >= _BEAT_EVERY_S:
            self._beat_at = now
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._pipe, b".")
