"""What only the SQLite store has: files, that can be missing, foreign, locked, full or half migrated."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from contract.stores import sqlite_program
from desk import Desk
from samples import NOW, document
from veille.adapters.stores.migrations import fingerprint
from veille.adapters.stores.sqlite import _db, _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._migrating import statements
from veille.adapters.stores.sqlite.catalog.catalog import SqliteCatalog
from veille.errors import ConfigError, StoreError

STATEMENTS = {
    name: sum(len(list(statements(script))) for script in getattr(_schema, name)) for name in ("CATALOG", "DOSSIER")
}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Desk]:
    program = sqlite_program(tmp_path)
    yield Desk(program, program.dossiers.create("news", NOW).id)
    program.dossiers.close()


def _file(folder: Path) -> Path:
    (path,) = (folder / "dossiers").rglob("*.db")
    return path


def _refused(folder: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        sqlite_program(folder).dossiers.close()
    return caught.value


def test_a_file_that_is_not_sqlite_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").write_bytes(b"Dear diary, " * 100)
    error = _refused(tmp_path)
    assert error.code == "store.not_a_database"
    assert "catalog.db" in str(error)
    assert (tmp_path / "catalog.db").read_bytes() == b"Dear diary, " * 100


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "catalog.db")
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = (tmp_path / "catalog.db").read_bytes()
    assert _refused(tmp_path).code == "store.foreign"
    assert (tmp_path / "catalog.db").read_bytes() == before


def test_a_file_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    sqlite_program(tmp_path).dossiers.close()
    newer = apsw.Connection(str(tmp_path / "catalog.db"))
    newer.execute("PRAGMA user_version=99")
    newer.close()
    error = _refused(tmp_path)
    assert error.code == "store.newer"
    assert "99" in str(error)


def test_the_file_of_one_dossier_gone_wrong_leaves_the_others_alone(tmp_path: Path) -> None:
    program = sqlite_program(tmp_path)
    program.dossiers.create("bad", NOW)
    bad = _file(tmp_path)
    good = program.dossiers.create("good", NOW)
    bad.write_bytes(b"no longer a database" * 500)
    with pytest.raises(StoreError) as caught, program.dossiers.open(program.dossiers.find("bad").id):
        pass
    assert caught.value.code == "store.not_a_database"
    with program.dossiers.open(good.id) as fine:
        assert fine.sources.all() == []
    program.dossiers.close()


def test_a_damaged_file_says_so(opened: Desk, tmp_path: Path) -> None:
    opened.bring(*(document(f"https://example.org/{n}", text=f"{n} " * 3000) for n in range(20)))
    opened.program.dossiers.close()
    path = _file(tmp_path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    program = sqlite_program(tmp_path)
    with pytest.raises(StoreError) as caught, program.dossiers.open(opened.dossier_id) as store:
        store.sources.all()
    assert caught.value.code == "store.damaged"
    program.dossiers.close()


def test_a_missing_file_is_named(opened: Desk, tmp_path: Path) -> None:
    path = _file(tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match=path.name) as caught, opened.open():
        pass
    assert caught.value.code == "store.missing"
    opened.program.dossiers.delete(opened.dossier_id)
    assert opened.program.dossiers.all() == []


@pytest.mark.parametrize("place", ["file/data", "catalog.db"])
def test_a_data_folder_that_cannot_be_used_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "catalog.db").mkdir()
    assert _refused(tmp_path if place == "catalog.db" else tmp_path / place).code == "store.unreadable"


def test_a_folder_for_dossiers_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    program = sqlite_program(tmp_path)
    (tmp_path / "dossiers").touch()
    with pytest.raises(StoreError) as caught:
        program.dossiers.create("news", NOW)
    assert caught.value.code == "store.unreadable"
    assert program.dossiers.all() == []
    program.dossiers.close()


def test_a_locked_file_is_busy_and_works_again_when_it_is_let_go(
    opened: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _file(tmp_path)
    opened.add()
    opened.program.dossiers.close()
    blocker = apsw.Connection(str(path))
    blocker.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE sources SET name = name").fetchall()
    monkeypatch.setattr(_db, "BUSY_MS", 50)
    program = sqlite_program(tmp_path)
    with pytest.raises(StoreError) as caught, program.dossiers.open(opened.dossier_id):
        pass
    assert caught.value.code == "store.busy"
    blocker.execute("ROLLBACK")
    blocker.close()
    with program.dossiers.open(opened.dossier_id) as store:
        assert len(store.sources.all()) == 1
    program.dossiers.close()


def test_a_writer_that_finds_another_one_is_busy_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_db, "BUSY_MS", 50)
    one, other = (SqliteDatabase(tmp_path / "a.db", ("CREATE TABLE t (x);",), create=True) for _ in range(2))
    with one.write():
        one.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(StoreError) as caught, other.write():
            pass
        assert caught.value.code == "store.busy"
    with other.write():
        other.execute("INSERT INTO t VALUES (2)")
    assert one.value("SELECT count(*) FROM t") == 2
    one.close()
    other.close()


def test_threads_read_while_one_writes_and_take_turns_to_write(tmp_path: Path) -> None:
    db = SqliteDatabase(tmp_path / "a.db", ("CREATE TABLE t (x);",), create=True)

    def add(number: int) -> None:
        with db.write():
            before = db.value("SELECT count(*) FROM t")
            db.execute("INSERT INTO t VALUES (?)", (number,))
            assert (db.value("SELECT count(*) FROM t"), db.changes()) == (before + 1, 1)

    with ThreadPoolExecutor(8) as threads:
        with db.write():
            db.execute("INSERT INTO t VALUES (-1)")
            assert threads.submit(db.value, "SELECT count(*) FROM t").result(5) == 0
            adding = threads.map(add, range(40))
        list(adding)
    assert db.value("SELECT count(DISTINCT x) FROM t") == 41
    db.close()


def test_a_thread_that_does_not_wait_is_busy_while_another_writes(tmp_path: Path) -> None:
    db = SqliteDatabase(tmp_path / "a.db", ("CREATE TABLE t (x);",), create=True)

    def write_at_once() -> str:
        try:
            with db.write(wait=False):
                return ""
        except StoreError as error:
            return error.code

    with ThreadPoolExecutor(1) as threads:
        with db.write():
            assert threads.submit(write_at_once).result(5) == "store.busy"
        assert threads.submit(write_at_once).result(5) == ""
    db.close()


def test_a_database_that_is_closed_lets_a_thread_finish(tmp_path: Path) -> None:
    db = SqliteDatabase(tmp_path / "a.db", ("CREATE TABLE t (x);",), create=True)
    with db.write():
        db.close()
        db.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(apsw.ConnectionClosedError):
        db.execute("SELECT * FROM t")
    with closing(sqlite3.connect(tmp_path / "a.db")) as other:
        assert other.execute("SELECT * FROM t").fetchall() == [(1,)]


def test_a_full_disk_loses_nothing_and_work_goes_on_when_there_is_room(opened: Desk) -> None:
    opened.bring(document())
    opened.program.queue.arm(opened.dossier_id, NOW + 1)
    (lease,) = opened.claim(now=NOW + 1)
    large = [document(f"https://example.org/{n}", text=f"word{n} " * 5000) for n in range(30)]
    with opened.open() as store:
        assert hasattr(store, "db")
        pages = store.db.value("PRAGMA page_count")
        store.db.execute(f"PRAGMA max_page_count={pages + 5}")
        with pytest.raises(StoreError) as caught:
            opened.commit(lease, *large, now=NOW + 1)
        assert caught.value.code == "store.full"
        health = store.records.health(NOW)
        assert (health["documents"], health["indexed"], health["integrity"]) == (1, 1, "ok")
        store.db.execute("PRAGMA max_page_count=1000000")
    assert opened.commit(lease, *large, now=NOW + 1) is not None
    with opened.open() as store:
        assert store.records.health(NOW)["documents"] == 31


def test_only_what_is_of_passing_use_is_not_waited_for_until_the_disk_has_it(tmp_path: Path) -> None:
    def waits() -> bool:
        return int(db.value("PRAGMA synchronous")) == 2

    db = SqliteDatabase(tmp_path / "file.db", ["CREATE TABLE t (n INTEGER);"], create=True)
    with db.write_passing():
        assert not waits()
    assert waits()
    with db.write(), db.write_passing():
        assert waits(), "it is part of what has to last"
    with pytest.raises(ZeroDivisionError), db.write_passing():
        db.execute("INSERT INTO t VALUES (?)", (1 // 0,))
    assert waits()
    assert db.value("SELECT count(*) FROM t") == 0
    db.close()


#: Everything is loaded once; each attempt is a fork of its own, killed at its own statement.
_MIGRATE = """
import os, sys
from pathlib import Path
from veille import failpoints
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
for number in range(1, int(sys.argv[3]) + 1):
    if not (child := os.fork()):
        failpoints._armed.update(failpoints._parse(f"during_migration:kill@{number}"))
        SqliteDatabase(Path(sys.argv[1]) / f"{number}.db", getattr(_schema, sys.argv[2]), create=True).close()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.covers("R-005")
