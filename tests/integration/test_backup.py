"""Backups of a data folder that is in use, and what a restored one is and does."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import veille
from archives import Archive, restored
from crash.checks import _sound
from crash.processes import Place, Process
from crash.reader import Reader
from crash.scene import Scene, Size
from inside_sqlite import catalog_of, database_of
from people import PASSWORD, Clock, People
from samples import NOW, STORY
from veille.bootstrap.backups import Backup, LeftOut, back_up
from veille.core.access.access import Role
from veille.core.http.secrets import Secret
from veille.core.models import Scope
from veille.core.text import flat
from veille.errors import ConfigError, LoginError, VeilleError
from veille.services.watching.sources import Wish
from watching import FAST, Watch, told
from world import Site

FAR = NOW + 10**10


def _backed_up(app: veille.App, path: Path, **options: Any) -> Backup:
    return back_up(app.settings, path, app.clock(), **options)


@contextmanager
def _program(folder: Path, **given: Any) -> Iterator[veille.App]:
    with veille.open_app(data=folder, fetch=FAST, **given) as app:
        yield app


def _dump(app: veille.App, dossier_id: str) -> dict[str, list[Any]]:
    """Every row of every table of a dossier."""
    with app.dossiers.open(dossier_id) as store:
        names = [row[0] for row in database_of(store).execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(database_of(store).execute(f"SELECT * FROM {name}"), key=repr) for name in names}


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _furnished(app: veille.App, folk: People, site: Site) -> list[str]:
    """Three dossiers of Ada's, in one of which Bob has a role, with all that people put into them; their ids."""
    ada = folk.enter("ada@example.org", is_admin=True)
    dossiers = [ada.create(name).id for name in ("one", "two", "three")]
    folk.user("bob@example.org", password=PASSWORD)
    app.accounts.members.add(folk.local, dossiers[1], "bob@example.org", Role.EDITOR)
    for dossier_id in dossiers:
        app.sources.add(dossier_id, Wish(url=f"{site.url}/a"))
        app.saved.add(dossier_id, "bridges", "bridge")
    with app.vault(dossiers[0]) as vault:
        vault.set("API_KEY", "hush", ["api.example.org"], NOW)
    app.run(Scope())
    return dossiers


def test_everything_is_there_again(tmp_path: Path, site: Site) -> None:
    site.article("/a", "Bridges", STORY)
    clock = Clock()
    with _program(tmp_path / "data", clock=clock) as app:
        folk = People(app, clock)
        dossiers = _furnished(app, folk, site)
        _, token = folk.token(folk.enter("ada@example.org"), "read")
        before = [_dump(app, dossier_id) for dossier_id in dossiers]
        audit = app.accounts.audit(folk.local)
        made = _backed_up(app, tmp_path / "backup.zip")
    assert (made.dossiers, made.left_out, made.bytes) == (3, (), (tmp_path / "backup.zip").stat().st_size)
    assert _names(tmp_path) == ["backup.zip", "data"]

    done = restored(tmp_path / "backup.zip", tmp_path / "new")
    assert (done.dossiers, done.sources, done.secrets, done.sealed) == (3, 3, 1, 1)
    assert _names(tmp_path / "new") == ["catalog.db", "dossiers"]
    with _program(tmp_path / "new", clock=clock) as app:
        assert [_dump(app, dossier_id) for dossier_id in dossiers] == before
        accounts = app.accounts
        assert accounts.audit(accounts.local()) == audit
        assert {one.id for one in accounts.by_token(f"Bearer {token}").dossiers()} == set(dossiers)
        entry = accounts.login("bob@example.org", PASSWORD)
        assert [dossier.name for dossier in entry.access.dossiers()] == ["two"]
        assert [hit.title for hit in app.searches.search(dossiers, "harbour")] == ["Bridges"] * 3
        with pytest.raises(LoginError):
            accounts.by_session(folk.cookies["ada@example.org"])


