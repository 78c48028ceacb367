"""The name under which a program holds leases, and whether the program behind another name is gone."""

from __future__ import annotations

import os
import re
import secrets
import threading
from contextlib import ExitStack
from pathlib import Path

from veille.adapters.presence import FilePresence

#: The program part of a worker's name: `HOST:PID:TOKEN:1`, `news@HOST:PID:TOKEN:1`; a crawl has its own id.
_PROGRAM = re.compile(r"(?:^|@)([^:@]+:\d+:[0-9a-f]{8})(?::\d+)?$|^([0-9a-f]{8}-[0-9a-f-]{27})$")


class Attendance:
    """One program on a data folder: present from its first work until it is closed or dies."""

    def __init__(self, data: Path) -> None:
        # With a random token: process ids are reused, and one process may open the folder several times.
        self.name = f"{os.uname().nodename}:{os.getpid()}:{secrets.token_hex(4)}"
        self.presence = FilePresence(data / "present")
        self._held = ExitStack()
        self._lock = threading.Lock()
        self._is_there = False

    def begin(self) -> None:
        """Mark the program as present, before it leases anything under this name."""
        with self._lock:
            if not self._is_there:
                self._held.enter_context(self.presence.hold(self.name))
                self._is_there = True

    def is_gone(self, worker: str) -> bool:
        """Whether the process of this worker ended, so that its leases have no owner; False for unknown names."""
        found = _PROGRAM.search(worker)
        return found is not None and not self.presence.is_there(found[1] or found[2])

    def close(self) -> None:
        with self._lock:
            self._held.close()
            self._is_there = False
