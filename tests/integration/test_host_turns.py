"""Hosts that several programs want to ask at the same time, counted on their side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import pytest

import veille
from contract.stores import STORES
from postgres_server import shared
from veille.adapters.fetch import Door
from veille.bootstrap import App
from veille.core.http.politeness import HostCounts, HostState
from veille.core.models import Scope
from veille.core.traffic import Failure, Order, Payload
from veille.services.watching.host_turns import HostTurns
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from watching import FAST
from world import Page, Site

DELAY = 0.3
#: The server notices a request this much later than it came.
SLACK = 0.15
SLOW = FAST.model_copy(update={"host_delay_ms": round(DELAY * 1000)})


@pytest.fixture(params=list(STORES))
def address(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Where everything is kept: in the data folder, or a database."""
    if request.param == "sqlite":
        yield None
        return
    server = shared()
    database = server.database(server.ready)
    yield server.url(database)
    server.drop(database)


def opened(folder: Path, address: str | None, fetch: FetchSettings = SLOW) -> App:
    """A program; on a database, as if it was on a machine of its own."""
    return veille.open_app(data=folder, store=address, fetch=fetch)


def watched(app: App, *urls: str) -> None:
    dossier = app.create_dossier("turns").id
    for url in urls:
        app.sources.add(dossier, Wish(url=url, kind="page"))


def fetched(door: Door, *orders: Order) -> list[Payload | Failure]:
    answers: list[Payload | Failure] = []
    for order in orders:
        door.submit(order)
    deadline = time.monotonic() + 30
    while len(answers) < len(orders) and time.monotonic() < deadline:
        answers += [answer for _, answer in door.collect(0.2)]
    return answers


@pytest.mark.covers("R-164")
def test_a_reader_takes_its_turns_between_the_requests_of_a_worker_elsewhere(
    site: Site, tmp_path: Path, address: str | None
) -> None:
    pages = [f"{site.url}/{number}" for number in range(12)]
    site.pages.update({f"/{number}": Page(f"<p>page {number}".encode()) for number in range(12)})
    site.pages.update({f"/read/{number}": Page(b"<p>for a reader") for number in range(2)})
    here = tmp_path / "here"
    with opened(here, address) as app, opened(here if address is None else tmp_path / "there", address) as other:
        watched(app, *pages)
        thread = threading.Thread(target=lambda: app.run(Scope()))
        thread.start()
        while not site.seen:
            time.sleep(0.01)
        with closing(Door(SLOW, other.clock, other.hosts)) as door:
            answers = fetched(door, *(Order(key=f"{n}", url=f"{site.url}/read/{n}") for n in range(2)))
        during = sum(not seen.path.startswith("/read") for seen in site.seen)
        thread.join()
    assert all(isinstance(answer, Payload) for answer in answers), answers
    assert during < len(pages), "it did not wait for the end"
    assert len(site.seen) == len(pages) + 2, "each was asked for once"
    times = sorted(seen.at for seen in site.seen)
    gaps = [after - before for before, after in pairwise(times)]
    # One that comes late on a busy machine leaves less time before the next.
    late = [0.0, *(max(0.0, gap - DELAY) for gap in gaps)]
    assert min(gap + before for gap, before in zip(gaps, late, strict=False)) > DELAY - SLACK, gaps


@pytest.mark.covers("R-058")
def test_a_pause_that_a_host_asks_for_is_known_to_all_at_once(site: Site, tmp_path: Path, address: str | None) -> None:
    site["/busy"] = Page(b"", status=429, headers={"Retry-After": "100"})
    here = tmp_path / "here"
    with opened(here, address, FAST) as app, opened(here if address is None else tmp_path / "there", address) as other:
        watched(app, f"{site.url}/busy")
        app.run(Scope())
        with closing(Door(SLOW, other.clock, other.hosts)) as door:
            (answer,) = fetched(door, Order(key="x", url=f"{site.url}/read"))
    assert isinstance(answer, Failure)
    assert answer.code == "host_paused"
    assert len(site.seen) == 1


