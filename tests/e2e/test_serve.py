"""`veille serve` as an operator runs it: started, ended, killed, and what is left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from inside_sqlite import catalog_of
from people import PASSWORD
from process_tree import descendants, is_alive, wait_until, workers
from receiver import SECRET
from samples import STORY
from service import Client, Service
from veille.services.watching.sources import Wish
from world import Asked, Page, Site

PAGES = 60

pytestmark = pytest.mark.timeout(150)  # several starts of the program each, on machines that may be busy


def _workers(service: Service) -> list[int]:
    assert service.process
    return workers(service.process.pid)


class Load:
    """A dossier with many pages on several slow hosts."""

    def __init__(self, service: Service, sites: list[Site]) -> None:
        self.service = service
        self.robot = service.robot("ann@example.org")
        self.id = self.robot.post("/api/dossiers", {"name": "load"}, 201)["id"]
        with service.program() as app:
            for number in range(PAGES):
                site = sites[number % len(sites)]
                text = f"Page {number} says {number * 7919} and nothing else. " * 12
                site[f"/{number}"] = Page(f"<title>{number}</title><main><p>{text}</main>".encode(), delay_s=0.15)
                app.sources.add(self.id, Wish(url=f"{site.url}/{number}", kind="page"))

    @property
    def client(self) -> Client:
        """Also after a restart, on another port."""
        return Client(self.service.url, self.robot.headers)

    def done(self) -> int:
        found: int = self.client.get(f"/api/dossiers/{self.id}/stats")["extractions"]
        return found

    def check(self) -> None:
        """Every page is there, once."""
        documents = self.client.get(f"/api/dossiers/{self.id}/documents", limit=1000)
        assert len({one["url"] for one in documents}) == len(documents) == PAGES
        changes = self.client.get(f"/api/dossiers/{self.id}/changes", limit=1000)["changes"]
        assert [one["change"] for one in changes] == ["new"] * PAGES
        assert {one["revision"] for one in documents} == {1}
        files = list((self.service.folder / "buffer").rglob("*.md"))
        assert len(files) == PAGES

    def leases(self) -> tuple[int, int]:
        """What is leased in the dossier, and hosts that a worker has."""
        with self.service.program() as app, app.dossiers.open(self.id) as store:
            held = catalog_of(app).db.value("SELECT count(*) FROM host_leases")
            return int(str(store.records.health(app.clock())["leased"])), held


@pytest.fixture
def sites() -> Iterator[list[Site]]:
    # Each address of loopback is a host of its own.
    with Site("127.0.0.1") as one, Site("127.0.0.2") as two, Site("127.0.0.3") as three, Site("127.0.0.4") as four:
        yield [one, two, three, four]


@pytest.mark.covers("R-213")
def test_the_first_run_prints_a_link_and_workers_do_the_work(tmp_path: Path, site: Site) -> None:
    site.article("/a", "Bridge", STORY)
    with Service(tmp_path, workers=1) as service:
        wait_until(lambda: "setup?token=" in "".join(service.said))
        path = re.search(r"(/setup\?token=\S+)", "".join(service.said))
        assert path
        came = service.anonymous().ask("POST", path[1])
        me = Client(service.url, {"Cookie": came.headers["set-cookie"].partition(";")[0]})
        dossier_id = me.post("/api/dossiers", {"name": "news"}, 201)["id"]
        where = f"/api/dossiers/{dossier_id}"
        me.post(f"{where}/sources", {"name": "a", "url": f"{site.url}/a"}, 201)
        (change,) = me.get(f"{where}/changes", wait=40)["changes"]
        assert change["change"] == "new"
        wait_until(lambda: list((tmp_path / "buffer").rglob("*.md")))
        found = _workers(service)
        # As a terminal does: every process of the group gets Ctrl-C.
        assert service.process
        for pid in descendants(service.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        assert service.end(signal.SIGINT) == 0
        assert not any(map(is_alive, found))
    with Service(tmp_path) as service:
        service.anonymous().get("/health")
    assert "setup?token=" not in "".join(service.said)


class Silent:
    """A site whose feed is gone, and whose front page, where rules look for another, does not answer for now."""

    def __init__(self, site: Site) -> None:
        self.looked, self.release = threading.Event(), threading.Event()
        site.made["/"] = self._answer
        site["/feed"] = Page(b"", status=410)
        self.feed = f"{site.url}/feed"

    def _answer(self, _: Asked) -> Page:
        self.looked.set()
        self.release.wait(60)
        return Page(b"<p>Nothing here.</p>")


def test_looks_at_slow_hosts_do_not_hold_up_a_worker(tmp_path: Path, sites: list[Site]) -> None:
    silent, lively = Silent(sites[0]), sites[1]
    lively.article("/a", "Bridge", STORY)
    with Service(tmp_path, workers=1, VEILLE_READER_TIMEOUT_S="90") as service:
        me = service.robot("ann@example.org")
        where = f"/api/dossiers/{me.post('/api/dossiers', {'name': 'news'}, 201)['id']}"
        gone = me.post(f"{where}/sources", {"name": "gone", "url": silent.feed, "source_type": "rss"}, 201)
        assert silent.looked.wait(40)
        try:
            me.post(f"{where}/sources", {"name": "a", "url": f"{lively.url}/a"}, 201)
            (change,) = me.get(f"{where}/changes", wait=30)["changes"]
            assert change["title"] == "Bridge"
            assert me.get(f"{where}/repairs") == []
        finally:
            silent.release.set()
        # When the site has answered, what the rules say about it is applied.
        wait_until(lambda: [one for one in me.get(f"{where}/repairs") if one["source_id"] == gone["id"]])


def test_a_worker_ends_soon_though_a_look_at_a_slow_host_is_under_way(tmp_path: Path, sites: list[Site]) -> None:
    silent = Silent(sites[0])
    with Service(tmp_path, workers=1, VEILLE_READER_TIMEOUT_S="90") as service:
        me = service.robot("ann@example.org")
        where = f"/api/dossiers/{me.post('/api/dossiers', {'name': 'news'}, 201)['id']}"
        me.post(f"{where}/sources", {"name": "gone", "url": silent.feed, "source_type": "rss"}, 201)
        assert silent.looked.wait(40)
        found, began = _workers(service), time.monotonic()
        try:
            assert service.end() == 0
            # Well before it would have been killed.
            assert time.monotonic() - began < 15
            assert not any(map(is_alive, found))
        finally:
            silent.release.set()


def test_it_ends_gracefully_in_the_middle_of_work_and_leaves_no_lease(tmp_path: Path, sites: list[Site]) -> None:
    with Service(tmp_path, workers=2) as service:
        load = Load(service, sites)
        wait_until(lambda: 3 <= load.done() < PAGES)
        found = _workers(service)
        assert len(found) == 2
        assert service.end() == 0
        assert not any(map(is_alive, found))
        assert load.leases() == (0, 0)
        service.start()
        wait_until(lambda: load.done() == PAGES)
        wait_until(lambda: len(list((tmp_path / "buffer").rglob("*.md"))) == PAGES)
        load.check()


def test_a_killed_worker_is_replaced_and_nothing_is_lost(tmp_path: Path, sites: list[Site]) -> None:
    with Service(tmp_path, workers=2, VEILLE_LEASE_S="3") as service:
        load = Load(service, sites)
        wait_until(lambda: 3 <= load.done() < PAGES)
        for _ in range(2):
            os.kill(_workers(service)[0], signal.SIGKILL)
            time.sleep(0.5)
        killed = time.monotonic()
        wait_until(lambda: load.done() == PAGES)
        print(f"recovered {time.monotonic() - killed:.1f} s after the last kill")
        wait_until(lambda: len(_workers(service)) == 2)
        wait_until(lambda: len(list((tmp_path / "buffer").rglob("*.md"))) == PAGES)
        load.check()
    assert "".join(service.said).count("another takes its place") == 2


@pytest.mark.covers("R-133")
def test_a_consumer_that_hangs_holds_up_no_look_at_a_source(tmp_path: Path, site: Site) -> None:
    def watch(number: int) -> str:
        site.article(f"/{number}", f"Bridge {number}", f"Bridge {number} is open. " * 20)
        dossier_id = app.create_dossier(f"news {number}").id
        app.sources.add(dossier_id, Wish(url=f"{site.url}/{number}", kind="page"))
        return dossier_id

    def is_stored(dossier_id: str) -> bool:
        with app.dossiers.open(dossier_id) as store:
            return bool(store.records.documents())

    with ExitStack() as consumer:
        deaf = consumer.enter_context(socket.create_server(("127.0.0.1", 0)))
        deaf.settimeout(40)
        hook = {"kind": "webhook", "url": f"http://127.0.0.1:{deaf.getsockname()[1]}/", "secret": SECRET}
        service = Service(tmp_path, workers=1, VEILLE_SINKS=json.dumps({"consumer": hook}))
        with service.program() as app:
            # It is asked in vain for each of them, one after the other, ten seconds long.
            first = [watch(number) for number in range(8)]
            with service:
                consumer.enter_context(deaf.accept()[0])
                late = watch(8)
                wait_until(lambda: all(map(is_stored, [*first, late])), seconds=30)
                consumer.close()


@pytest.mark.parametrize("all_at_once", [False, True], ids=["service", "service and workers"])
def test_a_killed_service_goes_on_where_it_was(tmp_path: Path, sites: list[Site], *, all_at_once: bool) -> None:
    lease_s = 4.0
    with Service(tmp_path, workers=2, VEILLE_LEASE_S=str(lease_s)) as service:
        load = Load(service, sites)
        wait_until(lambda: 3 <= load.done() < PAGES)
        found = _workers(service)
        killed = time.monotonic()
        if all_at_once:
            for worker in found:
                os.kill(worker, signal.SIGKILL)
        assert service.end(signal.SIGKILL) == -signal.SIGKILL
        # Workers do not outlive it.
        wait_until(lambda: not any(map(is_alive, found)), seconds=20)
        if all_at_once:
            assert load.leases() > (0, 0), "nobody gave back what was held"
        service.start()
        started = time.monotonic()
        wait_until(lambda: load.done() == PAGES)
        done = time.monotonic()
        wait_until(lambda: len(list((tmp_path / "buffer").rglob("*.md"))) == PAGES)
        load.check()
    print(f"lease {lease_s} s; done {done - killed:.1f} s after the kill, {done - started:.1f} s after the start")
    assert done - max(killed + lease_s, started) < 25


def test_it_does_not_listen_where_others_are_before_somebody_has_a_password(tmp_path: Path) -> None:
    service = Service(tmp_path, "--host", "0.0.0.0")
    command = [sys.executable, "-m", "veille", "serve", *service.options]
    refused = subprocess.run(command, capture_output=True, text=True, env=service.environment, check=False)
    assert refused.returncode == 78
    assert "open_door" in refused.stderr
    assert "veille users add" in refused.stderr
    with service.program() as app:
        app.accounts.users.add(app.accounts.local(), "ada@example.org", "Ada", PASSWORD)
    with service:
        port = service.url.rpartition(":")[2]
        client = Client(f"http://127.0.0.1:{port}")
        assert client.get("/health") == {"status": "ok"}
        assert client.ask("GET", "/health", headers={"Host": f"0.0.0.0:{port}"}).status == 421


@pytest.mark.parametrize("options", [("--host", "0.0.0.0"), ("--public-url", "https://veille.example.org")])
def test_a_door_without_a_lock_is_for_this_machine_alone(tmp_path: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "veille", "serve", "--insecure-local", "--data", str(tmp_path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, "[open_door]" in done.stderr) == (78, True), done.stderr


def test_at_home_it_says_where_and_no_link(tmp_path: Path) -> None:
    with Service(tmp_path, "--insecure-local") as service:
        wait_until(lambda: "without a password" in "".join(service.said))
        me = Client(service.url, {"Sec-Fetch-Site": "none"})
        assert me.get("/api/auth/me")["name"] == "Owner"
    assert "setup?token=" not in "".join(service.said)


def test_a_port_that_is_taken_is_told_of(tmp_path: Path, site: Site) -> None:
    service = Service(tmp_path)
    port = site.url.rpartition(":")[2]
    command = [sys.executable, "-m", "veille", "serve", "--port", port]
    done = subprocess.run(command, capture_output=True, text=True, env=service.environment, check=False)
    assert done.returncode == 78
    assert "cannot_listen" in done.stderr
    assert "Traceback" not in done.stderr
