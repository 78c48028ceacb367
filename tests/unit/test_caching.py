from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.http import caching
from veille.core.traffic import Payload, Validators

NOW = 1_800_000_000_000
DAY = 24 * 3_600_000


def answer(body: str = "a", etag: str = '"1"', status: int = 200) -> Payload:
    return Payload(
        url="u", status=status, body=b"", fetched_at=NOW, final_url="u", etag=etag, raw_hash=body, wire_bytes=100
    )


@pytest.mark.covers("R-051")
def test_validators_are_sent_until_a_full_fetch_is_due() -> None:
    known = caching.learned(Validators(), answer())
    assert caching.to_send(known, NOW) == known
    for _ in range(caching.FULL_EVERY):
        assert caching.to_send(known, NOW).etag == '"1"'
        known = caching.learned(known, answer(status=304))
    assert caching.to_send(known, NOW) == Validators()
    known = caching.learned(known, answer())
    assert caching.to_send(known, NOW).etag == '"1"'
    assert caching.to_send(known, NOW + 7 * DAY) == Validators()


@pytest.mark.covers("R-052")
def test_etags_that_change_while_the_content_stays_are_no_longer_sent() -> None:
    known = Validators()
    for number in range(caching.CHURN_LIMIT + 1):
        assert caching.to_send(known, NOW).etag == (f'"{number - 1}"' if number else "")
        known = caching.learned(known, answer(etag=f'"{number}"'))
    assert caching.to_send(known, NOW) == Validators()
    still = caching.learned(known, answer(etag='"x"'))
    assert caching.to_send(still, NOW) == Validators()
    changed = caching.learned(still, answer(body="b", etag='"y"'))
    assert caching.to_send(changed, NOW).etag == '"y"'


def test_what_a_304_saves_is_the_size_of_the_last_full_answer() -> None:
    known = caching.learned(Validators(), answer())
    assert known.size == 100
    again = caching.learned(known, replace(answer(status=304), wire_bytes=0, etag=""))
    assert (again.size, again.etag, again.raw_hash, again.polls) == (100, '"1"', "a", 1)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("0", 30),
        ("99999999999999999999", None),
        ("999999999", 86_400),
        ("-1", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Fri, 15 Jan 2027 08:10:00 GMT", 600),
        ("Fri, 15 Jan 2020 08:10:00 GMT", 30),
        ("Fri, 99 Foo 2027", None),
    ],
)
def test_retry_after_is_seconds_a_date_or_nonsense(value: str | None, seconds: int | None) -> None:
    assert caching.retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Cache-Control": "max-age=60"}, 60),
        ({"Cache-Control": 'public, MAX-AGE="60"'}, 60),
        ({"Cache-Control": "s-maxage=10, max-age=60"}, 10),
        ({"Cache-Control": "max-age=99999999999"}, 7 * 86_400),
        ({"Cache-Control": "max-age=tomorrow"}, 0),
        ({"Cache-Control": "no-cache, max-age=60"}, 0),
        ({"Cache-Control": "private"}, None),
        ({"Expires": "0"}, 0),
        ({"Expires": "Fri, 15 Jan 2027 08:10:00 GMT"}, 600),
        ({"Expires": "Fri, 15 Jan 2027 08:10:00 GMT", "Date": "Fri, 15 Jan 2027 08:09:00 GMT"}, 60),
        ({"Expires": "Fri, 15 Jan 2021 08:10:00 GMT"}, 0),
        ({"Cache-Control": "max-age=5", "Expires": "Fri, 15 Jan 2027 08:10:00 GMT"}, 5),
    ],
)
def test_the_lifetime_of_an_answer_is_read_from_its_headers(headers: dict[str, str], seconds: int | None) -> None:
    assert caching.max_age(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("value", "kept"), [('"a"', '"a"'), ('W/"a b"', 'W/"a b"'), ("a\rb", ""), ("x" * 600, ""), (None, "")]
)
def test_only_a_short_printable_validator_is_kept(value: str | None, kept: str) -> None:
    assert caching.validator(value) == kept


def test_the_next_check_waits_while_the_answer_is_fresh_but_not_for_ever() -> None:
    hour = 3_600_000
    assert caching.turn_length(hour, None) == hour
    assert caching.turn_length(hour, 60) == hour
    assert caching.turn_length(hour, 5400) == 5_400_000
    assert caching.turn_length(hour, 10**6) == 2 * hour


@given(st.text(max_size=60))
def test_any_header_text_is_read_without_an_error(text: str) -> None:
    caching.max_age({"Cache-Control": text, "Expires": text, "Date": text}, NOW)
    caching.retry_after(text, NOW)
    caching.validator(text)
