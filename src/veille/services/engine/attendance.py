"""The name under which a program holds leases, and whether the program of another name has ended."""

from __future__ import annotations

import os
import re
import secrets
import threading
from contextlib import ExitStack
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.ports import Presence

#: The program part of a worker's name: `HOST:PID:TOKEN:1`, `news@HOST:PID:TOKEN:1`; a crawl has its own id.
_PROGRAM = re.compile(r"(?:^|@)([^:@]+:\d+:[0-9a-f]{8})(?::\d+)?$|^([0-9a-f]{8}-[0-9a-f-]{27})$")


class Attendance:
    """One program on the data: marked as alive from its first work until it is closed or dies."""

    def __init__(self, presence: Presence) -> None:
        # With a random token: process ids are reused, and one process may have several programs.
        self.name = f"{os.uname().nodename}:{os.getpid()}:{secrets.token_hex(4)}"
        self._presence = presence
        self._workers = count(1)
        self._held = ExitStack()
        self._lock = threading.Lock()
        self._is_there = False

    def begin(self) -> None:
        """Mark the program as alive; must come before it leases anything under this name."""
        with self._lock:
            if not self._is_there:
                self._held.enter_context(self._presence.hold(self.name))
                self._is_there = True

    def next_worker(self) -> str:
        """A new name for a worker of this program."""
        return f"{self.name}:{next(self._workers)}"

    def is_gone(self, worker: str) -> bool:
        """Whether the process of this worker has ended, so that its leases can be released; False for unknown names."""
        found = _PROGRAM.search(worker)
        return found is not None and not self._presence.is_there(found[1] or found[2])

    def close(self) -> None:
        with self._lock:
            self._held.close()
            self._is_there = False
