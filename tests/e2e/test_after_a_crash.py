"""What a command finds after another one was killed, or the clock was ahead: nothing is left waiting."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import veille
from command import Cli
from samples import STORY
from veille.bootstrap.clock import system_clock
from veille.core.models import Scope
from veille.core.schedule import DAY
from veille.core.workload import Room
from watching import FAST
from world import Site

PAGES = 5


@pytest.fixture
def watched(cli: Cli, site: Site) -> Site:
    for number in range(PAGES):
        site.article(f"/{number}", f"Bridge {number}", f"Bridge {number}. {STORY}")
        cli("add", f"{site.url}/{number}")
    return site


def _killed_at(cli: Cli, failpoint: str, *command: str) -> None:
    environment = {**cli.environment, "VEILLE_FAILPOINT": f"{failpoint}:kill"}
    done = subprocess.run([sys.executable, "-m", "veille", *command], env=environment, check=False, timeout=50)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.usefixtures("watched")
def test_a_run_takes_over_what_a_killed_one_held(cli: Cli) -> None:
    _killed_at(cli, "after_claim", "run")
    # The lease is a minute long.
    found = cli.json("run")
    assert found["runs"][0]["counts"]["new"] == PAGES
    assert found["others_at_work"] == {}
    assert not list((cli.folder / "data" / "present").iterdir()), "a name was left behind"


@pytest.mark.usefixtures("watched")
def test_a_delivery_takes_over_from_a_killed_one(cli: Cli) -> None:
    _killed_at(cli, "before_outbox_mark", "run")
    (delivery,) = cli.json("deliver")
    assert delivery["pending"] == 0


@pytest.mark.usefixtures("watched")
def test_a_run_says_what_a_living_worker_has(cli: Cli) -> None:
    with veille.open_app(data=cli.folder / "data", fetch=FAST) as app:
        worker = app.worker()
        app.queue.claim(worker.name, app.clock(), Room(total=3, per_host=3), Scope())
        found = cli.json("run", "--due")
        assert (found["runs"], found["others_at_work"]) == ([], {worker.name: 3})
        assert f"the worker {worker.name}" in cli.stderr
        assert str(os.getpid()) in worker.name
    # It ended without giving anything back.
    assert cli.json("run", "--due")["runs"][0]["counts"]["new"] == PAGES


@pytest.mark.usefixtures("watched")
def test_doctor_says_what_a_clock_that_was_ahead_has_left_and_a_run_mends_it(cli: Cli) -> None:
    with veille.open_app(data=cli.folder / "data", fetch=FAST, clock=lambda: system_clock() + 400 * DAY) as app:
        app.run(Scope())
    found = cli.json("doctor", status=1)["dossiers"][0]
    assert found["due_too_late"] == PAGES
    assert "the clock was ahead" in found["repairs"][0]
    assert cli.json("run", "--due")["runs"] == []
    assert cli.json("doctor")["dossiers"][0]["due_too_late"] == 0
