"""What hosts see of us, counted on their side."""

from __future__ import annotations

import socket
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

import veille
from veille.adapters.fetch import Door
from veille.core.http.caching import learned
from veille.core.models import Scope
from veille.core.traffic import Failure, Order, Payload, Validators
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from world import Page, Site

LOOPBACK = (ip_network("127.0.0.0/8"),)
#: The server's threads share this process with the workers, so they may notice a request this much later than it came.
#: A pace that is not kept shows all the same: what a run of requests is too early adds up.
SLACK = 0.25
MOVED = {"/redirect": "/target", "/rp": "/private/x"}


def clock() -> int:
    return time.time_ns() // 1_000_000


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


class Watcher:
    """A server on all of 127.0.0.0/8 that notes, per host, when it was asked and how many were there at once."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.most: dict[str, int] = defaultdict(int)
        self.robots: dict[str, str] = {}
        self.paths: list[str] = []
        #: Pages that are answered together, once as many were asked for.
        self.together: threading.Barrier | None = None
        self._now: dict[str, int] = defaultdict(int)
        self._lock = threading.Lock()
        self._server = _Server(("0.0.0.0", 0), self._handler())
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def enter(self, host: str) -> None:
        with self._lock:
            self.times[host].append(time.monotonic())
            self._now[host] += 1
            self.most[host] = max(self.most[host], self._now[host])

    def take_time(self, path: str) -> None:
        self.paths.append(path)
        time.sleep(0.03)
        if self.together is not None and path != "/target":
            self.together.wait(20)
            # Bad news comes last.
            time.sleep(0.3 if path.startswith("/status/") else 0)

    def leave(self, host: str) -> None:
        with self._lock:
            self._now[host] -= 1

    def lead(self, host: str, delay: float) -> float:
        """By how many seconds any run of requests, short or long, was faster than the pace."""
        times = sorted(self.times[host])
        runs = ((start, end) for start in range(len(times)) for end in range(start + 1, len(times)))
        return max((end - start) * delay - (times[end] - times[start]) for start, end in runs)

    def _handler(watcher) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler's inside
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                host = str(self.connection.getsockname()[0])
                watcher.enter(host)
                watcher.take_time(self.path)
                status, body = 200, f"<title>{self.path}</title><main><p>{self.path} {host} text</p></main>".encode()
                if self.path == "/robots.txt":
                    status, body = (200, watcher.robots[host].encode()) if host in watcher.robots else (404, b"")
                elif self.path.startswith("/status/"):
                    status = int(self.path.split("/")[2])
                elif self.path in MOVED:
                    status = 302
                watcher.leave(host)
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", MOVED[self.path])
                if status == 429:
                    self.send_header("Retry-After", "120")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


@pytest.fixture
def server() -> Iterator[Watcher]:
    with closing(Watcher()) as running:
        yield running


def fetched(door: Door, orders: list[Order], seconds: float = 60) -> dict[str, Payload | Failure]:
    for order in orders:
        door.submit(order)
    answers: dict[str, Payload | Failure] = {}
    deadline = time.monotonic() + seconds
    while door.load and time.monotonic() < deadline:
        answers.update(door.collect(1))
    return answers


def codes(answers: dict[str, Payload | Failure]) -> dict[str, str]:
    return {key: answer.code if isinstance(answer, Failure) else "ok" for key, answer in answers.items()}


@pytest.mark.covers("R-048")
def test_a_slow_host_gets_its_pace_and_the_others_are_not_held_up(server: Watcher) -> None:
    settings = FetchSettings(host_delay_ms=200, allow_networks=LOOPBACK)
    slow = [Order(key=f"s{n}", url=server.url("127.0.0.1", f"/{n}")) for n in range(15)]
    others = [Order(key=f"o{n}", url=server.url(f"127.0.1.{n + 1}", "/")) for n in range(40)]
    with closing(Door(settings, clock)) as door:
        started = time.monotonic()
        for order in slow + others:
            door.submit(order)
        done: dict[str, float] = {}
        while door.load:
            done.update((key, time.monotonic() - started) for key, _ in door.collect(1))
    assert server.lead("127.0.0.1", 0.2) <= SLACK
    assert server.most["127.0.0.1"] <= 2
    assert max(at for key, at in done.items() if key[0] == "o") < max(at for key, at in done.items() if key[0] == "s")


@pytest.mark.covers("R-048")
def test_redirects_and_robots_txt_wait_their_turn_like_any_request(server: Watcher) -> None:
    settings = FetchSettings(host_delay_ms=200, allow_networks=LOOPBACK)
    orders = [Order(key=f"{n}", url=server.url("127.0.0.1", "/redirect"), robots=True) for n in range(4)]
    with closing(Door(settings, clock)) as door:
        answers = fetched(door, orders)
    assert set(codes(answers).values()) == {"ok"}
    assert len(server.times["127.0.0.1"]) == 9
    assert server.lead("127.0.0.1", 0.2) <= SLACK


@pytest.mark.covers("R-048")
def test_two_workers_together_keep_the_pace_of_one_host_and_do_not_slow_the_others(
    server: Watcher, tmp_path: Path
) -> None:
    fetch = FetchSettings(host_delay_ms=200, allow_networks=LOOPBACK)
    with veille.open_app(data=tmp_path, fetch=fetch) as app:
        dossier = app.create_dossier("polite")
        for n in range(20):
            app.sources.add(dossier.id, Wish(url=server.url("127.0.0.1", f"/{n}"), kind="page"))
        for n in range(200):
            app.sources.add(dossier.id, Wish(url=server.url(f"127.0.{n // 100 + 1}.{n % 100 + 1}", "/"), kind="page"))

    def work(name: str) -> None:
        with veille.open_app(data=tmp_path, fetch=fetch) as own:
            own.worker(name).drain(Scope(), wait=True)

    workers = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(server.times["127.0.0.1"]) == 20
    assert server.lead("127.0.0.1", 0.2) <= SLACK
    assert server.most["127.0.0.1"] <= 2
    others = [times for host, times in server.times.items() if host != "127.0.0.1"]
    assert len(others) == 200
    assert all(len(times) == 1 for times in others)
    begin = min(times[0] for times in server.times.values())
    last_other = max(times[0] - begin for times in others)
    assert last_other < max(server.times["127.0.0.1"]) - begin + 2


@pytest.mark.covers("R-048")
def test_robots_txt_is_asked_once_and_obeyed_and_its_delay_kept(server: Watcher) -> None:
    server.robots["127.0.0.1"] = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n"
    settings = FetchSettings(host_delay_ms=0, allow_networks=LOOPBACK)
    paths = ["/a", "/private/x", "/b", "/private/y", "/c"]
    orders = [Order(key=path, url=server.url("127.0.0.1", path), robots=True) for path in paths]
    with closing(Door(settings, clock)) as door:
        answers = fetched(door, [*orders, Order(key="asked", url=server.url("127.0.0.1", "/private/z"))])
    assert codes(answers) == {
        "/a": "ok", "/b": "ok", "/c": "ok", "/private/x": "robots", "/private/y": "robots", "asked": "ok"
    }  # fmt: skip
    # robots.txt, three pages, and the one somebody asked for by name.
    assert len(server.times["127.0.0.1"]) == 5
    del server.times["127.0.0.1"][0]
    assert server.lead("127.0.0.1", 0.2) <= SLACK


@pytest.mark.covers("R-048")
def test_a_redirect_leads_nowhere_that_robots_txt_of_the_same_host_keeps_us_from(server: Watcher) -> None:
    server.robots["127.0.0.1"] = "User-agent: *\nDisallow: /private/\n"
    settings = FetchSettings(host_delay_ms=0, allow_networks=LOOPBACK)
    with closing(Door(settings, clock)) as door:
        answers = fetched(door, [Order(key="x", url=server.url("127.0.0.1", "/rp"), robots=True)])
    assert codes(answers) == {"x": "robots"}
    assert server.paths == ["/robots.txt", "/rp"]


@pytest.mark.covers("R-048")
def test_robots_txt_can_be_left_aside_by_the_operator(server: Watcher) -> None:
    server.robots["127.0.0.1"] = "User-agent: *\nDisallow: /\n"
    settings = FetchSettings(host_delay_ms=0, allow_networks=LOOPBACK, robots=False)
    with closing(Door(settings, clock)) as door:
        orders = [Order(key=path, url=server.url("127.0.0.1", path), robots=True) for path in ("/x", "/rp")]
        answers = fetched(door, orders)
    assert codes(answers) == {"/x": "ok", "/rp": "ok"}
    assert "/robots.txt" not in server.paths


@pytest.mark.covers("R-048", "R-063")
def test_a_host_that_says_slow_down_is_left_alone_and_the_ledger_knows(server: Watcher, tmp_path: Path) -> None:
    with veille.open_app(data=tmp_path) as app:
        hosts = app.hosts
        settings = FetchSettings(host_delay_ms=0, host_concurrency=1, allow_networks=LOOPBACK)
        urls = ["/status/429", "/a", "/b"]
        with closing(Door(settings, lambda: 1_800_000_000_000, hosts)) as door:
            answers: dict[str, Payload | Failure] = {}
            for url in urls:
                answers |= fetched(door, [Order(key=url, url=server.url("127.0.0.1", url))])
        assert codes(answers) == {"/status/429": "http.429", "/a": "host_paused", "/b": "host_paused"}
        paused = answers["/a"]
        assert isinstance(paused, Failure)
        assert paused.retry_after == 121
        assert len(server.times["127.0.0.1"]) == 1
        state, tally = hosts.ledger()[0]
        assert (state.last_status, state.paused_until, tally.refusals) == (429, 1_800_000_120_000, 1)


@pytest.mark.covers("R-048", "R-063")
def test_redirects_that_wait_for_a_host_are_sent_back_as_soon_as_it_says_slow_down(server: Watcher) -> None:
    settings = FetchSettings(host_delay_ms=200, host_concurrency=7, allow_networks=LOOPBACK)
    server.together = threading.Barrier(7)
    orders = [Order(key=f"{n}", url=server.url("127.0.0.1", "/redirect")) for n in range(6)]
    with closing(Door(settings, clock)) as door:
        answers = fetched(door, [*orders, Order(key="slow", url=server.url("127.0.0.1", "/status/429"))], seconds=15)
    ended = codes(answers)
    assert len(ended) == 7
    assert ended.pop("slow") == "http.429"
    assert set(ended.values()) <= {"ok", "host_paused"}
    assert "host_paused" in ended.values()


def _hang_up_then_answer(server: socket.socket) -> None:
    for said in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"):
        caller, _ = server.accept()
        with caller:
            caller.recv(65536)
            caller.sendall(said)


@pytest.mark.covers("R-048")
def test_a_second_try_takes_its_turn_at_the_host_it_begins_with(site: Site, tmp_path: Path) -> None:
    settings = FetchSettings(host_delay_ms=0, allow_networks=LOOPBACK)
    with veille.open_app(data=tmp_path) as app, socket.create_server(("127.0.0.2", 0)) as server:
        hosts = app.hosts
        there = f"http://127.0.0.2:{server.getsockname()[1]}/"
        site["/over"] = Page(b"", status=302, headers={"Location": there})
        thread = threading.Thread(target=_hang_up_then_answer, args=(server,), daemon=True)
        thread.start()
        with closing(Door(settings, clock, hosts)) as door:
            answers = fetched(door, [Order(key="x", url=f"{site.url}/over")], seconds=15)
        thread.join(5)
        requests = [tally.requests for _, tally in hosts.ledger()]
    assert codes(answers) == {"x": "ok"}
    assert len(site.seen) == 2
    assert requests == [2, 2]


@pytest.mark.covers("R-063")
def test_a_host_that_keeps_failing_is_given_a_rest_and_then_one_probe(server: Watcher) -> None:
    now = [1_800_000_000_000]
    settings = FetchSettings(host_delay_ms=0, host_concurrency=2, retries=0, allow_networks=LOOPBACK)
    with closing(Door(settings, lambda: now[0])) as door:
        bad = [Order(key=f"{n}", url=server.url("127.0.0.1", f"/status/500/{n}")) for n in range(12)]
        ended = codes(fetched(door, bad))
        assert list(ended.values()).count("http.500") <= 6
        assert "host_paused" in ended.values()
        asked = len(server.times["127.0.0.1"])
        now[0] += 120_000
        ended = codes(fetched(door, [Order(key="probe", url=server.url("127.0.0.1", "/fine"))]))
        assert ended == {"probe": "ok"}
        assert len(server.times["127.0.0.1"]) == asked + 1


@pytest.mark.covers("R-051", "R-052", "R-053")
def test_a_second_pass_over_1000_unchanged_pages_costs_only_304s_and_the_ledger_counts_what_it_saved(
    site: Site, tmp_path: Path
) -> None:
    for n in range(1000):
        site[f"/{n}"] = Page(f"<p>page {n}</p>".encode() * (n % 7 + 1))
    settings = FetchSettings(host_delay_ms=0, host_concurrency=8, allow_networks=LOOPBACK)
    with veille.open_app(data=tmp_path) as app:
        hosts = app.hosts
        with closing(Door(settings, clock, hosts)) as door:
            first = fetched(door, [Order(key=f"{n}", url=f"{site.url}/{n}") for n in range(1000)])
            known = {key: learned(Validators(), answer) for key, answer in first.items() if isinstance(answer, Payload)}
            assert len(known) == 1000
            again = [Order(key=key, url=f"{site.url}/{key}", validators=value) for key, value in known.items()]
            second = fetched(door, again)
        unchanged = [answer for answer in second.values() if isinstance(answer, Payload) and answer.not_modified]
        assert len(unchanged) == 1000
        _, tally = hosts.ledger()[0]
        spared = sum(len(site.pages[seen.path].body) for seen in site.seen if seen.status == 304)
        assert (tally.requests, tally.not_modified, tally.bytes_saved) == (2000, 1000, spared)
        assert tally.bytes == sum(len(page.body) for page in site.pages.values())