@pytest.mark.parametrize("schema", STATEMENTS)
def test_a_migration_killed_at_any_statement_is_whole_afterwards(schema: str, tmp_path: Path) -> None:
    migrations = getattr(_schema, schema)
    command = [sys.executable, "-c", _MIGRATE, str(tmp_path), schema, str(STATEMENTS[schema])]
    ends = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert ends == [str(-signal.SIGKILL)] * STATEMENTS[schema]
    tables = [0]
    for version in range(1, len(migrations) + 1):
        reference = SqliteDatabase(tmp_path / f"version-{version}.db", migrations[:version], create=True)
        tables.append(reference.value("SELECT count(*) FROM sqlite_master"))
        reference.close()
    for number in range(1, STATEMENTS[schema] + 1):
        path = tmp_path / f"{number}.db"
        half = sqlite3.connect(path)
        (version,) = half.execute("PRAGMA user_version").fetchone()
        assert half.execute("SELECT count(*) FROM sqlite_master").fetchone() == (tables[version],)
        half.close()
        whole = SqliteDatabase(path, migrations, create=False)
        assert whole.value("PRAGMA integrity_check") == "ok"
        assert whole.value("PRAGMA user_version") == len(migrations)
        whole.close()


def test_a_later_migration_is_applied_once_and_keeps_what_is_there(tmp_path: Path) -> None:
    path, first, second = tmp_path / "a.db", "CREATE TABLE t (x);", "ALTER TABLE t ADD y DEFAULT 7;"
    old = SqliteDatabase(path, (first,), create=True)
    old.execute("INSERT INTO t VALUES (1)")
    old.close()
    for _ in range(2):
        new = SqliteDatabase(path, (first, second), create=False)
        assert new.execute("SELECT x, y FROM t") == [(1, 7)]
        new.close()


