"""`veille move`: to PostgreSQL and back, killed at any point, everything is there once, with its ids and numbers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import veille
from command import Cli
from people import PASSWORD, Clock, People
from postgres_server import PostgresServer, shared
from samples import NOW, STORY
from veille.adapters.stores.transfer import databases
from veille.bootstrap.backups import back_up, restore
from veille.bootstrap.moves import StoreMove, move
from veille.core.access.access import Role
from veille.core.models import Scope
from veille.errors import ConfigError, StoreError, VeilleError
from veille.services.watching.sources import Wish
from veille.settings import Settings, load_settings
from watching import FAST
from world import Site

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Path:
    """A data folder with two dossiers, and in them some of everything; tests only read it."""
    folder = tmp_path_factory.mktemp("moving") / "data"
    clock = Clock()
    with veille.open_app(data=folder, fetch=FAST, clock=clock) as app:
        folk = People(app, clock)
        ada = folk.enter("ada@example.org", is_admin=True)
        ids = [ada.create(name).id for name in ("one", "two")]
        folk.user("bob@example.org", password=PASSWORD)
        app.accounts.members.add(folk.local, ids[1], "bob@example.org", Role.EDITOR)
        for number, dossier_id in enumerate(ids):
            for path in ("/a", "/b", "/c"):
                site.article(path, f"Bridges {path}", f"{STORY} 北京的桥很旧 {path}")
                config: dict[str, Any] = {"tags": ["water", path[1]], "keep_raw": "all", "values": {"head": "h1"}}
                app.sources.add(dossier_id, Wish(url=site.url + path, kind="page", config=config))
            app.run(Scope())
            site.article("/a", "Bridges anew", f"{STORY} It was repaired in the spring.")
            clock.now += 3_600_000
            app.queue.arm(dossier_id, clock.now)
            app.run(Scope())
            app.saved.add(dossier_id, "bridges", "bridge")
            app.sources.delete(dossier_id, site.url + ("/b", "/c")[number])
            with app.vault(dossier_id) as vault:
                vault.set("API_KEY", "hush", ["api.example.org"], NOW)
    archive = next((folder / "dossiers").rglob("*.db")).with_suffix(".archive")
    archive.mkdir()
    (archive / "2026.jsonl.zst").write_bytes(b"old texts")
    return folder


@pytest.fixture
def server() -> PostgresServer:
    return shared()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


def _settings(folder: Path, store: str = "") -> Settings:
    return load_settings(data=folder, fetch=FAST, **({"store": store} if store else {}))


def _told(folder: Path) -> list[Any]:
    """What a folder with SQLite files has: every row of every table."""
    told: list[Any] = []
    for path in (folder / "catalog.db", *sorted((folder / "dossiers").rglob("*.db"))):
        with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as file:
            names = [str(name) for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            # Of the full-text indexes, what is found by them is compared.
            rows = [name for name in names if not name.startswith(("search", "forms", "origin", "host_leases"))]
            rows += [name for name in names if name in {"search_alerts", "search_looks", "search_log"}]
            told.append({name: sorted(file.execute(f"SELECT * FROM {name}"), key=repr) for name in rows})
    return told


def _found(settings: Settings) -> list[Any]:
    with veille.open_app(settings) as app:
        ids = sorted(dossier.id for dossier in app.dossiers.all())
        words = ("harbour", "repaired", "北京", "bridges")
        hits = [[hit.document_id for hit in app.searches.search([one], word)] for one in ids for word in words]
        return [sorted(one) for one in hits]


def _killed(settings: Settings, to: str, failpoint: str) -> None:
    """The move, killed there."""
    _killed_at(failpoint, settings, "move", "--to", to)


def _killed_at(failpoint: str, settings: Settings, *command: str) -> None:
    environment = os.environ | {"VEILLE_FAILPOINT": failpoint, "VEILLE_DATA": str(settings.data)}
    if settings.store is not None:
        environment["VEILLE_STORE"] = settings.store.get_secret_value()
    done = subprocess.run([sys.executable, "-m", "veille", *command], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL, failpoint


def _code(settings: Settings, to: str) -> str:
    with pytest.raises(VeilleError) as caught:
        move(settings, to)
    return caught.value.code


def test_there_and_back_all_is_equal(folder: Path, database: str, tmp_path: Path) -> None:
    before = _told(folder)
    there = move(_settings(folder), database)
    assert (there.dossiers, there.resumed) == (2, False)
    assert {one.table: one.rows for one in there.tables}["revisions"] >= 8
    assert _told(folder) == before
    found = _found(_settings(folder))
    assert any(found)
    # A program on the database has the same key, and its next numbers are new ones.
    assert _found(_settings(folder, database)) == found
    # What a program notes for itself in the catalog must not hinder a comparison.
    back = move(_settings(folder, database), str(tmp_path / "back"))
    assert _data(back) == _data(there)
    assert (tmp_path / "back" / "secrets.key").read_bytes() == (folder / "secrets.key").read_bytes()
    assert [path.read_bytes() for path in (tmp_path / "back").rglob("*.jsonl.zst")] == [b"old texts"]
    assert _found(_settings(tmp_path / "back")) == found
    _same(_told(tmp_path / "back"), before)
    with veille.open_app(data=tmp_path / "back") as app:
        assert app.accounts.login("bob@example.org", PASSWORD).access.dossiers()


def test_archive_files_that_are_not_there_are_told(folder: Path, database: str, tmp_path: Path) -> None:
    """On another machine than the one that wrote them."""
    origin = tmp_path / "origin"
    shutil.copytree(folder, origin)
    with veille.open_app(_settings(origin)) as app:
        for dossier in app.dossiers.all():
            app.retention.set_rule(dossier.id, "archive after 0d")
    cli = Cli(tmp_path / "origin's", VEILLE_DATA=str(origin))
    assert sum(one["archived"] for one in cli.json("retention", "run")["dossiers"]) == 2
    names = {path.name for path in origin.rglob("*.jsonl.zst")} - {"2026.jsonl.zst"}
    there = cli.json("move", "--to", database)
    assert (there["files"], there["missing_files"]) == (2, [])
    elsewhere = Cli(tmp_path, VEILLE_DATA=str(tmp_path / "elsewhere"), VEILLE_STORE=database)
    said = elsewhere("move", "--to", str(tmp_path / "back"), status=1)
    said = " ".join(said.split())
    assert f"Not in {tmp_path / 'elsewhere'}: 2 files" in said
    assert f"Bring them into {tmp_path / 'back'} from" in said
    back = move(_settings(origin, database), str(tmp_path / "whole"))
    assert back.missing_files == ()
    assert names <= {path.name for path in (tmp_path / "whole").rglob("*.jsonl.zst")}
    # The file that is named is where it has to be brought.
    named = move(_settings(tmp_path / "elsewhere", database), str(tmp_path / "other")).missing_files
    assert len(named) == 2
    for missing in named:
        assert (tmp_path / "whole" / missing).exists()
        shutil.copytree((tmp_path / "whole" / missing).parent, (tmp_path / "back" / missing).parent)
    assert _unread(_settings(tmp_path / "back")) == []


def _unread(settings: Settings) -> list[str]:
    """The codes of what cannot be read of the revisions in a store, of which one at least is archived."""
    codes, archived = [], 0
    with veille.open_app(settings) as app:
        for dossier in app.dossiers.all():
            with app.dossiers.open(dossier.id) as store:
                for line in store.records.documents(limit=100):
                    for one in store.records.revision_lines(line.document_id):
                        archived += one.kept == "archived"
                        try:
                            assert store.records.revision(line.document_id, one.n).text
                        except VeilleError as error:
                            codes.append(error.code)
    assert archived
    return codes


def test_archive_files_of_a_backup_go_to_the_place_that_all_programs_have(
    folder: Path, server: PostgresServer, tmp_path: Path
) -> None:
    origin, place, backup = tmp_path / "origin", tmp_path / "place", tmp_path / "a.zip"
    shutil.copytree(folder, origin)
    with veille.open_app(_settings(origin)) as app:
        for dossier in app.dossiers.all():
            app.retention.set_rule(dossier.id, "archive after 0d")
        assert sum(app.retention.run(dossier.id).counts["archived"] for dossier in app.dossiers.all()) == 2
    back_up(_settings(origin), backup, NOW)
    databases = [server.url(server.database(server.ready)) for _ in range(2)]
    for database, wanted in zip(databases, ("", str(place)), strict=True):
        cli = _at(tmp_path / "here" / str(bool(wanted)), database, wanted)
        assert cli.json("restore", str(backup))["files"] == 2
        assert ("until `bodies.place` is set" in " ".join(cli.stderr.split())) == (not wanted)
        assert _unread(_elsewhere(tmp_path, database, wanted)) == ([] if wanted else ["archive_missing"] * 2)
    # As that line says.
    late = str(tmp_path / "late")
    _at(tmp_path / "here" / "False", databases[0], late)("bodies", "move")
    assert _unread(_elsewhere(tmp_path, databases[0], late)) == []


def _at(folder: Path, database: str, place: str) -> Cli:
    return Cli(folder, VEILLE_DATA=str(folder), VEILLE_STORE=database, VEILLE_BODIES__PLACE=place)


def _elsewhere(folder: Path, database: str, place: str) -> Settings:
    """Those of another machine."""
    return load_settings(data=folder / "elsewhere", store=database, bodies={"place": place})


def _data(moved: StoreMove) -> dict[str, tuple[int, str]]:
    """All but what a program writes by being opened."""
    passing = {"duties", "hosts", "alert_times", "login_tries"}
    return {one.table: (one.rows, one.sha256) for one in moved.tables if one.table not in passing}


def _same(told: list[Any], before: list[Any]) -> None:
    for one, other in zip(told, before, strict=True):
        for name in other:
            if name in {"sqlite_sequence", "duties", "hosts", "alert_times"}:
                continue
            assert one[name] == other[name], name
        # Numbers go on: never lower than they were.
        last = dict(one["sqlite_sequence"])
        assert all(last[name] >= seq for name, seq in other["sqlite_sequence"])


def test_killed_at_any_point_it_ends_the_same(folder: Path, server: PostgresServer, tmp_path: Path) -> None:
    whole = move(_settings(folder), server.url(server.database(server.ready)))
    # Here the move makes the tables, too.
    database, back = server.url(server.database()), str(tmp_path / "back")
    for point in ("during_move:kill@11", "before_end_of_move"):
        _killed(_settings(folder), database, point)
        with veille.open_app(_settings(tmp_path / "other", database)) as app:
            assert app.dossiers.all() == []
    there = move(_settings(folder), database)
    assert there.resumed
    assert there.tables == whole.tables
    for point in ("during_move:kill@16", "during_end_of_move"):
        _killed(_settings(folder, database), back, point)
    again = move(_settings(folder, database), back)
    assert again.resumed
    assert again.tables == whole.tables
    _same(_told(tmp_path / "back"), _told(folder))


def test_a_server_that_ends_when_all_is_there_changes_nothing_about_that(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresServer(synchronous_commit="on") as server:
        database = server.url(server.database())
        ends = {"during_end_of_move": lambda: server.stop("immediate")}
        monkeypatch.setattr(databases, "failpoint", lambda name: ends.get(name, lambda: None)())
        done = move(_settings(folder), database)
        server.start()
        with pytest.raises(ConfigError, match="it is complete") as refused:
            move(_settings(folder), database)
        assert refused.value.code == "move.not_empty"
        assert move(_settings(folder, database), str(tmp_path / "back")).tables == done.tables


def test_a_source_that_was_written_to_between_two_tries_is_moved_as_it_is(
    folder: Path, database: str, tmp_path: Path
) -> None:
    move(_settings(folder), str(tmp_path / "copy"))
    settings = _settings(tmp_path / "copy")
    _killed(settings, database, "during_move:kill@11")
    with veille.open_app(settings) as app:
        for dossier in app.dossiers.all():
            app.saved.add(dossier.id, "later", "later")
            app.sources.set_enabled(dossier.id, app.sources.all(dossier.id)[0].id, enabled=False)
    _killed(settings, database, "before_end_of_move")
    with veille.open_app(settings) as app:
        app.saved.add(app.dossiers.all()[0].id, "last", "last")
    move(settings, database)
    with veille.open_app(_settings(tmp_path / "copy", database)) as app:
        names = [sorted(one.name for one in app.saved.all(dossier.id)) for dossier in app.dossiers.all()]
        assert names == [["bridges", "last", "later"], ["bridges", "later"]]


@pytest.fixture
def guest(database: str) -> Iterator[str]:
    """The same database for a role that may act as the program does, and owns nothing."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute("GRANT veille_app TO guest")
        yield database.replace("postgres@", "guest@")
        connection.execute("DROP ROLE guest")


