"""A slot for one process of a service, which is restarted when it ends."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress

from veille.supervisor import say

#: A process that died is restarted after this pause, which doubles each time it dies again.
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
#: A process that ran this long resets the pause.
GOOD_S = 20.0
#: How long a process may take until its first heartbeat: it has much to import, and the machine may be busy.
START_S = 120.0
#: The most that one check adds to the silence of a process: if the whole machine was suspended, nothing hung.
MOST_BETWEEN_LOOKS_S = 2.0


#: Settings of the C library's allocator. By default each thread has its own heap, and freed memory stays there.
#: With these, large blocks go back to the system, and a process keeps a third less memory after a peak.
MEMORY = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}


class Post:
    """The slot of one process: its name, its command, and for how long it may be silent."""

    def __init__(
        self,
        what: str,
        command: list[str],
        stalled_s: float,
        shared: tuple[int, ...],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._what = what
        self._command = command
        self._stalled_s = stalled_s
        self._shared = shared
        self._environment = MEMORY | dict(environment)
        self._pause = FIRST_PAUSE_S
        self._again_at = 0.0
        self._beats = -1
        self._silence_s = 0.0
        self._looked_at = 0.0
        self.restarts = -1
        #: Whether the current or last process ever sent a heartbeat.
        self.has_beaten = False
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def failed_start(self) -> int | None:
        """The exit status of the very first process, if it ended before its first heartbeat."""
        return self.process.poll() if self.process and not self.restarts and not self.has_beaten else None

    def tend(self) -> None:
        """Start the process if it does not run and the pause is over; kill it if it was silent for too long."""
        now = time.monotonic()
        if self.is_alive:
            self._listen(now)
            return
        if self.process is not None:
            ended = f"The {self._what} {self.process.pid} ended with status {self.process.returncode}"
            say(f"{ended}; another takes its place.")
            self._leave(now)
        if now >= self._again_at:
            try:
                self._start(now)
            except OSError as error:
                # Too many processes or open files, or no memory: that may be temporary.
                say(f"The {self._what} could not be started ({error.strerror}); it is tried again.")
                self._again_at = now + LONGEST_PAUSE_S

    def _start(self, now: float) -> None:
        beats, theirs = os.pipe()
        # The system kills it when this process dies; it exits when its standard input is closed.
        command = [*self._command, f"{os.getpid()}:{theirs}"]
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs, *self._shared),
                env=self._environment,
            )
        except OSError:
            os.close(beats)
            raise
        finally:
            os.close(theirs)
        os.set_blocking(beats, False)
        self._beats = beats
        self._begun = self._looked_at = now
        self._silence_s, self.has_beaten = 0.0, False
        self.restarts += 1

    def _listen(self, now: float) -> None:
        with suppress(BlockingIOError):
            if os.read(self._beats, 4096):
                self._silence_s, self.has_beaten = 0.0, True
        self._silence_s += min(now - self._looked_at, MOST_BETWEEN_LOOKS_S)
        self._looked_at = now
        if self._silence_s > (self._stalled_s if self.has_beaten else START_S) and self.process is not None:
            say(f"The {self._what} {self.process.pid} has shown no sign of life for {self._silence_s:.0f} s: killed.")
            self.process.kill()
            self._silence_s = 0.0

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(BrokenPipeError):
                os.write(self.process.stdin.fileno(), f"{line}\n".encode())

    def _leave(self, now: float) -> None:
        self._pause = FIRST_PAUSE_S if now - self._begun > GOOD_S else min(self._pause * 2, LONGEST_PAUSE_S)
        self._again_at = now + self._pause
        self.close()
        os.close(self._beats)
        self.process = None

    def close(self) -> None:
        """Ask it to end."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def end(self, at: float) -> None:
        """Wait until `at` for its end; then kill it."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, at - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._beats)