def test_a_worker_that_cannot_renew_sends_nothing_more(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        door.send_until(app.clock() + 60_000)
        for number in range(4):
            door.submit(Order(key=f"{number}", url=f"{site.url}/{number}", leased=True))
        while not site.seen:
            time.sleep(0.01)
        door.send_until(app.clock())
        under_way = len(site.seen) + 1
        time.sleep(4 * DELAY)
        assert len(site.seen) <= under_way
        door.drop()
        door.send_until(app.clock() + 60_000)
        time.sleep(2 * DELAY)
        assert len(site.seen) <= under_way
        assert len(fetched(door)) == 0
        answers = [answer for _ in range(10) for answer in door.collect(0.1)]
        assert len(answers) == 4, "those that were not sent came back"


def test_what_was_begun_is_not_sent_if_the_leases_end_before_its_connection_is_open(site: Site, tmp_path: Path) -> None:
    async def late(name: str) -> list[IPv4Address | IPv6Address]:
        del name
        door.send_until(app.clock())
        return [IPv4Address("127.0.0.1")]

    url = site.url.replace("127.0.0.1", "host.test")
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts, resolve=late)) as door:
        door.send_until(app.clock() + 60_000)
        (answer,) = fetched(door, Order(key="x", url=f"{url}/", leased=True, robots=False))
    assert isinstance(answer, Failure)
    assert answer.code == "host_paused"
    assert not site.seen


def test_what_others_learned_of_a_host_is_read_again_after_the_leases_were_over(site: Site, tmp_path: Path) -> None:
    host = urlsplit(site.url).netloc
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        door.send_until(0)
        door.submit(Order(key="x", url=f"{site.url}/", leased=True, robots=False))
        door.drop()
        assert [key for _ in range(10) for key, _ in door.collect(0.1)] == ["x"]
        # Meanwhile another machine asks it.
        at = app.clock()
        app.hosts.save([(HostState(key=host, next_at=at + 1_000), HostCounts())])
        door.send_until(at + 60_000)
        (answer,) = fetched(door, Order(key="y", url=f"{site.url}/", leased=True, robots=False))
    assert app.clock() >= at + 1_000, answer


def test_what_others_learned_of_a_host_is_read_though_somebody_here_waits_for_it(site: Site, tmp_path: Path) -> None:
    host = urlsplit(site.url).netloc
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        now = app.clock()
        assert app.hosts.borrow(host, "guest:elsewhere", now, now + 60_000)
        door.submit(Order(key="reader", url=f"{site.url}/", robots=False))
        assert door.collect(0.3) == []
        # The other machine asks it, and then it is leased to the worker here.
        at = app.clock()
        app.hosts.save([(HostState(key=host, next_at=at + 1_000), HostCounts())])
        door.send_until(at + 60_000)
        door.submit(Order(key="worker", url=f"{site.url}/", leased=True, robots=False))
        answers = door.collect(20)
    assert app.clock() >= at + 1_000, answers


def test_what_was_stored_of_a_host_that_is_lent_is_not_stored_once_more_over_what_others_learned(
    site: Site, tmp_path: Path
) -> None:
    host = urlsplit(site.url).netloc
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        door.send_until(app.clock() + 60_000)
        door.submit(Order(key="x", url=f"{site.url}/", leased=True, robots=False))
        deadline = time.monotonic() + 20
        while not door.pause([host]) and time.monotonic() < deadline:
            time.sleep(0.05)
        elsewhere = app.clock() + 5_000
        app.hosts.save([(HostState(key=host, next_at=elsewhere), HostCounts())])
        assert [key for key, _ in door.collect(5)] == ["x"]
        assert app.hosts.load(host).next_at == elsewhere


def test_a_host_is_given_up_when_nothing_is_under_way_there_and_what_is_known_of_it_is_stored(
    site: Site, tmp_path: Path
) -> None:
    host = urlsplit(site.url).netloc
    site["/slow"] = Page(b"<p>slow</p>", delay_s=1.5)
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        door.send_until(app.clock() + 60_000)
        door.submit(Order(key="x", url=f"{site.url}/slow", leased=True, robots=False))
        deadline = time.monotonic() + 20
        while not site.seen and time.monotonic() < deadline:
            time.sleep(0.05)
        assert door.rest([host]) == []
        while not (rested := door.rest([host])) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert rested == [host]
        assert app.hosts.load(host).last_status == 200