def test_the_key_is_not_in_it_and_brought_along_it_opens_the_secrets(tmp_path: Path) -> None:
    with _program(tmp_path / "data") as app:
        dossier_id = app.create_dossier("one").id
        with app.vault(dossier_id) as vault:
            vault.set("API_KEY", "hush", ["api.example.org"], NOW)
        _backed_up(app, tmp_path / "backup.zip")
    key = (tmp_path / "data" / "secrets.key").read_bytes()
    archive = Archive(tmp_path / "backup.zip")
    assert not any(key in part or b"hush" in part for part in archive.parts.values())

    assert restored(tmp_path / "backup.zip", tmp_path / "without").sealed == 1
    with _program(tmp_path / "without") as app, app.vault(dossier_id) as vault:
        with pytest.raises(ConfigError) as caught:
            vault.get("API_KEY")
        assert caught.value.code == "vault.wrong_key"

    (tmp_path / "with").mkdir()
    (tmp_path / "with" / "secrets.key").touch(0o600)
    (tmp_path / "with" / "secrets.key").write_bytes(key)
    assert restored(tmp_path / "backup.zip", tmp_path / "with").sealed == 0
    with _program(tmp_path / "with") as app, app.vault(dossier_id) as vault:
        assert vault.get("API_KEY") == Secret("hush", ("api.example.org",))


def test_sessions_links_and_failed_logins_are_not_in_the_bytes_of_a_backup(tmp_path: Path) -> None:
    with _program(tmp_path / "data") as app:
        db = catalog_of(app).db
        db.execute("INSERT INTO users VALUES ('u', 'ada@example.org', '', NULL, 1, 0, NULL)")
        for number in range(50):
            db.execute("INSERT INTO sessions VALUES (?, 'u', 0, 0, 'UNIQUE-ADDRESS', '')", (f"SESSION-{number}",))
        db.execute("INSERT INTO links VALUES ('ONE-TIME', 'u', 0)")
        db.execute("INSERT INTO login_tries VALUES ('TYPED', 'UNIQUE-ADDRESS', 0)")
        _backed_up(app, tmp_path / "backup.zip")
    catalog = Archive(tmp_path / "backup.zip").parts["catalog.db"]
    assert b"ada@example.org" in catalog
    assert not [word for word in (b"SESSION-", b"UNIQUE-ADDRESS", b"ONE-TIME", b"TYPED") if word in catalog]


def test_what_the_old_machine_had_in_hand_does_not_hinder_the_new_one(tmp_path: Path, site: Site) -> None:
    site.article("/a", "Bridges", STORY)
    with Watch(site, tmp_path) as watch:
        watch.add("/a")
        watch.run()
        watch.now += 10**8
        host = site.url.removeprefix("http://")
        with watch.app.dossiers.open(watch.dossier_id) as store:
            database_of(store).execute("UPDATE requests SET lease_owner = 'old:1', lease_until = ?", (FAR,))
            database_of(store).execute("INSERT INTO cursors VALUES ('buffer', 0, 'old:1', ?, NULL)", (FAR,))
        catalog_of(watch.app).db.execute(
            "INSERT INTO host_leases (host, owner, until) VALUES (?, 'old:1', ?)", (host, FAR)
        )
        catalog_of(watch.app).db.execute("UPDATE dossiers SET next_due_at = ?", (FAR,))
        assert watch.app.run(Scope()) == []
        _backed_up(watch.app, tmp_path / "backup.zip")
        now = watch.now
    restored(tmp_path / "backup.zip", tmp_path / "new")
    with _program(tmp_path / "new", clock=lambda: now, buffer_dir=tmp_path / "new-buffer") as app:
        (report,) = app.run(Scope())
        assert told(report) == {"same": 1}
        (delivery,) = app.deliver([report.dossier_id])
        assert delivery.delivered == 1