_OPEN = """
import sys
from pathlib import Path
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._schema import DOSSIER
SqliteDatabase(Path(sys.argv[1]), DOSSIER, create=True).close()
"""


def test_many_first_openers_at_once_all_succeed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _OPEN, str(tmp_path / "a.db")]
    children = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(6)]
    errors = [child.communicate()[1] for child in children]
    assert [child.returncode for child in children] == [0] * 6, errors


def test_a_host_that_two_programs_ask_for_at_once_is_given_to_one(tmp_path: Path) -> None:
    one, other = SqliteCatalog(tmp_path), SqliteCatalog(tmp_path)
    assert one.lease_hosts("one", ["a", "b"], NOW, NOW + 10) == ["a", "b"]
    assert other.lease_hosts("other", ["a", "b", "c"], NOW, NOW + 10) == ["c"]
    assert other.lease_hosts("other", ["a"], NOW + 10, NOW + 20) == ["a"]
    one.close()
    other.close()


def _handles(folder: Path) -> int:
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - the names alone
    return sum(str(folder) in os.readlink(link) for link in links if link.is_symlink())  # noqa: PTH115


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
@pytest.mark.covers("R-004")
def test_a_pool_keeps_few_files_open_however_many_dossiers_there_are(tmp_path: Path) -> None:
    program = sqlite_program(tmp_path, max_open=3)
    desks = [Desk(program, program.dossiers.create(f"d{number}", NOW).id) for number in range(12)]
    for _ in range(2):
        for desk in desks:
            with desk.open() as store:
                assert store.id == desk.dossier_id
                assert _handles(tmp_path / "dossiers") <= 3 * 3
    program.dossiers.close()
    assert _handles(tmp_path) == 0


