"""One tenant of a real service does its worst; the other must not notice.

`Siege(form, folder).run()` starts `veille serve` with two workers and two tenants, lets every trap of `pages` loose in
every way that an account has, and reports what was measured and what was not as it must be.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forms import send
from hostile.gauges import Memory, Neighbour, family
from hostile.pages import ENGINE, TRAPS, opml, words
from hostile.prober import Prober
from hostile.silent import Silent
from process_tree import is_alive, workers
from service import Answer, Client, Service
from veille.core.access.access import Role
from veille.core.records import DocumentFilter
from world import Site

WORKERS = 2
HEALTH_S = 1.0
MEMORY_MB = 600.0
#: Beyond its lease, for the source of the other tenant.
GRACE_S = 10.0
#: What most systems give a process; the service has to raise it.
USUAL_FILES = 1024
SECRET = "a-secret-of-the-neighbour"
_DIFF_WORDS = 200_000
_SERVER_ERROR = 500


@dataclass(frozen=True)
class Form:
    """How long things may take, and how many there are."""

    lease_s: float
    deadline_s: float
    stalled_s: float
    silent: int
    #: How long the silent connections stay.
    silent_s: float
    #: How long all doors may take together.
    doors_s: float


SHORT = Form(lease_s=8, deadline_s=1, stalled_s=10, silent=1500, silent_s=4, doors_s=60)
#: As it is shipped.
LONG = Form(lease_s=60, deadline_s=10, stalled_s=30, silent=2000, silent_s=60, doors_s=600)


@dataclass
class Report:
    """What was measured, and what was not as it must be."""

    form: Form
    breaches: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)

    def check(self, name: str, value: float, most: float, unit: str = "s") -> None:
        self.figures[name] = f"{value:.2f} {unit} (limit {most:.2f})"
        if value > most:
            self.breaches.append(f"{name}: {value:.2f} {unit}, and at most {most:.2f} are allowed")

    def require(self, name: str, *, holds: bool) -> None:
        if not holds:
            self.breaches.append(name)

    def text(self) -> str:
        lines = [f"{name:58} {value}" for name, value in self.figures.items()]
        return "\n".join([*lines, *(f"BREACH: {breach}" for breach in self.breaches)])


class Siege:
    """One attack from beginning to end."""

    def __init__(self, form: Form, folder: Path) -> None:
        self._form = form
        self._report = Report(form)
        self._service = Service(
            folder,
            workers=WORKERS,
            VEILLE_LEASE_S=str(form.lease_s),
            VEILLE_WORKSHOP__TIMEOUT_S=str(form.deadline_s),
            VEILLE_SERVE__STALLED_S=str(form.stalled_s),
        )

    def run(self) -> Report:
        with Site("0.0.0.0") as trap, Site("127.0.0.5") as home, ExitStack() as stack:
            hostile = Hostile(self._service, trap)
            with _few_files():
                self._service.start()
            stack.callback(self._end)
            self._neighbour = Neighbour(self._service, home, "ann@example.org")
            self._hostile = hostile
            hostile.come_in(self._form.doors_s)
            with self._measured("attacked"):
                self._attack()
            self._kill()
            self._neighbour.waits.clear()
            with self._measured("after the kill"):
                self._hostile.arm()
                self._settle()
        return self._report

    @contextmanager
    def _measured(self, name: str) -> Iterator[None]:
        """Whatever goes on meanwhile, the service answers and works for the other tenant in little memory."""
        self._neighbour.client.url = self._service.url
        port = urlsplit(self._service.url).port or 0
        with Prober(port) as prober, Memory(self._service) as memory, self._neighbour as neighbour:
            yield
        probed, report = prober.found, self._report
        report.figures[f"{name}: answers to /health"] = f"{probed.asked}, {probed.failed} failed {probed.problem}"
        report.require(f"{name}: /health failed: {probed.problem}", holds=not probed.failed)
        report.figures[f"{name}: slowest answer of a server that does nothing"] = f"{probed.machine_s:.2f} s"
        report.check(f"{name}: slowest /health", probed.worst_s, HEALTH_S + 3 * probed.machine_s)
        report.check(f"{name}: peak memory of all processes", memory.peak_mb, MEMORY_MB, "MB")
        report.figures[f"{name}: of that"] = memory.shares
        report.figures[f"{name}: checks of the neighbour"] = str(len(neighbour.waits))
        report.check(f"{name}: longest wait of the neighbour", neighbour.worst_s, self._form.lease_s + GRACE_S)

    def _attack(self) -> None:
        hostile, form = self._hostile, self._form
        assert self._service.process is not None
        frozen = workers(self._service.process.pid)[0]
        os.kill(frozen, signal.SIGSTOP)
        hostile.watch_traps()
        with ThreadPoolExecutor(8) as attackers:
            tried = [attackers.submit(_timed, name, act) for name, act in hostile.doors()]
            with Silent(urlsplit(self._service.url).port or 0, form.silent) as silent:
                time.sleep(form.silent_s)
            self._knock(tried)
        self._report.figures["silent connections, opened and closed on"] = f"{silent.opened}, {silent.closed}"
        self._settle()
        self._report.require("a worker that was frozen was not replaced", holds=not is_alive(frozen))
        ended = sum("ended with status" in line for line in self._service.said)
        self._report.figures["workers replaced, one of them frozen"] = str(ended)
        self._report.require(f"{ended - 1} processes ended by themselves", holds=ended <= 1)
        seen = any(SECRET in str(one) for one in hostile.site.seen)
        self._report.require("the neighbour's secret went to the hostile host", holds=not seen)

    def _knock(self, tried: list[Future[Knock]]) -> None:
        """Every door answers, if only to say that it is too much; who asks for much may have to wait for it."""
        wait(tried, timeout=self._form.doors_s)
        for future in tried:
            future.cancel()
        done = [future.result() for future in tried if future.done() and not future.cancelled()]
        self._report.check("doors", len(done), len(tried), "answered")
        self._report.require(f"{len(tried) - len(done)} doors gave no answer", holds=len(done) == len(tried))
        self._report.check("slowest door", max(one.took_s for one in done), self._form.doors_s)
        for one in done:
            self._report.require(f"door {one.name} failed: {one.said}", holds=one.is_answer)

    def _settle(self) -> None:
        """Wait until every trap was looked at; each must show what it came to."""
        # Every trap may take its whole deadline, one after the other.
        most = len(TRAPS) * self._form.deadline_s + self._form.lease_s + GRACE_S
        began = time.monotonic()
        while (left := self._hostile.pending()) and time.monotonic() - began < most:
            time.sleep(0.2)
        self._report.check("time until every trap was looked at", time.monotonic() - began, most)
        self._report.require(f"never looked at: {', '.join(left)}", holds=not left)
        for name, code in self._hostile.codes().items():
            wanted = TRAPS[name].codes if name in TRAPS else frozenset()
            self._report.figures[f"trap {name}"] = code or "read"
            self._report.require(f"trap {name} came to {code or 'nothing amiss'}", holds=not wanted or code in wanted)

    def _kill(self) -> None:
        """Kill the service in the middle of a reading that never ends: nothing is left, and it starts again."""
        service = self._service
        assert service.process is not None
        self._hostile.arm()
        # A third of the traps take their whole deadline, one after the other.
        time.sleep(1)
        pids = family(service.process.pid)
        service.process.send_signal(signal.SIGKILL)
        service.process.wait()
        began = time.monotonic()
        while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() - began < GRACE_S:
            time.sleep(0.05)
        self._report.figures["processes of the service when it was killed"] = str(len(pids))
        self._report.check("time until they were gone", time.monotonic() - began, GRACE_S)
        self._report.require(f"{len(left)} processes survived the service", holds=not left)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        with _few_files():
            service.start()

    def _end(self) -> None:
        """Ask it to end; whatever is left of it is killed, so that a service that is stuck fails a test and no more."""
        assert self._service.process is not None
        pids, began = family(self._service.process.pid), time.monotonic()
        try:
            self._report.require("it did not end with status 0", holds=self._service.end() == 0)
        except subprocess.TimeoutExpired:
            self._report.require("it did not end when asked to", holds=False)
        self._report.figures["time to end when asked to"] = f"{time.monotonic() - began:.2f} s"
        for pid in filter(is_alive, pids):
            os.kill(pid, signal.SIGKILL)
        said = "".join(self._service.said)
        self._report.require(f"it said: {said[-2000:]}", holds="Traceback" not in said)


@dataclass(frozen=True)
class Knock:
    """What came of one request of the hostile tenant."""

    name: str
    took_s: float
    status: int
    said: str

    @property
    def is_answer(self) -> bool:
        """Whether it is one that was meant: what cannot be had is said, with a code that is no fault of the service."""
        return bool(self.status) and (self.status < _SERVER_ERROR or '"code":"bug"' not in self.said)


class Hostile:
    """The tenant that does its worst; an editor of a dossier in which there is a secret."""

    def __init__(self, service: Service, site: Site) -> None:
        self._service = service
        self.site = site
        self._sources: dict[str, str] = {}
        self._armed_at = 0
        for name, trap in TRAPS.items():
            site[f"/{name}"] = trap.page
        site["/search"] = TRAPS["css-css-web"].page
        with service.program() as app:
            self._id = app.create_dossier("traps").id
        self._document_id = self._long()

    def come_in(self, patience_s: float) -> None:
        """The service runs now."""
        self._person = self._service.person("mallory@example.org")
        self._robot = self._service.robot("mallory@example.org")
        self._person.timeout_s = self._robot.timeout_s = patience_s
        self._service.give("mallory@example.org", self._id, Role.OWNER)

    def _long(self) -> str:
        """A very long document with two revisions."""
        self._service.watch(self._id, self.url("words"), name="words", config={"look_twice": False})
        for edition in (1, 7):
            self.site["/words"] = words(_DIFF_WORDS, edition)
            self._service.look(self._id)
        with self._service.program() as app, app.dossiers.open(self._id) as store:
            (document,) = store.records.lines(DocumentFilter(), None, 2)[0]
        assert document.rev_n == 2
        return document.id

    def url(self, name: str) -> str:
        """Each trap is on a host of its own, so that no worker has them all."""
        return f"http://127.66.0.{1 + list(TRAPS).index(name) if name in TRAPS else 250}:{self.site.port}/{name}"

    @property
    def robot(self) -> Client:
        """Also after a restart, on another port."""
        return Client(self._service.url, self._robot.headers)

    def watch_traps(self) -> None:
        for name, trap in TRAPS.items():
            self._watch(name, trap.source_type, trap.config)
        self._steal()

    def arm(self) -> None:
        """Make everything due again; what could not be read is asked for in full."""
        with self._service.program() as app:
            self._armed_at = app.clock()
            app.queue.arm(self._id, self._armed_at)

    def pending(self) -> list[str]:
        """The sources that were not looked at yet."""
        try:
            found = {one["name"]: one.get("last_fetched_at") or 0 for one in self._listed()}
        except OSError:
            return sorted(self._sources)
        return sorted(name for name, at in found.items() if at <= self._armed_at)

    def codes(self) -> dict[str, str]:
        with self._service.program() as app, app.dossiers.open(self._id) as store:
            return {source.name: source.error_code for source in store.sources.all()}

    def doors(self) -> Iterator[tuple[str, Callable[[], Answer]]]:
        """Everything that an account can ask for by itself."""
        here = f"/api/dossiers/{self._id}"
        # Before the list of feeds fills the dossier.
        question_id = self._question()
        for name in TRAPS:
            url = self.url(name)
            yield f"preview {name}", partial(send, self._person, f"/d/{self._id}/add", text=url)
            yield f"reader {name}", partial(self._robot.ask, "GET", f"{here}/reader", url=url)
        for name in ("css-css-web", "css-auto-web", "css-css-crawl", "xpath", "pattern", "feed-divs"):
            source_id = self._sources[name]
            yield f"fetch {name}", partial(self._robot.ask, "POST", f"{here}/sources/{source_id}/fetch")
        yield "opml", lambda: self._robot.ask("POST", f"{here}/opml", opml(60_000), {"Content-Type": "text/x-opml"})
        yield "question", partial(self._robot.ask, "POST", f"{here}/questions/{question_id}/run")
        yield "diff", partial(self._robot.ask, "GET", f"{here}/documents/{self._document_id}/diff")

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.robot.get(f"/api/dossiers/{self._id}/sources")
        return [one for one in found if one["name"] in self._sources]

    def _watch(self, name: str, source_type: str, config: dict[str, object]) -> None:
        given = {"name": name, "url": self.url(name), "source_type": source_type}
        made = self._robot.post(f"/api/dossiers/{self._id}/sources", given | {"config_json": json.dumps(config)}, 201)
        self._sources[name] = made["id"]

    def _question(self) -> str:
        """A question to an engine of their own, whose results are found with a selector that never ends."""
        record = ENGINE | {"url_template": f"{self.url('search')}?q={{query}}"}
        send(self._person, f"/d/{self._id}/engines/new", record=json.dumps(record))
        given = {"text": "Which trap?", "channels": '["trap"]'}
        made = self._robot.post(f"/api/dossiers/{self._id}/questions", given, 201)
        return str(made["id"])

    def _steal(self) -> None:
        """Send a secret of a dossier in which they may only edit to a host of their own."""
        with self._service.program() as app:
            shared = app.create_dossier("shared").id
            with app.vault(shared) as vault:
                vault.set("KEY", SECRET, ["example.org"], app.clock())
        self._service.give("mallory@example.org", shared, Role.EDITOR)
        headers = {"headers": {"X-Key": "${secret:KEY}"}}
        given = {"name": "mine", "url": self.url("css-reader-web"), "config_json": json.dumps(headers)}
        made = self._robot.post(f"/api/dossiers/{shared}/sources", given, 201)
        self._robot.ask("POST", f"/api/dossiers/{shared}/sources/{made['id']}/fetch")


def _timed(name: str, act: Callable[[], Answer]) -> Knock:
    began = time.monotonic()
    try:
        answer = act()
    except OSError as error:
        return Knock(name, time.monotonic() - began, 0, repr(error))
    return Knock(name, time.monotonic() - began, answer.status, answer.body[:300].decode(errors="replace"))


@contextmanager
def _few_files() -> Iterator[None]:
    """What is started meanwhile may open as many files as on most systems, unless it asks for more."""
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_FILES, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