def test_a_role_that_owns_nothing_copies_nothing_instead_of_what_it_sees(
    folder: Path, database: str, guest: str, tmp_path: Path
) -> None:
    move(_settings(folder), database)
    with veille.open_app(_settings(tmp_path / "other", guest)) as app:
        assert app.searches.search([app.dossiers.all()[0].id], "council"), "for all else that role is enough"
    made = tmp_path / "all.zip"
    copies: tuple[Callable[[], object], ...] = (
        lambda: move(_settings(folder, guest), str(tmp_path / "copy")),
        lambda: back_up(_settings(folder, guest), made, NOW),
    )
    for copy in copies:
        with pytest.raises(StoreError, match="a copy is of all") as refused:
            copy()
        assert refused.value.code == "store.rights"
    assert not (tmp_path / "copy").exists()
    assert not made.exists()


def test_what_is_refused(folder: Path, database: str, tmp_path: Path) -> None:
    settings = _settings(folder)
    assert _code(settings, "https://example.org") == "move.bad_target"
    assert _code(settings, f"{database}&nonsense=1") in {"store.bad_url", "store.refused"}
    assert _code(_settings(tmp_path / "nothing"), database) == "move.nothing"
    assert _code(settings, str(folder)) == "move.not_empty"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    assert _code(settings, str(tmp_path / "full")) == "move.not_empty"
    # Begun from elsewhere.
    _killed(settings, database, "during_move:kill@2")
    move(settings, str(tmp_path / "copy"))
    assert _code(_settings(tmp_path / "copy"), database) == "move.not_empty"
    move(settings, database)
    assert _code(settings, database) == "move.not_empty"
    with veille.open_app(settings) as app, app.store.presence.hold("somebody"):
        assert _code(settings, str(tmp_path / "x")) == "move.in_use"


