"""A worker that is frozen past its lease, while another does its work, and then goes on."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from crash import sqlite_rows
from crash.checks import breaches
from crash.processes import Place, Process
from crash.reader import Reader
from crash.scene import Scene, Size
from veille.ports import DossierStore

SMALL = Size(hosts=3, dossiers=1, pages=30, feeds=1, entries=10)
#: How long to wait for a process to come to a given instant.
PATIENCE_S = 60.0
#: Between two requests of a worker that is to be caught at work.
SLOW_MS = 300


@dataclass
class Outcome:
    """What was written when the other worker was done, and after the frozen one had gone on; and what is wrong then."""

    run: str
    held: int
    before: dict[str, Any]
    after: dict[str, Any]
    breaches: list[str] = field(default_factory=list)


def pause(place: Place, failpoint: str = "", seed: int = 0) -> Outcome:
    """Freeze a worker at a fail point, or at some instant at which it holds leases; then let another work, then it."""
    reader = Reader(place.buffer)
    with place.opened() as app, Scene(app, SMALL, seed) as scene:
        pace = place if failpoint else replace(place, host_delay_ms=SLOW_MS)
        frozen = Process(pace, "once", failpoint=failpoint and f"{failpoint}:stop@1")
        try:
            with reader.reading():
                if failpoint:
                    _until_stopped(frozen)
                else:
                    _stop_at_work(frozen, scene, random.Random(seed))
                outcome, logs = _go_on(place, scene, frozen)
            return replace(outcome, breaches=breaches(scene, reader, logs))
        finally:
            frozen.end()


def _go_on(place: Place, scene: Scene, frozen: Process) -> tuple[Outcome, list[dict[str, Any]]]:
    held = _leases(scene, frozen)
    other = Process(place, "drain").finished()
    before = _written(scene)
    frozen.popen.send_signal(signal.SIGCONT)
    frozen.finished()
    after = _written(scene)
    # What a frozen deliverer had in hand was left to it; whatever remains is delivered now.
    last = Process(place, "drain").finished()
    logs = [line for process in (frozen, other, last) for line in process.lines()]
    return Outcome(frozen.lines()[0]["run"], held, before, after), logs


def _until_stopped(process: Process) -> None:
    deadline = time.monotonic() + PATIENCE_S
    options = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
    while (state := os.waitid(os.P_PID, process.popen.pid, options)) is None or state.si_code != os.CLD_STOPPED:
        assert process.popen.poll() is None, f"The worker ended too early:\n{process.errors}\n{process.lines()}"
        assert time.monotonic() < deadline, "The worker was not stopped."
        time.sleep(0.01)


def _stop_at_work(process: Process, scene: Scene, chance: random.Random) -> None:
    """Stop it while it holds leases, but no lock of the database: nobody can work past that."""
    while not process.ready:
        assert process.popen.poll() is None, process.errors
        time.sleep(0.01)
    while True:
        time.sleep(chance.uniform(0.02, 0.2))
        assert process.popen.poll() is None, "The worker had done everything before it could be stopped."
        process.popen.send_signal(signal.SIGSTOP)
        _until_stopped(process)
        if _leases(scene, process) and not _locked(scene):
            return
        process.popen.send_signal(signal.SIGCONT)


def _leases(scene: Scene, process: Process) -> int:
    with _dossier(scene) as store:
        return store.waiting.holders(scene.app.clock()).get(process.lines()[0]["worker"], 0)


def _locked(scene: Scene) -> bool:
    with _dossier(scene) as store:
        return sqlite_rows.is_locked(scene.app, store)


def _written(scene: Scene) -> dict[str, Any]:
    with _dossier(scene) as store:
        return sqlite_rows.written(store)


def _dossier(scene: Scene) -> AbstractContextManager[DossierStore]:
    return scene.app.dossiers.open(scene.dossiers[0])
