"""Answers are read in child processes with limits. Nothing that a site sent is parsed in this process."""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from veille.core.change.reading import Findings, reading_of, unread
from veille.core.models import Lease, Reading
from veille.core.traffic import Failure, Payload

if TYPE_CHECKING:
    from veille.adapters.workshop._pool import Job, Pool
    from veille.core.tasks import Task
    from veille.settings import WorkshopSettings

Result = TypeVar("Result")

#: With more jobs in progress than this, readings are gathered, as they are committed together: for so long at a time,
#: so many times, until there are enough.
_BUSY: Final = 8
_GATHER_S, _GATHERS, _BATCH = 0.1, 4, 24


class SandboxWorkshop:
    """One user of the children of this process: closing it drops its own jobs, and the children stay for the next."""

    def __init__(self, settings: WorkshopSettings) -> None:
        self._settings = settings
        self._name = f"workshop {id(self)}"
        self._jobs: dict[str, Job] = {}
        self._finished: SimpleQueue[tuple[str, Reading]] = SimpleQueue()

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        known = unread(lease, answer)
        if known is not None:
            return known
        assert isinstance(answer, Payload)  # noqa: S101 - a failure is never read
        task, body = _task(lease, answer)
        found = self.run(task, body, group=lease.dossier_id)
        return reading_of(lease, answer, found)

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        known = unread(lease, answer)
        if known is not None:
            return known
        assert isinstance(answer, Payload)  # noqa: S101 - a failure is never read

        def done(found: Findings | Failure) -> None:
            self._finished.put((key, reading_of(lease, answer, found)))

        self._jobs[key] = self._put(lease.dossier_id, *_task(lease, answer), done)
        return None

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        found = self._first(timeout) if timeout and self._jobs else []
        for _ in range(_GATHERS if found else 0):
            found += self._done()
            if len(self._jobs) <= _BUSY or len(found) >= _BATCH:
                break
            time.sleep(_GATHER_S)
        return found + self._done()

    def _first(self, timeout: float) -> list[tuple[str, Reading]]:
        """The next finished reading, as soon as there is one; none if it takes longer."""
        try:
            key, reading = self._finished.get(timeout=timeout)
        except Empty:
            return []
        # Another one was in progress when this workshop was closed.
        return [(key, reading)] if self._jobs.pop(key, None) is not None else self._first(timeout)

    def _done(self) -> list[tuple[str, Reading]]:
        """All other finished readings."""
        found = []
        while self._jobs:
            try:
                key, reading = self._finished.get_nowait()
            except Empty:
                break
            if self._jobs.pop(key, None) is not None:
                found.append((key, reading))
        return found

    @property
    def load(self) -> int:
        return len(self._jobs)

    def run(self, task: Task[Result], body: bytes = b"", *, group: str = "") -> Result | Failure:
        mine: SimpleQueue[Result | Failure] = SimpleQueue()
        self._put(group, task, body, mine.put)
        return mine.get()

    def prepare(self) -> None:
        self._pool.prepare()

    def close(self) -> None:
        if self._jobs:
            jobs = set(self._jobs.values())
            self._pool.drop(jobs)
            self._slow_pool.drop(jobs)
            self._jobs.clear()

    @property
    def _pool(self) -> Pool:
        from veille.adapters.workshop._pool import pool_of  # noqa: PLC0415 - slow to import, as it loads all readers

        return pool_of(self._settings)

    @property
    def _slow_pool(self) -> Pool:
        """For tasks that may take minutes, with limits of their own: they delay each other, and nothing else."""
        from veille.adapters.workshop._pool import pool_of  # noqa: PLC0415 - likewise

        return pool_of(self._settings.for_long_tasks())

    @property
    def _foreign_pool(self) -> Pool:
        """For code of others: its child has loaded more than those that read."""
        from veille.adapters.workshop._pool import pool_of  # noqa: PLC0415 - likewise

        return pool_of(self._settings.for_foreign_code())

    def _put(self, group: str, task: Task[Any], body: bytes, done: Any) -> Job:
        from veille.adapters.workshop._pool import Job  # noqa: PLC0415 - likewise

        # Jobs without a dossier share the time as one group per workshop: in a service, that is one request.
        job = Job(group or self._name, task, body, done)
        pool = self._foreign_pool if task.is_foreign else self._slow_pool if task.is_long(body) else self._pool
        pool.put(job)
        return job


def _task(lease: Lease, payload: Payload) -> tuple[Task[Findings], bytes]:
    from veille.core.tasks.reading import ReadAnswer  # noqa: PLC0415 - likewise

    return ReadAnswer.of(lease.source, lease.request, payload)