def test_a_host_that_is_asked_for_when_a_program_ends_is_free(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path, None) as app, closing(apsw.Connection(str(tmp_path / "catalog.db"))) as busy:
        door = Door(SLOW, app.clock, app.hosts)
        busy.execute("BEGIN IMMEDIATE")
        door.submit(Order(key="x", url=f"{site.url}/x"))
        time.sleep(0.3)
        threading.Timer(0.3, lambda: busy.execute("COMMIT")).start()
        door.close()
        assert list(busy.execute("SELECT host FROM host_leases")) == []


@dataclass(frozen=True)
class Pace:
    name: str = "worker"
    lease_ms: int = 60_000


def until(turns: HostTurns, app: App, held: dict[str, int], done: Callable[[], object]) -> None:
    """The worker goes on, as it does while it waits for answers."""
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline
        turns.share(held, app.clock())
        time.sleep(0.02)


def test_a_host_that_was_lent_is_asked_again_after_its_last_request_was_read(site: Site, tmp_path: Path) -> None:
    host = urlsplit(site.url).netloc
    with (
        opened(tmp_path, None, FAST) as app,
        closing(Door(FAST, app.clock, app.hosts)) as door,
        closing(Door(FAST, app.clock, app.hosts)) as guest,
    ):
        turns = HostTurns(Pace(), door, app.queue)
        turns.renewed(app.clock())
        assert app.queue.regain("worker", [host], app.clock()) == [host]
        guest.submit(Order(key="guest", url=f"{site.url}/guest"))
        until(turns, app, {host: 1}, lambda: turns.lent)
        until(turns, app, {host: 0}, lambda: not turns.lent)
        until(turns, app, {host: 0}, lambda: guest.collect(0.05))
        until(turns, app, {}, lambda: app.queue.regain("worker", [host], app.clock()))
        assert len(fetched(door, Order(key="later", url=f"{site.url}/later", leased=True))) == 1


def test_a_redirect_to_a_host_of_the_same_worker_gets_its_turn(site: Site, tmp_path: Path) -> None:
    host = urlsplit(site.url).netloc
    with opened(tmp_path, None, FAST) as app, closing(Door(FAST, app.clock, app.hosts)) as door:
        turns = HostTurns(Pace(), door, app.queue)
        turns.renewed(app.clock())
        assert app.queue.regain("worker", [host], app.clock()) == [host]
        # What the worker asked for there is being read: nothing of it is in the fetcher.
        door.submit(Order(key="redirected", url=f"{site.url}/there"))
        until(turns, app, {host: 1}, lambda: door.collect(0.05))
        until(turns, app, {host: 1}, lambda: not turns.lent)
        assert len(fetched(door, Order(key="own", url=f"{site.url}/own", leased=True))) == 1


def test_what_is_under_way_borrows_its_host_when_the_leases_are_over(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = Page(b"", status=302, headers={"Location": "/home"})
    host = urlsplit(site.url).netloc
    with opened(tmp_path, None) as app, closing(Door(SLOW, app.clock, app.hosts)) as door:
        door.send_until(app.clock() + 60_000)
        door.submit(Order(key="x", url=f"{site.url}/", leased=True, robots=False))
        while not site.seen:
            time.sleep(0.01)
        door.drop()
        assert app.hosts.borrow(host, "another program", app.clock(), app.clock() + 60_000)
        door.send_until(app.clock() + 60_000)
        time.sleep(2 * DELAY)
        assert len(site.seen) == 1, "somebody else has the host now"


def test_a_run_waits_for_a_host_that_is_borrowed_for_a_moment(site: Site, tmp_path: Path) -> None:
    site["/page"] = Page(b"<p>A page with some words in it.")
    with opened(tmp_path, None, FAST) as app:
        watched(app, f"{site.url}/page")
        host = urlsplit(site.url).netloc
        assert app.hosts.borrow(host, "guest:1", app.clock(), app.clock() + 60_000)
        threading.Timer(0.5, lambda: app.hosts.give_back(host, "guest:1")).start()
        app.run(Scope())
    assert [seen.path for seen in site.seen if seen.path == "/page"] == ["/page"]
