from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from desk import EVERYTHING, LEASE_MS, Desk, Program, Store, room
from samples import NOW, document, failure, request
from veille.core.models import Lease, Scope
from veille.core.urls import host_of

LATER = NOW + LEASE_MS


def _desk(program: Program, name: str) -> Desk:
    known = {dossier.name: dossier.id for dossier in program.dossiers.all()}
    return Desk(program, known.get(name) or program.dossiers.create(name, NOW).id)


@pytest.mark.covers("R-163")
def test_a_claimed_request_is_not_claimed_again(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim("one")
    assert (lease.worker, lease.until, lease.dossier_id) == ("one", NOW + LEASE_MS, desk.dossier_id)
    assert desk.claim("one") == desk.claim("two") == []


def test_nothing_is_claimed_before_it_is_due(desk: Desk) -> None:
    desk.add(created_at=NOW + 1)
    assert desk.claim(now=NOW) == []
    assert len(desk.claim(now=NOW + 1)) == 1


@pytest.mark.covers("R-164")
def test_all_due_requests_of_a_host_go_to_one_worker_across_dossiers(store: Store) -> None:
    here, there = store.program(), store.program()
    one, other = _desk(here, "one"), _desk(here, "other")
    one.add("https://shared.example/1", "https://shared.example/2", "https://own.example/1")
    other.add("https://shared.example/3", "https://else.example/1")
    first = here.queue.claim("first", NOW, room(2), EVERYTHING)
    rest = there.queue.claim("second", NOW, room(100), EVERYTHING)
    mine, yours = ({lease.request.url.split("/")[2] for lease in leases} for leases in (first, rest))
    assert mine
    assert yours
    assert mine & yours == set()
    everything = here.queue.claim("first", NOW, room(100), EVERYTHING)
    assert len(first) + len(rest) + len(everything) == 5
    assert {lease.request.url.split("/")[2] for lease in everything} <= mine


@pytest.mark.covers("R-164")
def test_two_workers_never_share_a_host(store: Store) -> None:
    one = _desk(store.program(), "a")
    hosts = [f"https://{number % 4}.example/{number}" for number in range(20)]
    one.add(*hosts)
    owners: dict[str, str] = {}
    programs = [store.program() for _ in range(3)]
    for turn in range(30):
        worker = str(turn % 3)
        for lease in programs[turn % 3].queue.claim(worker, NOW, room(2), EVERYTHING):
            assert owners.setdefault(lease.request.url.split("/")[2], worker) == worker


@pytest.mark.covers("R-164")
def test_a_worker_sees_past_a_host_that_another_one_has(store: Store) -> None:
    here, there = store.program(), store.program()
    desk = _desk(here, "a")
    desk.add("https://busy.example/0", *(f"https://busy.example/{number}" for number in range(1, 20)))
    desk.add("https://free.example/", created_at=NOW + 1)
    assert len(here.queue.claim("one", NOW, room(1), EVERYTHING)) == 1
    assert [lease.request.url for lease in there.queue.claim("two", NOW + 1, room(1), EVERYTHING)] == [
        "https://free.example/"
    ]


@pytest.mark.covers("R-163", "R-164")
def test_workers_that_look_at_a_dossier_at_the_same_moment_share_what_is_due(store: Store) -> None:
    programs = [store.program() for _ in range(2)]
    _desk(programs[0], "a").add(*(f"https://{number % 100}.example/{number}" for number in range(400)))
    start = Barrier(2)

    def claim(number: int) -> list[Lease]:
        start.wait()
        return programs[number].queue.claim(f"worker {number}", NOW, room(512), EVERYTHING)

    with ThreadPoolExecutor(2) as threads:
        claims = list(threads.map(claim, range(2)))
    assert sorted(map(len, claims)) == [100, 200]
    for number, program in enumerate(programs):
        while more := program.queue.claim(f"worker {number}", NOW, room(512), EVERYTHING):
            claims[number] += more
    mine, yours = ({host_of(lease.request.url) for lease in leases} for leases in claims)
    assert mine & yours == set()
    assert len({lease.request.id for leases in claims for lease in leases}) == sum(map(len, claims)) == 400


def test_a_host_is_free_for_others_when_its_worker_lets_it_rest(store: Store) -> None:
    here, there = store.program(), store.program()
    desk = _desk(here, "a")
    desk.add("https://x.example/1", "https://x.example/2")
    (lease,) = here.queue.claim("one", NOW, room(1), EVERYTHING)
    assert there.queue.claim("two", NOW, room(10), EVERYTHING) == []
    assert desk.commit(lease, document())
    here.queue.rest("one", ["x.example"])
    assert len(there.queue.claim("two", NOW, room(10), EVERYTHING)) == 1


@pytest.mark.covers("R-164")
def test_no_more_is_claimed_than_there_is_room_for_and_no_dossier_is_left_out(program: Program) -> None:
    many, few = _desk(program, "many"), _desk(program, "few")
    many.add("https://m.example/0", *(f"https://m.example/{number}" for number in range(1, 20)))
    few.add("https://f.example/0")
    leases = program.queue.claim("worker", NOW, room(4), EVERYTHING)
    assert len(leases) <= 4
    assert {lease.dossier_id for lease in leases} == {many.dossier_id, few.dossier_id}


def test_a_claim_keeps_to_its_scope(program: Program) -> None:
    one, other = _desk(program, "one"), _desk(program, "other")
    first, second = one.add("https://a.example/"), one.add("https://b.example/")
    other.add("https://c.example/")
    only = program.queue.claim("w", NOW, room(9), Scope(sources=frozenset({second.id})))
    assert [lease.source.id for lease in only] == [second.id]
    here = program.queue.claim("w", NOW, room(9), Scope(dossiers=frozenset({one.dossier_id})))
    assert [lease.source.id for lease in here] == [first.id]


@pytest.mark.covers("R-163")
def test_a_lease_that_ran_out_is_given_to_another_and_the_first_commits_nothing(store: Store) -> None:
    here, there = store.program(), store.program()
    slow, quick = _desk(here, "a"), _desk(there, "a")
    slow.add()
    (lost,) = slow.claim("slow")
    assert quick.claim("quick", LATER - 1) == []
    (taken,) = quick.claim("quick", LATER)
    assert taken.epoch > lost.epoch
    assert slow.commit(lost, document(), now=LATER) is None
    assert slow.commit(lost, document(), now=NOW) is None, "the epoch alone is enough to refuse"
    assert quick.commit(taken, document(), now=LATER) is not None
    with quick.open() as opened:
        assert len(opened.records.documents()) == 1


def test_a_lease_that_ran_out_is_lost_even_when_nobody_took_it(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim()
    with desk.open() as opened, opened.writing() as writer:
        assert writer.held([lease], LATER - 1) == {lease.request.id}
        assert not writer.held([lease], LATER)
    assert desk.commit(lease, document(), now=LATER) is None


@pytest.mark.parametrize("forged", [{"worker": "somebody else"}, {"epoch": 99}, {"epoch": 0}])
def test_a_lease_is_held_by_its_worker_under_its_epoch_only(desk: Desk, forged: dict[str, Any]) -> None:
    desk.add()
    (lease,) = desk.claim()
    changed = replace(lease, **forged)
    assert desk.commit(changed, document()) is None


def test_a_renewed_lease_lasts_longer(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim("one")
    desk.program.queue.renew("one", LATER - 1)
    assert desk.claim("two", LATER) == []
    assert desk.commit(lease, document(), now=LATER) is not None


def test_renewing_never_revives_a_lease_that_ran_out(store: Store) -> None:
    here, there = store.program(), store.program()
    desk = _desk(here, "a")
    desk.add()
    (lease,) = desk.claim("one")
    here.queue.renew("one", LATER)
    assert desk.commit(lease, document(), now=LATER) is None
    assert len(there.queue.claim("two", LATER, room(10), EVERYTHING)) == 1


def test_what_is_released_is_due_at_once_and_lost_to_its_holder(store: Store) -> None:
    here, there = store.program(), store.program()
    desk = _desk(here, "a")
    desk.add()
    (lease,) = desk.claim("one")
    here.queue.release("one", NOW)
    assert desk.commit(lease, document()) is None
    assert len(there.queue.claim("two", NOW, room(10), EVERYTHING)) == 1


def test_a_stamp_that_arrives_while_its_request_is_leased_keeps_it_due(desk: Desk) -> None:
    added = desk.add("https://example.org/a", "https://example.org/b")
    leases = {lease.request.purpose: lease for lease in desk.claim()}
    newer = request(added, "https://example.org/b", "entry", stamp="newer")
    assert desk.commit(leases["root"], requests=[newer])
    assert desk.commit(leases["entry"], document("https://example.org/b"))
    (again,) = desk.claim()
    assert (again.request.url, again.request.stamp) == ("https://example.org/b", "newer")


def test_a_request_with_the_stamp_it_was_fetched_with_is_not_fetched_again(desk: Desk) -> None:
    added = desk.add("https://example.org/a", "https://example.org/b")
    for lease in desk.claim():
        assert desk.commit(lease)
    desk.program.queue.arm(desk.dossier_id, NOW + 1)
    (root,) = desk.claim(now=NOW + 1)
    assert desk.commit(root, requests=[request(added, "https://example.org/b", "entry")], now=NOW + 1)
    assert desk.claim(now=NOW + 1) == []


def test_saving_one_request_twice_makes_one(desk: Desk) -> None:
    added = desk.add()
    (root,) = desk.claim()
    same = request(added, "https://example.org/b", "entry")
    desk.commit(root, requests=[same, same])
    assert len(desk.claim()) == 1


def test_a_failed_request_comes_back_when_its_pause_is_over_and_counts_its_tries(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim()
    plan = desk.commit(lease, failure=failure(503))
    assert plan is not None
    assert plan.next_due is not None
    assert desk.claim(now=plan.next_due - 1) == []
    (again,) = desk.claim(now=plan.next_due)
    assert again.request.attempts == 1


def test_arming_makes_root_requests_due_now(desk: Desk) -> None:
    kept = desk.bring(document())
    assert desk.claim(now=NOW + 1) == []
    assert desk.program.queue.arm(desk.dossier_id, NOW + 1, ["another source"]) == 0
    assert desk.program.queue.arm(desk.dossier_id, NOW + 1, [kept.id]) == 1
    assert len(desk.claim(now=NOW + 1)) == 1


def test_a_paused_source_is_neither_claimed_nor_armed_and_goes_on_where_it_was(desk: Desk) -> None:
    added = desk.add()
    with desk.open() as opened:
        opened.sources.update(replace(added, enabled=False))
    assert desk.claim() == []
    assert desk.program.queue.arm(desk.dossier_id, NOW) == 0
    with desk.open() as opened:
        opened.sources.update(added)
    assert len(desk.claim()) == 1


def test_the_backlog_counts_what_is_due_and_what_is_leased(desk: Desk) -> None:
    queue = desk.program.queue
    assert queue.backlog(NOW, EVERYTHING).next_due is None
    desk.add("https://a.example/1", "https://b.example/2")
    assert (queue.backlog(NOW, EVERYTHING).due, queue.backlog(NOW, EVERYTHING).leased) == (2, 0)
    (lease,) = desk.claim(limit=1)
    assert (queue.backlog(NOW, EVERYTHING).due, queue.backlog(NOW, EVERYTHING).leased) == (1, 1)
    assert queue.backlog(LATER, EVERYTHING).due == 2
    desk.commit(lease, document())
    assert queue.backlog(NOW, Scope(dossiers=frozenset())).due == 0


def test_a_source_that_is_deleted_takes_its_requests_along(desk: Desk) -> None:
    added = desk.add()
    (lease,) = desk.claim()
    with desk.open() as opened:
        opened.sources.delete(added.id)
    assert desk.commit(lease, document()) is None
    assert desk.claim(now=LATER) == []


def test_a_request_that_ended_its_worker_is_blamed_for_it(desk: Desk) -> None:
    desk.add("https://example.org/a", "https://example.org/b")
    one, other = sorted(desk.claim(), key=lambda lease: lease.request.url)
    for _ in range(2):
        desk.program.queue.blame(desk.dossier_id, one.request.id)
    desk.program.queue.blame(desk.dossier_id, "nothing")
    desk.program.queue.release("worker", NOW)
    deaths = {lease.request.id: lease.request.deaths for lease in desk.claim()}
    assert deaths == {one.request.id: 2, other.request.id: 0}


def test_what_was_in_a_dossier_that_is_gone_is_neither_blamed_nor_given_back(store: Store) -> None:
    program = store.program()
    desk = _desk(program, "gone")
    desk.add()
    (lease,) = desk.claim("dead")
    program.dossiers.delete(desk.dossier_id)
    program.queue.blame(desk.dossier_id, lease.request.id)
    program.queue.release("dead", NOW)
    store.program().queue.release("dead", NOW, [desk.dossier_id])


def test_what_the_dead_hold_is_taken_back_and_what_the_living_hold_is_not(store: Store) -> None:
    desk = _desk(store.program(), "news")
    desk.add("https://a.example/", "https://b.example/")
    (dead,) = desk.claim("dead", limit=1)
    (living,) = desk.claim("living", limit=1)
    other = store.program()
    asked: list[str] = []

    def is_gone(worker: str) -> bool:
        asked.append(worker)
        return worker == "dead"

    other.queue.take_back(is_gone, NOW + 1)
    assert sorted(asked) == ["dead", "living"]
    taken = Desk(other, desk.dossier_id).claim("next", now=NOW + 1)
    assert [lease.request.id for lease in taken] == [dead.request.id]
    with desk.open() as opened, opened.writing() as writer:
        assert writer.held([dead, living], NOW + 1) == {living.request.id}
