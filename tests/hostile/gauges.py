"""What is measured of a service under attack: its memory, and how its other tenant fares."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from process_tree import command, descendants
from service import Client, Service
from soak.gauge import MB
from world import Site

_SAMPLE_S = 0.5
_POLL_S = 0.1
_GIVE_UP_S = 120.0


def family(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    return [pid, *descendants(pid)]


def pss_mb(pid: int) -> float:
    """The memory of a process, with its share of what others use too."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / MB
    return 0.0


def role_of(pid: int) -> str:
    """What a process of a service does."""
    line = command(pid)
    roles = {"workshop": "reader", " work ": "worker", ".engine.web": "web", "supervisor": "service"}
    return next((role for part, role in roles.items() if part in line), line[:40])


class Background:
    """Something that goes on in a thread while the context lasts; again and again."""

    def _run(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()


class Memory(Background):
    """The most that the processes of a service took together."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.peak_mb = 0.0
        #: What each process had then.
        self.shares = ""

    def _run(self) -> None:
        assert self._service.process is not None
        while not self._over.wait(_SAMPLE_S):
            found = [(pss_mb(pid), role_of(pid)) for pid in family(self._service.process.pid)]
            total = sum(size for size, _ in found)
            if total > self.peak_mb:
                self.peak_mb = total
                self.shares = ", ".join(f"{role} {size:.0f}" for size, role in sorted(found, reverse=True))


class Neighbour(Background):
    """The other tenant: their page changes, is due, and is awaited through the API, again and again."""

    def __init__(self, service: Service, site: Site, email: str) -> None:
        self._service = service
        self._site = site
        self.client: Client = service.robot(email)
        self.dossier_id = str(self.client.post("/api/dossiers", {"name": "the neighbour's"}, 201)["id"])
        self._edition = 0
        self._edit()
        given = {"name": "page", "url": f"{site.url}/page", "config_json": '{"look_twice": false}'}
        self.source_id = str(self.client.post(f"{self._here}/sources", given, 201)["id"])
        #: How long each check took from when it was due, in seconds.
        self.waits: list[float] = []
        self.problem = ""

    @property
    def _here(self) -> str:
        return f"/api/dossiers/{self.dossier_id}"

    @property
    def worst_s(self) -> float:
        return max(self.waits, default=0.0)

    def _edit(self) -> None:
        self._edition += 1
        self._site.article("/page", "Harbour", f"The ferry leaves at {self._edition}. " * 12)

    def _run(self) -> None:
        while not self._over.is_set():
            self._edit()
            with self._service.program() as app:
                due_at = app.clock()
                app.queue.arm(self.dossier_id, due_at, [self.source_id])
            self.waits.append(self._wait(due_at))
            self._over.wait(_POLL_S)

    def _wait(self, due_at: int) -> float:
        began = time.monotonic()
        while (took := time.monotonic() - began) < _GIVE_UP_S:
            with suppress(OSError, TimeoutError):
                (source,) = self.client.get(f"{self._here}/sources")
                if (source.get("last_fetched_at") or 0) >= due_at:
                    break
            if self._over.wait(_POLL_S):
                return time.monotonic() - began
        return took

    def stored(self) -> int:
        """How many editions are kept."""
        (document,) = self.client.get(f"{self._here}/documents")
        return int(document["revision"])


def end_family(pid: int) -> None:
    """Kill a process and all that it started."""
    for one in family(pid):
        with suppress(OSError):
            os.kill(one, signal.SIGKILL)
