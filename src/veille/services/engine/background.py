"""Threads beside a worker, for work that may take minutes or fail: crawls, repairs, deliveries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Protocol, Self

from veille.errors import StoreError

if TYPE_CHECKING:
    from veille.core.records import Delivery
    from veille.ports import Dossiers
    from veille.services.archives.bodies import BodyService
    from veille.services.crawler.crawl_admin import CrawlerService
    from veille.services.engine.mending import Mender
    from veille.services.meaning.duty import VectorKeeper
    from veille.services.offers.routing import RouterService
    from veille.services.watching.watch import Worker

#: Maximum number of sources that wait for a repair; others are found when they fail again, or by the sweep.
MOST_DOUBTFUL = 1000
#: How long a stopping worker waits for a probe of a slow host; after that only the probe is lost.
GRACE_S = 5.0
#: Time limit for one delivery to a sink with a long backlog; the rest is delivered next time.
HAND_OVER_S = 5.0

Say = Callable[[str], None]


class Program(Protocol):
    """What the engine needs of the program; `App` implements it."""

    @property
    def beat(self) -> Callable[[], None]: ...
    @property
    def dossiers(self) -> Dossiers: ...
    @property
    def crawler(self) -> CrawlerService: ...
    @property
    def mending(self) -> Mender: ...
    @property
    def vectors(self) -> VectorKeeper: ...
    @property
    def bodies(self) -> BodyService: ...
    @property
    def router(self) -> RouterService: ...
    def worker(self) -> Worker: ...
    def alerts_due(self) -> list[str]: ...
    def analyse_new(self, dossier_ids: Iterable[str], stop: Callable[[], bool]) -> None: ...
    @property
    def sinks(self) -> Collection[str]: ...
    def deliver(
        self, dossier_ids: Iterable[str], *, limit_s: float | None = ..., stop: Callable[[], bool] = ...
    ) -> list[Delivery]: ...


class Aside:
    """Work in a thread, one run at a time; its failure does not stop the worker."""

    def __init__(
        self, name: str, work: Callable[[], object], stop: threading.Event, say: Say, grace_s: float | None = None
    ) -> None:
        self._name = name
        self._work = work
        self._stop = stop
        self._say = say
        self._grace_s = grace_s
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def begin(self) -> None:
        """Start the work, unless it is running."""
        if self._thread is None or not self._thread.is_alive():
            # A daemon: the process does not wait for it at exit; `finish` does.
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def finish(self, limit_s: float | None = None) -> None:
        """Wait until the work is done, or the time limit is over."""
        if self._thread is not None:
            self._thread.join(limit_s)

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        self.finish(self._grace_s)

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - the worker continues, and the next run tries again
            # While the worker stops, the store may be closed already; that is no failure to report.
            if not self._stop.is_set():
                self._say(f"The {self._name} failed: {error}")


class Mending(Aside):
    """Examines failing sources, and sweeps when it is due; slow hosts delay only this thread."""

    def __init__(self, mender: Mender, stop: threading.Event, say: Say, *, sweeps: bool) -> None:
        super().__init__("repairs", self._mend, stop, say, GRACE_S)
        self._mender = mender
        self._sweeps = sweeps
        self._lock = threading.Lock()
        self._doubtful: set[tuple[str, str]] = set()

    def take(self, doubtful: set[tuple[str, str]]) -> None:
        """Examine these sources; clears the set."""
        if not doubtful:
            return
        with self._lock:
            self._doubtful |= set(list(doubtful)[: MOST_DOUBTFUL - len(self._doubtful)])
        doubtful.clear()
        self.begin()

    def go_on(self) -> None:
        """Start if there is something to do."""
        if self._doubtful or (self._sweeps and (self._mender.is_sweep_due() or self._mender.is_purge_due())):
            self.begin()

    def finish(self, limit_s: float | None = None) -> None:
        super().finish(limit_s)
        if limit_s is None and self._doubtful and not self._stop.is_set():
            # Sources were added while the thread was ending.
            self.begin()
            super().finish()

    def _mend(self) -> None:
        with self._lock:
            doubtful, self._doubtful = self._doubtful, set()
        self._mender.look_into(doubtful, self._stop.is_set)
        if self._sweeps and not self._stop.is_set():
            self._mender.sweep_if_due()
            self._mender.purge_if_due(self._stop.is_set)


class Analysing(Aside):
    """Says what new documents are about, where that is wanted; a slow model delays only this thread."""

    def __init__(self, program: Program, stop: threading.Event, say: Say) -> None:
        super().__init__("analyses", self._analyse, stop, say, GRACE_S)
        self._program = program
        self._lock = threading.Lock()
        self._wanted: set[str] = set()

    def take(self, dossier_ids: Iterable[str]) -> None:
        """Analyse the new documents of these dossiers."""
        with self._lock:
            self._wanted |= set(dossier_ids)
            has_some = bool(self._wanted)
        if has_some:
            self.begin()

    def finish(self, limit_s: float | None = None) -> None:
        super().finish(limit_s)
        if limit_s is None and self._wanted and not self._stop.is_set():
            # Dossiers were added while the thread was ending.
            self.begin()
            super().finish()

    def _analyse(self) -> None:
        with self._lock:
            wanted, self._wanted = self._wanted, set()
        self._program.analyse_new(sorted(wanted), self._stop.is_set)


class Deliveries:
    """Delivers changes in a thread: a sink that is slow or hangs does not delay the checks."""

    def __init__(self, program: Program, thread: Executor, stop: Callable[[], bool], *, in_full: bool) -> None:
        self._program = program
        self._thread = thread
        self._stop = stop
        #: Whether everything is delivered without a time limit, and every delivery is reported at the end.
        self._in_full = in_full
        self._wanted: set[str] = set()
        #: Those that are being delivered.
        self._handed: set[str] = set()
        self._done: list[Delivery] = []
        self._running: Future[list[Delivery]] | None = None

    def hand_over(self, dossier_ids: Iterable[str]) -> None:
        """Start to deliver the changes of these dossiers and the pending ones; if a delivery runs, only queue them."""
        self._wanted.update(dossier_ids)
        if self._running is not None and not self._running.done():
            return
        self._collect()
        # Skip dossiers that were deleted meanwhile.
        known = {dossier.id for dossier in self._program.dossiers.all()}
        waiting = {delivery.dossier_id for delivery in self._waiting()}
        ids = sorted((self._wanted | waiting | set(self._program.alerts_due())) & known)
        self._handed, self._wanted = set(ids), set()
        limit_s = None if self._in_full else HAND_OVER_S
        self._running = self._thread.submit(self._program.deliver, ids, limit_s=limit_s, stop=self._stop)

    def finish(self) -> list[Delivery]:
        """Deliver the rest, and return the deliveries."""
        self._collect()
        self.hand_over(())
        self._collect()
        return self._done

    def _collect(self) -> None:
        """Wait for the running delivery and keep its results; unless `in_full`, only those with changes left."""
        running, self._running = self._running, None
        if running is not None:
            try:
                self._done += running.result()
            except StoreError:
                # They are next when the store answers again.
                self._wanted |= self._handed
                raise
        if not self._in_full:
            self._done = self._waiting()

    def _waiting(self) -> list[Delivery]:
        latest = {(delivery.dossier_id, delivery.sink): delivery for delivery in self._done}
        # Channels are not among them: what they have to tell is due at times of its own (`alerts_due`).
        return [one for one in latest.values() if one.pending and one.sink in self._program.sinks]
