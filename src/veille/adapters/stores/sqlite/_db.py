"""One SQLite file: connections, transactions, and messages for failures of the file or the disk."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from veille.adapters.private import private_file
from veille.adapters.stores.body_files import BodyFiles
from veille.adapters.stores.database import Sizes, Soundness
from veille.adapters.stores.sqlite._migrating import copies_of, migrate, version_of
from veille.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from veille.adapters.stores.database import Bindings, Row

#: Two writers on one WAL file can corrupt it with older versions (the WAL-reset bug).
MIN_SQLITE = (3, 51, 3)
#: How long to wait for readers before the journal is cut.
_CHECKPOINT_MS = 2000
BUSY_MS = 10_000
#: Idle connections kept for reuse; a statement needs one for microseconds, so few are in use at once.
MOST_IDLE = 4

#: Whether a commit waits for the disk. One wait is short, but there may be hundreds of commits a second.
_LASTING, _PASSING = "synchronous=FULL", "synchronous=NORMAL"


class _Told(NamedTuple):
    """Error code and message for a failure of the file or the disk."""

    code: str
    text: str


_BUSY = _Told(code="store.busy", text="{} is locked by another program; close it (or wait) and try again.")
_FULL = _Told(
    code="store.full",
    text="The disk is full: {} could not grow. Free some space and try again; nothing was lost.",
)
_MISSING = _Told(
    code="store.missing", text="The file of this dossier is missing: {}. Restore it, or delete the dossier."
)
_UNREADABLE = _Told(
    code="store.unreadable",
    text="{} cannot be opened or written ({}): check that it exists, is yours and has space.",
)
_FAILURES: dict[type[apsw.Error], _Told] = {
    apsw.BusyError: _BUSY,
    apsw.FullError: _FULL,
    apsw.NotADBError: _Told(code="store.not_a_database", text="{} is not a database: move it away."),
    apsw.CorruptError: _Told(
        code="store.damaged", text="{} is damaged: restore it from a backup; the other dossiers are not affected."
    ),
    apsw.CantOpenError: _UNREADABLE,
    apsw.ReadOnlyError: _UNREADABLE,
    apsw.IOError: _UNREADABLE,
    apsw.PermissionsError: _UNREADABLE,
}


class _Own(threading.local):
    """State of one thread: its connection, callbacks to run after the commit, rows changed by the last statement."""

    connection: apsw.Connection | None = None
    after: list[Callable[[], None]] | None = None
    changes = 0


class SqliteDatabase:
    """A SQLite file, shared by the threads of one process and safe beside other processes.

    A statement uses any free connection, so that no thread waits for another to read. A transaction keeps its
    connection; the write transactions of one process take turns.
    """

    is_shared = False

    def __init__(self, path: Path, migrations: Sequence[str], *, create: bool) -> None:
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < MIN_SQLITE:
            raise StoreError(
                "This SQLite is too old to be safe with two writers: upgrade apsw.", code="store.old_sqlite"
            )
        self.path = path
        self.files = BodyFiles(path)
        self._flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        self._idle: list[apsw.Connection] = []
        self._own = _Own()
        self._turn = threading.Lock()
        self._is_closed = False
        if create:
            private_file(path)
        try:
            with self._connected() as connection:
                # Check first: a file that is not ours must not be changed, not even its journal mode.
                version_of(self)
                _enter_wal(connection)
            migrate(self, migrations)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def _connected(self) -> Iterator[apsw.Connection]:
        """The thread's connection, or a free one. Raises StoreError for failures of the file or the disk."""
        own = self._own
        before = connection = own.connection
        try:
            if connection is None:
                connection = own.connection = self._free()
            yield connection
        except apsw.Error as error:
            if told := self._told(error, connection):
                raise told from error
            raise
        finally:
            own.connection = before
            if before is None and connection is not None:
                self._give_back(connection)

    def _free(self) -> apsw.Connection:
        with suppress(IndexError):
            return self._idle.pop()
        if self._is_closed:
            raise apsw.ConnectionClosedError(f"{self.path} was closed.")
        connection = apsw.Connection(str(self.path), flags=self._flags)
        connection.set_busy_timeout(BUSY_MS)
        # Without this SQLite re-plans a statement whenever its bindings change: 30 us instead of 6 for a lookup by key.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        try:
            # FULL: a commit survives a power cut, not only a killed process; commits are batched, so this is cheap.
            for pragma in (_LASTING, "foreign_keys=ON", "trusted_schema=OFF", "temp_store=MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: apsw.Connection) -> None:
        if self._is_closed or len(self._idle) >= MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def without_references(self) -> Iterator[None]:
        """A block whose transactions may break references between tables; who begins one checks them at its end."""
        with self._connected() as connection:
            connection.execute("PRAGMA foreign_keys=OFF")
            try:
                yield
            finally:
                connection.execute("PRAGMA foreign_keys=ON")

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        # As `_connected` does it, written out: this is called more often than anything else.
        own = self._own
        before = connection = own.connection
        try:
            if connection is None:
                connection = own.connection = self._free()
            rows = connection.execute(sql, bindings).fetchall()
            own.changes = connection.changes()
        except apsw.Error as error:
            if told := self._told(error, connection):
                raise told from error
            raise
        finally:
            if before is None and connection is not None:
                own.connection = None
                self._give_back(connection)
        return rows

    def together(self, statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        """Run statements that read, one after the other."""
        return [self.execute(sql, bindings) for sql, bindings in statements]

    def dated(self, statements: Sequence[tuple[str, Bindings]]) -> tuple[object, list[list[Row]]]:
        """The same, with the version of before."""
        return self.version(), self.together(statements)

    def later(self, sql: str, bindings: Bindings = ()) -> Callable[[], list[Row]]:
        """Run one statement; nobody has to wait for a file."""
        rows = self.execute(sql, bindings)
        return lambda: rows

    def many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each row."""
        with self._connected() as connection:
            connection.executemany(sql, rows)

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.execute(sql, bindings)
        return rows[0][0] if rows else None

    def column(self, sql: str, bindings: Bindings = ()) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self.execute(sql, bindings)]

    def columns(self, table: str) -> Sequence[str]:
        """The names of the columns of a table."""
        return self.column("SELECT name FROM pragma_table_info(?)", (table,))

    def changes(self) -> int:
        """How many rows the last statement of this thread changed."""
        return self._own.changes

    def version(self) -> object:
        """A value that differs after every write to the file, by any process."""
        with self._connected() as connection:
            # Both are per connection: data_version changes with commits of other connections, total_changes with ours.
            return connection, self.value("PRAGMA data_version"), connection.total_changes()

    def write(self, *, wait: bool = True) -> AbstractContextManager[SqliteDatabase]:
        """A write transaction; a nested one joins the outer one. Without `wait`, raises `store.busy` if one is open."""
        return self._transaction(_LASTING, BUSY_MS if wait else 0)

    def write_passing(self) -> AbstractContextManager[SqliteDatabase]:
        """A write transaction that does not wait for the disk: for leases, hints and the like.

        It survives a killed process, but perhaps not a power cut; after a power cut no worker is left that needs it.
        A nested one joins the outer transaction.
        """
        return self._transaction(_PASSING, BUSY_MS)

    @contextmanager
    def forgetting(self) -> Iterator[SqliteDatabase]:
        """A write transaction that overwrites deleted rows with zeros; never inside another.

        Copies that upgrades made have these rows, too: they are deleted first.
        """
        for copy in copies_of(self.path):
            copy.unlink(missing_ok=True)
        with self._connected() as connection:
            connection.execute("PRAGMA secure_delete=ON")
            try:
                with self.write():
                    yield self
                self._cut_journal(connection)
            finally:
                connection.execute("PRAGMA secure_delete=OFF")

    def compact(self) -> None:
        """Write the file anew, without what was deleted from it at any time; others may read meanwhile."""
        with self._connected() as connection:
            connection.execute("VACUUM")
            self._cut_journal(connection)

    def _cut_journal(self, connection: apsw.Connection) -> None:
        """Take away what was deleted from the journal; while others read, that is left to a later commit."""
        connection.set_busy_timeout(_CHECKPOINT_MS)
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            connection.set_busy_timeout(BUSY_MS)

    @contextmanager
    def _transaction(self, manner: str, wait_ms: int) -> Iterator[SqliteDatabase]:
        own = self._own
        if own.after is not None:
            yield self
            return
        with self._turn_of(wait_ms), self._connected() as connection, _pragma(connection, manner):
            connection.set_busy_timeout(wait_ms)
            # IMMEDIATE: a transaction that reads first and writes later fails if another process commits in between.
            connection.execute("BEGIN IMMEDIATE")
            after = own.after = []
            try:
                yield self
                connection.execute("COMMIT")
            finally:
                own.after = None
                connection.set_busy_timeout(BUSY_MS)
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        for act in after:
            act()

    @contextmanager
    def _turn_of(self, wait_ms: int) -> Iterator[None]:
        """Wait for writing threads of this process, for as long as for other processes."""
        if not self._turn.acquire(timeout=wait_ms / 1000):
            raise StoreError(_BUSY.text.format(self.path), code=_BUSY.code)
        try:
            yield
        finally:
            self._turn.release()

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call this after the transaction commits, and never if it fails; outside a transaction, call it at once."""
        if self._own.after is None:
            act()
        else:
            self._own.after.append(act)

    def sizes(self) -> Sizes:
        """How many bytes the file takes."""
        pages, free, size = (self.value(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size"))
        return Sizes(used=(pages - free) * size, file=pages * size)

    def soundness(self) -> Soundness:
        """Look through the whole file and its indexes."""
        with self.write():
            self.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
        return Soundness(
            integrity=str(self.value("PRAGMA integrity_check")),
            dangling=len(self.execute("PRAGMA foreign_key_check")),
            indexed=self.value("SELECT count(*) FROM search_docsize JOIN forms_docsize USING (id)"),
        )

    def index_bytes(self) -> int:
        """How many bytes the index of the words takes; reads all of it."""
        found = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = 'search_data' AND aggregate = 1"
        return int(self.value(found))

    def index(self, words: Sequence[Row], forms: Sequence[Row]) -> None:
        """Add texts to the full-text indexes: the row of the document, its title, its text."""
        self.many("INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)", words)
        self.many("INSERT INTO forms (rowid, title, text) VALUES (?, ?, ?)", forms)

    def copy_to(self, path: Path) -> None:
        """Write a consistent snapshot to a new file, without blocking writers."""
        # The copy is an intermediate file: only what is made from it has to survive a power cut.
        with self._connected() as connection, _pragma(connection, "synchronous=OFF"):
            connection.execute("VACUUM INTO ?", (str(path),))

    def close(self) -> None:
        """Close idle connections; one that a thread still uses is closed when the thread gives it back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _told(self, error: apsw.Error, connection: apsw.Connection | None) -> StoreError | None:
        """The StoreError for a failure of the file or the disk; None for errors in our own SQL, which are bugs."""
        told = next((told for kind, told in _FAILURES.items() if isinstance(error, kind)), None)
        if isinstance(error, apsw.CantOpenError) and not self.path.exists():
            told = _MISSING
        elif isinstance(error, apsw.IOError) and connection and connection.system_errno == errno.ENOSPC:
            told = _FULL
        return StoreError(told.text.format(self.path, error), code=told.code) if told else None


@contextmanager
def _pragma(connection: apsw.Connection, pragma: str) -> Iterator[None]:
    """Set `synchronous` for one block, then restore FULL."""
    if pragma == _LASTING:
        yield
        return
    connection.execute(f"PRAGMA {pragma}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA {_LASTING}")


def _enter_wal(connection: apsw.Connection) -> None:
    # Switching to WAL takes an exclusive lock without waiting for it, so processes that open a new file at once retry.
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
