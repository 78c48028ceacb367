"""One editor of a workbook at a time, among the processes of this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veille.adapters._lock import try_lock
from veille.errors import SinkError

_ASK_EVERY_S = 0.05


@contextmanager
def exclusive(path: Path, patience_s: float, what: str) -> Iterator[None]:
    """Hold the lock until the context ends or the process dies; `what` names the guarded file for messages."""
    deadline = time.monotonic() + patience_s
    with path.open("w") as lock:
        while not try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                raise SinkError(
                    f"Another process is writing {what} for very long; run the command again later.",
                    code="workbook.busy",
                )
            time.sleep(_ASK_EVERY_S)
        yield
