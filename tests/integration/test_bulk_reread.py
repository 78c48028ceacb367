"""Large work is shared by processes or on a Ray cluster, and whoever is killed, everything is done once."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import veille
from bulk.campaign import finished, nodes, programs, start, until
from bulk.library import facts, library, read_again
from command import Cli
from postgres_server import databases_of
from veille.bootstrap._bulk import bulk_embedding, bulk_import
from veille.bootstrap.moves import move
from veille.errors import VeilleError
from veille.services.reading.reread import RereadWish
from veille.settings import load_settings

#: More than two tasks.
PAGES = 520


def _finished(data: Path, status: int = 0, **variables: str) -> Any:
    return json.loads(finished(start(data, "--processes", "2", **variables), status))


@pytest.mark.timeout(600)
def test_processes_that_are_killed_change_nothing_and_every_answer_is_read_again_once(tmp_path: Path) -> None:
    data = library(tmp_path, PAGES)
    folders = {name: tmp_path / name for name in ("undisturbed", "tasks", "parents")}
    for folder in folders.values():
        shutil.copytree(data, folder)
    found = _finished(folders["undisturbed"])
    assert (found["changed"], found["same"], found["failed"]) == (PAGES, 0, 0)
    expected = facts(folders["undisturbed"])
    assert expected[1] == {"read 1": PAGES, "told": PAGES, "pages": PAGES}
    # Every process dies after its first batch, again and again, until its range is done.
    found = _finished(folders["tasks"], VEILLE_FAILPOINT="during_reread:kill@65")
    assert found["dossiers"][0]["so_far"]["waiting"] == 0
    assert facts(folders["tasks"]) == expected
    for delay in (1.0, 2.0, 3.0):
        killed = start(folders["parents"], "--processes", "2")
        time.sleep(delay)
        killed.send_signal(signal.SIGKILL)
        killed.communicate(timeout=60)
        until(lambda: not programs(folders["parents"]), 60)
    assert _finished(folders["parents"])["dossiers"][0]["so_far"]["waiting"] == 0
    assert facts(folders["parents"]) == expected


@pytest.mark.timeout(300)
def test_a_task_that_dies_again_and_again_is_told_and_the_rest_can_be_done_later(tmp_path: Path) -> None:
    data = library(tmp_path, 20)
    told = _finished(data, status=2, VEILLE_FAILPOINT="during_reread:kill@1")
    assert told["code"] == "bulk_task"
    assert _finished(data)["changed"] == 20


def test_an_error_in_a_task_is_told_at_once_with_its_code(tmp_path: Path) -> None:
    paths = [tmp_path / "nothing.warc"]
    with veille.open_app(data=tmp_path / "data") as app:
        dossier_id = app.create_dossier("news").id
        with pytest.raises(VeilleError) as alone:
            app.warc.imports.run(dossier_id, paths)
        with pytest.raises(VeilleError) as shared:
            bulk_import(app, "veille.interfaces.bulk", 2).run(dossier_id, paths)
        assert (str(shared.value), shared.value.code) == (str(alone.value), alone.value.code)
        assert shared.value.code == "bad_file"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("pages", "options", "kill"), [(140, "--processes 2", "during_reread:kill@65"), (40, "--ray local", "")]
)
def test_on_a_database_every_answer_is_read_again_once(tmp_path: Path, pages: int, options: str, kill: str) -> None:
    data = library(tmp_path, pages)
    shutil.copytree(data, tmp_path / "undisturbed")
    with veille.open_app(data=tmp_path / "undisturbed") as app:
        app.rereading().reread(app.dossier("news").id, RereadWish())
    with databases_of("postgres") as new:
        url = new()
        move(load_settings(data=data), url)
        told = finished(start(data, *options.split(), VEILLE_STORE=url, VEILLE_FAILPOINT=kill))
        assert json.loads(told)["dossiers"][0]["so_far"]["waiting"] == 0
        move(load_settings(data=data, store=url), str(tmp_path / "back"))
    assert facts(tmp_path / "back") == facts(tmp_path / "undisturbed")


@pytest.mark.timeout(600)
def test_on_a_cluster_that_loses_a_node_every_answer_is_read_again_once(tmp_path: Path) -> None:
    data = library(tmp_path, PAGES)
    shutil.copytree(data, tmp_path / "undisturbed")
    with veille.open_app(data=tmp_path / "undisturbed") as app:
        app.rereading().reread(app.dossier("news").id, RereadWish())
    assert json.loads(finished(start(data, "--ray", "127.0.0.1:1"), 2))["code"] == "bulk_cluster"
    with nodes() as cluster:
        imported = ("warc", "import", str(tmp_path / "nothing.warc"), "--dossier", "news", "--ray", cluster.address)
        cli = Cli(tmp_path, VEILLE_DATA=str(tmp_path / "undisturbed"))
        cli.process(*imported, status=2)
        assert "[bad_file]" in cli.stderr
        process = start(data, "--ray", cluster.address)
        until(lambda: read_again(data) > 0 or process.poll() is not None, 300)
        assert len(programs(data)) == 2
        cluster.kill_node()
        assert json.loads(finished(process))["dossiers"][0]["so_far"]["waiting"] == 0
    assert facts(data) == facts(tmp_path / "undisturbed")


def test_nothing_loads_ray_unless_it_is_asked_for() -> None:
    script = "import sys, veille.bootstrap._bulk, veille.interfaces.cli._reread; print('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout == b"False\n"


def test_texts_are_embedded_by_several_processes(tmp_path: Path) -> None:
    data = library(tmp_path, 30)
    with veille.open_app(data=data) as app:
        dossier_id = app.dossier("news").id
        app.meaning.switch_on(dossier_id, ["english"])
        assert bulk_embedding(app, "veille.interfaces.bulk", 2).keep_up(dossier_id) > 0
        counts = app.meaning.state(dossier_id).counts
        assert (counts.uncut, sum(counts.waiting.values())) == (0, 0)
        assert sum(counts.vectors.values()) > 0
