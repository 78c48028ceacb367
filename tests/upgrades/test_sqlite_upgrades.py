"""Data folders of every release, upgraded by this version; and by a made-up next one, killed at each statement."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from command import Cli
from postgres_server import PostgresServer, shared
from upgrades.make import FIRST, HERE, ROOT, rows, scripts
from veille.adapters.stores.postgres._schema import versions
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._migrating import statements

RELEASES = sorted(path.stem for path in HERE.glob("*.json"))
#: What changes when a folder is only looked at.
_PASSING = {"sessions", "links", "login_tries", "host_leases", "duties", "hosts", "last_sweep", "search_log", "origin"}
KNOWN = len(_schema.DOSSIER)


@cache
def _noted(release: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"{release}.json").read_text(encoding="utf-8"))
    return found


def _unpacked(release: str, folder: Path) -> Path:
    with tarfile.open(HERE / f"{release}.tar.xz") as packed:
        packed.extractall(folder, filter="tar")  # which keeps the rights of folders
    return folder / "data"


def _current(folder: Path) -> Path:
    """The folder of the first release, upgraded to this version: made-up next ones go on from there."""
    data = _unpacked(FIRST, folder)
    for path, tables in ((data / "catalog.db", _schema.CATALOG), *((path, _schema.DOSSIER) for path in _files(data))):
        SqliteDatabase(path, tables, create=False).close()
    return data


def _lasting(counted: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counted.items() if name not in _PASSING}


def _next(folder: Path, script: str = "") -> Path:
    """The scripts of a version after this one, as `VEILLE_TRY_SCHEMA` wants them; the catalog stays as it is."""
    place = folder / "next"
    (place / "sqlite" / "dossier").mkdir(parents=True)
    script = script or (HERE / "next" / "dossier.sql").read_text()
    (place / "sqlite" / "dossier" / f"{KNOWN + 1:04}.sql").write_text(script)
    number = f"{len(versions()) + 1:04}"
    (place / "postgres" / number).mkdir(parents=True)
    shutil.copy(HERE / "next" / "postgres.sql", place / "postgres" / number / "1_tables.sql")
    return place


def _files(data: Path) -> list[Path]:
    return sorted((data / "dossiers").rglob("*.db"))


def _value(path: Path, sql: str) -> Any:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        return (file.execute(sql).fetchone() or (None,))[0]


def test_there_is_a_folder_of_the_first_release_with_a_bit_of_everything() -> None:
    assert FIRST in RELEASES
    has = {name for name, count in _noted(FIRST)["rows"].items() if count}
    assert has > set(
        (
            "sources revisions value_points alerts users tokens pictures vectors members channels rules messages "
            "secrets shares saved_searches marks document_tags source_tags analyses raw_bodies repairs stories runs "
            "offers engines options"
        ).split()
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_released_script_is_never_edited(release: str) -> None:
    now, then = scripts(), _noted(release)["scripts"]
    assert {name for name, told in then.items() if now.get(name) != told} == set(), (
        f"These scripts made the tables of {release} and were edited since: users who have that version could not open "
        "their data. Undo it, and add a script with the next number (docs/release.md). If that version is not released "
        "yet, `python tests/upgrades/make.py` writes its folder anew."
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_folder_of_a_release_opens_with_all_that_is_in_it(release: str, tmp_path: Path) -> None:
    data = _unpacked(release, tmp_path)
    cli = Cli(tmp_path)
    assert cli.json("doctor")["healthy"], cli.stderr
    assert _lasting(rows(data)).items() >= _lasting(_noted(release)["rows"]).items()
    assert cli.json("search", "bridge", "--dossier", "press")


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the first release, opened by a made-up next version."""
    folder = tmp_path_factory.mktemp("upgraded")
    _current(folder)
    cli = Cli(folder, VEILLE_TRY_SCHEMA=str(_next(folder)))
    assert json.loads(cli.process("doctor", "--json"))["healthy"], cli.stderr
    return folder


def test_the_next_version_upgrades_it_and_keeps_everything(upgraded: Path) -> None:
    data = upgraded / "data"
    found = rows(data)
    assert _lasting(found).items() >= _lasting(_noted(FIRST)["rows"]).items()
    assert found["shelves"] == 2, "one in each dossier"
    for path in (data / "catalog.db", *_files(data)):
        assert _value(path, "PRAGMA user_version") == KNOWN + 1
        assert _value(path, "PRAGMA integrity_check") == "ok"
        copy = path.with_name(f"{path.name}.schema-{KNOWN}")
        assert _value(copy, "PRAGMA user_version") == KNOWN
        assert copy.stat().st_mode & 0o777 == 0o600
    press = next(path for path in _files(data) if _value(path, "SELECT count(*) FROM sources") == 1)
    assert _value(press, "SELECT shelf FROM sources") == "harbour"
    assert "CHECK (name <> '')" in _value(press, "SELECT sql FROM sqlite_master WHERE name = 'saved_searches'")


def test_the_older_version_refuses_it_in_one_line_and_goes_on_with_the_copies(upgraded: Path, tmp_path: Path) -> None:
    shutil.copytree(upgraded / "data", tmp_path / "data")
    before = {path.name: path.read_bytes() for path in (tmp_path / "data").rglob("*.db")}
    cli = Cli(tmp_path)
    for command in (["doctor"], ["serve", "--port", "0"], ["sources"]):
        cli(*command, status=78)
        assert cli.stderr.count("\n") == 1
        assert "[store.newer]" in cli.stderr
        assert f"catalog.db.schema-{KNOWN}" in cli.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").rglob("*.db")} == before
    (steps,) = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "howto" / "upgrade.md").read_text(), re.DOTALL)
    subprocess.run(["bash", "-ec", steps.replace("schema-1", f"schema-{KNOWN}")], cwd=tmp_path / "data", check=True)
    assert cli.json("doctor")["healthy"], cli.stderr
    assert _lasting(rows(tmp_path / "data")).items() >= _lasting(_noted(FIRST)["rows"]).items()


