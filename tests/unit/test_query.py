from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import AWKWARD, NOW
from veille.core.search.query import MAX_TERMS, Query, Term, parse

HOUR = 3_600_000


def _terms(text: str) -> list[list[str]]:
    return [[term.text for term in group] for group in parse(text, NOW).groups]


def _day(year: int, month: int = 1, day: int = 1) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp()) * 1000


def test_there_are_enough_awkward_strings() -> None:
    assert len(set(AWKWARD)) >= 45


@pytest.mark.parametrize("text", AWKWARD, ids=lambda text: ascii(text[:20]))
def test_an_awkward_string_is_a_query_that_a_store_can_take(text: str) -> None:
    _check(parse(text, NOW))


@given(st.text())
def test_any_text_is_a_query_that_a_store_can_take(text: str) -> None:
    _check(parse(text, NOW))


def _check(query: Query) -> None:
    terms = [term for group in query.groups for term in group] + list(query.excluded)
    assert len(terms) <= MAX_TERMS
    assert all(any(letter.isalnum() for letter in term.text) for term in terms)
    for word in [term.text for term in terms] + [*query.sources, *query.langs, *query.kinds]:
        assert "\x00" not in word
        word.encode()


def test_words_must_all_match() -> None:
    assert _terms("harbour  bridge") == [["harbour"], ["bridge"]]


def test_a_phrase_stays_together() -> None:
    assert _terms('the "old harbour" bridge') == [["the"], ["old harbour"], ["bridge"]]


def test_an_open_quote_reaches_to_the_end() -> None:
    assert _terms('the "old harbour') == [["the"], ["old harbour"]]


def test_or_joins_its_neighbours() -> None:
    assert _terms('ferry OR bridge OR "old pier" harbour') == [["ferry", "bridge", "old pier"], ["harbour"]]


def test_or_in_small_letters_is_a_word() -> None:
    assert _terms("ferry or bridge") == [["ferry"], ["or"], ["bridge"]]


@pytest.mark.parametrize("text", ["OR", "OR OR", "- OR -", '"" OR'])
def test_operators_alone_mean_nothing(text: str) -> None:
    assert parse(text, NOW).is_empty


def test_a_minus_excludes_a_word_or_phrase_but_not_inside_a_word() -> None:
    query = parse('bridge -ferry -"old pier" cross-river', NOW)
    assert query.excluded == (Term(text="ferry"), Term(text="old pier"))
    assert _terms("bridge -ferry cross-river") == [["bridge"], ["cross-river"]]


@pytest.mark.parametrize("word", ["--no-verify-ssl", "--dry-run", "--x=1"])
def test_a_word_that_begins_with_two_hyphens_is_looked_for(word: str) -> None:
    query = parse(f"curl {word} -ferry", NOW)
    assert query.excluded == (Term(text="ferry"),)
    assert [group[0].text for group in query.groups] == ["curl", word]
    assert parse("--", NOW).is_empty


def test_a_star_at_the_end_makes_a_prefix() -> None:
    assert parse("harb*", NOW).groups == ((Term(text="harb", prefix=True),),)
    assert parse("*bour", NOW).groups == ((Term(text="*bour"),),)


def test_punctuation_between_words_is_ignored() -> None:
    assert _terms("C & A") == [["C"], ["A"]]


def test_filters_are_separated_from_words() -> None:
    query = parse('bridge source:"Harbour news" source:x lang:EN kind:Feed', NOW)
    assert query.groups == ((Term(text="bridge"),),)
    assert (query.sources, query.langs, query.kinds) == (("Harbour news", "x"), ("en",), ("feed",))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01", _day(2026, 3, 1)),
        ("2026-3", _day(2026, 3)),
        ("2026", _day(2026)),
        ("12h", NOW - 12 * HOUR),
        ("7d", NOW - 7 * 24 * HOUR),
        ("3W", NOW - 21 * 24 * HOUR),
        ("2m", NOW - 60 * 24 * HOUR),
        ("1y", NOW - 365 * 24 * HOUR),
    ],
)
def test_dates_are_days_months_years_or_ages(text: str, moment: int) -> None:
    assert parse(f"after:{text}", NOW).after == moment
    assert parse(f"before:{text}", NOW).before == moment


def test_a_filter_that_makes_no_sense_is_searched_for() -> None:
    assert _terms("after:yesterday") == [["after yesterday"]]
    assert _terms("after:2026-13-01") == [["after 2026-13-01"]]


def test_a_negated_filter_is_text_that_must_not_occur() -> None:
    assert parse("-kind:feed", NOW).excluded == (Term(text="kind feed"),)


def test_the_same_text_at_the_same_time_is_the_same_query() -> None:
    assert parse("a after:7d", NOW) == parse("a after:7d", NOW)


def test_a_pasted_text_is_searched_by_its_first_words() -> None:
    assert len(parse("word " * 5000, NOW).groups) == MAX_TERMS
