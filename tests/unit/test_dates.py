from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from veille.core.dates import iso, parse_date

AT = 1_771_943_400_000


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-24T14:30:00Z",
        "2026-02-24T15:30:00+01:00",
        "2026-02-24 14:30:00",
        "20260224T143000Z",
        "2026-02-24T14:30",
        "  2026-02-24T14:30:00Z\n",
        "Tue, 24 Feb 2026 14:30:00 GMT",
        "Tue, 24 Feb 2026 09:30:00 -0500",
        "24 Feb 2026 14:30:00 +0000",
        "Tue, 24 Feb 2026 09:30:00 EST",
    ],
)
def test_many_spellings_of_one_time_are_read(text: str) -> None:
    assert parse_date(text) == AT


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "1970-01-01", "0001-01-01T00:00:00Z", "2026-13-45", "24/02/2026", "9"),
        *("9999-12-31T23:59:59Z", "9999-12-31T23:59:59-05:00", "Fri, 31 Dec 9999 23:59:59 -0500"),
    ],
)
def test_what_is_no_date_or_a_placeholder_is_none(text: str) -> None:
    assert parse_date(text) is None


@given(
    st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d{1,3} [A-Z][a-z]{2} \d{1,6} \d{1,3}:\d{1,3}(:\d{1,3})? [+-]?\w{1,6}")
)
@example("9999-12-31T23:59:59-23:59")
@example("Mon, 01 Jan 0001 00:00:00 +2359")
@example("Mon, 01 Jan 99999 00:00:00 +99999999")
def test_any_text_is_a_moment_or_none(text: str) -> None:
    moment = parse_date(text)
    assert moment is None or iso(moment), "whatever it is, it can be told again"


@given(st.integers(AT, 4_000_000_000_000))
def test_a_moment_is_written_and_read_back_to_the_second(at: int) -> None:
    assert parse_date(iso(at)) == at // 1000 * 1000
