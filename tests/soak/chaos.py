"""What befalls the service: workers killed and frozen, a full disk, a consumer that is away, a clock that jumps."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from postgres_server import PostgresServer
from soak.books import Books
from soak.gauge import Gauge, workers
from soak.machine import Machine
from soak.web import Web

#: From when to when, in seconds.
Span = tuple[float, float]


#: How often a kill waits a little for its worker to hold something.
PATIENCE = 12


@dataclass(frozen=True)
class Plan:
    """What happens when, in seconds from the beginning."""

    kills: tuple[float, ...]
    freezes: tuple[Span, ...]
    full: Span
    #: When the consumer begins to hang, is gone altogether, and is back.
    hung: float
    gone: float
    back: float
    jump: float
    #: When the database is restarted and when it is killed, if there is one.
    restarts: tuple[float, ...] = ()
    crashes: tuple[float, ...] = ()


@dataclass
class Death:
    """A worker that was killed, and what it held then."""

    at: int
    held: dict[tuple[str, str], int]
    waiting: dict[tuple[str, str], int]
    #: Milliseconds until each of these was somebody else's.
    after: list[int] = field(default_factory=list)


class Chaos:
    """Does what is due, whenever it is asked to; it never waits."""

    def __init__(self, plan: Plan, serve: int, machine: Machine, web: Web, books: Books, gauge: Gauge) -> None:
        self._serve = serve
        self._machine = machine
        self._web = web
        self._books = books
        self._gauge = gauge
        self._frozen: int | None = None
        self._waited = 0
        self.deaths: list[Death] = []
        self.killed: set[int] = set()
        self.freezes = 0
        #: How often the database was restarted or killed.
        self.strikes = 0
        #: The last change of each dossier when the consumer came back, and when that was.
        self._owed: dict[str, int] = {}
        self._back_at = 0.0
        self.backlog = 0
        self.drained_s: float | None = None
        events: list[tuple[float, Callable[[], None]]] = [(at, self._kill) for at in plan.kills]
        for begin, end in plan.freezes:
            events += [(begin, self._freeze), (end, self._thaw)]
        events += [
            (plan.full[0], lambda: machine.fill_disk(full=True)),
            (plan.full[1], lambda: machine.fill_disk(full=False)),
        ]
        events += [(plan.hung, lambda: web.set_consumer("hung")), (plan.gone, lambda: web.set_consumer("gone"))]
        events += [(plan.back, self._return)]
        events += [(plan.jump, machine.jump)]
        self._plan = plan
        self._events = sorted(events, key=lambda event: event[0])

    def befall(self, server: PostgresServer) -> None:
        """The database is restarted and killed, too."""
        self._events += [(at, partial(self._strike, server, "fast")) for at in self._plan.restarts]
        self._events += [(at, partial(self._strike, server, "immediate")) for at in self._plan.crashes]
        self._events.sort(key=lambda event: event[0])

    @property
    def is_over(self) -> bool:
        return not self._events

    def step(self) -> None:
        while self._events and self._events[0][0] <= self._gauge.now:
            self._events.pop(0)[1]()
        self._watch_takeovers()
        self._watch_backlog()

    def _kill(self) -> None:
        """The younger: so the other's memory can be watched over time."""
        found = [pid for pid in workers(self._serve) if pid != self._frozen]
        if not found:
            # The one that was killed before is not replaced yet: one more kill when there is somebody again.
            self._events.insert(0, (self._gauge.now + 1, self._kill))
            return
        if not self._books.held_by(found[-1]) and self._waited < PATIENCE:
            # In the middle of something, if that can be had: to kill somebody who does nothing proves little.
            self._waited += 1
            self._events.insert(0, (self._gauge.now + 0.1, self._kill))
            return
        self._waited = 0
        self.killed.add(found[-1])
        os.kill(found[-1], signal.SIGKILL)
        held = self._books.held_by(found[-1])
        self.deaths.append(Death(self._machine.steady(self._machine.now()), held, dict(held)))

    def _freeze(self) -> None:
        found = workers(self._serve)
        if found:
            self._frozen = found[0]
            self.freezes += 1
            os.kill(found[0], signal.SIGSTOP)

    def _thaw(self) -> None:
        if self._frozen is not None:
            try:
                os.kill(self._frozen, signal.SIGCONT)
            except ProcessLookupError:
                # It was silent for so long that the service replaced it.
                self.killed.add(self._frozen)
        self._frozen = None

    def _strike(self, server: PostgresServer, mode: str) -> None:
        server.stop(mode)
        server.start()
        self.strikes += 1

    def _return(self) -> None:
        backlog = self._books.backlog()
        self._owed = {name: last for name, (last, done) in backlog.items() if done < last}
        self.backlog = sum(last - done for last, done in backlog.values())
        self._web.set_consumer("there")
        self._back_at = time.monotonic()

    def _watch_takeovers(self) -> None:
        for death in self.deaths:
            for key, at in self._books.taken_over(death.waiting).items():
                del death.waiting[key]
                death.after.append(max(0, self._machine.steady(at) - death.at))

    def _watch_backlog(self) -> None:
        if self._owed and self.drained_s is None:
            now = self._books.backlog()
            if all(now[name][1] >= last for name, last in self._owed.items()):
                self.drained_s = time.monotonic() - self._back_at
