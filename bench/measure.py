"""What one contestant of one case cost, taken from outside: the work runs in a process of its own."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

HERE = Path(__file__).resolve().parent
_PR_SET_CHILD_SUBREAPER = 36

#: What the contestants are given: JSON, because it crosses to their processes.
World = dict[str, Any]


class Case(Protocol):
    """What a file `case_<name>.py` holds. Ours is the first contestant; the others are compared with it.

    The functions are module-level. Libraries of the contestants are imported inside `work` and `check`: a child's peak
    memory starts from what the runner had when it was started.
    """

    #: What is counted, in the plural: "pages".
    UNIT: str
    CONTESTANTS: tuple[str, ...]

    def world(self, options: Namespace) -> AbstractContextManager[World]:
        """What all contestants share, such as a server; holds `count`, and `expected` for the checks."""

    def work(self, contestant: str, world: World, folder: Path) -> None:
        """Do it once, from nothing, leaving the result in the folder. This is what is measured."""

    def check(self, contestant: str, world: World, folder: Path) -> dict[str, int]:
        """What the folder holds now, to be compared with `expected`; not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU of the process and of its children, user and system; the most memory any of them had."""

    cpu_s: float
    wall_s: float
    peak_mb: float


class BenchError(Exception):
    """A contestant failed or did not do the same work; there is nothing to compare."""


def names() -> list[str]:
    """Every case there is."""
    return sorted(file.stem.removeprefix("case_") for file in HERE.glob("case_*.py"))


def load(name: str) -> Case:
    return cast("Case", import_module(f"case_{name}"))


def run(name: str, contestant: str, world: World, folder: Path) -> Cost:
    """Let a contestant do its work once, and check that it did it."""
    started = time.monotonic()
    process = subprocess.Popen(_command("work", name, contestant, world, folder), stdout=subprocess.DEVNULL)
    cpu_s, peak_mb = _waited(process)
    wall_s = time.monotonic() - started
    if process.returncode:
        raise BenchError(f"{name}: {contestant} ended with status {process.returncode}.")
    checked = subprocess.run(_command("check", name, contestant, world, folder), stdout=subprocess.PIPE, check=True)
    found = json.loads(checked.stdout)
    if found != world["expected"]:
        raise BenchError(f"{name}: {contestant} was to give {world['expected']}, it gave {found}.")
    return Cost(cpu_s=cpu_s, wall_s=wall_s, peak_mb=peak_mb)


def _waited(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """CPU seconds and the largest memory in MB of a process and of all that descend from it, when all have ended.

    A process whose parent ends first becomes a child of this one: otherwise it would never be counted. wait4 and not
    RUSAGE_CHILDREN: the latter sums over all contestants that ever ran.
    """
    cpu_s = peak_mb = 0.0
    others = _children() - {process.pid}
    while _children() - others:
        pid, status, usage = os.wait4(-1, 0)
        cpu_s += usage.ru_utime + usage.ru_stime
        peak_mb = max(peak_mb, usage.ru_maxrss / 1024)
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
    return cpu_s, peak_mb


def _children() -> set[int]:
    return set(map(int, Path("/proc/self/task", str(os.getpid()), "children").read_text().split()))


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent has ended."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise BenchError("The system does not let this process wait for all that it started.")


def _command(step: str, name: str, contestant: str, world: World, folder: Path) -> list[str]:
    return [sys.executable, str(HERE / "measure.py"), step, name, contestant, json.dumps(world), str(folder)]


def _child(step: str, name: str, contestant: str, world: str, folder: str) -> None:
    case = load(name)
    if step == "work":
        case.work(contestant, json.loads(world), Path(folder))
    else:
        print(json.dumps(case.check(contestant, json.loads(world), Path(folder))))


if __name__ == "__main__":
    _child(*sys.argv[1:])


def status_of(rows: list[dict[str, Any]]) -> int:
    """1 if a case has something that is not as asked for, which is printed."""
    over = [f"{row.get('case', 'OVER')}: {problem}" for row in rows for problem in row.get("over", ())]
    for problem in over:
        print(problem, file=sys.stderr)
    return 1 if over else 0
