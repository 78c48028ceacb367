"""Databases of every release, upgraded by this version; and by a made-up next one, killed on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from command import Cli
from postgres_server import PostgresServer, shared
from upgrades.folders import DATABASE, RELEASES, begun, dumped, lasting, next_version, unpacked
from veille.adapters.stores.postgres._schema import versions


@pytest.fixture
def server() -> PostgresServer:
    server = shared()
    # Who restores a dump has made the role before: there is none in a dump.
    assert server.ready
    return server


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


#: Killed at a script; `again`: and upgraded.
_UPGRADE = """
import os, sys
from veille import failpoints
from veille.adapters.stores.postgres._pools import PostgresPools
url, number, *again = sys.argv[1:]
if not (child := os.fork()):
    failpoints._armed.update(failpoints._parse(f"during_migration:kill@{number}"))
    PostgresPools(url)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if again:
    PostgresPools(url)
"""


def _killed(url: str, script: int, *, again: bool, **variables: str) -> None:
    command = [sys.executable, "-c", _UPGRADE, url, str(script), *(["again"] if again else [])]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.stdout.split() == [str(-signal.SIGKILL)], done.stderr


def _rows(url: str) -> dict[str, int]:
    """How many rows every table has, over all dossiers."""
    tables = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('veille', 'veille_tables')"
    counted = {}
    with psycopg.connect(url) as connection:
        for schema, name in connection.execute(tables).fetchall():
            asked = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))
            ((counted[name],),) = connection.execute(asked).fetchall()
    return lasting(counted)


def _version(url: str) -> int:
    with psycopg.connect(url) as connection:
        ((version,),) = connection.execute("SELECT version FROM veille.origin").fetchall()
        return int(version)


@pytest.mark.parametrize("release", RELEASES)
def test_a_database_of_a_release_opens_with_all_that_is_in_it(
    release: str, server: PostgresServer, tmp_path: Path
) -> None:
    name = server.database()
    with ExitStack() as stack:
        stack.callback(server.drop, name)
        server.load(name, dumped(release))
        held = _rows(server.url(name))
        # The key of its secrets is in the folder, not in the database.
        unpacked(release, tmp_path)
        cli = Cli(tmp_path, VEILLE_STORE=server.url(name))
        assert cli.json("doctor")["healthy"], cli.stderr
        assert cli.json("search", "bridge", "--dossier", "press")
        assert _rows(server.url(name)).items() >= held.items()
        assert held["revisions"] > 20


@pytest.mark.parametrize("release", [one for one in RELEASES if begun(one, "postgres") < DATABASE])
def test_its_upgrade_killed_at_any_script_leaves_whole_versions_and_is_whole_the_next_time(
    release: str, server: PostgresServer
) -> None:
    begun_as, first = server.database(), begun(release, "postgres")
    with ExitStack() as stack:
        stack.callback(server.drop, begun_as)
        server.load(begun_as, dumped(release))
        held = _rows(server.url(begun_as))
        for script in range(1, sum(map(len, versions()[first:])) + 1):
            url = server.url(name := server.database(begun_as))
            stack.callback(server.drop, name)
            _killed(url, script, again=False)
            assert first <= _version(url) < DATABASE
            assert _rows(url).items() >= held.items()
            _killed(url, 1, again=True)
            assert _version(url) == DATABASE
            assert _rows(url).items() >= held.items()


def test_a_database_is_upgraded_as_a_whole_and_refused_by_the_older_version(database: str, tmp_path: Path) -> None:
    place = str(next_version(tmp_path))
    dossier = "0198a7c0-0000-7000-8000-000000000001"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO veille.dossiers (id, name, created_at) VALUES (%s, 'a', 1)", (dossier,))
        connection.execute(
            "INSERT INTO veille_tables.sources (dossier_id, id, key, name, kind, url, interval_ms, created_at, "
            "updated_at) VALUES (%s, 's', 's', 's', 'page', 'https://example.org/', 1, 1, 1)",
            (dossier,),
        )
        for again, version in ((False, DATABASE), (True, DATABASE + 1)):
            _killed(database, 1, again=again, VEILLE_TRY_SCHEMA=place)
            assert _version(database) == version
        assert connection.execute("SELECT name, sources FROM veille_tables.shelves").fetchall() == [("page", 1)]
        secured = connection.execute("SELECT relrowsecurity FROM pg_class WHERE relname = 'shelves' AND relkind = 'r'")
        assert secured.fetchone() == (True,), "the new table is behind the wall between dossiers, too"
    cli = Cli(tmp_path, VEILLE_STORE=database)
    cli("sources", status=78)
    assert "[store.newer]" in cli.stderr
    assert cli.stderr.count("\n") == 1
