"""Puts an input through everything that the program does with it, and measures each step. In a process of its own.

The service answers in this process, and checks run in it as in a worker, so what a step takes here is what it would
take from everybody else: processor time of this process, and how long no other thread of it came to its turn.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import veille
from documents import lease_of, payload_of
from forms import READING
from hostile.pieces import Input, bytes_of, text_of
from process_tree import command, descendants
from samples import STORY
from service import Client, Here
from veille.core.models import Lease, Reading, Scope
from veille.core.schedule import HOUR
from veille.core.traffic import Failure, Payload
from veille.errors import ConfigError, ReadError
from veille.ports import Workshop
from veille.services.watching.discovering import Standard
from world import Page, Site

#: What a step may take of the service's own process: so many seconds, and so many for each megabyte of the input.
STEP_S, STEP_S_PER_MB = 1.0, 1.5
#: And for each entry of a list, which is checked as any new source is.
ENTRY_S = 0.0005
#: How long no other thread may come to its turn: `/health` is answered by one.
HELD_S = 1.0
#: Beyond its deadline, for a reading, on a machine that has nothing else to do; and as much again for each process
#: that waits for a core.
OVERTIME_S = 1.0
#: A piece of work, and the seconds it takes of a machine like the one that these limits are for.
_YARDSTICK, _YARDSTICK_S = 200_000, 0.025
_TICK_S = 0.02
_SERVER_ERROR = 500
_SHOWN = 2
#: Checks after the first of what changes.
_TURNS = 2
_TYPES = {"page": "web", "site": "crawl", "feed": "rss", "api": "api"}


def slowness() -> float:
    """How many times slower this machine computes now than it should; at least 1."""
    times = []
    for _ in range(5):
        began = time.process_time()
        sum(len(str(number)) for number in range(_YARDSTICK))
        times.append(time.process_time() - began)
    return max(1.0, median(times) / _YARDSTICK_S)


@dataclass(frozen=True)
class Measure:
    """What one step took, in seconds, and what it was allowed."""

    step: str
    took_s: float
    most_s: float
    problem: str = ""

    @property
    def breach(self) -> str:
        if self.problem:
            return f"{self.step}: {self.problem}"
        return f"{self.step} took {self.took_s:.2f} s of {self.most_s:.2f}" if self.took_s > self.most_s else ""


class Ticker:
    """A thread that wants its turn fifty times a second, and notes how much was computed before it got it."""

    def __init__(self) -> None:
        self.held_s = self.late_s = 0.0
        threading.Thread(target=self._tick, daemon=True).start()

    def reset(self) -> None:
        self.held_s = self.late_s = 0.0

    def _tick(self) -> None:
        while True:
            wall, cpu = time.monotonic(), time.process_time()
            time.sleep(_TICK_S)
            # What was computed meanwhile, not what the clock says: the machine may be busy with others.
            self.held_s = max(self.held_s, time.process_time() - cpu)
            self.late_s = max(self.late_s, time.monotonic() - wall - _TICK_S)


class TimedWorkshop:
    """A workshop that notes how long the slowest reading took from when it was handed in."""

    def __init__(self, inner: Workshop) -> None:
        self._inner = inner
        #: When each was handed in, and how many were before it.
        self._begun: dict[str, tuple[float, int]] = {}
        self.worst_s = 0.0

    @property
    def load(self) -> int:
        return self._inner.load

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        began = time.monotonic()
        reading = self._inner.read(lease, answer)
        self._note(began, 0)
        return reading

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        began = self._begun[key] = time.monotonic(), self.load
        reading = self._inner.submit(key, lease, answer)
        if reading is not None:
            self._note(*began)
        return reading

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        found = self._inner.collect(timeout)
        for key, _ in found:
            self._note(*self._begun.pop(key))
        return found

    def run(self, *given: Any, **options: Any) -> Any:
        began = time.monotonic()
        result = self._inner.run(*given, **options)
        self._note(began, 0)
        return result

    def close(self) -> None:
        self._inner.close()

    def _note(self, began: float, before: int) -> None:
        self.worst_s = max(self.worst_s, (time.monotonic() - began) / (1 + before))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Bench:
    """A service with one dossier, and a site that answers whatever is to be tried."""

    def __init__(self, here: Here, site: Site, say: Callable[[str], None]) -> None:
        self._here = here
        self._site = site
        self._say = say
        self._ticker = Ticker()
        self._robot: Client = here.robot("mallory@example.org")
        self._person: Client = here.person("mallory@example.org")
        self._id = str(self._robot.post("/api/dossiers", {"name": "bench"}, 201)["id"])
        self._app = veille.open_app(here.settings)
        self._workshop = TimedWorkshop(self._app.outside.workshop)
        self._app.outside.__dict__["workshop"] = self._workshop
        self._deadline_s = here.settings.workshop.timeout_s
        self._measures: list[Measure] = []
        self._count = 0
        site.article("/story", "A story", STORY)
        self._watch("story", "web", {})
        self._run()

    @property
    def children(self) -> list[int]:
        """The processes that read, by their ids."""
        return [pid for pid in descendants(os.getpid()) if "workshop" in command(pid)]

    def take(self, one: Input) -> list[Measure]:
        """Every step with this input, in order."""
        self._measures = []
        self._count += 1
        self._size_mb = one.size / 2**20
        self._warm()
        {"opml": self._list, "query": self._query, "body": self._body}.get(one.to, self._source)(one)
        return self._measures

    def _step(self, name: str, act: Callable[..., Any], *given: Any, entries: int = 0) -> Any:
        """Do something, and note what it took of this process."""
        self._say(name)
        most = STEP_S + STEP_S_PER_MB * self._size_mb + ENTRY_S * entries
        self._ticker.reset()
        self._workshop.worst_s = 0.0
        cpu, found, problem = time.process_time(), None, ""
        try:
            found = act(*given)
        except (ConfigError, ReadError):
            pass  # refused, with a reason
        except Exception as error:  # noqa: BLE001 - whatever it is, it would have ended a worker
            problem = repr(error)[:300]
        took = time.process_time() - cpu
        # The same work takes up to three times as much where others share the cores.
        most *= slowness() if took > most else 1.0
        self._measures.append(Measure(name, took, most, problem))
        self._measures.append(Measure(f"{name}: others had to wait", self._ticker.held_s, HELD_S))
        if self._workshop.worst_s:
            allowed = self._deadline_s + OVERTIME_S * (1 + os.getloadavg()[0]) + self._ticker.late_s
            self._measures.append(Measure(f"{name}: reading", self._workshop.worst_s, allowed))
        return found

    def _warm(self) -> None:
        """A child that is up, so that its start is not counted; any user's XPath goes to one."""
        url = "https://example.org/warm"
        lease = lease_of(url)
        lease.source.config.update(mode="xpath", selectors=["//p"], min_chars=1)
        self._workshop.read(lease, payload_of(url, b"<p>Words.</p>", "text/html"))

    # Sources

    def _source(self, one: Input) -> None:
        name = f"t{self._count}"
        self._put(name, one)
        url = self._url(name)
        source_id = self._step("add", self._watch, name, _TYPES[one.to], one.config)
        if not source_id:
            return
        self._step("check", self._run)
        for turn in range(_TURNS if one.again else 0):
            # The second time with a little more, as pages that show something else on every load.
            self._put(name, replace(one, body=(*one.again, (f" {turn}", turn))))
            self._step("check again", self._run, source_id)
        self._step("deliver", self._app.deliver, [self._id])
        self._look(source_id)
        self._step("preview", self._detect, url)
        self._step("discover", self._discover, url)
        self._step("reader", self._get, f"/api/dossiers/{self._id}/reader?url={quote(url)}&force=true")
        self._step("delete", self._robot.delete, f"/api/dossiers/{self._id}/sources/{source_id}")

    def _look(self, source_id: str) -> None:
        """What was stored, at every door that shows it."""
        api, pages = f"/api/dossiers/{self._id}", f"/d/{self._id}"
        found = self._step("documents", self._get, f"{api}/documents?source_id={source_id}&limit={_SHOWN}")
        for document in found or []:
            for path in _doors(document["id"], revisions=document["revision"]):
                self._step(path.partition("?")[0].rpartition("/")[2], self._get, path.format(api, pages))
        for path in (f"{api}/feed.rss", f"{api}/feed.json", f"{api}/export?format=jsonl", f"{api}/search?q=words"):
            self._step(path.rpartition("/")[2].partition("?")[0], self._get, path)
        for path in (pages, f"{pages}/documents", f"{pages}/search?q=the", f"{pages}/sources/{source_id}"):
            self._step("page", self._get, path)

    def _put(self, name: str, one: Input) -> None:
        self._site[f"/{name}"] = Page(bytes_of(one.body, one.encoding), type=one.media_type)

    def _url(self, name: str) -> str:
        return f"http://127.66.{self._count // 250 % 250}.{1 + self._count % 250}:{self._site.port}/{name}"

    def _watch(self, name: str, source_type: str, config: dict[str, Any]) -> str:
        given = {"name": name, "url": self._url(name), "source_type": source_type}
        given["config_json"] = json.dumps(config)
        answer = self._robot.ask("POST", f"/api/dossiers/{self._id}/sources", given)
        _refuse_failure(answer.status, answer.body)
        return str(answer.json["id"]) if answer.status == 201 else ""

    def _run(self, source_id: str = "") -> None:
        if source_id:
            self._app.queue.arm(self._id, self._app.clock(), [source_id])
        self._app.run(Scope(dossiers=frozenset({self._id})))

    def _detect(self, url: str) -> None:
        with self._app.detector() as detector:
            detector.detect(url, HOUR)

    def _discover(self, url: str) -> None:
        with self._app.discoverer() as discoverer:
            discoverer.discover(url, Standard())

    # Other doors

    def _list(self, one: Input) -> None:
        body = bytes_of(one.body, one.encoding)
        made = self._robot.post("/api/dossiers", {"name": f"list {self._count}"}, 201)["id"]
        here = f"/api/dossiers/{made}"
        entries = body.count(b"<outline")
        self._step("import", self._send, f"{here}/opml", body, one.media_type, entries=entries)
        self._step("export", self._get, f"{here}/opml")
        self._site["/list.opml"] = Page(body, type=one.media_type)
        self._step("preview", self._detect, self._url("list.opml"))
        self._step("delete", self._robot.delete, here)

    def _query(self, one: Input) -> None:
        words = quote(text_of(one.body).encode("utf-8", "replace"))
        for path in (f"/api/dossiers/{self._id}/search?q={words}", f"/d/{self._id}/search?q={words}"):
            self._step("search", self._get, path)

    def _body(self, one: Input) -> None:
        path, body = one.config["path"].format(self._id), bytes_of(one.body, one.encoding)
        self._step("request", self._send, path, body, one.media_type)

    def _get(self, path: str) -> Any:
        client, headers = (self._robot, {}) if path.startswith("/api/") else (self._person, READING)
        answer = client.ask("GET", path, headers=headers)
        _refuse_failure(answer.status, answer.body)
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.json if is_json and answer.status == 200 else None

    def _send(self, path: str, body: bytes, media_type: str) -> None:
        try:
            answer = self._robot.ask("POST", path, body, {"Content-Type": media_type})
        except ConnectionError:
            return  # refused for its size before all of it was sent
        _refuse_failure(answer.status, answer.body)


