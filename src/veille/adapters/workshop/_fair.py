"""Scheduling of jobs: groups share the time of the children, so that a group with slow jobs delays only itself."""

from __future__ import annotations

from collections import Counter, deque
from typing import Generic, TypeVar

Job = TypeVar("Job")


class FairQueue(Generic[Job]):
    """Jobs of several groups. The next is of the group with the fewest in progress and the least recent time used.

    This is start-time fair queueing: an idle group saves nothing up, and one that used much time waits
    until the others have used as much.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Job]] = {}
        self._running: Counter[str] = Counter()
        #: The time used by each group, counted from the level of the others when it arrived.
        self._used: dict[str, float] = {}
        self._now = 0.0

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, group: str, job: Job) -> None:
        if group not in self._waiting:
            self._waiting[group] = deque()
            self._used[group] = max(self._used.get(group, 0.0), self._now)
        self._waiting[group].append(job)

    def take(self) -> tuple[str, Job]:
        """The next job, with its group; to be followed by `done`."""
        group = min(self._waiting, key=lambda one: (self._running[one], self._used[one]))
        self._now = max(self._now, self._used[group])
        self._running[group] += 1
        job = self._waiting[group].popleft()
        if not self._waiting[group]:
            del self._waiting[group]
        return group, job

    def done(self, group: str, seconds: float) -> None:
        """Record that a job of this group took this long."""
        self._used[group] = self._used.get(group, self._now) + seconds
        self._running[group] -= 1
        if not self._running[group]:
            del self._running[group]
        idle = [one for one, used in self._used.items() if used <= self._now and not self._is_here(one)]
        for one in idle:
            del self._used[one]

    def remove(self, jobs: set[Job]) -> None:
        """Remove those of these jobs that have not begun."""
        for group in list(self._waiting):
            left = deque(job for job in self._waiting[group] if job not in jobs)
            if left:
                self._waiting[group] = left
            else:
                del self._waiting[group]

    def _is_here(self, group: str) -> bool:
        return group in self._waiting or group in self._running
