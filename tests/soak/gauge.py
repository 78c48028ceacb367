"""What the processes of the service and its files take, seen from outside, again and again."""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import process_tree

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
MB = 2**20


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()


def born(pid: int) -> int:
    return int(_stat(pid)[19])


def cpu_s(pid: int) -> float:
    """Of a process and those of its children that have ended."""
    return sum(map(int, _stat(pid)[11:15])) / _TICKS


def workers(serve: int) -> list[int]:
    """The worker processes of a service, the eldest first."""
    alive = []
    for pid in process_tree.workers(serve):
        with suppress(OSError):
            if process_tree.is_alive(pid):
                alive.append((born(pid), pid))
    return [pid for _, pid in sorted(alive)]


def web(serve: int) -> int:
    """The process of a service that answers requests."""
    (found,) = [pid for pid in process_tree.children(serve) if ".engine.web " in process_tree.command(pid)]
    return found


@dataclass
class Life:
    """One process over time: seconds, megabytes, open files."""

    samples: list[tuple[float, float, int]] = field(default_factory=list)

    def slopes(self, since: float) -> tuple[float, float]:
        """Megabytes and open files an hour, from a moment on; of too few samples, none."""
        kept = [sample for sample in self.samples if sample[0] >= since]
        if len(kept) < 3:
            return 0.0, 0.0
        hours = [sample[0] / 3600 for sample in kept]
        return (
            statistics.linear_regression(hours, [sample[1] for sample in kept]).slope,
            statistics.linear_regression(hours, [float(sample[2]) for sample in kept]).slope,
        )

    @property
    def length(self) -> float:
        return self.samples[-1][0] - self.samples[0][0] if self.samples else 0.0


class Gauge:
    """Reads the meters whenever it is asked to."""

    def __init__(self, serve: int, sizes: Callable[[], tuple[int, int]]) -> None:
        self._serve = serve
        self._web = web(serve)
        self._sizes = sizes
        self._begun = time.monotonic()
        self.lives: defaultdict[int, Life] = defaultdict(Life)
        self.max_wal = 0
        self.store = 0

    @property
    def now(self) -> float:
        return time.monotonic() - self._begun

    def read(self) -> None:
        for pid in [self._web, *workers(self._serve)]:
            with suppress(OSError):
                resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_MB
                files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
                self.lives[pid].samples.append((self.now, resident, files))
        stored, logged = self._sizes()
        self.max_wal = max(self.max_wal, logged)
        self.store = stored + logged

    def cpu_s(self) -> float:
        """Of all processes of the service there ever were."""
        return sum(map(cpu_s, (self._serve, self._web, *workers(self._serve))))

    def left(self, killed: set[int]) -> list[int]:
        """The workers that ended by themselves."""
        return sorted(self.lives.keys() - killed - {self._web, *workers(self._serve)})

    def max_mb(self, *, of_serve: bool) -> float:
        lives = [life for pid, life in self.lives.items() if (pid == self._web) == of_serve]
        return max((sample[1] for life in lives for sample in life.samples), default=0.0)

    def serve(self) -> Life:
        return self.lives[self._web]

    def longest_worker(self) -> Life:
        return max((life for pid, life in self.lives.items() if pid != self._web), key=lambda life: life.length)
