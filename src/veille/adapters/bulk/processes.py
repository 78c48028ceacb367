"""Tasks in processes of this machine: one process for each task, some at a time."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from tempfile import TemporaryFile
from typing import Final

from veille.errors import StoreError, VeilleError
from veille.ports.outside import BulkTask, TaskOutcome

#: How often a task is tried whose process dies.
TRIES: Final = 5
_WAIT_S: Final = 0.25


class BulkProcesses:
    """The port `Bulk`. Each process runs `command`: it gets a task as JSON, and prints its outcome.

    Its standard input stays open as long as this process lives, so that it can end when this one is gone.
    """

    def __init__(self, command: Sequence[str], processes: int) -> None:
        self._command = list(command)
        self._processes = processes

    def run(self, tasks: Iterable[BulkTask], stop: Callable[[], bool]) -> Iterator[object]:
        waiting = iter(tasks)
        running: set[subprocess.Popen[str]] = set()
        ended = threading.Event()
        with ThreadPoolExecutor(self._processes) as pool:
            under_way: set[Future[object]] = set()
            try:
                while not stop():
                    free = self._processes - len(under_way)
                    under_way |= {pool.submit(self._try, task, running, ended) for task in islice(waiting, free)}
                    if not under_way:
                        return
                    done, under_way = wait(under_way, _WAIT_S, FIRST_COMPLETED)
                    yield from (one.result() for one in done)
            finally:
                # What they did not commit yet is done by the next run.
                ended.set()
                for process in list(running):
                    process.kill()
                for one in under_way:
                    one.cancel()

    def _try(self, task: BulkTask, running: set[subprocess.Popen[str]], ended: threading.Event) -> object:
        """What a task returns; it is tried again if its process is killed, unless by us."""
        said = ""
        for _ in range(TRIES):
            try:
                return in_process(self._command, task, running, ended)
            except DeadTaskError as error:
                if ended.is_set():
                    raise
                said = str(error)
        raise failed(said)


class DeadTaskError(Exception):
    """The process of a task ended before the task did, or the task failed for a reason that may pass."""


def failed(said: str) -> StoreError:
    """The error for a task that nothing helps."""
    return StoreError(
        f"A task failed {TRIES} times ({said}); what is done stays done. Look into it with --processes 1.",
        code="bulk_task",
    )


def in_process(
    command: Sequence[str], task: BulkTask, running: set[subprocess.Popen[str]], ended: threading.Event
) -> object:
    """What a task returns that is run once, in a process of its own, which is in `running` meanwhile.

    Whoever kills those sets `ended` before. DeadTaskError if it may be run again, VeilleError if that helps nothing.
    """
    # To a file, not a pipe: processes that it started itself may hold a pipe open when it is dead.
    with (
        TemporaryFile("w+") as out,
        subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, text=True
        ) as process,
    ):
        running.add(process)
        try:
            if ended.is_set():
                process.kill()
            _hand(process, task)
            process.wait()
        finally:
            running.discard(process)
        out.seek(0)
        found = out.read()
    if process.returncode:
        raise DeadTaskError(f"its process ended with status {process.returncode}")
    outcome = TaskOutcome(**json.loads(found))
    if outcome.is_passing:
        raise DeadTaskError(outcome.error)
    if outcome.error:
        raise VeilleError(outcome.error, code=outcome.code)
    return outcome.found


def _hand(process: subprocess.Popen[str], task: BulkTask) -> None:
    """Give a task to a process; one that is dead already takes none."""
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        process.stdin.write(json.dumps(asdict(task)) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        # What it did not take is tried again, in vain, when the pipe is closed.
        with suppress(BrokenPipeError):
            process.stdin.close()
