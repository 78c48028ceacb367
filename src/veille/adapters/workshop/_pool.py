"""The children of this process: shared by everything in it that reads, started when needed, ended when idle."""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from veille.adapters.workshop._child import Child
from veille.adapters.workshop._fair import FairQueue
from veille.adapters.workshop._starter import Starter
from veille.core.outcomes import failure

if TYPE_CHECKING:
    from veille.core.tasks import Task
    from veille.settings import WorkshopSettings

_log = logging.getLogger("veille.workshop")

#: A child ends after this long without a job; another starts in 12 ms.
IDLE_S: Final = 5.0
#: The nursery, from which children are forked, stays longer: it takes half a second to start.
NURSERY_IDLE_S: Final = 60.0
#: After so many bytes of bodies, free memory is returned to the system: about a sixth of what the process has by then.
TRIM_EVERY: Final = 32 << 20
#: How long the exit of this process waits for its children, which are killed.
_END_S: Final = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A task with its bytes, and the callback for its result or failure."""

    group: str
    task: Task[Any]
    body: bytes
    done: Callable[[Any], None]


class Pool:
    """One thread per child gives it one job at a time. Everything starts with the first job, without blocking."""

    def __init__(self, settings: WorkshopSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._queue: FairQueue[Job] = FairQueue()
        self._starter = Starter()
        self._idle = 0
        self._bytes = 0
        self._is_over = False
        self.children: dict[threading.Thread, Child] = {}

    def put(self, job: Job) -> None:
        with self._changed:
            self._queue.put(job.group, job)
            if self._idle < len(self._queue):
                self._hire()
            self._changed.notify()

    def prepare(self) -> None:
        """Start a child before the first job arrives."""
        with self._changed:
            if not self.children:
                self._hire()

    def drop(self, jobs: set[Job]) -> None:
        """Remove those of these jobs that have not begun; the others finish in their time."""
        with self._changed:
            self._queue.remove(jobs)

    def close(self) -> None:
        """Kill all children in any state."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
            children = dict(self.children)
        for child in children.values():
            child.interrupt()
        for thread in children:
            thread.join(_END_S)
        self._starter.close()

    def _hire(self) -> None:
        if len(self.children) < self._settings.children and not self._is_over:
            child = Child(self._settings, self._starter)
            thread = threading.Thread(target=self._work, args=(child,), name="veille-workshop", daemon=True)
            self.children[thread] = child
            thread.start()

    def _work(self, child: Child) -> None:
        child.prepare()
        while (taken := self._take(child)) is not None:
            group, job = taken
            began = time.monotonic()
            job.done(_answer(child, job))
            if self._queue:
                # The time of a restart is charged to the group that brought the child down.
                child.prepare()
            with self._changed:
                self._queue.done(group, time.monotonic() - began)
            self._return_memory(len(job.body))
        child.stop()
        with self._changed:
            if not self.children:
                self._starter.close()

    def _return_memory(self, size: int) -> None:
        """Return free memory to the system now and then; the C library keeps free blocks between used ones."""
        self._bytes += size
        if self._bytes > TRIM_EVERY:
            self._bytes = 0
            trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
            if trim is not None:
                trim(0)

    def _take(self, child: Child) -> tuple[str, Job] | None:
        with self._changed:
            self._idle += 1
            if not self._changed.wait_for(lambda: self._queue or self._is_over, IDLE_S):
                child.stop()
                self._changed.wait_for(lambda: self._queue or self._is_over, NURSERY_IDLE_S)
            self._idle -= 1
            if self._is_over or not self._queue:
                del self.children[threading.current_thread()]
                return None
            return self._queue.take()


def _answer(child: Child, job: Job) -> Any:
    try:
        return child.ask(job.task, job.body)
    except Exception:  # noqa: BLE001 - all others wait for this thread
        _log.exception("A task of the kind %s failed beside its child", type(job.task).__name__)
        child.stop()
        return failure("internal")


def pool_of(settings: WorkshopSettings) -> Pool:
    """The pool of this process with these limits."""
    return _pool(settings, os.getpid())


@cache
def _pool(settings: WorkshopSettings, process: int) -> Pool:
    # A forked process has none of its parent's threads.
    del process
    pool = Pool(settings)
    atexit.register(pool.close)
    return pool
