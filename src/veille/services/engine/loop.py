"""The loop of a worker: check what is due and deliver changes, with crawls and repairs in background threads."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING

from veille.errors import StoreError
from veille.services.engine.background import GRACE_S, Analysing, Aside, Deliveries, Mending, Program, Say

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator

    from veille.core.models import Plan, Scope
    from veille.core.records import Delivery, Run
    from veille.services.watching.watch import Progress

#: How often a busy worker delivers what it found.
DELIVER_EVERY_S = 5.0
#: How long a busy worker drains the queue before its other duties, such as crawls and sweeps.
TURN_S = 600.0
#: How often an idle worker polls the queue.
IDLE_S = 1.0
#: How long a worker waits for space when the disk is full.
FULL_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A worker that runs in a scope until `stop` is set; with `drain`, until nothing is due and no worker is busy."""

    program: Program
    scope: Scope
    stop: threading.Event
    drain: bool
    progress: Progress
    #: Called with messages for the operator.
    say: Say

    def run(self, dossier_ids: Iterable[str]) -> tuple[list[Run], list[Delivery]]:
        """Run the loop. `dossier_ids`: where earlier workers may have left undelivered changes.

        Returns the reports only with `drain`: a worker without an end discards them.
        """
        program, stop, say = self.program, self.stop, self.say
        runs: list[Run] = []
        with (
            Aside("scheduled crawls", self._crawl, stop, say) as crawls,
            Mending(program.mending, stop, say, sweeps=not self.drain) as mending,
            Aside("search by meaning", self._embed, stop, say, GRACE_S) as vectors,
            Aside("move of bodies", self._lay_away, stop, say, GRACE_S) as bodies,
            Aside("router", self._asking(), stop, say, GRACE_S) as router,
            Analysing(program, stop, say) as analysing,
            ThreadPoolExecutor(1, "veille-deliveries") as thread,
        ):
            deliveries = Deliveries(program, thread, stop.is_set, in_full=self.drain)
            with self._unless_passing():
                deliveries.hand_over(dossier_ids)
            analysing.take(dossier_ids)
            while not stop.is_set():
                program.beat()
                crawls.begin()
                if program.router.is_set:
                    router.begin()
                with self._unless_passing():
                    mending.go_on()
                    vectors.begin()
                    if not self.drain and program.bodies.is_due():
                        bodies.begin()
                # That may have waited for the store, as the turn may.
                program.beat()
                runs = self._turn(deliveries, mending, analysing)
                if self.drain:
                    mending.finish()
                    analysing.finish()
                    crawls.finish()
                    vectors.finish()
                    vectors.begin()
                    vectors.finish()
                    break
                stop.wait(IDLE_S)
            return (runs, deliveries.finish()) if self.drain else ([], [])

    @contextmanager
    def _unless_passing(self) -> Iterator[None]:
        """While the store does not answer, no duty is due: the turn that follows says so, and waits."""
        try:
            yield
        except StoreError as error:
            if self.drain or not error.is_passing:
                raise

    def _embed(self) -> None:
        self.program.vectors.keep_up(self.stop.is_set, self.scope.dossiers, at_once=self.drain)

    def _lay_away(self) -> None:
        self.program.bodies.keep_up(self.stop.is_set)

    def _asking(self) -> Callable[[], object]:
        """Asks the router at once, and after that when it is due."""
        turns = chain([self.program.router.ask], repeat(self.program.router.ask_if_due))

        def ask() -> None:
            next(turns)()

        return ask

    def _crawl(self) -> None:
        self.program.crawler.run_due(self.stop.is_set, self.scope.dossiers, self.say)

    def _turn(self, deliveries: Deliveries, mending: Mending, analysing: Analysing) -> list[Run]:
        """Work until nothing is due, and deliver regularly, not only at the end."""
        # Monotonic, as the wall clock may be set back.
        handed_over = time.monotonic()
        end = handed_over + TURN_S

        def committed(plan: Plan) -> None:
            nonlocal handed_over
            self.progress(plan)
            mending.take(worker.doubtful)
            if time.monotonic() - handed_over >= DELIVER_EVERY_S:
                deliveries.hand_over(worker.touched)
                handed_over = time.monotonic()

        def is_over() -> bool:
            return self.stop.is_set() or (not self.drain and time.monotonic() >= end)

        try:
            worker = self.program.worker()
            worker.drain(self.scope, committed, is_over, wait=self.drain)
            deliveries.hand_over(worker.touched)
            analysing.take(worker.touched)
            if not self.drain and self.program.alerts_due():
                deliveries.hand_over(())
            return worker.finish()
        except StoreError as error:
            if self.drain or not (error.is_full or error.is_unreachable or error.is_busy):
                raise
            # Leased requests are fetched again when their leases have expired.
            self.say(f"{error} Work goes on as soon as that is over.")
            self.stop.wait(FULL_S)
            return []
