"""What a worker has done beside its work, in threads with programs of their own: it may take minutes, or fail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Self

from veille.bootstrap import App
from veille.interfaces.cli._output import talk

#: Sources that wait to be looked into; a further one is noticed again when it fails again, or by the sweep.
MOST_DOUBTFUL = 1000
#: How long the end of a worker waits for a look at a slow host; all that is lost with it is this look.
GRACE_S = 5.0


class _Aside:
    """Something done in a thread, by one at a time; should it fail, nothing else does."""

    def __init__(self, name: str, stop: threading.Event, work: Callable[[], None]) -> None:
        self._name = name
        self._stop = stop
        self._work = work
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def begin(self) -> None:
        """Begin, unless it is being done."""
        if self._thread is None or not self._thread.is_alive():
            # The end of the program does not wait for it; whoever has to, calls `finish`.
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def finish(self, limit_s: float | None = None) -> None:
        """Wait until it is done."""
        if self._thread is not None:
            self._thread.join(limit_s)

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the worker goes on and the next turn tries again
            say(f"The {self._name} failed: {error}")


class Crawls(_Aside):
    """Scheduled crawls: a long one does not hold up other work."""

    def __init__(self, app: App, stop: threading.Event, dossiers: frozenset[str] | None) -> None:
        super().__init__("scheduled crawls", stop, lambda: app.run_scheduled(stop.is_set, dossiers, say))

    def run_due(self) -> None:
        self.begin()

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        self.finish()


class Mending(_Aside):
    """Looks into sources that fail, and sweeps when it is time: slow hosts hold up this alone."""

    def __init__(self, app: App, stop: threading.Event, *, sweeps: bool) -> None:
        super().__init__("looks at failing sources", stop, self._mend)
        self._app = app
        self._sweeps = sweeps
        self._lock = threading.Lock()
        self._doubtful: set[tuple[str, str]] = set()

    def take(self, doubtful: set[tuple[str, str]]) -> None:
        """Look into these, which are taken out of the set."""
        if not doubtful:
            return
        with self._lock:
            self._doubtful |= set(list(doubtful)[: MOST_DOUBTFUL - len(self._doubtful)])
        doubtful.clear()
        self.begin()

    def go_on(self) -> None:
        """Begin if there is something to do."""
        if self._doubtful or (self._sweeps and self._app.is_sweep_due()):
            self.begin()

    def finish(self, limit_s: float | None = None) -> None:
        super().finish(limit_s)
        if limit_s is None and self._doubtful and not self._stop.is_set():
            # They came when it was about to end.
            self.begin()
            super().finish()

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        self.finish(GRACE_S)

    def _mend(self) -> None:
        with self._lock:
            doubtful, self._doubtful = self._doubtful, set()
        with App(self._app.settings, self._app.clock) as app:
            app.look_into(doubtful, self._stop.is_set)
            if self._sweeps and not self._stop.is_set():
                app.sweep_if_due()


def say(text: str) -> None:
    talk().print(text, markup=False)