def test_a_restored_folder_goes_on_where_it_was_and_delivers_nothing_under_another_id(
    tmp_path: Path, site: Site
) -> None:
    for path in ("/a", "/b"):
        site.article(path, f"Page {path}", f"{STORY} {path}")
    with Watch(site, tmp_path) as watch:
        watch.add("/a")
        watch.add("/b")
        watch.run()
        watch.deliver()
        delivered = {path.name for path in watch.files()}
        site.article("/a", "Page /a", f"{STORY} and more")
        watch.turn()
        _backed_up(watch.app, tmp_path / "backup.zip")
        now, dossier_id = watch.now, watch.dossier_id
        watch.deliver()
        waiting = {path.name for path in watch.files()} - delivered
    assert (len(delivered), len(waiting)) == (2, 1)

    restored(tmp_path / "backup.zip", tmp_path / "new")
    with _program(tmp_path / "new", clock=lambda: now, buffer_dir=tmp_path / "new-buffer") as app:
        app.queue.arm(dossier_id, now)
        site.seen.clear()
        (report,) = app.run(Scope())
        assert told(report) == {"same": 2}
        assert [(one.conditional, one.status) for one in site.seen] == [(True, 304)] * 2
        app.deliver([dossier_id])
        assert {path.name for path in (tmp_path / "new-buffer").rglob("*.md")} == waiting


@contextmanager
def _working(place: Place) -> Iterator[Process]:
    process = Process(place, "loop")
    try:
        yield process
    finally:
        process.end()


def _counted(store: Any) -> Iterator[str]:
    """Counters that are not what counting gives."""
    stories = "SELECT count(*) FROM stories WHERE documents <> (SELECT count(*) FROM story_documents WHERE story = row)"
    if wrong := store.db.value(stories.replace("= row", "= stories.row")):
        yield f"{wrong} stories count wrong"
    if wrong := store.db.value("SELECT count(*) FROM revisions WHERE id NOT IN (SELECT revision_id FROM outbox)"):
        yield f"{wrong} revisions were never told of"
    if wrong := store.db.value("SELECT count(*) FROM outbox WHERE revision_id NOT IN (SELECT id FROM revisions)"):
        yield f"{wrong} changes tell of nothing"


def _problems(app: veille.App) -> list[str]:
    found = []
    for dossier in app.dossiers.all():
        with app.dossiers.open(dossier.id) as store:
            found += [f"{dossier.name}: {problem}" for problem in (*_sound(store), *_counted(store))]
    return found


def _outbox(app: veille.App) -> dict[str, list[Any]]:
    found = {}
    for dossier in app.dossiers.all():
        with app.dossiers.open(dossier.id) as store:
            found[dossier.id] = database_of(store).execute("SELECT * FROM outbox ORDER BY seq")
    return found


@pytest.mark.timeout(150)
def test_backups_of_a_folder_in_which_a_worker_writes_are_whole(tmp_path: Path) -> None:
    place = Place(tmp_path / "live")
    size = Size(hosts=3, dossiers=3, pages=12, feeds=2, entries=6)
    with (
        veille.open_app(data=place.data, lease_s=place.lease_s, fetch=FAST) as app,
        Scene(app, size, seed=7) as scene,
        _working(place) as process,
        Reader(place.buffer).reading(),
    ):
        for number in range(4):
            # Between any two copies the worker has written something, and is at it again.
            _backed_up(app, tmp_path / f"{number}.zip", progress=lambda *_: _until_it_wrote(app, scene, process))
        process.end()
        after = _outbox(app)
        for number in range(4):
            restored(tmp_path / f"{number}.zip", tmp_path / str(number))
            with _program(tmp_path / str(number), buffer_dir=tmp_path / f"buffer-{number}") as again:
                assert _problems(again) == []
                for dossier_id, changes in _outbox(again).items():
                    assert changes == after[dossier_id][: len(changes)], "what was told is told the same"
                _caught_up(again, scene)


def _until_it_wrote(app: veille.App, scene: Scene, process: Process) -> None:
    def written() -> int:
        return sum(map(len, _outbox(app).values()))

    before, until = written(), time.monotonic() + 30
    while written() < before + 4:
        scene.edit_some(6)
        assert time.monotonic() < until, process.errors
    scene.edit_some(6)


def _caught_up(app: veille.App, scene: Scene) -> None:
    """It comes to what the sites say now, and hands all of it on."""
    ids = [dossier.id for dossier in app.dossiers.all()]
    for dossier_id in ids:
        app.queue.arm(dossier_id, app.clock())
    app.run(Scope(), wait=True)
    assert all(not delivery.pending for delivery in app.deliver(ids))
    assert _problems(app) == []
    stored = {}
    for dossier_id in ids:
        with app.dossiers.open(dossier_id) as store:
            assert not database_of(store).value("SELECT count(*) FROM requests WHERE lease_owner IS NOT NULL")
            for revision in store.records.documents(limit=10_000):
                stored[dossier_id, revision.url] = flat(revision.text)
    assert stored == {(thing.dossier, thing.url): flat(thing.versions[-1]) for thing in scene.things}


