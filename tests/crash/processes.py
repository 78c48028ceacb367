"""Start worker processes and say how they ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import veille
from watching import FAST

WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Place:
    """Where the workers work, and how."""

    folder: Path
    lease_s: float = 2.0
    concurrency: int = 4
    host_delay_ms: int = 0
    #: The database that everything is kept in; empty: files in the folder.
    store: str = ""

    def opened(self) -> veille.App:
        """A program there."""
        return veille.open_app(data=self.data, store=self.store or None, lease_s=self.lease_s, fetch=FAST)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def buffer(self) -> Path:
        return self.folder / "buffer"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"


class Process:
    """One worker process with its log."""

    def __init__(self, place: Place, mode: str, *, failpoint: str = "", data: Path | None = None) -> None:
        place.logs.mkdir(parents=True, exist_ok=True)
        number = len(list(place.logs.glob("*.err")))
        self.data = data or place.data
        self.log = place.logs / f"{number:04}.log"
        self._errors = place.logs / f"{number:04}.err"
        options = {
            "data": str(self.data),
            "store": None if data else place.store or None,
            "buffer": str(place.buffer),
            "lease_s": place.lease_s,
            "concurrency": place.concurrency,
            "host_delay_ms": place.host_delay_ms,
            "log": str(self.log),
            "mode": mode,
        }
        with self._errors.open("wb") as errors:
            self.popen = subprocess.Popen(
                [sys.executable, str(WORKER), json.dumps(options)],
                env={**os.environ, "VEILLE_FAILPOINT": failpoint},
                stdout=errors,
                stderr=errors,
            )

    @property
    def ready(self) -> bool:
        """Whether it has opened the data folder."""
        return self.log.exists()

    @property
    def errors(self) -> str:
        return self._errors.read_text()

    def lines(self) -> list[dict[str, Any]]:
        """What it wrote down, without a line it was killed in."""
        return [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def finished(self, timeout: float = 300) -> Process:
        """Itself, when it has ended well."""
        try:
            code = self.popen.wait(timeout)
        finally:
            self.end()
        assert code == 0, f"The worker ended with {code}:\n{self.errors}"
        return self

    def end(self) -> None:
        """Kill it, should it still be there, running or stopped."""
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