def _doors(document_id: str, *, revisions: int) -> Iterator[str]:
    api, page = f"{{0}}/documents/{document_id}", f"{{1}}/documents/{document_id}"
    yield from (api, f"{api}/revisions", page, f"{page}/revisions", f"{page}/chunks")
    yield from (f"{page}/download?format={form}" for form in ("md", "txt", "html", "json"))
    if revisions > 1:
        yield from (f"{api}/diff", f"{page}/diff", f"{page}/diff?view=lines", f"{page}/diff?space=ignore")


def _refuse_failure(status: int, body: bytes) -> None:
    if status >= _SERVER_ERROR and status != 503:
        raise AssertionError(f"status {status}: {body[:200]!r}")


def main(pipe: Connection, folder: str, deadline_s: float) -> None:
    """Take inputs from the pipe until it is closed; say before each step which it is, and then what all took."""
    settings: dict[str, Any] = {
        "calls_per_minute": 1_000_000,
        "workshop": {"timeout_s": deadline_s},
        "quotas": {"sources": 100_000},
        "reader_timeout_s": 15,
    }
    with Site("0.0.0.0") as site, Here(Path(folder), **settings) as here:
        bench = Bench(here, site, lambda name: pipe.send(("step", name)))
        pipe.send(("ready", None))
        while True:
            try:
                one = pipe.recv()
            except EOFError:
                return
            measures = bench.take(one)
            pipe.send(("done", (measures, bench.children)))
