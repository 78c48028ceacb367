"""Many sources over a long time, on a machine on which everything goes wrong: nothing lost, nothing twice, in time."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import veille
from bulk.moving import there_and_back
from faults.server import Faults
from postgres_server import PostgresServer
from receiver import SECRET
from service import Service
from soak.books import Books, FileBooks
from soak.chaos import Chaos, Plan
from soak.checks import audit
from soak.figures import measure
from soak.gauge import Gauge
from soak.machine import Machine
from soak.postgres_books import DatabaseBooks
from soak.report import Findings, Limits, Report, fill
from soak.scene import Scene, build
from soak.web import CONSUMER, NET, Web

WORKERS = 2
STEP_S = 0.25


@dataclass(frozen=True)
class Form:
    """How much, for how long, and what befalls it."""

    sources: int
    seconds: float
    interval_s: float
    lease_s: float
    timeout_s: float
    sample_s: float
    plan: Plan
    #: From when on memory must no longer grow, in seconds; None: it is not judged.
    warm_s: float | None = None
    #: How long after the end the last of everything may take.
    drain_s: float = 120.0


LONG = Form(
    sources=10_000,
    seconds=1800,
    interval_s=120,
    lease_s=60,
    timeout_s=20,
    sample_s=5,
    plan=Plan(
        kills=tuple(range(60, 1800, 60)),
        freezes=tuple((at, at + 90) for at in range(300, 1800, 300)),
        full=(490, 550),
        hung=730,
        gone=820,
        back=910,
        jump=1090,
        restarts=(400, 1300),
        crashes=(650, 1450),
    ),
    warm_s=900,
    drain_s=480,
)
SHORT = Form(
    sources=600,
    seconds=66,
    interval_s=30,
    lease_s=10,
    timeout_s=4,
    sample_s=2,
    plan=Plan(
        kills=(10, 20, 31, 44, 56),
        freezes=((12, 25),),
        full=(26, 30),
        hung=32,
        gone=37,
        back=42,
        jump=48,
        restarts=(16,),
        crashes=(52,),
    ),
)


def durable() -> PostgresServer:
    """A server as operators have it: what is committed is there when it was killed."""
    return PostgresServer(synchronous_commit="on", autovacuum="on")


class Soak:
    """One run, on files or on the database of a server, which is restarted and killed as well."""

    def __init__(self, form: Form, folder: Path, seed: int, server: PostgresServer | None = None) -> None:
        self._form = form
        self._folder = folder
        self._seed = seed
        self._server = server
        self._store = server.url(server.database(server.ready)) if server else ""
        # With a database, the time is that of its machine.
        self._machine = Machine(folder, NET, is_asked=server is None)

    def run(self) -> Report:
        form = self._form
        with Web(self._seed) as web, Faults() as faults, ExitStack() as opened:
            service = self._service(web)
            with service.program() as app:
                scene = build(app, web, faults, sources=form.sources, interval_s=form.interval_s, seed=self._seed)
            books = self._books(service, scene)
            opened.callback(books.close)
            with service:
                assert service.process is not None
                gauge = Gauge(service.process.pid, books.sizes)
                chaos = Chaos(form.plan, service.process.pid, self._machine, web, books, gauge)
                if self._server is not None:
                    chaos.befall(self._server)
                self._work(gauge, chaos)
                until, report = self._machine.now(), self._report(gauge, chaos)
                report.server_cpu_s = self._server.cpu_s() if self._server else 0.0
                report.seen = sum(bool(thing.asked) for thing in scene.things.values() if not thing.fault)
                web.publishes = False
                report.drained_s = self._drain(service, scene, books, chaos)
                report.exit_status = service.end()
            account = audit(scene, books, web.consumer, self._behind(scene, books))
            figures = measure(scene, books, self._machine, round(form.interval_s * 1000), until)
        taken, repeated = len(web.consumer.taken), web.consumer.repeats
        found = Findings(self._machine, gauge, chaos, account, figures, web.statuses, taken, repeated)
        return fill(report, found)

    def _books(self, service: Service, scene: Scene) -> Books:
        if self._server is None:
            return FileBooks(service.data, scene.dossiers)
        return DatabaseBooks(self._server, self._store, scene.dossiers)

    def _report(self, gauge: Gauge, chaos: Chaos) -> Report:
        form = self._form
        limits = Limits(form.interval_s, form.lease_s, form.warm_s)
        load = Path("/proc/loadavg").read_text().split()[1]
        left = len(gauge.left(chaos.killed))
        return Report(self._seed, form.sources, gauge.now, limits, cpu_s=gauge.cpu_s(), load=float(load), left=left)

    def _work(self, gauge: Gauge, chaos: Chaos) -> None:
        """Let it work, and let everything befall it."""
        sample_at = 0.0
        while gauge.now < self._form.seconds:
            chaos.step()
            if gauge.now >= sample_at:
                gauge.read()
                sample_at = gauge.now + self._form.sample_s
            time.sleep(STEP_S)

    def _drain(self, service: Service, scene: Scene, books: Books, chaos: Chaos) -> float:
        """Wait until the last of everything is stored and handed over, and nothing is a dead worker's; how long."""
        begun = time.monotonic()
        with veille.open_app(data=service.data, store=self._store or None, clock=self._machine.now) as app:
            for dossier_id, sources in self._behind(scene, books).items():
                app.queue.arm(dossier_id, app.clock(), sorted(sources))
        while time.monotonic() - begun < self._form.drain_s:
            chaos.step()
            is_told = all(last == done for last, done in books.backlog().values())
            if is_told and not self._behind(scene, books) and not any(death.waiting for death in chaos.deaths):
                break
            time.sleep(STEP_S * 4)
        return time.monotonic() - begun

    def _behind(self, scene: Scene, books: Books) -> dict[str, set[str]]:
        """The sources whose last edition is not stored yet, by dossier."""
        tags, found = books.tags(), defaultdict[str, set[str]](set)
        for key, thing in scene.things.items():
            if thing.editions and tags[key] != thing.tag:
                found[key[0]].add(key[1])
        return found

    def _service(self, web: Web) -> Service:
        form = self._form
        hook = {"kind": "webhook", "url": f"http://{CONSUMER}:{web.hook_port}/hook", "secret": SECRET, "batch": 100}
        settings = {
            "VEILLE_LEASE_S": form.lease_s,
            "VEILLE_FETCH__ALLOW_NETWORKS": json.dumps([str(NET)]),
            "VEILLE_FETCH__TIMEOUT_S": form.timeout_s,
            "VEILLE_FETCH__MIN_RATE_GRACE_S": form.timeout_s / 2,
            "VEILLE_SINKS": json.dumps({"consumer": hook}),
        }
        if self._store:
            settings["VEILLE_STORE"] = self._store
        given = {name: str(value) for name, value in settings.items()}
        service = Service(self._folder, workers=WORKERS, **given, **self._machine.environment)
        del service.environment["VEILLE_BUFFER_DIR"]
        return service


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="600 sources for 66 s, as `make test` does it")
    parser.add_argument("--sources", type=int, default=None, help="more or fewer, for another machine")
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of an earlier run")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--move", action="store_true", help="in the end, move all of it to PostgreSQL and back")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    form = SHORT if options.short else LONG
    form = replace(form, sources=options.sources or form.sources)
    with tempfile.TemporaryDirectory(prefix="veille-soak-", ignore_cleanup_errors=True) as folder:
        with ExitStack() as opened:
            server = opened.enter_context(durable()) if options.store == "postgres" else None
            report = Soak(form, Path(folder), seed, server).run()
        if options.move:
            sys.stdout.write(there_and_back(Path(folder) / "data", Path(folder))[1] + "\n")
    sys.stdout.write((json.dumps(report.plain()) if options.json else report.text()) + "\n")
    return 1 if report.breaches else 0
