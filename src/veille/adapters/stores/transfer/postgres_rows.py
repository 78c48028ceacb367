"""Rows of a PostgreSQL database: of one dossier, or of the catalog."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.postgres._failures import told
from veille.adapters.stores.transfer.tables import FILES, dossier_tables
from veille.adapters.stores.transfer.texts import indexed_texts
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.postgres._pools import Connection, PostgresPools
    from veille.adapters.stores.transfer.tables import SharedTable

#: Numbers that the database gives: of which column of which table, and the last one.
_NUMBERS = """
    SELECT c.table_name::text, c.column_name::text, coalesce(s.last_value, 0) FROM information_schema.columns AS c
    LEFT JOIN pg_sequences AS s ON format('%%I.%%I', s.schemaname, s.sequencename)
        = pg_get_serial_sequence(format('%%I.%%I', c.table_schema, c.table_name), c.column_name)
    WHERE c.table_schema = $1 AND c.is_identity = 'YES'
""".replace("%%", "%")
_ALL = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'veille_tables'"
#: From a row of these, others follow by a trigger, which come as rows by themselves.
_TRIGGERED = {"sources": "source_tagged", "story_documents": "story_counted"}


class PostgresRows:
    """The port `RowReader`, on a connection that has a transaction of its own."""

    def __init__(self, connection: Connection, dossier_id: str = "") -> None:
        self._connection = connection
        self._dossier_id = dossier_id
        self._tables = "veille_tables" if dossier_id else "veille"
        self._where = "WHERE dossier_id = $1" if dossier_id else "WHERE $1::text = ''"
        self._own: tuple[object, ...] = (UUID(dossier_id) if dossier_id else "",)

    def rows(self, table: SharedTable, after: Row = ()) -> Iterator[Row]:
        behind = ", ".join(f"${number}" for number in range(2, len(after) + 2))
        where = self._where + (f" AND ({table.ordered}) > ({behind})" if after else "")
        query = f"SELECT {table.listed} FROM {self._tables}.{table.name} {where} ORDER BY {table.ordered}"
        with failures(), self._connection.cursor() as cursor:
            yield from cursor.stream(query, (*self._own, *after), binary=True)

    def numbers(self) -> dict[str, int]:
        with failures():
            rows = self._connection.execute(_NUMBERS, (self._tables,)).fetchall()
        return {str(table): int(last) for table, _, last in rows}

    def files(self) -> set[str]:
        with failures():
            found = [
                self._connection.execute(
                    f"SELECT DISTINCT {column} FROM {self._tables}.{table} {self._where} AND {column} IS NOT NULL",
                    self._own,
                ).fetchall()
                for table, column in FILES
            ]
        return {str(name) for rows in found for (name,) in rows}


class PostgresFilling(PostgresRows):
    """The port `RowWriter`, as the owner of the tables."""

    def __init__(self, connection: Connection, pools: PostgresPools, folder: Path, dossier_id: str = "") -> None:
        super().__init__(connection, dossier_id)
        self._db = PostgresDatabase(pools, folder, dossier_id)

    def last(self, table: SharedTable) -> Row:
        descending = ", ".join(f'"{one}" DESC' for one in table.key)
        query = f"SELECT {table.ordered} FROM {self._tables}.{table.name} {self._where} ORDER BY {descending} LIMIT 1"
        with failures():
            return self._connection.execute(query, self._own).fetchone() or ()

    def add(self, table: SharedTable, rows: Sequence[Row]) -> None:
        if table.name == "bodies":
            # By the way that all texts are indexed; it waits for no disk, the end of the move does.
            with self._db.write_passing():
                self._db.many("INSERT INTO bodies (row, title, text) VALUES (?, ?, ?)", rows)
                self._db.index(*indexed_texts(self._db, rows))
            return
        with failures(table.name), self._connection.transaction(), self._quiet(table.name):
            self._copy(table, rows)

    @contextmanager
    def _quiet(self, name: str) -> Iterator[None]:
        if name not in _TRIGGERED or not self._dossier_id:
            yield
            return
        self._connection.execute(f"ALTER TABLE veille_tables.{name} DISABLE TRIGGER {_TRIGGERED[name]}")
        yield
        self._connection.execute(f"ALTER TABLE veille_tables.{name} ENABLE TRIGGER {_TRIGGERED[name]}")

    def _copy(self, table: SharedTable, rows: Sequence[Row]) -> None:
        own = ", dossier_id" if self._dossier_id else ""
        dossier = self._own if self._dossier_id else ()
        copying = f"COPY {self._tables}.{table.name} ({table.listed}{own}) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in rows:
                copy.write_row((*row, *dossier))

    def finish(self, numbers: Mapping[str, int]) -> None:
        with failures(), self._connection.transaction():
            for table, column, last in self._connection.execute(_NUMBERS, (self._tables,)).fetchall():
                found = self._connection.execute(
                    f'SELECT max("{column}") FROM {self._tables}.{table} {self._where}', self._own
                ).fetchone()
                most = max(int(last), numbers.get(table, 0), (found and found[0]) or 0)
                if most:
                    named = f"{self._tables}.{table}"
                    self._connection.execute("SELECT setval(pg_get_serial_sequence($1, $2), $3)", (named, column, most))

    def clear(self) -> None:
        """Delete all rows of the dossier."""
        with failures(), self._connection.transaction():
            for table in reversed(dossier_tables()):
                self._connection.execute(f"DELETE FROM veille_tables.{table.name} {self._where}", self._own)
            # Then the tables of the index, and what followed from these deletions.
            for (name,) in self._connection.execute(_ALL).fetchall():
                self._connection.execute(f"DELETE FROM veille_tables.{name} {self._where}", self._own)


@contextmanager
def failures(table: str = "") -> Iterator[None]:
    """Failures of the server are told; a value that the table cannot hold, too."""
    try:
        yield
    except (psycopg.DataError, psycopg.errors.IntegrityError) as error:
        said = " ".join(str(error).split())
        raise StoreError(
            f"A row of {table or 'the catalog'} cannot be stored in PostgreSQL ({said}): the source is damaged. "
            "`veille doctor` says more.",
            code="move.damaged",
        ) from error
    except psycopg.Error as error:
        raise told(error) or error from error
