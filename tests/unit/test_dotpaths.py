from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from veille.core.json.json_answers import MISSING, at, described, filled_in, is_template, lists_in, put

ITEM = {"a": {"b": [{"c": 1}, {"c": 2}, {"d": 3}]}, "x.y": "dotted", "n": None}


@pytest.mark.covers("R-087")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ITEM),
        ("a.b.0.c", 1),
        ("a.b.*.c", [1, 2]),
        ("x\\.y", "dotted"),
        ("n", None),
        ("n.more", MISSING),
        ("x.y", MISSING),
        ("a.b.3", MISSING),
        ("a.b.-1", MISSING),
        ("a.b.٣", MISSING),
        ("a.b.c", MISSING),
        ("a.*", MISSING),
        ("..", MISSING),
        ("a.b." + "9" * 5000, MISSING),
    ],
)
def test_a_path_leads_to_a_value_or_nowhere(path: str, expected: object) -> None:
    assert at(ITEM, path) == expected


def test_a_template_is_filled_or_leads_nowhere() -> None:
    assert is_template("https://example.org/{id}")
    assert not is_template("id")
    assert not is_template("{}")
    assert filled_in("https://example.org/{a.b.0.c}/{n}", ITEM) == "https://example.org/1/"
    assert filled_in("{a.z}", ITEM) is MISSING


def test_a_value_is_put_where_its_path_says() -> None:
    before = {"query": "q", "variables": {"first": 2}}
    assert put(before, "variables.after", "X") == {"query": "q", "variables": {"first": 2, "after": "X"}}
    assert before == {"query": "q", "variables": {"first": 2}}
    assert put({}, "a.b.c", 1) == {"a": {"b": {"c": 1}}}
    assert put({"a": 1}, "a.b", 1) == {"a": {"b": 1}}


def test_what_is_there_is_described_for_whoever_corrects_a_path() -> None:
    assert described({"b": 1, "a": 2}) == "the keys a, b"
    assert described({str(n): n for n in range(30)}).endswith("and 10 more")
    values: list[Any] = [{}, [1], "x", 1, 1.5, True, None]
    assert [described(value) for value in values] == [
        *("no keys", "a list of 1", "a text", "a number", "a number", "true or false", "null")
    ]
    assert lists_in({"data": {"x.y": [1]}, "items": []}) == ["items", "data.x\\.y"]


def _nested(inner: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    return some.dictionaries(some.text(), inner)


_VALUES: some.SearchStrategy[Any] = some.recursive(some.none() | some.text(), _nested)


@given(_VALUES, some.text())
def test_any_path_into_any_value_ends_well(value: object, path: str) -> None:
    at(value, path)
    filled_in(path, value)
    described(value)
