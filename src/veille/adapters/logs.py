"""Logs as files: one JSON object per line, rotated when they grow too large. Several processes may write."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from veille.core.crawler.events import LEVELS, Level, LogEvent

#: Suffix of the lock file beside the log.
_LOCK = ".lock"


class JsonLog:
    """The port `EventLog`, in one file and `keep` older ones."""

    def __init__(
        self, path: Path, *, level: Level, max_bytes: int, keep: int, echo: Callable[[LogEvent], None] | None = None
    ) -> None:
        self._path = path
        self._levels = frozenset(LEVELS[LEVELS.index(level) :])
        self._max_bytes = max_bytes
        self._keep = keep
        self._echo = echo

    def write(self, *given: LogEvent) -> None:
        events = [event for event in given if event.level in self._levels]
        if not events:
            return
        lines = "".join(json.dumps(event.model_dump(mode="json"), ensure_ascii=False) + "\n" for event in events)
        with self._alone():
            self._turn_over(len(lines.encode()))
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "a", encoding="utf-8") as file:
                file.write(lines)
        for event in events:
            if self._echo is not None:
                self._echo(event)

    def read(self) -> Iterator[LogEvent]:
        for path in [*(self._older(n) for n in range(self._keep, 0, -1)), self._path]:
            if path.exists():
                with path.open(encoding="utf-8") as file:
                    yield from (event for line in file if (event := _event(line)) is not None)

    def _turn_over(self, more: int) -> None:
        if not self._path.exists() or self._path.stat().st_size + more <= self._max_bytes:
            return
        for n in range(self._keep, 0, -1):
            younger = self._older(n - 1) if n > 1 else self._path
            if younger.exists():
                younger.replace(self._older(n))
        if not self._keep:
            self._path.unlink()

    def _older(self, n: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{n}")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_name(self._path.name + _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _event(line: str) -> LogEvent | None:
    try:
        return LogEvent.model_validate_json(line)
    except ValidationError:
        # A process was killed, or the disk was full, in the middle of a line.
        return None
