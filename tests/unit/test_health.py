from __future__ import annotations

from typing import Any

import pytest

from samples import NOW, failure, lease, request, source
from veille.core.change.health import after_check, is_about_source
from veille.core.feed_hints import Rhythm
from veille.core.models import TOLD, Change, Item, Plan, Source, State

BEFORE = NOW - 60_000
ROOT, LINKED = "root", "entry"


def plan(*changes: Change, purpose: str = ROOT, **given: Any) -> Plan:
    watched = source()
    items = tuple(Item(change=change, url=watched.url) for change in changes)
    return Plan(lease=lease(watched, request(watched, purpose=purpose)), items=items, **given)


def failed(state: State = State.ERROR, **given: Any) -> Plan:
    return plan(Change.ERROR, state=state, failure=failure(503), **given)


@pytest.mark.parametrize("before", State)
@pytest.mark.parametrize("after", [State.OK, State.UNCHANGED])
def test_a_good_answer_makes_a_source_well_whatever_it_was(before: State, after: State) -> None:
    was = source(state=before, failures=7, error_code="network", error="It failed.")
    found = after_check(was, plan(Change.SAME, state=after), NOW)
    assert (found.state, found.failures, found.error_code, found.error) == (after, 0, "", "")
    assert (found.checked_at, found.changed_at) == (NOW, None)


@pytest.mark.parametrize("before", State)
@pytest.mark.parametrize("after", [State.ERROR, State.SUSPECT])
def test_a_failure_is_counted_and_what_is_broken_stays_so(before: State, after: State) -> None:
    found = after_check(source(state=before, failures=7, changed_at=BEFORE), failed(after), NOW)
    assert found.state is (State.BROKEN if before is State.BROKEN else after)
    assert (found.failures, found.error_code, found.error) == (8, "http.503", "It failed.")
    assert (found.checked_at, found.changed_at) == (NOW, BEFORE)


@pytest.mark.parametrize("change", sorted(TOLD))
@pytest.mark.parametrize("before", State)
def test_what_a_link_brings_is_a_change_of_its_source_and_no_check_of_it(change: Change, before: State) -> None:
    was = source(state=before, failures=7, error_code="network", checked_at=BEFORE, changed_at=BEFORE)
    found = after_check(was, plan(change, purpose=LINKED), NOW)
    assert found.state is (State.OK if before is State.UNCHANGED else before)
    assert (found.changed_at, found.checked_at) == (NOW, BEFORE)
    assert (found.failures, found.error_code) == (7, "network")


@pytest.mark.parametrize(
    ("began", "changed_at", "expected"),
    [
        (None, BEFORE, State.UNCHANGED),
        (BEFORE, None, State.UNCHANGED),
        (BEFORE, BEFORE - 1, State.UNCHANGED),
        (BEFORE, BEFORE, State.OK),
        (BEFORE, NOW, State.OK),
    ],
)
def test_a_root_without_news_leaves_a_source_ok_that_another_root_brought_news_in_the_same_turn(
    began: int | None, changed_at: int | None, expected: State
) -> None:
    was = source(state=State.OK, changed_at=changed_at)
    assert after_check(was, plan(Change.SAME, state=State.UNCHANGED), NOW, began).state is expected


@pytest.mark.parametrize(("moved_to", "expected"), [(None, ("b", 3)), ("", ("", 0)), ("b", ("b", 4)), ("c", ("c", 1))])
def test_where_an_address_leads_is_counted_as_long_as_it_is_the_same_place(
    moved_to: str | None, expected: tuple[str, int]
) -> None:
    found = after_check(source(moved_to="b", moved_seen=3), plan(Change.SAME, moved_to=moved_to), NOW)
    assert (found.moved_to, found.moved_seen) == expected


@pytest.mark.parametrize(("before", "learned", "after"), [(None, 5, None), (9, 5, 5), (9, None, 9)])
def test_a_pace_is_learned_by_sources_only_that_have_one(
    before: int | None, learned: int | None, after: int | None
) -> None:
    assert after_check(source(pace_ms=before), plan(Change.SAME, pace_ms=learned), NOW).pace_ms == after


def test_a_rhythm_stays_until_another_is_given() -> None:
    first, second = Rhythm(every_ms=1), Rhythm(every_ms=2)
    assert after_check(source(rhythm=first), plan(Change.SAME), NOW).rhythm is first
    assert after_check(source(rhythm=first), plan(Change.SAME, rhythm=second), NOW).rhythm is second


@pytest.mark.parametrize("silent", [plan(Change.SAME, purpose=LINKED), plan(Change.SKIPPED, deferred=True)])
def test_a_link_without_news_and_a_check_that_was_put_off_say_nothing_of_a_source(silent: Plan) -> None:
    was: Source = source(state=State.BROKEN, failures=7)
    assert not is_about_source(silent)
    assert after_check(was, silent, NOW) == was


@pytest.mark.parametrize("telling", [plan(Change.SAME), plan(Change.NEW, purpose=LINKED), failed()])
def test_a_check_and_whatever_is_told_say_something_of_a_source(telling: Plan) -> None:
    assert is_about_source(telling)
