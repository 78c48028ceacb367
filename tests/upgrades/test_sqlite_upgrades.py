"""Data folders of every release, upgraded by this version; and by a made-up next one, killed at each statement."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from command import Cli
from upgrades.folders import DROPPED, FILES, RELEASES, begun, lasting, next_version, noted, unpacked
from upgrades.make import FIRST, ROOT, rows, scripts
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._migrating import statements


def _current(folder: Path) -> Path:
    """The folder of the first release, upgraded to this version: made-up next ones go on from there."""
    data = unpacked(FIRST, folder)
    for path, tables in ((data / "catalog.db", _schema.CATALOG), *((path, _schema.DOSSIER) for path in _files(data))):
        SqliteDatabase(path, tables, create=False).close()
    return data


def _files(data: Path) -> list[Path]:
    return sorted((data / "dossiers").rglob("*.db"))


def _value(path: Path, sql: str) -> Any:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        return (file.execute(sql).fetchone() or (None,))[0]


def test_there_is_a_folder_of_the_first_release_with_a_bit_of_everything() -> None:
    assert FIRST in RELEASES
    has = {name for name, count in noted(FIRST)["rows"].items() if count}
    assert has > set(
        (
            "sources revisions value_points alerts users tokens pictures vectors members channels rules messages "
            "secrets shares saved_searches marks document_tags source_tags analyses raw_bodies repairs stories runs "
            "offers engines options"
        ).split()
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_released_script_is_never_edited(release: str) -> None:
    now, then = scripts(), noted(release)["scripts"]
    assert {name for name, told in then.items() if now.get(name) != told} == set(), (
        f"These scripts made the tables of {release} and were edited since: users who have that version could not open "
        "their data. Undo it, and add a script with the next number (docs/release.md). If that version is not released "
        "yet, `python tests/upgrades/make.py` writes its folder anew."
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_folder_of_a_release_opens_with_all_that_is_in_it(release: str, tmp_path: Path) -> None:
    data = unpacked(release, tmp_path)
    cli = Cli(tmp_path)
    assert cli.json("doctor")["healthy"], cli.stderr
    assert lasting(rows(data)).items() >= lasting(noted(release)["rows"]).items()
    assert cli.json("search", "bridge", "--dossier", "press")


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the first release, opened by a made-up next version."""
    folder = tmp_path_factory.mktemp("upgraded")
    _current(folder)
    cli = Cli(folder, VEILLE_TRY_SCHEMA=str(next_version(folder)))
    assert json.loads(cli.process("doctor", "--json"))["healthy"], cli.stderr
    return folder


def test_the_next_version_upgrades_it_and_keeps_everything(upgraded: Path) -> None:
    data = upgraded / "data"
    found = rows(data)
    assert lasting(found).items() >= lasting(noted(FIRST)["rows"]).items()
    assert found["shelves"] == 2, "one in each dossier"
    for path in (data / "catalog.db", *_files(data)):
        assert _value(path, "PRAGMA user_version") == FILES + 1
        assert _value(path, "PRAGMA integrity_check") == "ok"
        copy = path.with_name(f"{path.name}.schema-{FILES}")
        assert _value(copy, "PRAGMA user_version") == FILES
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
        assert f"catalog.db.schema-{FILES}" in cli.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").rglob("*.db")} == before
    (steps,) = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "howto" / "upgrade.md").read_text(), re.DOTALL)
    subprocess.run(["bash", "-ec", steps.replace("schema-1", f"schema-{FILES}")], cwd=tmp_path / "data", check=True)
    assert cli.json("doctor")["healthy"], cli.stderr
    assert lasting(rows(tmp_path / "data")).items() >= lasting(noted(FIRST)["rows"]).items()


