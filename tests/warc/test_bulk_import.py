"""Very large files are imported by several processes: whatever is killed, it is as if one had done it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import veille
from bulk.campaign import programs, until
from samples import STORY
from veille.bootstrap._bulk import bulk_import
from warc.test_files_of_others import Warc, _days, _page
from warc.test_round_trip import _history, watch
from watching import FAST, Watch

__all__ = ["watch"]

PAGES, DAYS = 40, 4


def _crawl(folder: Path) -> list[Path]:
    """Two files of pages that change, with addresses that are written in two ways; one of them is cut off."""
    first, second = Warc(folder / "a.warc.gz"), Warc(folder / "b.warc.gz")
    for day in range(1, DAYS + 1):
        for number in range(PAGES):
            text = f"Page{number}day{day if number % 4 else 1} was read. {STORY} {number} {'again ' * (number % 7)}"
            (first if number % 2 else second).add(day, f"/{number}{'?utm_source=x' * (day % 2)}", _page(text))
        first.add(day, "/logo.png", b"\x89PNG", headers={"Content-Type": "image/png"})
    paths = [first.write(), second.write()]
    paths[1].write_bytes(paths[1].read_bytes()[:-20])
    return paths


def _start(data: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "veille", "warc", "import", "--dossier", "news", "--json", *options]
    environment = {**os.environ, "VEILLE_DATA": str(data)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _found(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=200)
    # The file that was cut off is told.
    assert process.returncode == 1, errors
    return dict(json.loads(out))


def _stored(data: Path) -> tuple[Any, ...]:
    with veille.open_app(data=data, fetch=FAST) as app:
        dossier_id = app.dossier("news").id
        sources = [(one.name, one.enabled) for one in app.sources.all(dossier_id)]
        with app.dossiers.open(dossier_id) as store:
            events = sorted((one.url, one.at, one.change.value, one.rev_n) for one in store.outbox.events(0, 10_000))
        return _days(app), events, sources


@pytest.mark.timeout(400)
def test_processes_that_are_killed_change_nothing_and_every_capture_is_stored_once(tmp_path: Path) -> None:
    paths = _crawl(tmp_path)
    folders = {name: tmp_path / name for name in ("alone", "shared", "killed")}
    for folder in folders.values():
        with veille.open_app(data=folder) as app:
            app.create_dossier("news")
    files = [str(path) for path in paths]
    alone = _found(_start(folders["alone"], *files))
    shared = _found(_start(folders["shared"], "--processes", "2", *files))
    assert {**shared, "problem_list": []} == {**alone, "problem_list": []}
    assert [one["code"] for one in shared["problem_list"]] == [one["code"] for one in alone["problem_list"]]
    assert (alone["new"], alone["problems"], alone["left_out"]) == (PAGES, 1, DAYS)
    expected = _stored(folders["alone"])
    assert _stored(folders["shared"]) == expected
    process = _start(folders["killed"], "--processes", "2", *files)
    until(lambda: programs(folders["killed"]) or process.poll() is not None, 60)
    os.kill(programs(folders["killed"])[0], signal.SIGKILL)
    until(lambda: _events(folders["killed"]) > 0 or process.poll() is not None, 60)
    process.kill()
    process.communicate(timeout=60)
    until(lambda: not programs(folders["killed"]), 60)
    assert _found(_start(folders["killed"], "--processes", "2", *files))["stopped"] is False
    assert _stored(folders["killed"]) == expected


def _events(data: Path) -> int:
    with veille.open_app(data=data) as app, app.dossiers.open(app.dossier("news").id) as store:
        return store.outbox.last_seq()


@pytest.mark.timeout(200)
def test_a_history_of_our_own_comes_in_the_same(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    watch.app.warc.exports.run(watch.dossier_id, out)
    dossier_id = watch.app.create_dossier("copy").id
    report = bulk_import(watch.app, "veille.interfaces.bulk", 2).run(dossier_id, [out])
    assert report.counts == {"new": 4, "changed": 3, "removed": 1, "problems": 0}
    assert _history(watch.app, dossier_id) == _history(watch.app, watch.dossier_id)
