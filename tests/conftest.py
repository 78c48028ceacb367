from __future__ import annotations

import errno
import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from ipaddress import ip_address
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any

import hypothesis
import pytest

import veille
from vectors import ChromaServer
from veille.adapters.workshop import _starter
from veille.adapters.workshop._starter import PROGRAM, nursery_ends, nursery_environment, use_nursery
from watching import FAST
from world import Site

# No deadlines: a machine that is busy with something else is no bug.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "40"))
hypothesis.settings.register_profile("veille", deadline=None, max_examples=EXAMPLES)
hypothesis.settings.load_profile("veille")

# Thousands of tests and all that they import are loaded by every worker, and nothing of it is garbage.
gc.disable()

# Thousands of small databases are made, written and thrown away: on a disk, most of a test's time is waiting for
# `fsync`. What is written, and in which order, is the same in memory. It is left alone where it is small (64 MB in many
# containers) or no place for programs.
_MEMORY = "/dev/shm"  # noqa: S108 - the files are made in folders of their own
if (
    os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free > 4 * 2**30
    and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", _MEMORY)
    os.environ.setdefault("TMPDIR", _MEMORY)
# What a command remembers for the next one is not kept with what the user's own commands remember.
os.environ["XDG_STATE_HOME"] = mkdtemp(prefix="veille-state-")
# Tests start hundreds of short processes; each would compile the program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _stay_on_loopback(event: str, arguments: tuple[Any, ...]) -> None:
    """No test reaches anything but this machine, whatever address it hands to the program."""
    if event != "socket.connect" or not isinstance(arguments[1], tuple):
        return
    if not ip_address(str(arguments[1][0]).partition("%")[0]).is_loopback:
        raise OSError(errno.ENETUNREACH, "tests stay on loopback")


sys.addaudithook(_stay_on_loopback)

#: Tests with such a time limit are long: whole campaigns, services in processes of their own.
_LONG_S = 90


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first, so that none is left when all others are done.

    Half of the workers begin with them: campaigns wait as much as they work, but some of what they measure suffers when
    all run at once. xdist gives every worker an equal part of the list, in order.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = sorted((item for item in items if _limit_s(item) >= _LONG_S), key=_limit_s, reverse=True)
    short = [item for item in items if _limit_s(item) < _LONG_S]
    busy = max(1, workers // 2)
    size = len(items) // workers
    items.clear()
    for worker in range(busy):
        first = long[worker::busy]
        filled = max(0, size - len(first))
        items += first + short[:filled]
        del short[:filled]
    items += short


def pytest_collection_finish() -> None:
    """What was collected stays: a look for garbage, of which tests cause hundreds, need not go through it."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test marked `alone` has the machine to itself: the other workers finish what they are at, and wait.

    Outside of the time limits of tests, which begin after this.
    """
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if session is None:
        return (yield)
    place = Path(gettempdir()) / f"veille-tests-{session}"
    with place.with_suffix(".next").open("w") as following, place.with_suffix(".now").open("w") as running:
        # Whoever waits to be alone keeps the others from beginning.
        fcntl.flock(following, fcntl.LOCK_EX)
        fcntl.flock(running, fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH)
        fcntl.flock(following, fcntl.LOCK_UN)
        return (yield)


def pytest_sessionfinish() -> None:
    if servers := sys.modules.get("postgres_server"):
        servers.end_shared()
    if session := os.environ.get("PYTEST_XDIST_TESTRUNUID"):
        for path in Path(gettempdir()).glob(f"veille-tests-{session}.*"):
            path.unlink(missing_ok=True)


def _limit_s(item: pytest.Item) -> float:
    if item.get_closest_marker("alone"):
        # First of all, when nobody else is at work yet.
        return float("inf")
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


@pytest.fixture(scope="session", autouse=True)
def nursery() -> Iterator[None]:
    """Programs opened in this process have one nursery, as those of a service have; each would start its own."""
    orders, end = nursery_ends()
    environment = nursery_environment()
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", PROGRAM, str(end)], pass_fds=(end,), env=environment, cwd="/"
    )
    os.close(end)
    use_nursery(orders)
    yield
    assert _starter._shared is not None
    _starter._shared.close()
    running.kill()
    running.wait()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    with veille.open_app(data=tmp_path / "data", buffer_dir=tmp_path / "buffer", fetch=FAST) as opened:
        yield opened


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    running = ChromaServer(tmp_path_factory.mktemp("chroma") / "data")
    yield running
    running.stop()


@pytest.fixture
def server(chroma_server: ChromaServer) -> ChromaServer:
    """A Chroma server with nothing in it."""
    chroma_server.empty()
    return chroma_server
