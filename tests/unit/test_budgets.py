from __future__ import annotations

import pytest

from samples import NOW, request, source
from veille.core.crawl.bounds import MAX_REORDERED, PLAIN, REORDERED
from veille.core.crawl.budgets import ALL, Spending, is_full, resumes_at
from veille.core.models import Budget, Notice, Request

SITE = source("https://example.org/")
BUDGET = Budget(pages=10, per_pattern=3)
TWISTED = f"{REORDERED}example.org/shop: blue red"


def found(count: int, pattern: str = PLAIN) -> list[Request]:
    return [request(SITE, f"{SITE.url}{number}", "page", pattern=pattern) for number in range(count)]


def admitted(
    requests: list[Request], budget: Budget | None, used: dict[str, int]
) -> tuple[list[Request], list[Notice]]:
    return Spending((SITE.id, pattern, count) for pattern, count in used.items()).admit(requests, budget)


@pytest.mark.parametrize(
    ("pattern", "used", "taken", "code", "about"),
    [
        (PLAIN, {}, 10, "over_budget", "pages"),
        (PLAIN, {ALL: 9}, 1, "over_budget", "pages"),
        (PLAIN, {PLAIN: 99}, 10, "over_budget", "pages"),
        ("/list?page=*", {}, 3, "trap", "/list?page=*"),
        ("/list?page=*", {"/list?page=*": 2}, 1, "trap", "/list?page=*"),
        ("/list?page=*", {ALL: 10}, 0, "over_budget", "pages"),
        ("?sitemap", {ALL: 10}, 3, "trap", "?sitemap"),
        (TWISTED, {}, MAX_REORDERED, "trap", "example.org/shop"),
        (TWISTED, {ALL: 9}, 1, "over_budget", "pages"),
    ],
)
def test_what_is_over_the_budget_is_left_out_and_told(
    pattern: str, used: dict[str, int], taken: int, code: str, about: str
) -> None:
    requests = found(12, pattern)
    saved, notices = admitted(requests, BUDGET, used)
    assert saved == requests[:taken]
    assert [notice.url for notice in notices] == [one.url for one in requests[taken:]]
    assert {(notice.code, notice.about) for notice in notices} == {(code, about)}


def test_one_answer_brings_so_many_new_ones_and_no_more() -> None:
    saved, notices = admitted(found(5, pattern=""), Budget(pages=0, per_pattern=0, fresh=2), {})
    assert (len(saved), [notice.code for notice in notices]) == (2, ["over_items"] * 3)


def test_what_is_not_counted_and_what_has_no_budget_is_always_taken() -> None:
    assert admitted(found(99, pattern=""), BUDGET, {ALL: 99})[1] == []
    assert admitted(found(99, TWISTED), None, {ALL: 99})[1] == []


def test_a_source_is_full_with_its_last_page() -> None:
    assert [is_full(BUDGET, used) for used in ({}, {ALL: 9}, {ALL: 10})] == [False, False, True]


@pytest.mark.parametrize(
    ("ends", "root_due", "expected"),
    [
        (0, NOW + 5, None),
        (NOW + 1, NOW + 5, None),
        (NOW, NOW + 5, NOW + 5),
        (NOW, NOW, None),
        (NOW, None, None),
    ],
)
def test_a_turn_that_is_out_of_time_goes_on_with_the_next_root(
    ends: int, root_due: int | None, expected: int | None
) -> None:
    assert resumes_at(ends, root_due, NOW) == expected
