"""Crawl a site full of traps, undisturbed and killed again and again, and see that both come to the same."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from crash.processes import Place, Process
from crawl.web import Web
from inside_sqlite import rows_of
from postgres_server import databases_of
from veille.services.watching.sources import Wish
from world import Site

#: Small enough that the traps end soon, large enough to see that they are entered.
OPTIONS: dict[str, object] = {"exclude": ["*/excluded/*"], "max_repeats": 12}
#: How long a crawl may stand still before it counts as hanging.
PATIENCE_S = 60.0
TICK_S = 0.01

Outcome = tuple[frozenset[tuple[str, ...]], frozenset[tuple[object, ...]]]


@dataclass
class Report:
    """What was done and what it came to."""

    pages: int = 0
    documents: int = 0
    requests: int = 0
    trapped: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0
    kills: int = 0
    killed_s: float = 0.0
    breaches: list[str] = field(default_factory=list)

    def text(self) -> str:
        problems = "\n".join(f"  {line}" for line in self.breaches)
        pace = self.requests / max(self.cpu_s, 0.01)
        return (
            f"{self.pages} pages: {self.documents} documents from {self.requests} requests ({self.trapped} in traps) "
            f"in {self.seconds:.1f} s, {self.cpu_s:.1f} s of CPU, {pace:.0f} per CPU second\n"
            f"killed {self.kills} times: {self.killed_s:.1f} s\n"
            + (f"{len(self.breaches)} BREACHES:\n{problems}" if self.breaches else "every page once, both crawls equal")
        )


class Campaign:
    """One site, crawled twice from scratch."""

    def __init__(self, folder: Path, size: int, seed: int, database: Callable[[], str] = str) -> None:
        self._folder = folder
        self._database = database
        self._size = size
        self._seed = seed
        self._chance = random.Random(seed)
        self.report = Report(pages=size)

    def run(self, kills: int) -> Report:
        with ExitStack() as stack:
            site, neighbour = (stack.enter_context(Site(host=host)) for host in ("127.0.0.1", "127.0.0.2"))
            web = Web(site, neighbour, self._size, self._seed)
            calm = self._calm(web)
            total = len(site.seen)
            site.seen.clear()
            harried = self._harried(web, kills, total)
            self._compare(calm, harried)
        return self.report

    def _calm(self, web: Web) -> Outcome:
        # On a busy machine a short lease runs out between claim and answer, and what it was for is fetched again.
        place = self._place(web, "calm", lease_s=60)
        started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        Process(place, "drain").finished(600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.report.seconds = time.monotonic() - started
        self.report.cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        fetched = web.fetched()
        self.report.requests = fetched.total()
        self.report.trapped = sum(
            count for path, count in fetched.items() if path.startswith(("/calendar", "/view", "/deep"))
        )
        outcome = _outcome(place)
        self.report.documents = len(outcome[0])
        self._check(web, outcome, "undisturbed")
        self.report.breaches += [
            f"{path} was fetched {fetched[path]} times" for path in sorted(web.once) if fetched[path] != 1
        ]
        twice = [path for path, count in fetched.items() if count > 1 and path != "/robots.txt"]
        self.report.breaches += [f"{len(twice)} addresses were fetched twice: {twice[:5]}"] if twice else []
        return outcome

    def _harried(self, web: Web, kills: int, total: int) -> Outcome:
        place = self._place(web, "harried", lease_s=1)
        started = time.monotonic()
        for number in range(kills):
            # Spread over the crawl, a little before and after each part of it.
            goal = total * (number + self._chance.uniform(0.3, 1.0)) / (kills + 1)
            self._kill_at(web, place, goal)
        Process(place, "drain").finished(600)
        self.report.killed_s = time.monotonic() - started
        outcome = _outcome(place)
        self._check(web, outcome, "killed")
        if self.report.breaches:
            self.report.breaches.append(f"what failed meanwhile: {_failures(place)}")
        return outcome

    def _kill_at(self, web: Web, place: Place, goal: float) -> None:
        process = Process(place, "loop")
        deadline = time.monotonic() + PATIENCE_S
        try:
            while len(web.site.seen) < goal:
                if process.popen.poll() is not None or time.monotonic() > deadline:
                    self.report.breaches.append(f"stuck at {len(web.site.seen)} of {goal:.0f}: {process.errors[-500:]}")
                    return
                time.sleep(TICK_S)
        finally:
            process.end()
        self.report.kills += 1

    def _place(self, web: Web, name: str, lease_s: float) -> Place:
        place = Place(self._folder / name, lease_s=lease_s, concurrency=8, store=self._database())
        with place.opened() as app:
            wish = Wish(url=web.site.url, kind="site", config=OPTIONS)
            app.sources.add(app.create_dossier("site").id, wish)
        return place

    def _check(self, web: Web, outcome: Outcome, which: str) -> None:
        stored = {url.removeprefix(web.site.url) for url, state, _ in outcome[0] if state == "current"}
        real = {path for path in stored if not path.startswith(("/calendar/", "/view", "/deep"))}
        wrong = [("missing", web.documents - real), ("too many", real - web.documents)]
        self.report.breaches += [f"{which}: {what}: {sorted(paths)[:5]}" for what, paths in wrong if paths]
        strays = web.strays()
        self.report.breaches += [f"{which}: out of bounds: {strays[:5]}"] if strays else []

    def _compare(self, calm: Outcome, harried: Outcome) -> None:
        for name, one, other in zip(("documents", "requests"), calm, harried, strict=True):
            if one != other:
                differing = sorted(map(str, one ^ other))
                self.report.breaches.append(f"{len(differing)} {name} differ: {differing[:5]}")


def _outcome(place: Place) -> Outcome:
    """Everything that does not depend on when it was done."""
    with place.opened() as app:
        (dossier,) = app.dossiers.all()
        with app.dossiers.open(dossier.id) as store:
            documents = rows_of(store).execute("SELECT url, state, content_hash FROM documents")
            requests = rows_of(store).execute("SELECT url, purpose, depth, failed_with, pattern FROM requests")
            return frozenset(documents), frozenset(requests)


def _failures(place: Place) -> list[tuple[object, ...]]:
    """Each way in which addresses failed, with an address and how many there were."""
    with place.opened() as app:
        (dossier,) = app.dossiers.all()
        with app.dossiers.open(dossier.id) as store:
            rows = rows_of(store).execute(
                "SELECT code, message, min(url), count(*) FROM run_items WHERE change = 'error' GROUP BY code, message"
            )
            return list(rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None, help="repeat an earlier campaign")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    with (
        tempfile.TemporaryDirectory(prefix="veille-crawl-", ignore_cleanup_errors=True) as folder,
        databases_of(options.store) as database,
    ):
        report = Campaign(Path(folder), options.pages, seed, database).run(options.kills)
    sys.stdout.write(f"seed {seed}\n{report.text()}\n")
    return 1 if report.breaches else 0