#: Everything is loaded once. Each attempt is a fork on a copy of the file, killed one statement later than the last.
_UPGRADE = """
import os, shutil, sys
from itertools import count
from pathlib import Path
import apsw
from veille import failpoints
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
file, tables = sys.argv[1], getattr(_schema, sys.argv[2])
for number in count(1):
    path = shutil.copy(file, f"{file}.{number}.db")
    if not (child := os.fork()):
        failpoints._armed.update(failpoints._parse(f"during_migration:kill@{number}"))
        SqliteDatabase(Path(path), tables, create=False).close()
        os._exit(0)
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = apsw.Connection(path)
    version, found = (left.execute(f"SELECT * FROM {one}").fetchone()[0] for one in
        ("pragma_user_version", "(SELECT count(*) FROM sqlite_master)"))
    left.close()
    print(end, version, found)
    SqliteDatabase(Path(path), tables, create=False).close()
    if end == 0:
        break
"""


def _assert_it_may_be_killed_anywhere(path: Path, tables: str, scripts: list[str], **variables: str) -> None:
    """`scripts` are those that the file has not had."""
    look, begun = rows_of(path), _value(path, "PRAGMA user_version")
    staying = {name: count for name, count in look.items() if name not in DROPPED}
    found = _value(path, "SELECT count(*) FROM sqlite_master")
    command = [sys.executable, "-c", _UPGRADE, str(path), tables]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **variables}, timeout=60
    )
    # One more: the copy that is made first.
    kills = 1 + sum(len(list(statements(script))) for script in scripts)
    *killed, whole = done.stdout.splitlines() or [""]
    assert killed == [f"{-signal.SIGKILL} {begun} {found}"] * kills, done.stderr
    assert whole.startswith(f"0 {begun + len(scripts)} ")
    for number in range(1, kills + 2):
        upgraded = path.with_name(f"{path.name}.{number}.db")
        assert _value(upgraded, "PRAGMA user_version") == begun + len(scripts)
        assert rows_of(upgraded).items() >= staying.items()
        assert _value(upgraded, "PRAGMA integrity_check") == "ok"
        copies = list(path.parent.glob(f"{upgraded.name}.schema-*"))
        assert [copy.name for copy in copies] == [f"{upgraded.name}.schema-{begun}"]
        assert rows_of(copies[0]) == look, "the copy is of the file as it was, also after a kill"


def test_an_upgrade_killed_at_any_statement_leaves_the_file_as_it_was_and_is_whole_the_next_time(
    tmp_path: Path,
) -> None:
    (press, _) = sorted(_files(_current(tmp_path)), key=lambda path: path.stat().st_size)
    place = next_version(tmp_path)
    script = next(place.rglob("sqlite/dossier/*.sql")).read_text()
    _assert_it_may_be_killed_anywhere(press, "DOSSIER", [script], VEILLE_TRY_SCHEMA=str(place))
    for upgraded in tmp_path.rglob("*.db.*.db"):
        assert _value(upgraded, "SELECT count(*) FROM shelves") == 1


@pytest.mark.parametrize("release", [one for one in RELEASES if begun(one, "sqlite") < FILES])
def test_so_is_the_upgrade_of_every_file_of_a_release(release: str, tmp_path: Path) -> None:
    """Over several versions of the tables at once: an older program finds the copy that it knows."""
    data, last = unpacked(release, tmp_path), begun(release, "sqlite")
    for path in _files(data):
        _assert_it_may_be_killed_anywhere(path, "DOSSIER", list(_schema.DOSSIER[last:]))
    _assert_it_may_be_killed_anywhere(data / "catalog.db", "CATALOG", list(_schema.CATALOG[last:]))


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
    before = lasting(rows(tmp_path / "data"))
    cli = Cli(tmp_path, VEILLE_TRY_SCHEMA=str(next_version(tmp_path, script)))
    said = cli.process("sources", "--dossier", "press", status=78), cli.stderr
    assert "[store.not_upgraded]" in cli.stderr, said
    assert why in cli.stderr
    assert cli.stderr.count("\n") == 1
    assert lasting(rows(tmp_path / "data")) == before
