"""One SQLite file: how it is opened, how transactions are taken, and what its failures mean to people."""

from __future__ import annotations

import errno
import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import apsw

from veille.adapters.private import private_file
from veille.errors import StoreError
from veille.failpoints import failpoint
from veille.version import VERSION

if TYPE_CHECKING:
    from pathlib import Path

#: Two writers on one WAL file can corrupt it with older versions (the WAL-reset bug).
MIN_SQLITE = (3, 51, 3)
BUSY_MS = 10_000
#: "veil": tells our files from other SQLite files.
APPLICATION_ID = 0x7665696C

#: Whether a commit waits for the disk. It does not wait long, but hundreds of times a second.
_LASTING, _PASSING = "synchronous=FULL", "synchronous=NORMAL"

_ORIGIN = """
    CREATE TABLE origin (schema TEXT NOT NULL, veille TEXT NOT NULL);
"""

Row = tuple[Any, ...]
Bindings = Sequence[Any] | dict[str, Any]


class Database:
    """An open SQLite file, shared by the threads of one process and safe beside other processes."""

    def __init__(self, path: Path, migrations: Sequence[str], *, create: bool) -> None:
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < MIN_SQLITE:
            raise StoreError(
                "This SQLite is too old to be safe with two writers: upgrade apsw.", code="store.old_sqlite"
            )
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._after: list[Callable[[], None]] = []
        if create:
            private_file(path)
        with self._explained():
            flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
            self._connection = apsw.Connection(str(path), flags=flags)
        try:
            with self._explained():
                self._configure()
            self._migrate(migrations)
        except BaseException:
            self._connection.close()
            raise

    def _configure(self) -> None:
        self._connection.set_busy_timeout(BUSY_MS)
        # First of all: not even the journal mode of a file that is not ours is changed.
        self._version()
        # Without this a statement is planned again whenever its values change: 30 us and not 6 for a look-up by key.
        self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self._enter_wal()
        # FULL: a commit survives a power cut, not only a killed process; commits are batched, so this is cheap.
        for pragma in (_LASTING, "foreign_keys=ON", "trusted_schema=OFF", "temp_store=MEMORY"):
            self._connection.execute(f"PRAGMA {pragma}")

    def _enter_wal(self) -> None:
        # Entering WAL takes an exclusive lock and does not wait for it, so two first openers must take turns.
        deadline = time.monotonic() + BUSY_MS / 1000
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def _migrate(self, migrations: Sequence[str]) -> None:
        """Bring the file up to date, one transaction per version: killed at any statement, it is whole afterwards."""
        version = self._version()
        if version > len(migrations):
            raise StoreError(
                f"{self.path} was written by a newer veille ({self._writer() or 'which one is not known'}; its tables "
                f"are of version {version}, and {VERSION} knows {len(migrations)}): upgrade veille, or name another "
                "data folder with --data.",
                code="store.newer",
            )
        self._check_origin(migrations[:version])
        for number in range(version + 1, len(migrations) + 1):
            with self.write():
                if self._version() >= number:
                    continue
                for statement in _statements(with_origin(migrations)[number - 1]):
                    self.execute(statement)
                    failpoint("during_migration")
                self.execute("DELETE FROM origin")
                self.execute("INSERT INTO origin VALUES (?, ?)", (fingerprint(tuple(migrations[:number])), VERSION))
                self.execute(f"PRAGMA application_id={APPLICATION_ID}")
                self.execute(f"PRAGMA user_version={number}")

    def _check_origin(self, migrations: Sequence[str]) -> None:
        """The number alone does not tell tables apart that were changed before they were released."""
        if migrations and self._origin("schema") != fingerprint(tuple(migrations)):
            raise StoreError(
                f"{self.path} was written by another veille ({self._writer() or 'before 0.1 was released'}), whose "
                f"tables this one ({VERSION}) does not know: go on with that version, or name another data "
                "folder with --data. Nothing was changed.",
                code="store.other",
            )

    def _writer(self) -> str:
        """The version of the program that made the tables, if that is known."""
        return self._origin("veille")

    def _origin(self, column: str) -> str:
        if not self.value("SELECT 1 FROM sqlite_master WHERE name = 'origin'"):
            return ""
        return str(self.value(f"SELECT {column} FROM origin") or "")

    def _version(self) -> int:
        version = int(self.value("PRAGMA user_version"))
        # In this order: another first opener writes the tables and the id at once, perhaps between these two lines.
        filled = self.value("SELECT count(*) FROM sqlite_master") > 0
        if filled and self.value("PRAGMA application_id") != APPLICATION_ID:
            raise StoreError(f"{self.path} is a database, but not one of veille's: move it away.", code="store.foreign")
        return version

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and give all its rows."""
        with self._lock, self._explained():
            return list(self._connection.execute(sql, bindings))

    def many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each row."""
        with self._lock, self._explained():
            self._connection.executemany(sql, rows)

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.execute(sql, bindings)
        return rows[0][0] if rows else None

    def changes(self) -> int:
        """How many rows the last statement changed."""
        return int(self._connection.changes())

    @contextmanager
    def write(self) -> Iterator[Database]:
        """A write transaction; inside another one, part of it.

        IMMEDIATE: a transaction that reads first and writes later would fail when another process wrote in between.
        """
        with self._lock:
            if self._depth:
                yield self
                return
            self.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self
                self.execute("COMMIT")
            except BaseException:
                self._after.clear()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1
            while self._after:
                self._after.pop(0)()

    def after_commit(self, act: Callable[[], None]) -> None:
        """Do this once the transaction is committed, and never if it fails; outside of one, at once."""
        with self._lock:
            if self._depth:
                self._after.append(act)
            else:
                act()

    @contextmanager
    def write_passing(self) -> Iterator[Database]:
        """A write transaction that does not wait for the disk: for leases, hints and the like.

        It survives a killed process, but perhaps not a power cut; and after that nobody is at work who would miss it.
        Inside another transaction it is part of that.
        """
        with self._lock:
            if not self._depth:
                self.execute(f"PRAGMA {_PASSING}")
            try:
                with self.write():
                    yield self
            finally:
                if not self._depth:
                    self.execute(f"PRAGMA {_LASTING}")

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What cannot be had at once, because another program writes, is `store.busy`."""
        with self._lock:
            self._connection.set_busy_timeout(0)
            try:
                yield
            finally:
                self._connection.set_busy_timeout(BUSY_MS)

    def copy_to(self, path: Path) -> None:
        """A new file with everything as it is at one moment; whoever writes meanwhile is not held up."""
        with self._lock:
            # It is there to be passed on: only what becomes of it has to last.
            self.execute("PRAGMA synchronous=OFF")
            try:
                self.execute("VACUUM INTO ?", (str(path),))
            finally:
                self.execute(f"PRAGMA {_LASTING}")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Failures of the file or the disk in our words; mistakes in our own SQL pass through as the bugs they are."""
        try:
            yield
        except apsw.BusyError as error:
            raise StoreError(
                f"{self.path} is locked by another program; close it (or wait) and try again.", code="store.busy"
            ) from error
        except apsw.FullError as error:
            raise self._full() from error
        except apsw.NotADBError as error:
            raise StoreError(f"{self.path} is not a database: move it away.", code="store.not_a_database") from error
        except apsw.CorruptError as error:
            raise StoreError(
                f"{self.path} is damaged: restore it from a backup; the other dossiers are not affected.",
                code="store.damaged",
            ) from error
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.PermissionsError) as error:
            if isinstance(error, apsw.IOError) and self._connection.system_errno == errno.ENOSPC:
                raise self._full() from error
            raise StoreError(
                f"{self.path} cannot be opened or written ({error}): check that it exists, is yours and has space.",
                code="store.unreadable",
            ) from error

    def _full(self) -> StoreError:
        return StoreError(
            f"The disk is full: {self.path} could not grow. Free some space and try again; nothing was lost.",
            code="store.full",
        )


def with_origin(migrations: Sequence[str]) -> tuple[str, ...]:
    """The scripts with the table that says which of them were run, and by which program."""
    return (_ORIGIN + migrations[0], *migrations[1:])


@cache
def fingerprint(migrations: tuple[str, ...]) -> str:
    """Tells apart what scripts make; comments and spaces make no difference."""
    plain = " ".join(re.sub(r"--.*", "", "\n".join(migrations)).split())
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, each whole: a trigger has semicolons of its own."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if statement.strip() and apsw.complete(statement):
            yield statement
            statement = ""
