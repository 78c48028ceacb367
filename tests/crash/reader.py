"""Whoever reads the buffer: moves every file away at once, and remembers each it ever saw."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: How often the folder is looked at; most files are gone before the next one is written.
PAUSE_S = 0.005
#: Every so many files fail on the reader's side.
FAIL_EVERY = 10


class Reader:
    """The reader of one buffer: `seen` counts arrivals by file name, more than one is a double delivery."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: Counter[str] = Counter()
        #: What each file was at the instant it arrived.
        self.hashes: dict[str, str] = {}
        for name in ("pending", "done", "failed"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read in the background as long as the context lasts."""
        stop = threading.Event()
        thread = threading.Thread(target=self._run, args=(stop,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            self.look()

    def look(self) -> None:
        """Take what has arrived."""
        for path in sorted((self.folder / "pending").glob("*.md")):
            self.hashes[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
            self.seen[path.name] += 1
            away = "done" if self.seen.total() % FAIL_EVERY else "failed"
            path.rename(self.folder / away / path.name)

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(PAUSE_S):
            self.look()
