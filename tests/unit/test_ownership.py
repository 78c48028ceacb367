from __future__ import annotations

from typing import Any

import pytest

from veille.core.change.ownership import Fetch, Owner, is_housed, is_silent, is_watched
from veille.core.models import State
from veille.core.schedule import MAX_ATTEMPTS

WELL = Owner(source_id="owner", enabled=True, state=State.OK, failures=0)
PAGE = Fetch(request_id="page", source_id="owner", every=1, parked=False, attempts=0, failed_with="")
ELSEWHERE = PAGE._replace(request_id="elsewhere", source_id="other")


def test_a_document_is_watched_if_its_owner_fetches_it_again_and_again() -> None:
    assert is_watched(WELL, [ELSEWHERE, PAGE])
    assert not is_watched(WELL, [ELSEWHERE, PAGE._replace(every=0)])
    assert not is_watched(WELL, [])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, False),
        ({"state": State.ERROR, "failures": MAX_ATTEMPTS - 1}, False),
        ({"state": State.ERROR, "failures": MAX_ATTEMPTS}, True),
        ({"state": State.BROKEN}, True),
        ({"enabled": False}, True),
    ],
)
def test_an_owner_is_silent_that_is_paused_broken_or_has_failed_for_long(
    change: dict[str, Any], *, expected: bool
) -> None:
    assert is_silent(WELL._replace(**change), [PAGE]) is expected


def test_an_owner_is_silent_about_a_page_that_it_could_not_fetch_for_long() -> None:
    assert is_silent(WELL, [PAGE._replace(attempts=MAX_ATTEMPTS)])
    assert not is_silent(WELL, [PAGE, ELSEWHERE._replace(attempts=MAX_ATTEMPTS)])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"failed_with": "http.503"}, True),
        ({"failed_with": "http.404"}, False),
        ({"failed_with": "http.410"}, False),
        ({"parked": True}, False),
        ({"every": 0}, False),
        ({"request_id": "page"}, False),
    ],
)
def test_a_document_is_housed_where_another_request_finds_it_alive(change: dict[str, Any], *, expected: bool) -> None:
    assert is_housed("page", [PAGE, ELSEWHERE._replace(**change)]) is expected
