"""The signs of all vectors of an embedder in memory, so that a search reads only the few vectors that are near.

72 MB for a million vectors of 512 numbers. What was added is read by its number, which is never used again. Vectors
that were deleted stay in the table until many of what it finds are gone: they are found, and then not in the store.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from veille.core.search.vectors import nearest

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

#: Bytes of all tables of a process; the ones that were not asked for longest are forgotten first.
MOST_BYTES: Final = 512 * 1024 * 1024


class Bits:
    """A table of signs, and the numbers of their vectors."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids = np.empty(0, np.int64)
        self._table = np.empty((0, 0), np.uint64)

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self._table.nbytes + self._ids.nbytes

    def near(self, db: Database, embedder: int, bits: bytes, count: int) -> list[int]:
        """The numbers of the nearest vectors; of all, if there are no more."""
        with self._lock:
            self._catch_up(db, embedder, len(bits))
            ids, table = self._ids, self._table
        return [int(one) for one in ids[nearest(table, bits, count)]]

    def forget(self) -> None:
        """Read everything again next time."""
        with self._lock:
            self._ids, self._table = np.empty(0, np.int64), np.empty((0, 0), np.uint64)

    def _catch_up(self, db: Database, embedder: int, width: int) -> None:
        last = int(self._ids[-1]) if len(self._ids) else 0
        rows = db.execute(
            "SELECT id, bits FROM vector_bits WHERE id > ? AND embedder = ? ORDER BY id", (last, embedder)
        )
        if not rows and self._table.shape[1]:
            return
        added = np.frombuffer(b"".join(row[1] for row in rows), np.uint64).reshape(len(rows), width // 8)
        self._table = np.concatenate([self._table.reshape(-1, width // 8), added])
        self._ids = np.concatenate([self._ids, np.array([row[0] for row in rows], np.int64)])


class _Tables:
    """The tables of one process, by file and embedder."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[str, int], Bits] = OrderedDict()

    def of(self, db: Database, embedder: int) -> Bits:
        with self._lock:
            key = (str(db.path), embedder)
            table = self._tables.setdefault(key, Bits())
            self._tables.move_to_end(key)
            while len(self._tables) > 1 and sum(one.size for one in self._tables.values()) > MOST_BYTES:
                self._tables.popitem(last=False)
            return table


TABLES: Final = _Tables()
