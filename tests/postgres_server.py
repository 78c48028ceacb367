"""A PostgreSQL server of the tests' own, from Debian's package: started, stopped, killed and started again."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from psycopg import sql

from veille.adapters.stores.postgres._pools import PostgresPools

_PLACES = ("/usr/lib/postgresql", "/usr/local/lib/postgresql")
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
#: Tests need not survive a power cut, only kills.
_QUICK = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "autovacuum": "off",
    "jit": "off",
}


class PostgresServer:
    """One server on a socket in a folder of its own. It ends with the block."""

    def __init__(self, **options: str) -> None:
        self._options = _QUICK | options
        # Not pytest's folder: the user that the server runs as may not enter that.
        self.folder = Path(tempfile.mkdtemp(prefix="veille-pg-", dir=_MEMORY if _MEMORY.is_dir() else None))
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self.folder, self._user)
        #: What servers that were stopped have taken.
        self._spent_s = 0.0
        self._names = (f"test_{number}" for number in count(1))

    def __enter__(self) -> Self:
        self._run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8")
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        options = [f"-k{self.folder}", "-clisten_addresses=", *(f"-c{name}={of}" for name, of in self._options.items())]
        self._run("pg_ctl", "-w", "-s", "-l", str(self.folder / "log"), "-o", " ".join(options), "start")

    def stop(self, mode: str = "fast") -> None:
        """End it: `fast` rolls back what is under way, `immediate` is as good as a kill."""
        self._spent_s = self.cpu_s()
        self._run("pg_ctl", "-w", "-s", "-m", mode, "stop")

    def cpu_s(self) -> float:
        """Seconds of CPU that the server and its connections have taken so far."""
        try:
            postmaster = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        except OSError:
            return self._spent_s
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if path.parent.name == postmaster:
                # With those that ended.
                ticks += sum(map(int, fields[11:15]))
            elif fields[1] == postmaster:
                ticks += sum(map(int, fields[11:13]))
        return self._spent_s + ticks / os.sysconf("SC_CLK_TCK")

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    @cached_property
    def ready(self) -> str:
        """The name of a database with our tables, to copy."""
        name = self.database()
        PostgresPools(self.url(name)).close()
        return name

    def database(self, template: str = "template1") -> str:
        """The name of a new database, a copy of the template: of its files, which takes half of what a log takes."""
        name = next(self._names)
        self._do("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", name, template)
        return name

    def drop(self, name: str) -> None:
        self._do("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def dump(self, name: str) -> bytes:
        """A database as `pg_dump` writes it."""
        return self._asked("pg_dump", name)

    def load(self, name: str, dump: bytes) -> None:
        """Run what `pg_dump` wrote in an empty database."""
        self._asked("psql", "--quiet", "--set=ON_ERROR_STOP=1", name, given=dump)

    def _asked(self, program: str, *arguments: str, given: bytes = b"") -> bytes:
        command: list[str | Path] = [_programs() / program, "--host", self.folder, "--username", "postgres", *arguments]
        done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()}")
        return done.stdout

    def _do(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [_programs() / program, "-D", self.folder / "data", *arguments],
            user=self._user if os.geteuid() == 0 else None,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()}")


@contextmanager
def databases_of(store: str) -> Iterator[Callable[[], str]]:
    """What makes addresses of new databases, on a server of their own; for SQLite each is empty, which means files."""
    if store == "sqlite":
        yield str
        return
    # As operators have it: what was planned for empty tables is planned anew for full ones.
    with PostgresServer(autovacuum="on") as server:
        yield lambda: server.url(server.database(server.ready))


_shared = ExitStack()


@cache
def shared() -> PostgresServer:
    """The server of this process's tests; it ends with `end_shared`, at the latest with the process."""
    atexit.register(end_shared)
    return _shared.enter_context(PostgresServer())


def end_shared() -> None:
    """End the server of this process's tests, if there is one.

    A worker of xdist that takes more than some seconds to exit is killed, and its server would go on for ever.
    """
    _shared.close()


def _programs() -> Path:
    """The folder of the newest server that is installed."""
    found = [path for place in _PLACES for path in Path(place).glob("*/bin")]
    if not found:
        raise RuntimeError("There is no PostgreSQL here: `make test` installs it (Debian's package postgresql).")
    return max(found, key=lambda path: int(path.parent.name))