@pytest.mark.covers("R-004")
def test_a_dossier_in_use_is_never_closed_by_the_pool(tmp_path: Path) -> None:
    program = sqlite_program(tmp_path, max_open=1)
    used = Desk(program, program.dossiers.create("used", NOW).id)
    with used.open() as store:
        for number in range(4):
            Desk(program, program.dossiers.create(f"d{number}", NOW).id).add()
        used.add()
        assert len(store.sources.all()) == 1
    program.dossiers.close()


def test_a_refused_name_leaves_no_file_behind(opened: Desk, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        opened.program.dossiers.create("news", NOW + 1)
    _file(tmp_path)


@pytest.mark.parametrize("harm", ["DROP TABLE origin", "UPDATE origin SET schema = 'other', veille = '0.0.7'"])
def test_a_file_of_the_same_number_with_other_tables_is_told_apart_and_left_alone(tmp_path: Path, harm: str) -> None:
    """The tables are edited in place before the first release, so their number says too little."""
    program = sqlite_program(tmp_path)
    program.dossiers.create("odd", NOW)
    odd = _file(tmp_path)
    good = program.dossiers.create("good", NOW)
    program.dossiers.close()
    with closing(sqlite3.connect(odd)) as other:
        other.executescript(harm)
    before = odd.read_bytes()
    program = sqlite_program(tmp_path)
    with pytest.raises(StoreError) as caught, program.dossiers.open(program.dossiers.find("odd").id):
        pass
    assert caught.value.code == "store.other"
    assert str(odd) in str(caught.value)
    assert ("0.0.7" in str(caught.value)) == ("0.0.7" in harm), "it says which version wrote it, where that is known"
    assert odd.read_bytes() == before
    with program.dossiers.open(good.id) as fine:
        assert fine.sources.all() == []
    program.dossiers.close()
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as other:
        other.executescript(harm)
    assert _refused(tmp_path).code == "store.other"


def test_a_comment_is_no_other_schema_and_a_column_is() -> None:
    script = "CREATE TABLE a (\n  b INTEGER  -- a number\n);"
    assert fingerprint((script,)) == fingerprint(("CREATE TABLE a ( b INTEGER );",))
    assert fingerprint((script,)) != fingerprint((script.replace("INTEGER", "TEXT"),))


@pytest.mark.parametrize(
    ("there", "code"), [("letter.txt", "store.foreign"), ("dossiers/ab/one.db", "store.missing"), ("secrets.key", "")]
)
def test_a_folder_of_other_things_is_no_place_to_begin_in(tmp_path: Path, there: str, code: str) -> None:
    (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / there).write_text("Dear aunt")
    if code:
        assert _refused(tmp_path).code == code
        assert not (tmp_path / "catalog.db").exists()
    else:
        sqlite_program(tmp_path).dossiers.close()


def test_several_may_begin_in_one_folder_at_the_same_moment(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as openers:
        for number in range(20):
            folder = tmp_path / str(number)
            for catalog in openers.map(SqliteCatalog, [folder] * 8):
                catalog.close()
