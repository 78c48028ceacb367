"""PostgresPools to the server: checked at the start, pooled, and replaced when the server was restarted."""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
import time
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from veille.adapters.stores.postgres._address import taken_apart
from veille.adapters.stores.postgres._dialect import Table, Translated, translated
from veille.adapters.stores.postgres._failures import PATIENCE_S, insisting, is_passing, nobody, told, unreachable
from veille.adapters.stores.postgres._schema import migrate
from veille.adapters.stores.postgres.clock import DatabaseClock
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Connection = psycopg.Connection[tuple[Any, ...]]

# What goes wrong with a connection is told by the call that needed it.
logging.getLogger("psycopg").setLevel(logging.ERROR)

#: Views that run as the user who asks came with this version.
OLDEST = 15
#: At most so many connections of each of the two pools of a process.
MOST = 16
#: How long to wait for each of the few threads of a pool: one may be asking a server that is not there.
_CLOSING_S = 0.1
#: How long a server has to answer when a program ends.
_PARTING_S = 1.5

_TABLES = """
    SELECT n.nspname, c.relname,
        array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE n.nspname = 'veille' OR a.attname <> 'dossier_id'),
        (SELECT array_agg(k.attname::text ORDER BY array_position(i.indkey::smallint[], k.attnum))
            FROM pg_index AS i JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
            WHERE i.indrelid = c.oid AND i.indisprimary AND (n.nspname = 'veille' OR k.attname <> 'dossier_id'))
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE n.nspname IN ('veille', 'veille_tables') AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    GROUP BY n.nspname, c.oid, c.relname
"""


