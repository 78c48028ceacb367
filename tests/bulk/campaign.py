"""Kept answers are read again in processes or on Ray, and killed: the result is that of an undisturbed run."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bulk.library import facts, library, read_again
from bulk.moving import there_and_back

_TIMEOUT_S = 6 * 3600


class RayNodes:
    """A Ray cluster of two nodes on this machine."""

    def __init__(self) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        # So that its nodes, and the programs that ask them, stay on loopback; the name is Ray's.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        from ray.cluster_utils import Cluster  # noqa: PLC0415 - slow to import

        self._cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self._second = self._cluster.add_node(num_cpus=1)
        self.address: str = self._cluster.address

    def kill_node(self) -> None:
        self._cluster.remove_node(self._second, allow_graceful=False)

    def kill_head(self) -> None:
        self._cluster.remove_node(self._cluster.head_node, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()


@contextmanager
def nodes() -> Iterator[RayNodes]:
    found = RayNodes()
    try:
        yield found
    finally:
        found.close()


def start(data: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "VEILLE_DATA": str(data), **variables}
    command = [sys.executable, "-m", "veille", "reread", "--json", *options]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str], status: int = 0) -> str:
    out, errors = process.communicate(timeout=_TIMEOUT_S)
    assert process.returncode == status, errors
    return out if not status else errors


def programs(data: Path) -> list[int]:
    """The processes that do tasks on a data folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            said = path.read_bytes()
        except OSError:
            continue
        if str(data).encode() in said and b"veille.interfaces.bulk" in said:
            found.append(int(path.parent.name))
    return found


def until(condition: Any, seconds: float = _TIMEOUT_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.25)


def _reached(data: Path, process: subprocess.Popen[str], number: int) -> None:
    """So many are read again, and it is still at it."""
    until(lambda: read_again(data) >= number or process.poll() is not None)
    assert process.poll() is None, "it ended before it could be killed"


def _kill_task(data: Path) -> None:
    until(lambda: programs(data), 60)
    os.kill(programs(data)[0], signal.SIGKILL)


def in_processes(data: Path, pages: int) -> None:
    """A task, and the program itself, are killed on the way."""
    process = start(data, "--processes", "2")
    _reached(data, process, pages // 8)
    _kill_task(data)
    for share in (pages // 4, pages // 2):
        _reached(data, process, share)
        process.kill()
        process.communicate(timeout=60)
        until(lambda: not programs(data), 60)
        process = start(data, "--processes", "2")
    finished(process)


def on_ray(data: Path, pages: int) -> None:
    """A task, a node, the program and the head of the cluster are killed on the way."""
    with nodes() as cluster:
        process = start(data, "--ray", cluster.address)
        _reached(data, process, pages // 8)
        _kill_task(data)
        cluster.kill_node()
        _reached(data, process, pages // 4)
        process.kill()
        process.communicate(timeout=60)
        until(lambda: not programs(data), 120)
        process = start(data, "--ray", cluster.address)
        _reached(data, process, pages // 2)
        cluster.kill_head()
        process.communicate(timeout=300)
        until(lambda: not programs(data), 120)
    with nodes() as cluster:
        finished(start(data, "--ray", cluster.address))


def undisturbed(data: Path, _: int) -> None:
    finished(start(data))


def moved(data: Path, pages: int) -> None:
    """Read again by one program, moved to PostgreSQL and back."""
    undisturbed(data, pages)
    with tempfile.TemporaryDirectory(prefix="veille-moved-") as folder:
        there_and_back(data, Path(folder))
        shutil.rmtree(data)
        shutil.copytree(Path(folder) / "back", data)


WAYS = {"processes": in_processes, "ray": on_ray, "move": moved}


def compare(folder: Path, pages: int, ways: list[str]) -> None:
    """AssertionError if a result is not that of an undisturbed run.

    What ended is kept in the folder, and not done again.
    """
    data = folder / "library"
    if not (folder / "data").exists():
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True)
        _timed("library", lambda: library(data, pages).rename(folder / "data"))
    for way in ("undisturbed", *ways):
        result = folder / f"{way}.json"
        if not result.exists():
            shutil.rmtree(folder / way, ignore_errors=True)
            shutil.copytree(folder / "data", folder / way)
            act = WAYS.get(way, undisturbed)
            _timed(way, partial(act, folder / way, pages))
            result.write_text(json.dumps(facts(folder / way)))
            shutil.rmtree(folder / way)
        found = json.loads(result.read_text())
        assert found[1] == {"read 1": pages, "told": pages, "pages": pages}, (way, found)
        assert found == json.loads((folder / "undisturbed.json").read_text()), way
        sys.stdout.write(f"{way}: {pages} pages read again once each, {found[0][:16]}\n")
        sys.stdout.flush()


def _timed(what: str, act: Callable[[], object]) -> None:
    began = time.monotonic()
    act()
    sys.stdout.write(f"{what} took {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=list(WAYS))
    parser.add_argument("--keep", type=Path, help="a folder for what is done; the next run with it goes on there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="veille-bulk-") as folder:
        compare(given.keep or Path(folder), given.pages, given.ways)
    sys.stdout.write(f"{given.pages} pages, each read again once, whoever was killed.\n")
    return 0
