"""Periodic duties, in the catalog: of all processes that use a data folder, one performs each duty."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database


class SqliteDuties:
    """The port `Duties`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def take(self, name: str, now: int, every_ms: int) -> bool:
        with self._db.write():
            due_at = self._due_at(name)
            taken = _is_over(due_at, now, every_ms)
            if taken:
                self._db.execute("INSERT OR REPLACE INTO duties VALUES (?, ?)", (name, now + every_ms))
        return due_at is not None and taken

    def is_due(self, name: str, now: int, every_ms: int) -> bool:
        return _is_over(self._due_at(name), now, every_ms)

    def _due_at(self, name: str) -> int | None:
        due_at: int | None = self._db.value("SELECT due_at FROM duties WHERE name = ?", (name,))
        return due_at


def _is_over(due_at: int | None, now: int, every_ms: int) -> bool:
    """Whether it is due; also if the due time is too far ahead, because it was set while the clock was ahead."""
    return due_at is None or not now < due_at <= now + every_ms
