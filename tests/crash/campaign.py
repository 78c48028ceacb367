"""Kill workers again and again, at every named instant and at random ones, and see that nothing is lost or doubled."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from crash import sqlite_rows
from crash.checks import breaches, fresh_breaches
from crash.network import Way
from crash.pause import pause
from crash.processes import Place, Process
from crash.reader import Reader
from crash.scene import Scene, Size
from postgres_server import PostgresServer

#: Something that happens to the database, with its name.
Strike = tuple[str, Callable[[], None]]
RANDOM = "random"
#: The fail points that a document passes, in order; and at which passing to kill, at most: late enough to be deep in
#: the work, early enough to get there.
DEPTH = {
    "after_claim": 3,
    "after_fetch": 8,
    "during_commit": 12,
    "before_commit": 4,
    "after_commit": 4,
    "during_file_write": 6,
    "after_file_write": 6,
    "before_outbox_mark": 2,
    "during_migration": 90,
}
#: A third of the kills come at random instants.
FATES = tuple(fate for number, name in enumerate(DEPTH) for fate in ([name, RANDOM] if number % 2 else [name]))
#: Where workers are frozen; without a name, at some instant at which they hold leases.
FREEZES = ("after_claim", "", "after_fetch", "during_file_write", "", "after_file_write", "before_outbox_mark", "")
WORKERS = 2
TICK_S = 0.01
EDIT_EVERY_S = 0.2
EDITS = 5
#: A worker that does not come to its fail point in this time, or in so many times as it took to start, is killed all
#: the same, counted as killed at random, and replaced; before that it may take so long to start, on a busy machine.
PATIENCE_S = 10.0
STARTS = 10
START_S = 60.0
#: How long one leg may last before it counts as hanging.
LEG_S = 300.0
#: Everything is drained and checked after so many kills, and at the end. In each leg the database is restarted, killed
#: and cut off once: in 200 kills at least five times, as the first leg lasts until every fail point had its turn.
LEG = 32


@dataclass
class Report:
    """What was done and what it came to."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    legs: int = 0
    documents: int = 0
    versions: int = 0
    delivered: int = 0
    requests: int = 0
    seconds: float = 0.0
    #: How often a worker was frozen past its lease, and where.
    frozen: Counter[str] = field(default_factory=Counter)
    #: What else happened to the database, and how often.
    struck: Counter[str] = field(default_factory=Counter)
    breaches: list[str] = field(default_factory=list)

    def text(self) -> str:
        names = sorted(self.kills | self.frozen)
        width = max(map(len, names), default=0)
        table = "\n".join(f"  {name:<{width}}  {self.kills[name]:>6}  {self.frozen[name]:>6}" for name in names)
        problems = "\n".join(f"  {line}" for line in self.breaches)
        struck = "".join(f"{name}: {times} times\n" for name, times in self.struck.items())
        ending = f"{len(self.breaches)} BREACHES:\n{problems}" if self.breaches else "nothing lost, nothing twice"
        return (
            f"{self.kills.total()} workers killed and {self.frozen.total()} frozen past their lease, "
            f"in {self.seconds:.0f} s (seed {self.seed}); checked {self.legs} times after restart and drain\n"
            f"  {'':<{width}}  killed  frozen\n{table}\n{struck}"
            f"{self.documents} documents, {self.versions} versions published, {self.delivered} files delivered, "
            f"{self.requests} requests served\n{ending}"
        )


class Slot:
    """A place for one worker after the other; each comes to its end in its own way."""

    def __init__(self, place: Place, fate: str, chance: random.Random) -> None:
        self.fate = fate
        #: Whether it ended as it was meant to.
        self.came_to_it = True
        self._chance = chance
        self._begun = time.monotonic()
        self._kill_at: float | None = None
        mode, failpoint, data = "loop", "", None
        if fate != RANDOM:
            failpoint = f"{fate}:kill@{chance.randint(1, DEPTH[fate])}"
        if fate == "during_migration":
            # A folder of its own: there, the catalog and every dossier are made in the process that is killed.
            mode, data = "create", place.folder / f"fresh-{chance.getrandbits(32):08x}"
        self.process = Process(place, mode, failpoint=failpoint, data=data)

    def over(self) -> bool:
        """Whether it has ended; kills it when its time has come."""
        if self.process.popen.poll() is not None:
            return True
        now = time.monotonic()
        if self._kill_at is None and self.process.ready:
            patience = max(PATIENCE_S, STARTS * (now - self._begun))
            self._kill_at = now + (self._chance.uniform(0, 0.6) if self.fate == RANDOM else patience)
        if now > (self._kill_at or self._begun + START_S):
            self.kill()
        return self.process.popen.poll() is not None

    def kill(self) -> None:
        if self.process.popen.poll() is None:
            self.came_to_it = self.fate == RANDOM
            self.process.end()


