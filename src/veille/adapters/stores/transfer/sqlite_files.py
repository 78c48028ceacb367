"""Rows of a SQLite file."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.transfer.tables import FILES
from veille.adapters.stores.transfer.texts import indexed_texts
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.transfer.tables import SharedTable


class SqliteRows:
    """The port `RowReader` over a file that others may write to: what it was when it was opened."""

    def __init__(self, path: Path, scripts: tuple[str, ...]) -> None:
        # Refuses a file that is not ours, or of a newer version.
        SqliteDatabase(path, scripts, create=False).close()
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._connection.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._connection.close()

    def rows(self, table: SharedTable, after: Row = ()) -> Iterator[Row]:
        return _rows(self._connection, table, after)

    def numbers(self) -> dict[str, int]:
        return {str(name): int(seq) for name, seq in self._connection.execute("SELECT name, seq FROM sqlite_sequence")}

    def files(self) -> set[str]:
        each = (f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL" for table, column in FILES)
        return {str(name) for (name,) in self._connection.execute(" UNION ".join(each))}


class _Quiet(SqliteDatabase):
    """A file in which nothing follows from a row: the rows that would follow come by themselves."""

    def _free(self) -> apsw.Connection:
        connection = super()._free()
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        connection.execute("PRAGMA foreign_keys=OFF")
        return connection


class SqliteFilling:
    """The port `RowWriter` over a file; it is made if it is not there."""

    def __init__(self, path: Path, scripts: tuple[str, ...]) -> None:
        self._path = path
        self._db = _Quiet(path, scripts, create=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._db.close()

    def rows(self, table: SharedTable, after: Row = ()) -> Iterator[Row]:
        with closing(apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            yield from _rows(connection, table, after)

    def numbers(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT name, seq FROM sqlite_sequence"))

    def last(self, table: SharedTable) -> Row:
        descending = ", ".join(f'"{one}" DESC' for one in table.key)
        rows = self._db.execute(f"SELECT {table.ordered} FROM {table.name} ORDER BY {descending} LIMIT 1")
        return rows[0] if rows else ()

    def add(self, table: SharedTable, rows: Sequence[Row]) -> None:
        places = ", ".join("?" * len(table.columns))
        with self._db.write_passing():
            self._db.many(f"INSERT INTO {table.name} ({table.listed}) VALUES ({places})", rows)
            if table.name == "bodies":
                self._db.index(*indexed_texts(self._db, rows))

    def finish(self, numbers: Mapping[str, int]) -> None:
        with self._db.write():
            for name, number in numbers.items():
                if self._db.value("SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'", (name,)):
                    last = max(number, self._db.value("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)) or 0)
                    self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                    self._db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, last))
        if dangling := self._db.execute("PRAGMA foreign_key_check"):
            raise StoreError(
                f"A row of {dangling[0][0]} refers to nothing: the source is damaged. `veille doctor` says more.",
                code="move.damaged",
            )
        # What is in its log is in the file then, which can be renamed, copied or packed alone.
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _rows(connection: apsw.Connection, table: SharedTable, after: Row) -> Iterator[Row]:
    where = f"WHERE ({table.ordered}) > ({', '.join('?' * len(after))})" if after else ""
    yield from connection.execute(f"SELECT {table.listed} FROM {table.name} {where} ORDER BY {table.ordered}", after)
