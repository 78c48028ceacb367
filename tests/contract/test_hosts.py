from __future__ import annotations

from collections.abc import Iterator

import pytest

from desk import EVERYTHING, Desk, Program, Store, room
from samples import NOW
from veille.core.http.politeness import HostCounts, HostState
from veille.ports import Hosts


@pytest.fixture
def hosts(program: Program) -> Hosts:
    return program.hosts


def test_a_host_nobody_met_has_a_fresh_state(hosts: Hosts) -> None:
    assert hosts.load("a.example:81") == HostState(key="a.example:81")


def test_a_saved_state_comes_back_as_it_was(hosts: Hosts) -> None:
    state = HostState(
        key="a.example",
        next_at=1,
        delay_ms=2,
        paused_until=3,
        failures=4,
        pauses=5,
        robots="User-agent: *\n",
        robots_until=6,
        robots_error="no",
        last_status=200,
        last_at=7,
    )
    hosts.save([(state, HostCounts())])
    assert hosts.load("a.example") == state


def test_tallies_add_up_while_states_replace_each_other(hosts: Hosts) -> None:
    for number in (1, 2):
        tally = HostCounts(requests=3, not_modified=1, bytes=100, bytes_saved=50, refusals=1, errors=2)
        hosts.save(
            [(HostState(key="a.example", last_at=number), tally), (HostState(key="b.example"), HostCounts(requests=9))]
        )
    (busiest, nine), (state, tally) = hosts.ledger()
    assert (busiest.key, nine.requests) == ("b.example", 18)
    assert state.last_at == 2
    assert tally == HostCounts(requests=6, not_modified=2, bytes=200, bytes_saved=100, refusals=2, errors=4)


def test_hosts_are_paged_from_the_busiest_on_and_chosen_by_how_they_do(hosts: Hosts) -> None:
    hosts.save(
        (
            HostState(key=key, failures=failures, paused_until=until, robots="long"),
            HostCounts(requests=requests, bytes=10),
        )
        for key, failures, until, requests in (("a", 0, 0, 5), ("b", 1, 0, 7), ("c", 0, 99, 5), ("d", 2, 99, 1))
    )
    keys, before = [], None
    while page := hosts.page("all", 50, before, 2):
        keys += [state.key for state, _ in page]
        before = (page[-1][1].requests, page[-1][0].key)
    assert keys == ["b", "a", "c", "d"]
    assert [state.key for state, _ in hosts.page("failing", 50, None, 9)] == ["b", "d"]
    assert [state.key for state, _ in hosts.page("paused", 50, None, 9)] == ["c", "d"]
    total, numbers = hosts.totals(50)
    assert (total.requests, total.bytes, numbers) == (18, 40, {"all": 4, "failing": 2, "paused": 2})


def test_what_is_known_of_hosts_is_shared_by_all_programs(store: Store) -> None:
    here, there = store.program().hosts, store.program().hosts
    here.save([(HostState(key="a.example", failures=1), HostCounts(requests=1))])
    there.save([(HostState(key="a.example", failures=2), HostCounts(requests=1))])
    assert here.load("a.example").failures == 2
    ((_, tally),) = here.ledger()
    assert tally.requests == 2


def test_hosts_are_saved_all_or_none(hosts: Hosts) -> None:
    def broken() -> Iterator[tuple[HostState, HostCounts]]:
        yield HostState(key="a.example"), HostCounts(requests=1)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        hosts.save(broken())
    assert hosts.ledger() == []


def test_without_hosts_there_is_nothing_to_add_up(hosts: Hosts) -> None:
    assert (hosts.ledger(), hosts.page("all", 1, None, 9)) == ([], [])
    assert hosts.totals(1) == (HostCounts(), {"all": 0, "failing": 0, "paused": 0})


def test_a_host_is_borrowed_by_one_at_a_time_on_any_machine(store: Store) -> None:
    here, there = store.program().hosts, store.program().hosts
    assert here.borrow("a.example", "here", NOW, NOW + 1000)
    assert here.borrow("a.example", "here", NOW, NOW + 1000), "again by the same"
    assert not there.borrow("a.example", "there", NOW, NOW + 1000)
    assert there.borrow("b.example", "there", NOW, NOW + 1000)
    there.give_back("a.example", "there")
    assert not there.borrow("a.example", "there", NOW, NOW + 1000), "only who has it gives it back"
    here.give_back("a.example", "here")
    assert there.borrow("a.example", "there", NOW, NOW + 1000)
    assert here.borrow("a.example", "here", NOW + 1000, NOW + 2000), "it ended"


@pytest.mark.covers("R-164")
def test_a_worker_learns_that_others_want_a_host_it_has_and_gets_it_again_after_them(store: Store) -> None:
    here, there = store.program(), store.program()
    desk = Desk(here, here.dossiers.create("a", NOW).id)
    desk.add("https://a.example/1")
    assert len(here.queue.claim("worker", NOW, room(9), EVERYTHING)) == 1
    assert here.queue.wanted("worker", NOW) == []
    assert not there.hosts.borrow("a.example", "guest", NOW, NOW + 1000)
    assert here.queue.wanted("worker", NOW) == ["a.example"]
    assert here.queue.wanted("worker", NOW + 10_000) == [], "nobody asks any more"
    here.queue.rest("worker", ["a.example"])
    assert there.hosts.borrow("a.example", "guest", NOW, NOW + 1000)
    assert here.queue.regain("worker", ["a.example"], NOW) == []
    there.hosts.give_back("a.example", "guest")
    assert here.queue.regain("worker", ["a.example"], NOW) == ["a.example"]
    assert here.queue.wanted("worker", NOW) == []
    assert not there.hosts.borrow("a.example", "guest", NOW, NOW + 1000)
