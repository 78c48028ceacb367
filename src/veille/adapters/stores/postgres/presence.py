"""Which programs are alive, on all machines of one database."""

from __future__ import annotations

import os
import secrets
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from veille.adapters.private import private_folder
from veille.adapters.stores.postgres._failures import insisting
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from veille.adapters.presence import FilePresence
    from veille.adapters.stores.postgres._db import PostgresDatabase

#: How often a program says that it is alive.
_BEAT_S = 5.0
#: How long a program that ends waits to say so: without a server, its last beat tells.
_FAREWELL_S = 1.0


class MachinePresence:
    """The port `Presence`: by locks on files among the programs of one data folder, by a heartbeat among all others.

    A program of another machine counts as alive for `patience_ms` after its last beat: as long as its leases last, so
    nobody takes what it may still use. Folders are told apart by a name that they are given once.
    """

    def __init__(
        self, files: FilePresence, folder: Path, db: PostgresDatabase, clock: Callable[[], int], patience_ms: int
    ) -> None:
        self._files = files
        self._machine = name_of(folder)
        self._db = db
        self._clock = clock
        self._patience_ms = patience_of(patience_ms)
        #: How often each name is held: a farewell that is late does not end what began meanwhile.
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        with self._files.hold(name):
            self._begin(name)
            try:
                yield
            finally:
                self._end(name)

    def is_there(self, name: str) -> bool:
        if self._files.is_there(name):
            return True
        rows = self._db.execute("SELECT machine, beat_at FROM programs WHERE name = ?", (name,))
        return any(
            machine != self._machine and beat_at > self._clock() - self._patience_ms for machine, beat_at in rows
        )

    def _begin(self, name: str) -> None:
        with self._lock:
            self._held[name] += 1
        try:
            insisting(lambda: self._enter(name), is_given_up=self._db.is_given_up)
        except StoreError:
            self._end(name)
            raise
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="veille-presence", daemon=True)
                self._thread.start()

    def _enter(self, name: str) -> None:
        now = self._clock()
        with self._db.write_passing():
            # What killed machines left.
            self._db.execute("DELETE FROM programs WHERE beat_at < ?", (now - 10 * self._patience_ms,))
            self._db.execute("INSERT OR REPLACE INTO programs VALUES (?, ?, ?)", (name, self._machine, now))

    def _end(self, name: str) -> None:
        # Beside: the server may not answer, and a beat that waits for it keeps the lock.
        farewell = threading.Thread(target=self._leave, args=(name,), name="veille-farewell", daemon=True)
        farewell.start()
        farewell.join(_FAREWELL_S)

    def _leave(self, name: str) -> None:
        with self._lock:
            self._held[name] -= 1
            # Without those that are held no more.
            self._held = +self._held
            if name in self._held:
                return
            if not self._held:
                self._wake.set()
                self._thread, self._wake = None, threading.Event()
            with suppress(StoreError):
                self._db.execute("DELETE FROM programs WHERE name = ?", (name,))

    def _beat(self) -> None:
        wake = self._wake
        while not wake.wait(_BEAT_S):
            # Under the lock, so that it does not bring back a name that ends meanwhile.
            with self._lock, suppress(StoreError), self._db.write_passing():
                now = self._clock()
                # Others may have taken away the name of one that was silent for long, like a machine that slept.
                self._db.many(
                    "INSERT OR REPLACE INTO programs VALUES (?, ?, ?)",
                    [(name, self._machine, now) for name in sorted(self._held)],
                )


def patience_of(lease_ms: int) -> int:
    """How long a program counts as alive after its last beat."""
    return max(lease_ms, round(_BEAT_S * 3000))


def name_of(folder: Path) -> str:
    """The name of a data folder, made up at its first use, on this machine: a copy of it elsewhere is another."""
    private_folder(folder)
    path = folder / "machine"
    if not path.exists():
        made = folder / f"machine.{secrets.token_hex(8)}"
        made.write_text(made.suffix[1:])
        # Whole or not at all, and by one program alone.
        with suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    return f"{path.read_text()}@{os.uname().nodename}"
