"""Tasks on a Ray cluster: Ray says where each runs, and runs it again if its node is gone."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from itertools import islice
from typing import Any, Final

from veille.adapters.bulk.processes import TRIES, DeadTaskError, failed, in_process
from veille.errors import ConfigError, StoreError, VeilleError
from veille.ports.outside import BulkTask

#: Starts a cluster of one node for this command.
LOCAL: Final = "local"
_WAIT_S: Final = 0.25
_PATIENCE_S: Final = 10.0
#: So many tasks for each core: one that runs, and one that waits for it.
_EACH: Final = 2


class BulkRay:
    """The port `Bulk`. A task runs as `command`, in a process of its own, on a node with veille and its settings."""

    def __init__(self, command: Sequence[str], address: str) -> None:
        self._command = tuple(command)
        self._address = address

    def run(self, tasks: Iterable[BulkTask], stop: Callable[[], bool]) -> Iterator[object]:
        # Ray tells of dead nodes on standard output, where our results go.
        with redirect_stdout(sys.stderr):
            yield from self._run(tasks, stop)

    def _run(self, tasks: Iterable[BulkTask], stop: Callable[[], bool]) -> Iterator[object]:
        if self._address == LOCAL:
            # Its nodes listen on loopback alone, if this is said before Ray is loaded; the name is Ray's.
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        ray = _ray()
        _connect(ray, self._address)
        # Tasks whose node or worker dies are run again by Ray, and those whose own process dies, too.
        remote = ray.remote(num_cpus=1, max_retries=TRIES, retry_exceptions=[DeadTaskError])(_task)
        waiting, under_way = iter(tasks), set[Any]()
        try:
            while not stop():
                cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
                free = max(0, _EACH * cores - len(under_way))
                under_way |= {remote.remote(self._command, task) for task in islice(waiting, free)}
                if not under_way:
                    return
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=_WAIT_S)
                under_way -= set(done)
                for one in done:
                    yield ray.get(one)
        except ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, VeilleError) else failed(str(error.cause))) from error
        except (ray.exceptions.RayError, ConnectionError) as error:
            said = " ".join(str(error).split())[:200]
            raise StoreError(
                f"The Ray cluster is gone ({said}). What is done stays done: run it again for the rest.",
                code="bulk_cluster",
            ) from error
        finally:
            # Ends the tasks of this program, too; what they did not commit yet is done by the next run.
            ray.shutdown()


def _task(command: Sequence[str], task: BulkTask) -> object:
    """On a node."""
    return in_process(command, task, set(), threading.Event())


def _ray() -> Any:
    # Nothing is told to others about who runs this.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # A task is a process of ours, which needs no graphics cards.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray  # noqa: PLC0415 - an extra, and slow to import
        import ray.exceptions  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError("Work on Ray needs an extra: pip install 'veille[ray]'.", code="needs_extra") from error
    return ray


def _connect(ray: Any, address: str) -> None:
    given = {"include_dashboard": False} if address == LOCAL else {"address": address}
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if port.isdecimal():
            # Ray itself would try for two minutes.
            socket.create_connection((host, int(port)), _PATIENCE_S).close()
        ray.init(log_to_driver=False, configure_logging=False, **given)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise StoreError(
            f"The Ray cluster at {address!r} does not answer ({said}): give the address of its head (host:6379), "
            f"`auto` for the one on this machine, or `{LOCAL}` to start one here.",
            code="bulk_cluster",
        ) from error