class PostgresPools:
    """Those of one process to one database, for the catalog and for dossiers.

    Two pools, because a transaction of a dossier may need the catalog: with one, all its connections could be held by
    threads that wait for another one.
    """

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        self._url, self._options = taken_apart(url)
        self._patience_s = patience_s
        self._pools: list[_Pool] = []
        #: Whether the program ends while its server does not answer.
        self.is_given_up = False
        self._statements: dict[tuple[str, bool], Translated] = {}
        # Again, if the server ends meanwhile.
        try:
            rows = insisting(self._begin, patience_s)
        except StoreError as error:
            raise nobody(error) or error from error
        self._tables = {
            schema: {name: Table(columns, key or ()) for where, name, columns, key in rows if where == schema}
            for schema in ("veille", "veille_tables")
        }

    def _begin(self) -> list[tuple[Any, ...]]:
        """Check the server and its tables, which it then describes."""
        with self._begun() as connection:
            _check(connection)
            migrate(connection)
            info = connection.info
            #: The database, in words for people.
            self.name = f"postgresql://{info.host}:{info.port}/{info.dbname}"
            self.clock = DatabaseClock(connection, lambda: borrowed(self.of_catalog))
            return connection.execute(_TABLES).fetchall()

    def statement(self, sql: str, *, in_dossier: bool) -> Translated:
        """The statement as PostgreSQL has it, translated once."""
        found = self._statements.get((sql, in_dossier))
        if found is None:
            tables = self._tables_of(in_dossier=in_dossier)
            found = self._statements[sql, in_dossier] = translated(sql, tables, in_dossier=in_dossier)
        return found

    def columns(self, table: str, *, in_dossier: bool) -> Sequence[str]:
        """The names of the columns of a table, in a dossier without `dossier_id`."""
        return self._tables_of(in_dossier=in_dossier)[table].columns

    def _tables_of(self, *, in_dossier: bool) -> Mapping[str, Table]:
        return self._tables["veille_tables" if in_dossier else "veille"]

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A connection of its own, as the role of the address: for what takes long, or belongs to the owner."""
        with self._begun() as connection:
            yield connection

    @cached_property
    def of_catalog(self) -> _Pool:
        return self._pool()

    @cached_property
    def of_dossiers(self) -> _Pool:
        return self._pool()

    @contextmanager
    def _begun(self) -> Iterator[Connection]:
        """The first connection: one that is refused is told at once, and one that nobody answers is tried again."""
        deadline, pause = time.monotonic() + self._patience_s, 0.05
        while True:
            try:
                connection = psycopg.connect(self._url, **self._options)
            except psycopg.OperationalError as error:
                if not is_passing(error) or time.monotonic() + pause > deadline:
                    raise told(error) or error from error
                time.sleep(pause)
                pause = min(2 * pause, 2.0)
            else:
                break
        with connection:
            try:
                yield connection
            except psycopg.Error as error:
                raise told(error) or error from error

    def _pool(self) -> _Pool:
        pool = _Pool(
            self._url,
            kwargs=self._options,
            min_size=0,
            max_size=MOST,
            timeout=self._patience_s,
            reconnect_timeout=self._patience_s,
            open=True,
        )
        self._pools.append(pool)
        return pool

    def part(self) -> None:
        """Before the program ends: all that waits for a server that does not answer fails, and waits no longer."""
        if not self._pools or self.is_given_up:
            return
        heard = threading.Event()
        threading.Thread(target=self._ask, args=(heard,), name="veille-parting", daemon=True).start()
        if not heard.wait(_PARTING_S):
            # Both, so that neither is made from now on.
            _ = self.of_catalog, self.of_dossiers
            self.is_given_up = True
            for pool in self._pools:
                pool.hang_up()
            self.close()

    def _ask(self, heard: threading.Event) -> None:
        with suppress(StoreError), borrowed(self.of_catalog) as connection:
            connection.execute("SELECT 1")
            heard.set()

    def close(self) -> None:
        while self._pools:
            self._pools.pop().close(timeout=_CLOSING_S)


class _Pool(ConnectionPool[Connection]):
    """A pool that can end what is asked of a server that does not answer."""

    def __init__(self, url: str, **given: Any) -> None:
        self._lent: set[Connection] = set()
        self._is_hung_up = False
        super().__init__(url, **given)

    def getconn(self, timeout: float | None = None) -> Connection:
        connection = super().getconn(timeout)
        self._lent.add(connection)
        # What is lent meanwhile is seen here, or below.
        if self._is_hung_up:
            _hang_up(connection)
        return connection

    def putconn(self, conn: Connection) -> None:
        self._lent.discard(conn)
        super().putconn(conn)

    def hang_up(self) -> None:
        """Whoever waits for an answer of the server is told that the connection is lost; who asks later, too."""
        self._is_hung_up = True
        for connection in tuple(self._lent):
            _hang_up(connection)


def _hang_up(connection: Connection) -> None:
    # It may be given back or closed meanwhile.
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


@contextmanager
def borrowed(pool: _Pool) -> Iterator[Connection]:
    """A connection of the pool that the server has not closed meanwhile. Failures of the server are told."""
    connection = None
    try:
        while connection is None or _is_closed(connection):
            if connection is not None:
                connection.close()
                # It is given back once, even if there is no other one.
                closed, connection = connection, None
                pool.putconn(closed)
            connection = pool.getconn()
        yield connection
    except PoolTimeout as error:
        raise unreachable(_reason(pool) or error) from error
    except psycopg.Error as error:
        raise told(error) or error from error
    finally:
        if connection is not None:
            pool.putconn(connection)


def _reason(pool: _Pool) -> psycopg.OperationalError | None:
    """Why the pool gets no connection, which it does not say itself."""
    try:
        options = cast("dict[str, Any]", pool.kwargs) | {"connect_timeout": 2}
        psycopg.connect(str(pool.conninfo), **options).close()
    except psycopg.OperationalError as error:
        return error
    return None


def _is_closed(connection: Connection) -> bool:
    """Whether the server has something to say though nothing was asked: that is its farewell."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _check(connection: Connection) -> None:
    if connection.info.server_version < OLDEST * 10_000:
        raise StoreError(
            f"The PostgreSQL server is of version {connection.info.server_version // 10_000}; veille needs {OLDEST} or "
            "newer: upgrade it.",
            code="store.old_server",
        )
    row = connection.execute(
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool, "
        "current_setting('server_encoding')"
    ).fetchone()
    is_replica, encoding = row or (False, "")
    if is_replica:
        raise StoreError(
            "The database can only be read: name the primary server in `store`, not a replica.", code="store.read_only"
        )
    if encoding != "UTF8":
        raise StoreError(
            f"The database has the encoding {encoding}, which cannot hold all texts: make another one with `createdb "
            "--encoding UTF8 --locale C.UTF-8 --template template0 …`, and name it in `store`. Nothing was changed.",
            code="store.encoding",
        )