def test_nothing_is_moved_while_a_program_of_another_machine_works(folder: Path, database: str, tmp_path: Path) -> None:
    files, rows, back = _settings(folder), _settings(folder, database), str(tmp_path / "back")
    with veille.open_app(_settings(tmp_path / "elsewhere", database)) as app:
        with app.store.presence.hold("somebody"):
            assert _code(files, database) == "move.in_use"
        held = ExitStack()

        def begin(done: int, _all: int) -> None:
            if not done:
                held.enter_context(app.store.presence.hold("somebody"))

        for settings, to in ((files, database), (rows, back)):
            with held, pytest.raises(VeilleError) as caught:
                move(settings, to, begin)
            assert caught.value.code == "move.in_use"
            assert app.dossiers.all() == [] or settings is rows
            move(settings, to)
    # One of this machine that was killed has a beat, and no lock any more.
    with veille.open_app(rows) as app, app.store.presence.hold("somebody"):
        assert _code(rows, str(tmp_path / "more")) == "move.in_use"
        for path in (folder / "present").glob("*.lock"):
            path.unlink()
        move(rows, str(tmp_path / "more"))


def test_a_program_that_ended_is_gone_at_once_for_other_machines(database: str, tmp_path: Path, site: Site) -> None:
    site.article("/z", "Bridges", STORY)
    cli = Cli(tmp_path, VEILLE_STORE=database)
    cli("add", site.url + "/z", "--kind", "page")
    with psycopg.connect(database, autocommit=True) as connection:
        for command in ("run", "work --drain", "doctor"):
            cli.process(*command.split())
            assert connection.execute("SELECT name FROM veille.programs").fetchall() == [], command
    elsewhere = _settings(tmp_path / "elsewhere", database)
    assert move(elsewhere, str(tmp_path / "there")).dossiers == 1