class Campaign:
    """Two workers at a time, killed `kills` times in all."""

    def __init__(
        self,
        place: Place,
        seed: int,
        size: Size | None = None,
        *,
        strikes: Sequence[Strike] = (),
        points: Collection[str] = tuple(DEPTH),
    ) -> None:
        self.place = place
        self.report = Report(seed)
        self._size = size or Size()
        self._seed = seed
        self._chance = random.Random(seed)
        #: The tables of a database are made in one transaction, once.
        self._points = set(points) - ({"during_migration"} if place.store else set())
        self._fates = cycle(fate for fate in FATES if fate == RANDOM or fate in self._points)
        self._strikes = list(strikes)
        self._missed: list[str] = []
        self._ended: list[Process] = []

    def run(self, kills: int) -> Report:
        started = time.monotonic()
        with (
            self.place.opened() as app,
            Scene(app, self._size, self._seed) as scene,
        ):
            reader = Reader(self.place.buffer)
            while self.report.kills.total() < kills and not self.report.breaches:
                with reader.reading():
                    self._leg(scene, min(LEG, kills - self.report.kills.total()))
                    self._restart()
                self._check(scene, reader)
            if not self.report.breaches:
                self._nothing_is_new(scene, reader)
            self._count(scene, reader)
        self._check_fresh_folders()
        self.report.seconds = time.monotonic() - started
        return self.report

    def _leg(self, scene: Scene, kills: int) -> None:
        slots = [self._next() for _ in range(WORKERS)]
        try:
            self._work(scene, slots, self.report.kills.total() + kills)
        finally:
            for slot in slots:
                slot.kill()
                self._note(slot)

    def _work(self, scene: Scene, slots: list[Slot], until: int) -> None:
        edit_at = 0.0
        begun = self.report.kills.total()
        struck = 0
        deadline = time.monotonic() + LEG_S
        while self.report.kills.total() < until or self._points - set(self.report.kills):
            if time.monotonic() > deadline:
                self.report.breaches.append(f"not done after {LEG_S:.0f} s")
                break
            # Spread over the kills of this leg.
            done = self.report.kills.total() - begun
            if struck < len(self._strikes) and done >= (struck + 1) * (until - begun) // (len(self._strikes) + 1):
                name, strike = self._strikes[struck]
                strike()
                self.report.struck[name] += 1
                struck += 1
            if time.monotonic() > edit_at:
                # A worker delivers when it has nothing left to check: where it is slow, it is given the time for that.
                edit_at = time.monotonic() + EDIT_EVERY_S * (1 + scene.edit_some(EDITS))
            for place, slot in enumerate(slots):
                if slot.over():
                    self._note(slot)
                    slots[place] = self._next()
            time.sleep(TICK_S)

    def _next(self) -> Slot:
        fate = self._missed.pop() if self._missed else next(self._fates)
        return Slot(self.place, fate, self._chance)

    def _note(self, slot: Slot) -> None:
        self._ended.append(slot.process)
        code = slot.process.popen.returncode
        if code != -9:
            self.report.breaches.append(f"a worker ended by itself with {code}: {slot.process.errors[-2000:]}")
            return
        self.report.kills[slot.fate if slot.came_to_it else RANDOM] += 1
        if not slot.came_to_it:
            self._missed.append(slot.fate)

    def _restart(self) -> None:
        self._ended.append(Process(self.place, "drain").finished())

    def _check(self, scene: Scene, reader: Reader) -> None:
        logs = [line for process in self._ended if process.ready for line in process.lines()]
        self.report.breaches += breaches(scene, reader, logs)
        self.report.legs += 1

    def _nothing_is_new(self, scene: Scene, reader: Reader) -> None:
        """A last look at the unchanged world: nothing is told, and only news was asked for."""
        # By now all that dead workers left has run out, so nothing of it may remain.
        time.sleep(self.place.lease_s)
        before, arrived = scene.requests(), reader.seen.total()
        scene.look_at(scene.things)
        with reader.reading():
            self._restart()
        self._check(scene, reader)
        asked, conditional = (after - was for after, was in zip(scene.requests(), before, strict=True))
        if asked != conditional:
            self.report.breaches.append(f"{asked - conditional} of {asked} requests asked for more than news")
        if reader.seen.total() != arrived:
            self.report.breaches.append(f"{reader.seen.total() - arrived} deliveries from an unchanged world")
        if leases := sqlite_rows.host_leases(scene.app):
            self.report.breaches.append(f"{leases} host leases remain")

    def _check_fresh_folders(self) -> None:
        """A folder whose making was killed is made on the next opening, with all that was reported as made."""
        for process in self._ended:
            if process.data != self.place.data and process.data.exists():
                made = [line["created"] for line in process.lines() if "created" in line] if process.ready else []
                self.report.breaches += fresh_breaches(process.data, made)

    def _count(self, scene: Scene, reader: Reader) -> None:
        self.report.documents = len(scene.things)
        self.report.versions = sum(len(thing.versions) for thing in scene.things)
        self.report.delivered = len(reader.seen)
        self.report.requests = scene.requests()[0]


