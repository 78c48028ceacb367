"""The worker processes of a service: started, started again when they die, and ended with it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

#: How long workers may take to give back what they hold; then they are killed, and their leases run out.
GRACE_S = 20.0
#: A worker that died is started again after this long, twice as long when it dies again, and so on.
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
#: A worker that ran so long is a good one.
GOOD_S = 20.0


class _Post:
    """The place of one worker."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._pause = FIRST_PAUSE_S
        self._again_at = 0.0
        self.restarts = -1
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def tend(self, say: Callable[[str], None]) -> None:
        """Start it if it does not run and its pause is over."""
        now = time.monotonic()
        if self.is_alive:
            return
        if self.process is not None:
            say(f"Worker {self.process.pid} ended with status {self.process.returncode}; another takes its place.")
            self._leave(now)
        if now < self._again_at:
            return
        # It ends when its standard input does: also when this process is killed.
        self.process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S603
        self._begun = now
        self.restarts += 1

    def _leave(self, now: float) -> None:
        self._pause = FIRST_PAUSE_S if now - self._begun > GOOD_S else min(self._pause * 2, LONGEST_PAUSE_S)
        self._again_at = now + self._pause
        self.close()
        self.process = None

    def close(self) -> None:
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()


class Crew:
    """The workers; `tend` is called again and again."""

    def __init__(self, number: int, data: str, say: Callable[[str], None]) -> None:
        command = [sys.executable, "-m", "veille", "work", "--attached", "--data", data]
        self._posts = [_Post(command) for _ in range(number)]
        self._say = say

    def __enter__(self) -> Self:
        self.tend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for post in self._posts:
            post.close()
        end = time.monotonic() + GRACE_S
        for post in self._posts:
            if post.process is None:
                continue
            try:
                post.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                post.process.kill()
                post.process.wait()

    def tend(self) -> None:
        for post in self._posts:
            post.tend(self._say)

    def figures(self) -> tuple[int, int]:
        """How many are alive, and how often one took the place of another."""
        return sum(post.is_alive for post in self._posts), sum(max(0, post.restarts) for post in self._posts)
