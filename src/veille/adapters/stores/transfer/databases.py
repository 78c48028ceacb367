"""A PostgreSQL database as a place to move from and to."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Self

from veille.adapters.stores.postgres._failures import no_right
from veille.adapters.stores.postgres._pools import PostgresPools
from veille.adapters.stores.postgres.presence import name_of, patience_of
from veille.adapters.stores.transfer.places import StorePlace, busy, check_folder_unused, in_use, not_empty
from veille.adapters.stores.transfer.postgres_rows import PostgresFilling, PostgresRows, failures
from veille.adapters.stores.transfer.tables import catalog_tables
from veille.errors import StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from veille.adapters.stores.postgres._pools import Connection

#: "move": one move at a time.
_LOCK = 0x6D6F7665
#: A row that the role may not see is an error: without that, it would just not be there.
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL row_security = off"
_SEES_ALL = """
    SELECT NOT bool_or(row_security_active(c.oid)) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'veille_tables' AND c.relkind = 'r'
"""
_IS_BEGUN = "SELECT to_regclass('veille_move.progress') IS NOT NULL"
_BEGIN = "CREATE SCHEMA veille_move; CREATE TABLE veille_move.progress (key text PRIMARY KEY, value text NOT NULL)"
#: What makes a database one that is in use. The rest of the catalog is what programs note for themselves.
_DATA = ("dossiers", "users", "offers", "audit")
#: The machine of a program that said lately that it is alive, by the database's clock.
_WORKING = (
    "SELECT machine FROM veille.programs WHERE machine <> $1 "
    "AND beat_at > extract(epoch FROM clock_timestamp()) * 1000 - $2::bigint LIMIT 1"
)


class DatabasePlace(StorePlace):
    """All dossiers are read in one transaction, as they were at its beginning."""

    def __init__(self, url: str, folder: Path, lease_ms: int) -> None:
        self._folder = folder
        self._patience_ms = patience_of(lease_ms)
        self._open = ExitStack()
        self._pools = self._open.enter_context(closing(PostgresPools(url)))
        self._connection = self._open.enter_context(self._pools.alone())
        self.name = self._pools.name
        self._snapshot: Connection | None = None
        with failures():
            if self._value(_SEES_ALL) is not True:
                raise no_right(
                    "this role sees one dossier at a time, and a copy is of all; the tables belong to another"
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._open.close()

    def check_unused(self) -> None:
        check_folder_unused(self._folder)
        # Of the programs of this folder, their locks tell: one that was killed is gone at once.
        present = self._folder / "present"
        here = name_of(present) if (present / "machine").exists() else ""
        with failures():
            machine = self._value(_WORKING, here, self._patience_ms)
        if machine is not None:
            host = str(machine).rpartition("@")[2]
            raise in_use(self.name, f" (on {host}; if it was killed there, wait {self._patience_ms // 1000} seconds)")

    @contextmanager
    def reading(self, dossier_id: str = "") -> Iterator[PostgresRows]:
        if self._snapshot is None:
            self._snapshot = self._open.enter_context(self._pools.alone())
            self._snapshot.execute(_SNAPSHOT)
        yield PostgresRows(self._snapshot, dossier_id)

    def check(self, source: str) -> bool:
        with failures():
            is_begun = bool(self._value(_IS_BEGUN))
            begun = self._value("SELECT value FROM veille_move.progress WHERE key = 'source'") if is_begun else source
            if begun != source:
                raise not_empty(self.name, f"has an unfinished move of {begun}")
            for name in _DATA:
                if self._value(f"SELECT EXISTS (SELECT 1 FROM veille.{name})"):
                    raise not_empty(self.name)
        return is_begun

    @contextmanager
    def beginning(self, source: str) -> Iterator[bool]:
        with failures():
            if self._value("SELECT pg_try_advisory_lock($1::bigint)", _LOCK) is not True:
                raise busy(self.name)
            is_begun = self.check(source)
            if not is_begun:
                with self._connection.transaction():
                    for statement in _BEGIN.split("; "):
                        self._connection.execute(statement)
                    self._connection.execute("INSERT INTO veille_move.progress VALUES ('source', $1)", (source,))
        yield is_begun

    def _value(self, sql: str, *bindings: object) -> object:
        row = self._connection.execute(sql, bindings).fetchone()
        return row[0] if row else None

    def done(self, dossier_id: str) -> str:
        with failures():
            return str(self._value("SELECT value FROM veille_move.progress WHERE key = $1", dossier_id) or "")

    def mark(self, dossier_id: str, digest: str) -> None:
        with failures():
            self._connection.execute("INSERT INTO veille_move.progress VALUES ($1, $2)", (dossier_id, digest))

    def clear(self, dossier_id: str) -> None:
        with failures():
            self._connection.execute("DELETE FROM veille_move.progress WHERE key = $1", (dossier_id,))
        PostgresFilling(self._connection, self._pools, self._folder, dossier_id).clear()

    def note_key(self, key_id: str) -> None:
        if not key_id:
            return
        with failures():
            self._connection.execute(
                "INSERT INTO veille.vault_key VALUES (1, $1, $2) ON CONFLICT DO NOTHING", (key_id, os.uname().nodename)
            )

    @contextmanager
    def filling(self, dossier_id: str) -> Iterator[PostgresFilling]:
        yield PostgresFilling(self._connection, self._pools, self._folder, dossier_id)

    @contextmanager
    def concluding(self) -> Iterator[PostgresFilling]:
        with failures(), self._connection.transaction():
            for table in reversed(catalog_tables()):
                if table.name not in _DATA:
                    self._connection.execute(f"DELETE FROM veille.{table.name}")
            yield PostgresFilling(self._connection, self._pools, self._folder)
            self._connection.execute("DROP SCHEMA veille_move CASCADE")
            failpoint("before_end_of_move")
        failpoint("during_end_of_move")
        # Until now the server knew nothing of the rows, and a plan for an empty table is slow.
        # All is there, also if the server ends now; it does this by itself, later.
        with suppress(StoreError), failures():
            self._connection.execute("ANALYZE")