def freeze(
    report: Report, folder: Path, times: int, database: Callable[[], str] = str, *, lease_s: float = 2.0
) -> None:
    """Freeze a worker past its lease again and again, here and there; once it goes on, it writes nothing."""
    started = time.monotonic()
    for number, point in zip(range(times), cycle(FREEZES), strict=False):
        try:
            place = Place(folder / f"freeze-{number}", store=database(), lease_s=lease_s)
            outcome = pause(place, point, report.seed + number)
        except AssertionError as error:
            problems = [str(error)]
        else:
            problems = [*outcome.breaches, *([] if outcome.after == outcome.before else ["it wrote after its lease"])]
        report.frozen[point or RANDOM] += 1
        report.breaches += [f"frozen at {point or RANDOM}: {problem}" for problem in problems]
    report.legs += times
    report.seconds += time.monotonic() - started


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--freezes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of an earlier campaign")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--lease", type=float, default=2.0, help="seconds; longer on a machine that is busy otherwise")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    with tempfile.TemporaryDirectory(prefix="veille-crash-", ignore_cleanup_errors=True) as folder:
        if options.store == "postgres":
            report = _on_postgres(Path(folder), seed, options)
        else:
            place = Place(Path(folder) / "kills", lease_s=options.lease)
            report = Campaign(place, seed).run(options.kills) if options.kills else Report(seed)
            freeze(report, Path(folder), options.freezes, lease_s=options.lease)
    sys.stdout.write(json.dumps(_plain(report)) if options.json else report.text())
    sys.stdout.write("\n")
    return 1 if report.breaches else 0


def _on_postgres(folder: Path, seed: int, options: argparse.Namespace) -> Report:
    """The same on a server that is restarted, killed and cut off in each leg."""
    # A commit is in the log when it returns.
    with PostgresServer(synchronous_commit="on") as server, Way(server.folder) as way:
        place = Place(folder / "kills", store=way_to(server, way), lease_s=options.lease)
        report = (
            Campaign(place, seed, strikes=strikes_of(server, way)).run(options.kills) if options.kills else Report(seed)
        )
        database = partial(new_database, server)
        freeze(report, folder, options.freezes, database, lease_s=options.lease)
    return report


def new_database(server: PostgresServer) -> str:
    """The address of a new database."""
    return server.url(server.database(server.ready))


def way_to(server: PostgresServer, way: Way) -> str:
    """The address of a new database, by a way that can be cut."""
    return new_database(server).replace(str(server.folder), str(way.folder))


def strikes_of(server: PostgresServer, way: Way) -> tuple[Strike, ...]:
    """What happens to the database in each leg."""
    return (
        ("the server was restarted", partial(restart, server)),
        ("the network was cut", partial(way.cut, 2.0)),
        ("the server was killed", partial(kill, server)),
    )


def restart(server: PostgresServer) -> None:
    server.stop("fast")
    server.start()


def kill(server: PostgresServer) -> None:
    server.stop("immediate")
    server.start()


def _plain(report: Report) -> dict[str, Any]:
    return {**asdict(report), "kills": dict(report.kills), "frozen": dict(report.frozen), "struck": dict(report.struck)}
