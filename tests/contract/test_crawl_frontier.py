"""What a store promises to a crawl: levels, budgets, turns of their own, complete listings and moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desk import LEASE_MS, RUN, Desk
from samples import NOW, document, failure, payload, request
from veille.core.change.decide import decide
from veille.core.fingerprint import url_identity
from veille.core.models import Budget, Change, Lease, Listing, Notice, Plan, Reading, Request, Source

SITE = "https://example.org/"


def _page(of: Source, name: str, **given: Any) -> Request:
    return request(of, f"{SITE}{name}", "page", **({"every": 1, "depth": 2} | given))


def _commit(desk: Desk, lease: Lease, now: int = NOW, run: str = RUN, **found: Any) -> Plan:
    reading = Reading(lease=lease, payload=payload(url=lease.request.url), **found)
    with desk.open() as opened:
        opened.runs.start(run, now)
        with opened.writing() as writer:
            plan = decide(reading, writer, now)
            writer.apply([plan], run, now)
            return plan


def _start(desk: Desk, *pages: str, **given: Any) -> tuple[Source, dict[str, Lease]]:
    """A source that found these pages, and their leases."""
    added = desk.add(SITE)
    (root,) = desk.claim()
    _commit(desk, root, requests=tuple(_page(added, page, **given) for page in pages))
    return added, {lease.request.url.removeprefix(SITE): lease for lease in desk.claim()}


def _turn(desk: Desk, now: int) -> dict[str, Lease]:
    """Everything once more."""
    desk.program.queue.arm(desk.dossier_id, now)
    return {lease.request.url.removeprefix(SITE): lease for lease in desk.claim(now=now)}


def _codes(desk: Desk, run: str = RUN) -> list[str]:
    with desk.open() as opened:
        report = opened.runs.report(run)
        assert report is not None
        return [item.code for item in report.items if item.code]


def test_nothing_farther_is_claimed_while_something_nearer_is_under_way(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    _commit(desk, pages["a"], requests=(_page(added, "c", depth=3),))
    assert desk.claim() == [], "b may know a shorter way to c, or more of its kind."
    _commit(desk, pages["b"])
    assert [lease.request.url for lease in desk.claim()] == [f"{SITE}c"]


def test_other_sources_do_not_wait_for_a_crawl(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    desk.add("https://else.example/")
    assert [lease.request.url for lease in desk.claim()] == ["https://else.example/"]
    _commit(desk, pages["a"], requests=(_page(added, "c", depth=3),))
    desk.program.queue.release("worker", NOW)
    assert len(desk.claim(now=NOW + LEASE_MS)) == 2, "b, and what was given back; c waits."


def test_nothing_new_is_claimed_before_what_was_due_earlier(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    for lease in pages.values():
        _commit(desk, lease)
    leases = _turn(desk, NOW + 1)
    _commit(desk, leases["a"], now=NOW + 1, requests=(_page(added, "new"),))
    assert desk.claim(now=NOW + 1) == [], "b may say that it is at the new address now."
    _commit(desk, leases["b"], now=NOW + 1)
    assert [lease.request.url for lease in desk.claim(now=NOW + 1)] == [f"{SITE}new"]


def test_what_is_new_does_not_wait_for_what_falls_due_later(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    known = _commit(desk, pages["a"])
    _commit(desk, pages["b"], requests=(_page(added, "new"),))
    assert known.next_due is not None
    assert f"{SITE}new" in {lease.request.url for lease in desk.claim(now=known.next_due)}


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_of_two_ways_to_a_page_the_same_one_is_kept_whichever_was_found_first(
    desk: Desk, order: tuple[str, str]
) -> None:
    added, pages = _start(desk, "a", "b")
    ways = {"a": {"again": "00002"}, "b": {"again": "00001"}}
    for page in order:
        _commit(desk, pages[page], requests=(_page(added, "c", depth=3, context=ways[page]),))
    (lease,) = desk.claim()
    assert (lease.request.depth, lease.request.context) == (3, ways["b"])


def test_a_shorter_way_counts_while_the_page_was_not_fetched(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    _commit(desk, pages["a"], requests=(_page(added, "c", depth=5),))
    _commit(desk, pages["b"], requests=(_page(added, "c", depth=3),))
    (lease,) = desk.claim()
    assert lease.request.depth == 3


def test_a_budget_holds_across_commits_and_is_reported_once_in_a_run(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    budget = Budget(pages=3, per_pattern=2)
    for page in pages:
        wanted = tuple(_page(added, f"{page}{number}", depth=3, pattern="p#") for number in range(3))
        _commit(desk, pages[page], requests=wanted, budget=budget)
    assert len(desk.claim()) == 2
    assert _codes(desk) == ["trap"]


def test_the_budget_of_pages_is_for_all_patterns_together(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    for page, lease in pages.items():
        wanted = tuple(_page(added, f"{page}{number}", depth=3, pattern=f"{page}#") for number in range(3))
        aside = _page(added, f"{page}.xml", depth=3, pattern="?sitemap")
        _commit(desk, lease, requests=(*wanted, aside), budget=Budget(pages=4, per_pattern=3))
    assert len(desk.claim()) == 4 + 2, "Sitemaps are no pages."
    assert _codes(desk) == ["over_budget"]


def test_a_page_that_is_known_costs_nothing_of_the_budget(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b", pattern="/")
    again = tuple(_page(added, page, pattern="/") for page in pages)
    _commit(desk, pages["a"], requests=again, budget=Budget(pages=2, per_pattern=1))
    assert _codes(desk) == []


def test_a_notice_is_reported_once_in_each_run(desk: Desk) -> None:
    _, pages = _start(desk, "a", "b")
    notices = [Notice(code="trap", url=f"{SITE}{name}", message="Why.", about="same") for name in "xy"]
    _commit(desk, pages["a"], notices=tuple(notices))
    assert _codes(desk) == ["trap"]
    _commit(desk, pages["b"], notices=tuple(notices), run="another")
    assert _codes(desk, "another") == ["trap"]


def test_what_recurs_has_a_turn_of_its_own_and_can_be_made_due(desk: Desk) -> None:
    added, pages = _start(desk, "a")
    follow = request(added, f"{SITE}entry", "entry")
    plan = _commit(desk, pages["a"], requests=(follow,))
    assert plan.next_due is not None
    (entry,) = desk.claim()
    assert _commit(desk, entry).next_due is None
    assert desk.claim() == []
    assert desk.program.queue.arm(desk.dossier_id, NOW + 1) == 2
    assert {lease.request.purpose for lease in desk.claim(now=NOW + 1)} == {"root", "page"}


def test_a_first_stamp_does_not_wake_what_is_fetched_anyway_and_the_next_one_does(desk: Desk) -> None:
    added, pages = _start(desk, "a", "b")
    _commit(desk, pages["a"])
    _commit(desk, pages["b"], requests=(_page(added, "a", stamp="2026-01-01", every=7),))
    assert desk.claim() == []
    leases = _turn(desk, NOW + 1)
    assert (leases["a"].request.stamp, leases["a"].request.every) == ("2026-01-01", 7)
    for name in ("a", "b"):
        _commit(desk, leases[name], now=NOW + 1)
    _commit(desk, leases[""], now=NOW + 1, requests=(_page(added, "a", stamp="2026-01-02", every=7),))
    assert [lease.request.stamp for lease in desk.claim(now=NOW + 1)] == ["2026-01-02"]


def test_what_a_complete_listing_does_not_name_is_removed_and_stays_readable(desk: Desk) -> None:
    kept, lost = document(f"{SITE}a"), document(f"{SITE}b", text="Another text altogether. " * 10)
    desk.bring(kept, lost, url=SITE)
    desk.program.queue.arm(desk.dossier_id, NOW + 1)
    (lease,) = desk.claim(now=NOW + 1)
    plan = _commit(desk, lease, now=NOW + 1, documents=(kept,), listing=Listing(keys=(url_identity(f"{SITE}a"),)))
    assert [(item.change, item.code) for item in plan.items] == [(Change.SAME, ""), (Change.REMOVED, "unlisted")]
    with desk.open() as opened:
        gone = opened.records.revision(opened.records.find(f"{SITE}b"))
        assert (gone.state, gone.text) == ("removed", lost.text)
        assert [event.change for event in opened.outbox.events()] == ["new", "new", "removed"]


def test_without_a_listing_nothing_is_removed(desk: Desk) -> None:
    desk.bring(document(f"{SITE}a"), url=SITE)
    assert [item.change for item in desk.again(now=NOW + 1).items] == [Change.SAME]
    assert [item.change for item in desk.again(now=NOW + 2, failure=failure(503)).items] == [Change.ERROR]


def test_a_listing_says_nothing_about_other_sources(desk: Desk) -> None:
    desk.bring(document("https://else.example/x"), url="https://else.example/")
    desk.add(SITE)
    (lease,) = desk.claim()
    plan = _commit(desk, lease, listing=Listing(keys=("url:nothing",)))
    assert [item.change for item in plan.items] == [Change.SAME]


def test_a_page_that_moved_keeps_its_document_and_takes_in_its_copy(desk: Desk) -> None:
    _, pages = _start(desk, "old", "new")
    _commit(desk, pages["old"], documents=(document(f"{SITE}old"),))
    copy = _commit(desk, pages["new"], documents=(document(f"{SITE}new"),))
    assert [item.change for item in copy.items] == [Change.DUPLICATE]
    leases = _turn(desk, NOW + 1)
    sent_on = replace(payload(url=f"{SITE}old"), status=301, final_url=f"{SITE}new", redirects=((301, f"{SITE}old"),))
    with desk.open() as opened, opened.writing() as writer:
        writer.apply([decide(Reading(lease=leases["old"], payload=sent_on), writer, NOW + 1)], RUN, NOW + 1)
    with desk.open() as opened:
        assert opened.records.find(f"{SITE}old") == opened.records.find(f"{SITE}new")
        assert opened.records.revision(opened.records.find(f"{SITE}old")).url == f"{SITE}new"
        assert opened.records.health(NOW)["documents"] == 1
        assert opened.records.health(NOW)["duplicates"] == 0
        assert opened.records.health(NOW)["foreign_keys"] == 0
    edited = document(f"{SITE}new", text="Edited, and longer than before. " * 10)
    plan = _commit(desk, leases["new"], now=NOW + 1, documents=(edited,))
    assert [(item.change, item.rev_n) for item in plan.items] == [(Change.CHANGED, 2)]


def test_a_removed_document_is_read_again_whatever_its_validators_say(desk: Desk) -> None:
    _, pages = _start(desk, "a")
    _commit(desk, pages["a"], documents=(document(f"{SITE}a"),))
    leases = _turn(desk, NOW + 1)
    assert leases["a"].request.validators.raw_hash
    desk.program.queue.release("worker", NOW + 1)
    leases = _turn(desk, NOW + 1)
    _commit(desk, leases[""], now=NOW + 1, listing=Listing(keys=("url:something else",)))
    desk.program.queue.release("worker", NOW + 1)
    found = _turn(desk, NOW + 1)["a"].request.validators
    assert (found.etag, found.last_modified, found.raw_hash) == ("", "", "")
