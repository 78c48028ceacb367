"""PgBouncer in transaction mode before a PostgreSQL server: its few connections are lent for one transaction each."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from postgres_server import PostgresServer

_PROGRAM = "/usr/sbin/pgbouncer"
#: So few that clients have to share them.
_CONNECTIONS = 4


class Bouncer:
    """One PgBouncer on a socket in a folder of its own. It ends with the block."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.folder = Path(tempfile.mkdtemp(prefix="veille-bouncer-"))

    def __enter__(self) -> Self:
        (self.folder / "users").write_text('"postgres" ""\n')
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={self._server.folder}\n[pgbouncer]\nlisten_addr =\nlisten_port = 5432\n"
            f"unix_socket_dir = {self.folder}\nauth_type = trust\nauth_file = {self.folder}/users\n"
            f"pool_mode = transaction\ndefault_pool_size = {_CONNECTIONS}\nmax_client_conn = 400\n"
            "server_login_retry = 1\nstats_users = postgres\n"
        )
        for path in (self.folder, settings, self.folder / "users"):
            if os.geteuid() == 0:
                shutil.chown(path, self._user)
        self._process = subprocess.Popen(
            [_PROGRAM, "--quiet", settings], user=self._user if os.geteuid() == 0 else None, stderr=subprocess.DEVNULL
        )
        for _ in range(300):
            if (self.folder / ".s.PGSQL.5432").exists():
                return self
            threading.Event().wait(0.1)
        raise AssertionError("PgBouncer does not listen")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        """The address of a database, by way of this, as the how-to says."""
        return f"{self._server.url(database).replace(str(self._server.folder), str(self.folder))}&pgbouncer=true"

    def transactions(self, database: str) -> int:
        """How many it has passed on."""
        url = self._server.url("pgbouncer").replace(str(self._server.folder), str(self.folder))
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
            found = connection.execute("SHOW STATS_TOTALS")
            names = [column.name for column in found.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in found]
        return next(int(row["xact_count"]) for row in rows if row["database"] == database)