#: Everything is loaded once; each attempt is a fork of its own on a folder of its own, killed at its own statement.
_UPGRADE = """
import apsw, os, sys
from pathlib import Path
from veille import failpoints
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
for number, path in enumerate(sys.argv[1:], start=1):
    if not (child := os.fork()):
        failpoints._armed.update(failpoints._parse(f"during_migration:kill@{number}"))
        SqliteDatabase(Path(path), _schema.DOSSIER, create=False).close()
        os._exit(0)
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = apsw.Connection(path)
    told = left.execute("SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sources").fetchone()
    tables = left.execute("SELECT count(*) FROM sqlite_master").fetchone()
    left.close()
    print(end, *told, *tables)
    SqliteDatabase(Path(path), _schema.DOSSIER, create=False).close()
"""


def test_an_upgrade_killed_at_any_statement_leaves_the_file_as_it_was_and_is_whole_the_next_time(
    tmp_path: Path,
) -> None:
    (press, _) = sorted(_files(_current(tmp_path)), key=lambda path: path.stat().st_size)
    place = _next(tmp_path)
    # One more: the copy that is made first.
    kills = 1 + len(list(statements(next(place.rglob("sqlite/dossier/*.sql")).read_text())))
    assert kills > 8
    paths = [tmp_path / f"{number}.db" for number in range(kills)]
    for path in paths:
        shutil.copy(press, path)
    command = [sys.executable, "-c", _UPGRADE, *map(str, paths)]
    look = rows_of(press)
    environment = {**os.environ, "VEILLE_TRY_SCHEMA": str(place)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    tables = _value(press, "SELECT count(*) FROM sqlite_master")
    assert done.stdout.splitlines() == [f"{-signal.SIGKILL} {KNOWN} 1 {tables}"] * kills, done.stderr
    for path in paths:
        found = rows_of(path)
        assert found.items() >= look.items()
        assert found["shelves"] == 1
        assert _value(path, "PRAGMA integrity_check") == "ok"
        copy = path.with_name(f"{path.name}.schema-{KNOWN}")
        assert rows_of(copy) == look, "the copy is of the file as it was, also after a kill"


def rows_of(path: Path) -> dict[str, int]:
    """How many rows the tables of one file have."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
        names = [str(name) for (name,) in file.execute(tables).fetchall()]
        return {name: (file.execute(f'SELECT count(*) FROM "{name}"').fetchone() or (0,))[0] for name in names}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("CREATE TABLE more (n);\nINSERT INTO nowhere VALUES (1);\n", "no such table: nowhere"),
        ("DELETE FROM documents;\n", "refers to nothing"),
    ],
)
def test_a_migration_that_does_not_fit_the_data_changes_nothing(script: str, why: str, tmp_path: Path) -> None:
    _current(tmp_path)
    before = _lasting(rows(tmp_path / "data"))
    cli = Cli(tmp_path, VEILLE_TRY_SCHEMA=str(_next(tmp_path, script)))
    said = cli.process("sources", "--dossier", "press", status=78), cli.stderr
    assert "[store.not_upgraded]" in cli.stderr, said
    assert why in cli.stderr
    assert cli.stderr.count("\n") == 1
    assert _lasting(rows(tmp_path / "data")) == before


@pytest.fixture
def database() -> Iterator[str]:
    server: PostgresServer = shared()
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


#: Kill, upgrade, and the number of the tables after each.
_UPGRADE_DATABASE = """
import os, sys
from veille import failpoints
from veille.adapters.stores.postgres._pools import PostgresPools
if not (child := os.fork()):
    failpoints._armed.update(failpoints._parse("during_migration:kill"))
    PostgresPools(sys.argv[1])
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if sys.argv[2] == "again":
    PostgresPools(sys.argv[1])
"""


def test_a_database_is_upgraded_as_a_whole_and_refused_by_the_older_version(database: str, tmp_path: Path) -> None:
    known = len(versions())
    environment = {**os.environ, "VEILLE_TRY_SCHEMA": str(_next(tmp_path))}
    dossier = "0198a7c0-0000-7000-8000-000000000001"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO veille.dossiers (id, name, created_at) VALUES (%s, 'a', 1)", (dossier,))
        connection.execute(
            "INSERT INTO veille_tables.sources (dossier_id, id, key, name, kind, url, interval_ms, created_at, "
            "updated_at) VALUES (%s, 's', 's', 's', 'page', 'https://example.org/', 1, 1, 1)",
            (dossier,),
        )
        for again, version in (("", known), ("again", known + 1)):
            command = [sys.executable, "-c", _UPGRADE_DATABASE, database, again]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            assert done.stdout.split() == [str(-signal.SIGKILL)], done.stderr
            assert connection.execute("SELECT version FROM veille.origin").fetchone() == (version,)
        assert connection.execute("SELECT name, sources FROM veille_tables.shelves").fetchall() == [("page", 1)]
        secured = connection.execute("SELECT relrowsecurity FROM pg_class WHERE relname = 'shelves' AND relkind = 'r'")
        assert secured.fetchone() == (True,), "the new table is behind the wall between dossiers, too"
    cli = Cli(tmp_path, VEILLE_STORE=database)
    cli("sources", status=78)
    assert "[store.newer]" in cli.stderr
    assert cli.stderr.count("\n") == 1