def test_a_backup_of_one_store_is_restored_into_the_other(folder: Path, server: PostgresServer, tmp_path: Path) -> None:
    files, other = _settings(folder), _settings(tmp_path / "other", server.url(server.database(server.ready)))
    found = _found(files)
    made = back_up(files, tmp_path / "files.zip", NOW)
    done = restore(other, tmp_path / "files.zip")
    assert (done.dossiers, done.sources, done.secrets, done.sealed) == (2, 4, 2, 2)
    assert _names(tmp_path / "other") == []
    assert _found(other) == found
    again = back_up(other, tmp_path / "rows.zip", NOW)
    assert (again.dossiers, again.left_out) == (made.dossiers, ())
    restore(_settings(tmp_path / "new"), tmp_path / "rows.zip")
    assert _found(_settings(tmp_path / "new")) == found
    restore(_settings(tmp_path / "same"), tmp_path / "files.zip")
    _same(_told(tmp_path / "new"), _told(tmp_path / "same"))
    with pytest.raises(VeilleError) as caught:
        restore(other, tmp_path / "rows.zip")
    assert caught.value.code == "backup.not_empty"


def test_a_backup_and_a_restore_of_databases_that_are_killed_are_whole_the_next_time(
    folder: Path, server: PostgresServer, tmp_path: Path
) -> None:
    one, other = (_settings(tmp_path / name, server.url(server.database(server.ready))) for name in ("one", "other"))
    shutil.copytree(folder, one.data)
    assert one.store is not None
    move(_settings(one.data), one.store.get_secret_value())
    found, backup = _found(one), tmp_path / "rows.zip"
    back_up(one, backup, NOW)
    before = backup.read_bytes()
    _killed_at("during_backup:kill@2", one, "backup", str(backup), "--force")
    assert backup.read_bytes() == before
    assert back_up(one, backup, NOW, force=True).dossiers == 2
    for point in ("during_restore:kill@2", "during_move:kill@11", "before_end_of_move:kill"):
        _killed_at(point, other, "restore", str(backup))
        with veille.open_app(_settings(tmp_path / "third", other.store.get_secret_value())) as app:  # type: ignore[union-attr]
            assert app.dossiers.all() == []
    assert restore(other, backup).dossiers == 2
    assert _found(other) == found


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name.startswith("restoring"))


def test_a_backup_is_of_one_moment(folder: Path, database: str, tmp_path: Path) -> None:
    """What is written while a backup of a database is made is in none of its dossiers."""
    move(_settings(folder), database)
    settings = _settings(folder, database)
    with veille.open_app(settings) as app:

        def write(_done: int, _all: int) -> None:
            for dossier in app.dossiers.all():
                app.saved.add(dossier.id, f"later {_done}", "later")

        back_up(settings, tmp_path / "rows.zip", NOW, progress=write)
    restore(_settings(tmp_path / "new"), tmp_path / "rows.zip")
    with veille.open_app(data=tmp_path / "new") as app:
        assert {one.name for dossier in app.dossiers.all() for one in app.saved.all(dossier.id)} == {"bridges"}