def test_writers_and_the_copy_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with _program(tmp_path / "data") as app, _program(tmp_path / "data") as other:
        dossier_id = app.create_dossier("one").id
        with app.dossiers.open(dossier_id) as store, other.dossiers.open(dossier_id) as writer:
            old = {f"old {number}" for number in range(1000)}
            database_of(store).many("INSERT INTO engines VALUES (?, '{}', 0)", [(one,) for one in old])
            written: list[str] = []

            def write() -> bool:
                # Called from within the copying. Whoever held it up would make this fail.
                written.append(f"new {len(written)}")
                with database_of(writer).write(wait=False) as db:
                    db.execute("INSERT INTO engines VALUES (?, '{}', 0)", written[-1:])
                return False

            with database_of(store)._connected() as connection:
                connection.set_progress_handler(write, 1000)
                database_of(store).copy_to(tmp_path / "copy.db")
                connection.set_progress_handler(None)
        assert written
        with app.dossiers.open(dossier_id) as store, database_of(store).write():
            # A writer that is in the middle of it does not hold up the copy either.
            database_of(store).execute("INSERT INTO engines VALUES ('half', '{}', 0)")
            _backed_up(app, tmp_path / "backup.zip")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert {row[0] for row in copy.execute("SELECT * FROM engines")} == old
    restored(tmp_path / "backup.zip", tmp_path / "new")
    with _program(tmp_path / "new") as app:
        assert {row[0] for row in _dump(app, dossier_id)["engines"]} == {*old, *written}


def test_a_dossier_that_is_deleted_meanwhile_is_not_in_it(tmp_path: Path) -> None:
    with _program(tmp_path / "data") as app, _program(tmp_path / "data") as other:
        ids = sorted(app.create_dossier(name).id for name in ("one", "two", "three"))
        People(app, Clock()).user("bob@example.org")
        app.accounts.members.add(app.accounts.local(), ids[2], "bob@example.org", Role.READER)

        def delete(done: int, _: int) -> None:
            if done == 1:
                other.dossiers.delete(ids[2])

        made = _backed_up(app, tmp_path / "backup.zip", progress=delete)
    assert (made.dossiers, made.left_out) == (2, ())
    restored(tmp_path / "backup.zip", tmp_path / "new")
    with _program(tmp_path / "new") as app:
        assert sorted(dossier.id for dossier in app.dossiers.all()) == ids[:2]


@pytest.mark.parametrize("harm", ["damaged", "missing"])
def test_a_dossier_that_cannot_be_read_is_left_out_and_told_of(tmp_path: Path, harm: str) -> None:
    with _program(tmp_path / "data") as app:
        good, bad = app.create_dossier("good"), app.create_dossier("bad")
    (path,) = (tmp_path / "data" / "dossiers").rglob(f"{bad.id}.db")
    if harm == "missing":
        path.unlink()
    else:
        data = path.read_bytes()
        path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
    with _program(tmp_path / "data") as app:
        made = _backed_up(app, tmp_path / "backup.zip")
    (left,) = made.left_out
    assert isinstance(left, LeftOut)
    assert (made.dossiers, left.dossier, left.code) == (1, "bad", f"store.{harm}")
    restored(tmp_path / "backup.zip", tmp_path / "new")
    with _program(tmp_path / "new") as app:
        assert [dossier.id for dossier in app.dossiers.all()] == [good.id]


def _code(call: Callable[[], object]) -> str:
    with pytest.raises(VeilleError) as caught:
        call()
    return caught.value.code


