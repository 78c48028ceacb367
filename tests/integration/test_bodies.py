"""Bodies outside the store, from end to end: in a folder and in S3, killed, moved, exported, deleted and backed up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from pydantic import SecretStr

import veille
from archives import restored
from command import Cli
from postgres_server import shared
from s3_server import KEYS, S3Server, s3_server
from veille.bootstrap.backups import back_up
from veille.bootstrap.checks import check_start
from veille.core.reread.answers import WantedAnswers, options_hash
from veille.core.schedule import DAY, MINUTE
from veille.errors import SettingError, StoreError
from veille.ports import DossierStore
from veille.services.reading.reread import RereadWish
from veille.settings import BodySettings
from watching import FAST, Watch
from world import Site

PAGES = 20


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as started:
        yield started


@pytest.fixture(params=["sqlite folder", "sqlite s3", "postgres folder"])
def watch(
    request: pytest.FixtureRequest, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watch]:
    kind, where = request.param.split()
    settings: dict[str, Any] = {"bodies": BodySettings(place=str(tmp_path / "bodies"))}
    if where == "s3":
        for name, value in KEYS.items():
            monkeypatch.setenv(name, value)
        url = request.getfixturevalue("server").url
        settings["bodies"] = BodySettings(place=f"s3://bodies/{tmp_path.name}", endpoint=url)
    database = shared().database(shared().ready) if kind == "postgres" else ""
    if database:
        settings["store"] = SecretStr(shared().url(database))
    with Watch(site, tmp_path, **settings) as opened:
        _fill(opened)
        yield opened
    if database:
        shared().drop(database)


@pytest.fixture
def files(site: Site, tmp_path: Path) -> Iterator[Watch]:
    """On SQLite, with a folder."""
    with Watch(site, tmp_path, bodies=BodySettings(place=str(tmp_path / "bodies"))) as opened:
        _fill(opened)
        yield opened


def _fill(watch: Watch) -> None:
    for at in range(PAGES):
        text = f"Page {at} tells of the harbour and its ships at some length. " * 20
        watch.site[f"/{at}"] = (
            f"<html lang=en><title>Page {at}</title><main><article><p>{text}</p></article></main></html>"
        )
        watch.add(f"/{at}", "page", keep_raw="all")
    watch.run()


def _bodies(store: DossierStore) -> dict[str, bytes]:
    options = {source.id: options_hash(source) for source in store.sources.all()}
    found = store.raw_answers.waiting(WantedAnswers(reader="another", options=options), "", 1000)
    return {one.hash: store.raw_answers.load(one)[1].body for one in found}


def _all(app: veille.App, dossier_id: str) -> dict[str, bytes]:
    with app.dossiers.open(dossier_id) as store:
        return _bodies(store)


def _laid_away(watch: Watch) -> dict[str, bytes]:
    before = _all(watch.app, watch.dossier_id)
    assert len(before) == PAGES
    assert sum(watch.app.bodies.move(watch.dossier_id)) == PAGES
    figures = watch.app.bodies.figures(watch.dossier_id)
    assert (figures.here, figures.away) == (0, PAGES)
    return before


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_the_duty_lays_away_what_has_waited_for_a_day(watch: Watch) -> None:
    bodies = watch.app.bodies
    assert bodies.keep_up(lambda: False) == 0
    watch.now += 11 * MINUTE
    assert bodies.is_due()
    assert bodies.keep_up(lambda: False) == 0
    watch.now += DAY
    assert bodies.keep_up(lambda: True) == 0
    watch.now += 11 * MINUTE
    assert bodies.keep_up(lambda: False) == PAGES
    assert len(_all(watch.app, watch.dossier_id)) == PAGES


def test_answers_outside_are_read_again(watch: Watch) -> None:
    _laid_away(watch)
    report = watch.app.rereading().reread(watch.dossier_id, RereadWish(again=True))
    assert dict(report.counts) == {"same": PAGES}


def test_a_source_takes_its_bodies_to_another_dossier(watch: Watch) -> None:
    before = _laid_away(watch)
    there = watch.app.create_dossier("there").id
    source = watch.app.sources.all(watch.dossier_id)[0]
    watch.app.moving.move(watch.dossier_id, source.id, there)
    (moved,) = _all(watch.app, there).items()
    assert moved in before.items()
    assert watch.app.bodies.figures(there).here == 1


def test_a_whole_export_has_the_bodies(watch: Watch, tmp_path: Path) -> None:
    before = _laid_away(watch)
    watch.app.leaving.takeout.dossier(watch.app.accounts.local(), watch.dossier_id, tmp_path / "out.zip")
    with ZipFile(tmp_path / "out.zip") as packed:
        found = {Path(one).stem: packed.read(one) for one in packed.namelist() if one.endswith(".bin")}
    assert found == before


def test_a_deleted_dossier_leaves_nothing_at_the_place(watch: Watch, tmp_path: Path) -> None:
    _laid_away(watch)
    place = watch.app.bodies.place
    assert place is not None
    at = place.of(watch.dossier_id)
    assert len(list(at.names())) == 1
    farewell = watch.app.leaving.deleting.dossier(watch.app.accounts.local(), watch.dossier_id)
    assert not farewell.bodies
    assert list(at.names()) == []
    assert not list((tmp_path / "bodies").glob(f"*/{watch.dossier_id}"))


def test_a_place_that_cannot_be_reached_stops_a_deletion_unless_it_is_wanted_anyway(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("veille.adapters.bodies.s3._RETRIES", 0)
    with s3_server() as doomed:
        bodies = BodySettings(place="s3://bodies", endpoint=doomed.url)
        with Watch(site, tmp_path, bodies=bodies) as watch:
            _fill(watch)
            _laid_away(watch)
            doomed.kill()
            access = watch.app.accounts.local()
            with pytest.raises(StoreError) as stopped:
                watch.app.leaving.deleting.dossier(access, watch.dossier_id)
            assert stopped.value.code == "bodies.unreachable"
            assert [one.id for one in watch.app.dossiers.all()] == [watch.dossier_id]
            # A reread marks nothing as failed, and examination says what it is.
            with pytest.raises(StoreError):
                watch.app.rereading().reread(watch.dossier_id, RereadWish(again=True))
            (dossier,) = watch.app.dossiers.all()
            assert watch.app.local.examine(dossier, [])["code"] == "bodies.unreachable"
            with pytest.raises(SettingError) as refused:
                check_start(watch.app.settings, watch.app.store)
            assert refused.value.code == "bodies.bad_place"
            farewell = watch.app.leaving.deleting.dossier(access, watch.dossier_id, anyway=True)
            assert "tries again" in farewell.left[-1]
            assert not watch.app.dossiers.all()
        assert _files(tmp_path / "data" / "deleting") == [watch.dossier_id]
        with s3_server(doomed.port) as again, Watch(site, tmp_path, bodies=bodies) as watch:
            assert again.port == doomed.port
            assert _files(tmp_path / "data" / "deleting") == []


@pytest.mark.parametrize("point", ["after_segment", "before_commit"])
def test_killed_between_the_file_and_the_rows_nothing_is_lost(files: Watch, point: str) -> None:
    """Ten times each."""
    before = _all(files.app, files.dossier_id)
    place = files.folder / "bodies"
    variables = {"VEILLE_BODIES__PLACE": str(place), "VEILLE_DATA": str(files.folder / "data")}
    for at in range(10):
        done = _command(variables | {"VEILLE_FAILPOINT": f"{point}:kill"}, "bodies", "move")
        assert done.returncode == -9, done.stderr
        assert len(_files(place)) == at + 1
        assert _all(files.app, files.dossier_id) == before
        assert files.app.bodies.figures(files.dossier_id).here == PAGES
    done = _command(variables, "bodies", "move", "--json")
    assert json.loads(done.stdout)["moved"] == PAGES
    assert _all(files.app, files.dossier_id) == before
    with files.app.dossiers.open(files.dossier_id) as store:
        assert store.bodies.flaws().unused == 10
        (named,) = store.bodies.needed()
        newest = max((one.stat().st_mtime for one in place.rglob("*.gz")), default=0) * 1000
        assert store.bodies.tidy(round(newest) + DAY + MINUTE) == 10
    assert _files(place) == [named]
    assert _all(files.app, files.dossier_id) == before


def _command(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "veille", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | variables,
    )


@pytest.mark.parametrize("point", ["after_carrying", "before_commit"])
def test_a_place_is_given_up_though_the_move_is_killed(files: Watch, tmp_path: Path, point: str) -> None:
    before = _laid_away(files)
    data = {"VEILLE_DATA": str(tmp_path / "data")}
    new = tmp_path / "new"
    for place, former in ((str(new), str(tmp_path / "bodies")), ("", str(new))):
        variables = data | ({"VEILLE_BODIES__PLACE": place} if place else {})
        killed = _command(variables | {"VEILLE_FAILPOINT": f"{point}:kill"}, "bodies", "move", "--from", former)
        assert killed.returncode in {-9, 0}
        done = _command(variables, "bodies", "move", "--from", former, "--json")
        assert done.returncode == 0, done.stderr
        assert _files(Path(former)) == []
    with veille.open_app(data=tmp_path / "data", fetch=FAST) as app:
        assert _all(app, files.dossier_id) == before
        assert app.bodies.figures(files.dossier_id).here == PAGES


def test_a_backup_has_the_segments_and_is_restored_without_the_place(files: Watch, tmp_path: Path) -> None:
    before = _laid_away(files)
    made = back_up(files.app.settings, tmp_path / "backup.zip", files.now)
    assert (made.archives, made.missing_archives, made.elsewhere) == (1, 0, 0)
    restored(tmp_path / "backup.zip", tmp_path / "again")
    with veille.open_app(data=tmp_path / "again", fetch=FAST) as app:
        assert _all(app, files.dossier_id) == before
        # Without a place they go back into rows; with one, to it.
        assert sum(app.bodies.move(files.dossier_id)) == PAGES
        assert _all(app, files.dossier_id) == before
    restored(tmp_path / "backup.zip", tmp_path / "third")
    bodies = BodySettings(place=str(tmp_path / "other"))
    with veille.open_app(data=tmp_path / "third", fetch=FAST, bodies=bodies) as app:
        assert app.bodies.figures(files.dossier_id).beside == 1
        assert sum(app.bodies.move(files.dossier_id)) == 1
        assert _all(app, files.dossier_id) == before
    assert len(_files(tmp_path / "other")) == 1


def test_a_backup_says_what_is_in_s3(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: S3Server
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    bodies = BodySettings(place="s3://bodies/backup", endpoint=server.url)
    with Watch(site, tmp_path, bodies=bodies) as watch:
        _fill(watch)
        _laid_away(watch)
        made = back_up(watch.app.settings, tmp_path / "backup.zip", watch.now)
    assert (made.archives, made.missing_archives, made.elsewhere) == (0, 0, 1)


@pytest.mark.usefixtures("files")
def test_the_commands_tell_where_bodies_are(tmp_path: Path) -> None:
    cli = Cli(tmp_path, VEILLE_BODIES__PLACE=str(tmp_path / "bodies"))
    (row,) = json.loads(cli("bodies", "--json"))["dossiers"]
    assert (row["dossier"], row["here"], row["away"], row["missing"]) == ("news", PAGES, 0, 0)
    assert json.loads(cli("bodies", "move", "--json"))["moved"] == PAGES
    (row,) = json.loads(cli("bodies", "--json"))["dossiers"]
    assert (row["here"], row["away"]) == (0, PAGES)
    (report,) = json.loads(cli("doctor", "--json"))["dossiers"]
    assert report["body_files"] == {"missing": 0, "unused": 0}
    (segment,) = (tmp_path / "bodies").rglob("*.warc.gz")
    segment.rename(tmp_path / "elsewhere")
    (report,) = json.loads(cli("doctor", "--json", status=1))["dossiers"]
    assert report["body_files"]["missing"] == 1
    assert segment.name in report["repairs"][0]
    assert json.loads(cli("bodies", "move", "--json", status=1))["moved"] == 0


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"VEILLE_BODIES__PLACE": "relative/folder"}, "bad_setting"),
        ({"VEILLE_BODIES__PLACE": "ftp://host/x"}, "bad_setting"),
        ({"VEILLE_BODIES__PLACE": "/proc/self/nowhere"}, "bodies.bad_place"),
        (
            {"VEILLE_BODIES__PLACE": "s3://bodies", "VEILLE_BODIES__ENDPOINT": "http://127.0.0.1:9", **KEYS},
            "bodies.bad_place",
        ),
    ],
)
def test_a_wrong_place_is_told_in_one_line(tmp_path: Path, variables: dict[str, str], code: str) -> None:
    done = _command(variables | {"VEILLE_DATA": str(tmp_path / "data")}, "work", "--drain")
    assert done.returncode == 78, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"[{code}]" in done.stderr
    assert "hidden-key" not in done.stderr
