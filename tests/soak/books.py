"""The files of the dossiers, read beside the service that writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

Row = tuple[Any, ...]


class Books:
    """Reads only."""

    def __init__(self, data: Path, dossiers: list[str]) -> None:
        files = {path.stem: path for path in data.glob("dossiers/*/*.db")}
        # Read and write, for the last reader of a file leaves its log to the next; nothing is written all the same.
        self._open = {name: apsw.Connection(str(files[name]), flags=apsw.SQLITE_OPEN_READWRITE) for name in dossiers}
        for connection in self._open.values():
            connection.set_busy_timeout(10_000)
            connection.execute("PRAGMA query_only=ON")
        self._catalog = apsw.Connection(str(data / "catalog.db"), flags=apsw.SQLITE_OPEN_READWRITE)

    def close(self) -> None:
        for connection in [*self._open.values(), self._catalog]:
            connection.close()

    def rows(self, dossier_id: str, sql: str, bindings: tuple[Any, ...] = ()) -> list[Row]:
        return list(self._open[dossier_id].execute(sql, bindings))

    def value(self, dossier_id: str, sql: str) -> Any:
        return self.rows(dossier_id, sql)[0][0]

    def held_by(self, pid: int) -> dict[tuple[str, str], int]:
        """What this process holds, with the number of each lease."""
        sql = "SELECT id, lease_epoch FROM requests WHERE lease_owner LIKE ?"
        return {
            (name, request): epoch for name in self._open for request, epoch in self.rows(name, sql, (f"%:{pid}:%",))
        }

    def taken_over(self, held: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
        """Of these, when each was leased again."""
        found = {}
        for (name, request), epoch in held.items():
            ((now, at),) = self.rows(name, "SELECT lease_epoch, leased_at FROM requests WHERE id = ?", (request,))
            if now > epoch:
                found[name, request] = at
        return found

    def backlog(self) -> dict[str, tuple[int, int]]:
        """Of each dossier, the last change and the last that was handed over."""
        return {name: self.backlog_of(name) for name in self._open}

    def backlog_of(self, dossier_id: str) -> tuple[int, int]:
        sql = "SELECT (SELECT coalesce(max(seq), 0) FROM outbox), coalesce((SELECT max(seq) FROM cursors), 0)"
        last, done = self.rows(dossier_id, sql)[0]
        return last, done

    def tags(self) -> dict[tuple[str, str], str]:
        """The tag of what is stored of each source, and nothing while it is looked at for a second time."""
        sql = "SELECT source_id, etag, glimpse FROM requests WHERE purpose = 'root'"
        return {
            (name, source): "" if glimpse else tag
            for name in self._open
            for source, tag, glimpse in self.rows(name, sql)
        }

    def host_leases(self) -> int:
        return int(next(self._catalog.execute("SELECT count(*) FROM host_leases"))[0])