def test_a_file_that_is_there_is_replaced_only_when_asked(tmp_path: Path) -> None:
    out = tmp_path / "backup.zip"
    out.write_bytes(b"mine")
    with _program(tmp_path / "data") as app:
        assert _code(lambda: _backed_up(app, out)) == "backup.exists"
        assert out.read_bytes() == b"mine"
        _backed_up(app, out, force=True)
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
        assert _code(lambda: _backed_up(app, tmp_path, force=True)) == "backup.exists"
        assert _code(lambda: _backed_up(app, tmp_path / "no" / "where.zip")) == "backup.cannot_write"
    assert restored(out, tmp_path / "new").dossiers == 0
    assert _names(tmp_path) == ["backup.zip", "data", "new"]


def test_a_folder_without_data_is_not_backed_up(tmp_path: Path) -> None:
    settings = veille.load_settings(data=tmp_path / "typo")
    assert _code(lambda: back_up(settings, tmp_path / "backup.zip", NOW)) == "backup.nothing"
    assert _names(tmp_path) == []


def test_two_backups_to_one_file_do_not_write_into_each_other(tmp_path: Path) -> None:
    with _program(tmp_path / "data") as app:
        app.create_dossier("one")
        codes = []
        made = _backed_up(
            app,
            tmp_path / "backup.zip",
            progress=lambda *_: codes.append(_code(lambda: _backed_up(app, tmp_path / "backup.zip"))),
        )
    assert (made.dossiers, codes) == (1, ["backup.busy"])
    assert restored(tmp_path / "backup.zip", tmp_path / "new").dossiers == 1


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    with _program(tmp_path / "data") as app:
        for name in ("one", "two"):
            app.sources.add(app.create_dossier(name).id, Wish(url="https://example.org/news", kind="page"))
        _backed_up(app, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


@pytest.mark.parametrize("name", ["catalog.db", "catalog.db-wal", "dossiers/ab/x.db"])
def test_a_folder_with_data_is_never_touched(name: str, backup: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    assert _code(lambda: restored(backup, tmp_path / "new")) == "backup.not_empty"
    assert [one for one in (tmp_path / "new").rglob("*") if one.is_file()] == [path]
    assert path.read_bytes() == b"mine"


def test_a_folder_into_which_somebody_restores_is_left_to_them(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    descriptor = os.open(tmp_path / "new", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert _code(lambda: restored(backup, tmp_path / "new")) == "backup.busy"
    finally:
        os.close(descriptor)
    assert restored(backup, tmp_path / "new").dossiers == 2


def _killed(point: str, *arguments: str, data: Path) -> None:
    """`veille` with these arguments, killed there."""
    environment = {**os.environ, "VEILLE_FAILPOINT": point, "VEILLE_DATA": str(data)}
    done = subprocess.run(
        [sys.executable, "-m", "veille", *arguments], env=environment, capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize("passing", [1, 2, 3, 4])
def test_a_backup_that_is_killed_leaves_the_last_one_and_the_next_is_whole(
    passing: int, backup: Path, tmp_path: Path
) -> None:
    before = backup.read_bytes()
    _killed(f"during_backup:kill@{passing}", "backup", str(backup), "--force", data=tmp_path / "data")
    assert backup.read_bytes() == before
    assert _names(tmp_path) == ["backup.zip", "backup.zip.part", "backup.zip.part.d", "data"]
    assert stat.S_IMODE((tmp_path / "backup.zip.part").stat().st_mode) == 0o600
    with _program(tmp_path / "data") as app:
        app.create_dossier("three")
        assert _backed_up(app, backup, force=True).dossiers == 3
    assert _names(tmp_path) == ["backup.zip", "data"]
    assert restored(backup, tmp_path / "new").dossiers == 3


@pytest.mark.parametrize("point", ["during_restore:kill@1", "during_restore:kill@3", "during_placing:kill"])
def test_a_restore_that_is_killed_leaves_no_data_and_the_next_is_whole(
    point: str, backup: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"
    _killed(point, "restore", str(backup), data=new)
    assert not (new / "catalog.db").exists()
    assert (new / "restoring").exists()
    assert (new / "dossiers").exists() == (point == "during_placing:kill")
    assert restored(backup, new).dossiers == 2
    assert _names(new) == ["catalog.db", "dossiers"]
    with _program(new) as app:
        assert _problems(app) == []
        assert [len(app.sources.all(dossier.id)) for dossier in app.dossiers.all()] == [1, 1]
