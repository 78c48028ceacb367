"""The rows of the dossiers in a PostgreSQL database."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from postgres_server import PostgresServer
from soak.books import SHARED, Books, Row
from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.postgres._pools import PostgresPools


class DatabaseBooks(Books):
    """Of a PostgreSQL database."""

    def __init__(self, server: PostgresServer, url: str, dossiers: list[str]) -> None:
        super().__init__(dossiers)
        self._server = server
        self._pools = PostgresPools(url)
        self._open = {name: PostgresDatabase(self._pools, server.folder, name) for name in [*dossiers, SHARED]}

    def close(self) -> None:
        self._pools.close()

    def rows(self, dossier_id: str, sql: str, bindings: tuple[Any, ...] = ()) -> list[Row]:
        return self._open[dossier_id].execute(sql, bindings)

    def soundness(self, dossier_id: str) -> str:  # noqa: ARG002 - that of a database is its operator's
        return "ok"

    def sizes(self) -> tuple[int, int]:
        folder = self._server.folder / "data"
        return _size(folder / "base"), _size(folder / "pg_wal")


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total
