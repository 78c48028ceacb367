"""Where answers are read: pages in the worker, documents and hostile-looking pages in a child process with limits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from veille.core.models import Lease, Reading
from veille.core.reading import is_unchanged, needs_sandbox, read
from veille.core.traffic import Failure, Payload

if TYPE_CHECKING:
    from veille.adapters.workshop._child import Child
    from veille.adapters.workshop._wire import Answer
    from veille.settings import WorkshopSettings


@dataclass(frozen=True, slots=True)
class _Job:
    lease: Lease
    payload: Payload
    done: Callable[[Reading], None]


class SandboxWorkshop:
    """A thread per child hands it one job at a time; threads and children start with the first job."""

    def __init__(self, settings: WorkshopSettings) -> None:
        self._settings = settings
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._finished: SimpleQueue[tuple[str, Reading]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: list[Child] = []
        self._load = 0
        self._closing = False

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        if isinstance(answer, Failure) or not self._goes_apart(lease, answer):
            return read(lease, answer)
        mine: SimpleQueue[Reading] = SimpleQueue()
        self._put(_Job(lease, answer, mine.put))
        return mine.get()

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        if isinstance(answer, Failure) or not self._goes_apart(lease, answer):
            return read(lease, answer)
        self._load += 1
        self._put(_Job(lease, answer, lambda reading: self._finished.put((key, reading))))
        return None

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        found: list[tuple[str, Reading]] = []
        wait = timeout
        while self._load:
            try:
                found.append(self._finished.get(timeout=wait) if wait else self._finished.get_nowait())
            except Empty:
                break
            self._load -= 1
            wait = 0
        return found

    @property
    def load(self) -> int:
        return self._load

    def close(self) -> None:
        self._closing = True
        for _ in self._threads:
            self._jobs.put(None)
        for child in self._children:
            child.interrupt()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._children.clear()

    @staticmethod
    def _goes_apart(lease: Lease, payload: Payload) -> bool:
        return not is_unchanged(lease, payload) and needs_sandbox(lease.source, payload)

    def _put(self, job: _Job) -> None:
        from veille.adapters.workshop._child import Child  # noqa: PLC0415 - slow to import, and few answers need one

        self._jobs.put(job)
        if len(self._threads) < self._settings.children:
            child = Child(self._settings)
            thread = threading.Thread(target=self._work, args=(child,), name="veille-workshop", daemon=True)
            self._children.append(child)
            self._threads.append(thread)
            thread.start()

    def _work(self, child: Child) -> None:
        while (job := self._jobs.get()) is not None and not self._closing:
            job.done(_reading(job, child.ask(job.lease, job.payload)))
        child.stop()


def _reading(job: _Job, answer: Answer) -> Reading:
    if answer.failure is not None:
        failure = replace(answer.failure, status=job.payload.status, duration_ms=job.payload.duration_ms)
        return Reading(lease=job.lease, failure=failure)
    return Reading(
        lease=job.lease,
        payload=job.payload,
        documents=answer.documents,
        requests=answer.requests,
        listing=answer.listing,
        notices=answer.notices,
        budget=answer.budget,
        found=answer.found,
        rhythm=answer.rhythm,
    )
