"""One dossier, or the catalog, in a PostgreSQL database: the same calls as on a SQLite file."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.pq import TransactionStatus

from veille.adapters.stores.body_files import BodyFiles
from veille.adapters.stores.database import Sizes, Soundness
from veille.adapters.stores.postgres._dialect import IsNull, Match
from veille.adapters.stores.postgres._pools import borrowed
from veille.adapters.stores.postgres._values import Bigints
from veille.adapters.stores.postgres.words.merging import merge
from veille.adapters.stores.postgres.words.store import WordIndex
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from veille.adapters.stores.database import Bindings, Row
    from veille.adapters.stores.postgres._dialect import Binding, Translated
    from veille.adapters.stores.postgres._pools import Connection, PostgresPools

    Cursor = psycopg.Cursor[tuple[Any, ...]]

BUSY_MS = 10_000
#: All of it ends with the transaction, so a pool that gives every transaction another connection (PgBouncer) may stand
#: between. The application's role owns nothing, whoever logged in.
_SETTINGS = (
    "SELECT set_config('role', 'veille_app', true), set_config('search_path', $1, true), "
    "set_config('veille.dossier', $2, true), set_config('lock_timeout', $3, true), "
    # Whatever is set for the role.
    "set_config('row_security', 'on', true), "
    # What is asked for by key is nearly always in memory. With the default of 4, a batch of keys reads a whole table.
    "set_config('random_page_cost', '1.1', true)"
)
#: What waits for its turn sees what was written before it, whatever is set for the role.
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
_PASSING = "SELECT set_config('synchronous_commit', 'off', true)"
#: What is best for a rare word is not for others: the same statement is planned for what it is given.
_PLANNED = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)"
_LOCK = "SELECT pg_advisory_xact_lock(veille_functions.lock_of($1))"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(veille_functions.lock_of($1))"
#: Of a dossier that was deleted meanwhile, this fails.
_COUNT = (
    "INSERT INTO veille.versions VALUES ($1, 1) ON CONFLICT (dossier_id) DO UPDATE SET n = versions.n + 1 RETURNING n"
)
_INDEX_BYTES = (
    "SELECT coalesce(sum(pg_column_size(words) + pg_column_size(postings) + pg_column_size(places)), 0) "
    "FROM word_chunks JOIN word_segments ON word_segments.id = segment WHERE name = 'search'"
)
_COUNTED = "SELECT n FROM veille.versions WHERE dossier_id = $1"
#: Nearly all of a dossier; a row of anything else is a few hundred bytes.
_STORED = "SELECT " + " + ".join(
    f"(SELECT coalesce(sum({' + '.join(f'pg_column_size({name})' for name in columns)}), 0) FROM {table})"
    for table, columns in {
        "revisions": ("text", "html", "meta"),
        "bodies": ("title", "text"),
        "raw_bodies": ("data",),
        "pictures": ("data",),
        "vectors": ("numbers",),
        "requests": ("url", "context"),
    }.items()
)
#: What is gone from the index is still in it until segments are merged; it counts as gone.
_STORED += (
    " + (SELECT coalesce(sum(pg_column_size(words) + pg_column_size(postings) + pg_column_size(places)), 0) "
    "FROM word_chunks) * least(1, 2 * (SELECT count(*) FROM bodies) "
    "/ greatest(1, (SELECT sum(many) FROM word_segments)))"
)


class _Own(threading.local):
    """State of one thread: its transaction, callbacks to run after it, the last statement."""

    connection: Connection | None = None
    pipeline: psycopg.Pipeline | None = None
    after: list[Callable[[], None]] | None = None
    #: Gives the number of the version that this transaction makes; and that of the version before.
    counting: Cursor | None = None
    version: int | None = None
    last: Cursor | None = None
    #: What is sent behind the commit.
    behind: Sequence[tuple[PostgresDatabase, tuple[str, Bindings]]] = ()


class PostgresDatabase:
    """The rows of one dossier, or with an empty id the catalog, shared by the threads of a process.

    A statement alone takes any connection of the pool, for one round trip. A transaction keeps its connection; only one
    at a time writes to a dossier, on any machine. Its statements are sent at once, and only one that gives rows is
    waited for: so a failure may be raised by a later statement, or by the end of the transaction.
    """

    is_shared = True

    def __init__(self, connections: PostgresPools, path: Path, dossier_id: str = "") -> None:
        self.path = path
        self.files = BodyFiles(path)
        self._connections = connections
        self._dossier_id = dossier_id
        self._pool = connections.of_dossiers if dossier_id else connections.of_catalog
        self._schemas = "veille_dossier, veille_functions" if dossier_id else "veille, veille_functions"
        self._own = _Own()
        self._turn = threading.Lock()
        self.words = WordIndex(self)

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return all its rows."""
        statement = self._connections.statement(sql, in_dossier=bool(self._dossier_id))
        own = self._own
        if own.connection is None:
            if not statement.is_write:
                return self._read([(statement.text, self._in_order(statement, bindings))])[0]
            with self.write():
                return self.execute(sql, bindings)
        cursor = self.send(statement.text, self._in_order(statement, bindings))
        return cursor.fetchall() if statement.gives_rows else []

    def together(self, statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        """Run statements that read, of which none needs the rows of another: all are sent before any is waited for."""
        if not statements:
            return []
        if self._own.connection is None:
            return self._read(self._ready(statements))
        cursors = [self.send(*one) for one in self._ready(statements)]
        return [cursor.fetchall() for cursor in cursors]

    def dated(self, statements: Sequence[tuple[str, Bindings]]) -> tuple[object, list[list[Row]]]:
        """The same, outside a transaction, with the version of before."""
        # Planned anew: what was best for a new dossier reads all of one that has grown.
        (_, counted, *rows) = self._read([(_PLANNED, ()), (_COUNTED, (self._dossier_id,)), *self._ready(statements)])
        return _number(counted), rows

    def later(self, sql: str, bindings: Bindings = ()) -> Callable[[], list[Row]]:
        """Run one statement of the transaction under way; its rows are waited for when they are asked for."""
        ((text, ordered),) = self._ready([(sql, bindings)])
        return self.send(text, ordered).fetchall

    def _ready(self, statements: Sequence[tuple[str, Bindings]]) -> list[tuple[str, Sequence[Any]]]:
        """The statements as PostgreSQL has them. A query of words is answered first, by statements of its own."""
        ready = [(self._connections.statement(sql, in_dossier=bool(self._dossier_id)), of) for sql, of in statements]
        return [(one.text, self._in_order(one, bindings)) for one, bindings in ready]

    def send(self, text: str, bindings: Sequence[Any]) -> Cursor:
        """Run a statement of PostgreSQL in the transaction under way; nobody waits for it."""
        cursor = self._cursor()
        cursor.execute(text, bindings)
        return cursor

    def _cursor(self) -> Cursor:
        """For the next statement of the transaction."""
        own = self._own
        assert own.connection is not None  # noqa: S101 - there is a transaction
        own.last = own.connection.cursor(binary=True)
        return own.last

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction that writes."""
        return self._own.after is not None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything that is read in the block is of one moment; in a transaction, of that."""
        if self._own.connection is not None:
            yield
            return
        with self._open("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:
            connection.execute(_PLANNED)
            yield

    @contextmanager
    def beside(self) -> Iterator[None]:
        """A transaction beside the writers of the dossier, which does not wait for the disk; see `take_turn`."""
        with self._open(_BEGIN) as connection:
            connection.execute(_PASSING)
            yield

    def take_turn(self) -> None:
        """From here on, the transaction is the only one that writes to the dossier."""
        self.send(_LOCK, (self._dossier_id,))

    @contextmanager
    def _open(self, begin: str) -> Iterator[Connection]:
        own = self._own
        with borrowed(self._pool) as connection:
            try:
                with connection.pipeline() as pipeline:
                    own.connection, own.pipeline = connection, pipeline
                    connection.execute(begin)
                    self._set_up(connection)
                    yield connection
                    connection.execute("COMMIT")
            finally:
                own.connection = own.pipeline = None
                _roll_back(connection)

    def _read(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> list[list[Row]]:
        """The rows of each, in one round trip."""
        with borrowed(self._pool) as connection:
            # The statements of a pipeline are one transaction.
            with connection.pipeline():
                self._set_up(connection)
                cursors = [connection.cursor(binary=True) for _ in statements]
                for cursor, (text, ordered) in zip(cursors, statements, strict=True):
                    cursor.execute(text, ordered)
            return [cursor.fetchall() for cursor in cursors]

    def _set_up(self, connection: Connection) -> None:
        connection.execute(_SETTINGS, (self._schemas, self._dossier_id, str(BUSY_MS)))

    def many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each row."""
        statement = self._connections.statement(sql, in_dossier=bool(self._dossier_id))
        ordered = [self._in_order(statement, row) for row in rows]
        if not ordered:
            return
        with self.write():
            cursor = self._cursor()
            cursor.executemany(statement.text, ordered)

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.execute(sql, bindings)
        return rows[0][0] if rows else None

    def column(self, sql: str, bindings: Bindings = ()) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self.execute(sql, bindings)]

    def columns(self, table: str) -> Sequence[str]:
        """The names of the columns of a table, without that of the dossier."""
        return self._connections.columns(table, in_dossier=bool(self._dossier_id))

    def changes(self) -> int:
        """How many rows the last statement of this thread changed."""
        own = self._own
        if own.pipeline is not None:
            own.pipeline.sync()
        return own.last.rowcount if own.last is not None else 0

    def version(self) -> object:
        """A value that differs after every write, by any process; in a transaction, that of before it."""
        own = self._own
        if own.counting is not None:
            own.version = (own.counting.fetchone() or (1,))[0] - 1
            own.counting = None
        if own.version is not None:
            return own.version
        return _number(self._read([(_COUNTED, (self._dossier_id,))])[0])

    def is_given_up(self) -> bool:
        """Whether the program ends, and the server does not answer."""
        return self._connections.is_given_up

    def write(self, *, wait: bool = True) -> AbstractContextManager[PostgresDatabase]:
        """A write transaction; a nested one joins the outer one. Without `wait`, raises `store.busy` if one is open."""
        return self._transaction(is_lasting=True, wait_ms=BUSY_MS if wait else 0)

    def write_passing(self) -> AbstractContextManager[PostgresDatabase]:
        """A write transaction that does not wait for the disk, and makes no new version of the dossier."""
        return self._transaction(is_lasting=False, wait_ms=BUSY_MS)

    def forgetting(self) -> AbstractContextManager[PostgresDatabase]:
        """A write transaction; the server takes away deleted rows itself (VACUUM)."""
        return self.write()

    def compact(self) -> None:
        """Nothing to do: the server does that by itself (VACUUM)."""

    @contextmanager
    def _transaction(self, *, is_lasting: bool, wait_ms: int) -> Iterator[PostgresDatabase]:
        own = self._own
        if own.after is not None:
            yield self
            return
        with self._turn_of(wait_ms), borrowed(self._pool) as connection:
            after = own.after = []
            try:
                with connection.pipeline() as pipeline:
                    own.connection, own.pipeline = connection, pipeline
                    self._begin(connection, is_lasting=is_lasting, wait_ms=wait_ms)
                    yield self
                    connection.execute("COMMIT")
                    for behind, statement in own.behind:
                        behind.follow(connection, *statement)
            finally:
                own.connection = own.pipeline = own.after = own.counting = own.version = None
                own.behind = []
                _roll_back(connection)
        for act in after:
            act()

    def _begin(self, connection: Connection, *, is_lasting: bool, wait_ms: int) -> None:
        connection.execute(_BEGIN)
        self._set_up(connection)
        if not is_lasting:
            connection.execute(_PASSING)
        if wait_ms:
            connection.execute(_LOCK, (self._dossier_id,))
        elif connection.execute(_TRY_LOCK, (self._dossier_id,)).fetchone() != (True,):
            raise self._busy()
        if is_lasting and self._dossier_id:
            self._own.counting = connection.execute(_COUNT, (self._dossier_id,))

    @contextmanager
    def _turn_of(self, wait_ms: int) -> Iterator[None]:
        """Wait for writing threads of this process before a connection is taken, which they may need."""
        if self.is_given_up():
            # Whoever has the turn waits for the server.
            raise StoreError("The PostgreSQL server does not answer.", code="store.unreachable")
        if not self._turn.acquire(timeout=wait_ms / 1000):
            raise self._busy()
        try:
            yield
        finally:
            self._turn.release()

    def _busy(self) -> StoreError:
        return StoreError("Another program writes to this dossier and does not end; try again.", code="store.busy")

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call this after the transaction commits, and never if it fails; outside a transaction, call it at once."""
        if self._own.after is None:
            act()
        else:
            self._own.after.append(act)

    def send_behind(self, database: PostgresDatabase, sql: str, bindings: Bindings) -> None:
        """Run a statement of another part of the database after the commit, in the same round trip.

        It is a transaction of its own, which takes no turn: only for what changes one row.
        """
        self._own.behind = [*self._own.behind, (database, (sql, bindings))]

    def follow(self, connection: Connection, sql: str, bindings: Bindings) -> None:
        """Send a statement behind a transaction."""
        self._set_up(connection)
        connection.execute(_PASSING)
        ((text, ordered),) = self._ready([(sql, bindings)])
        connection.cursor(binary=True).execute(text, ordered)

    def sizes(self) -> Sizes:
        """How many bytes the contents take as they are stored. What stands around them is shared by all dossiers."""
        used = int(self.value(_STORED))
        return Sizes(used=used, file=used)

    def soundness(self) -> Soundness:
        """The server keeps the rules between rows; its operator looks after its files (`pg_amcheck`)."""
        return Soundness(integrity="ok", dangling=0, indexed=self.words.indexed())

    def index_bytes(self) -> int:
        """How many bytes the words take, without the keys by which they are found."""
        return int(self.value(_INDEX_BYTES))

    def index(self, words: Sequence[Row], forms: Sequence[Row]) -> None:
        """Add texts to the full-text indexes: the row of the document, its title, its text."""
        if not words:
            return
        with self.write():
            self.words.add("search", words)
            self.words.add("forms", forms)
            many = self.words.is_many()
            self.after_commit(lambda: self._merge_if(many))

    def _merge_if(self, many: Cursor) -> None:
        if many.fetchone():
            # What was written stays; the next one tries it again.
            with suppress(StoreError):
                merge(self, self.words)

    def _in_order(self, statement: Translated, bindings: Bindings) -> list[Any]:
        return [self._bound(which, bindings) for which in statement.bindings]

    def _bound(self, which: Binding, bindings: Bindings) -> Any:
        if isinstance(which, IsNull):
            # Whether a value is NULL is told by a value of its own: in SQL, a NULL alone has no type.
            return bindings[which.of] is None  # type: ignore[index]
        if isinstance(which, Match):
            found = self.words.rows(which.table, bindings[which.of])  # type: ignore[index]
            return Bigints(found)
        return bindings[which]  # type: ignore[index]

    def close(self) -> None:
        """All databases of the process share their connections; closing the catalog closes them."""
        if not self._dossier_id:
            self._connections.close()


def _number(rows: list[Row]) -> int:
    """Of a version; a dossier that was never written to has none."""
    return int(rows[0][0]) if rows else 0


def _roll_back(connection: Connection) -> None:
    """End a transaction that failed."""
    if connection.info.transaction_status not in {TransactionStatus.IDLE, TransactionStatus.UNKNOWN}:
        connection.rollback()
