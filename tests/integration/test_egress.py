"""Every vector through the real door: a scripted resolver, and a canary on loopback that must hear nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path

import pytest

import veille
from canary import ROWS, Canary
from faults.dns import ScriptedDns
from veille.adapters.fetch import Door
from veille.adapters.fetch._policy import own_addresses
from veille.core.addresses import AddressError
from veille.core.http.audit import script, unescaped
from veille.core.traffic import Failure, Order, Payload
from veille.settings import FetchSettings
from world import Page, Site

#: How a refusal is reported. What may be dialled ends otherwise: nothing outside loopback can be reached here.
#: Nothing waits this long unless the machine is very busy: dials outside loopback end at once (see conftest).
DIAL_S = 10
REFUSALS = {"bad_url", "bad_scheme", "refused_address", "refused_port", "bad_redirect", "dns", "file_refused"}


def clock() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture
def canary() -> Iterator[Canary]:
    with closing(Canary()) as listening:
        yield listening


def fetched(door: Door, *orders: Order) -> list[Payload | Failure]:
    for order in orders:
        door.submit(order)
    answers: dict[str, Payload | Failure] = {}
    while door.load:
        answers.update(door.collect(1))
    return [answers[order.key] for order in orders]


def ended(door: Door, url: str) -> str:
    """The code it ends with. A dial that was allowed may hang or fail; which of them depends on the machine."""
    answer = fetched(door, Order(key="x", url=url))[0]
    return answer.code if isinstance(answer, Failure) else "ok"


@pytest.mark.covers("R-228", "R-229", "R-055", "R-232")
@pytest.mark.parametrize("row", [row for row in ROWS if not row[4]], ids=lambda row: row[0])
def test_the_door_dials_only_what_it_may(row: list[str], canary: Canary) -> None:
    dns = ScriptedDns(script(row[5]))
    settings = FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0)
    with closing(Door(settings, clock, resolve=dns)) as door:
        try:
            url = unescaped(row[3])
        except AddressError:
            url = ""
        code = ended(door, url)
    assert (code in REFUSALS) == (row[1] == "deny"), code
    assert canary.hits == 0


@pytest.mark.covers("R-058", "R-228")
@pytest.mark.parametrize("row", [row for row in ROWS if row[4]], ids=lambda row: row[0])
def test_a_redirect_is_dialled_only_where_it_may(row: list[str], site: Site, canary: Canary) -> None:
    site["/dir/start"] = Page(b"", status=302, headers={"Location": unescaped(row[3]).strip("\t")})
    port = site.url.rpartition(":")[2]
    loopback = script(f"pub.example.com=127.0.0.1;{row[5].partition(';')[2]}")
    settings = FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0, allow_hosts=frozenset({"pub.example.com"}))
    with closing(Door(settings, clock, resolve=ScriptedDns(loopback))) as door:
        code = ended(door, f"http://pub.example.com:{port}/dir/start")
    # Relative targets come back to our own site and loop or are missing; those were dialled.
    assert (code in REFUSALS) == (row[1] == "deny"), code
    assert canary.hits == 0


@pytest.mark.covers("R-229")
def test_a_name_that_moves_to_loopback_after_its_first_answer_is_refused(site: Site, canary: Canary) -> None:
    port = next(iter(canary.ports))
    dns = ScriptedDns(script("rebind.example=93.184.215.14|127.0.0.1"))
    with closing(Door(FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0), clock, resolve=dns)) as door:
        first = ended(door, f"http://rebind.example:{port}/")
    with closing(Door(FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0), clock, resolve=dns)) as door:
        second = ended(door, f"http://rebind.example:{port}/")
    assert first not in REFUSALS
    assert second == "refused_address"
    assert canary.hits == 0
    assert site.seen == []


@pytest.mark.covers("R-228")
def test_the_ledger_counts_what_was_sent_and_nothing_that_was_refused_before(site: Site, tmp_path: Path) -> None:
    port = site.url.rpartition(":")[2]
    site["/away"] = Page(b"", status=302, headers={"Location": f"http://inner.example:{port}/"})
    dns = ScriptedDns(script("pub.example.com=127.0.0.1;inner.example=127.0.0.1"))
    settings = FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0, allow_hosts=frozenset({"pub.example.com"}))
    urls = [f"{site.url}/", f"http://inner.example:{port}/", f"http://pub.example.com:{port}/away"]
    orders = [Order(key=f"{url} {robots}", url=url, robots=robots) for url in urls for robots in (False, True)]
    with veille.open_app(data=tmp_path) as app:
        with closing(Door(settings, clock, app.hosts, resolve=dns)) as door:
            answers = fetched(door, *orders)
        ledger = {state.key: tally for state, tally in app.hosts.ledger()}
    assert {answer.code for answer in answers if isinstance(answer, Failure)} == {"refused_address"}
    assert len(answers) == 6
    # Two pages and one robots.txt.
    assert len(site.seen) == 3
    assert [(tally.requests, tally.errors) for tally in ledger.values()] == [(3, 0)], ledger


def test_the_environment_names_no_proxy_for_us(site: Site, canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{min(canary.ports)}")
    site["/"] = "<p>here</p>"
    settings = FetchSettings(host_delay_ms=0, allow_networks=(ip_network("127.0.0.0/8"),))
    with closing(Door(settings, clock)) as door:
        assert ended(door, f"{site.url}/") == "ok"
    assert canary.hits == 0


def test_the_machines_own_addresses_are_known() -> None:
    assert {"127.0.0.1"} <= {str(address) for address in own_addresses()}


@pytest.mark.covers("R-228")
def test_what_the_operator_names_is_open_to_its_own_orders_only(site: Site) -> None:
    site["/x"] = "<p>Inside"
    url = f"http://bridge.corp.example:{site.url.rpartition(':')[2]}/x"
    dns = ScriptedDns(script("bridge.corp.example=127.0.0.1"))
    settings = FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0)
    with closing(Door(settings, clock, resolve=dns)) as door:
        for number in range(3):
            # The connection of the operator's order is kept open, and its name is known: neither may help the other.
            (own,) = fetched(door, Order(key=f"own {number}", url=url, by_operator=True))
            assert isinstance(own, Payload)
            (other,) = fetched(door, Order(key=f"other {number}", url=url))
            assert isinstance(other, Failure)
            assert other.code == "refused_address"
    assert len(site.seen) == 3


@pytest.mark.covers("R-228", "R-058")
def test_what_the_operator_names_sends_us_nowhere(site: Site, canary: Canary) -> None:
    site["/x"] = Page(b"", status=307, headers={"Location": f"http://127.0.0.1:{next(iter(canary.ports))}/"})
    settings = FetchSettings(timeout_s=DIAL_S, host_delay_ms=0, retries=0)
    with closing(Door(settings, clock)) as door:
        order = Order(key="x", url=f"{site.url}/x", method="POST", body=b"{}", by_operator=True)
        (answer,) = fetched(door, order)
    assert isinstance(answer, Failure)
    assert (answer.code, canary.hits) == ("bad_redirect", 0)
