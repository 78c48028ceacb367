"""Lists in JSON: what Scrapy wrote, and what Onyx answers."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.discover.lists import first_entries
from veille.core.discover.opml import FeedOutline
from veille.core.schedule import DAY, MAX_INTERVAL, MIN_INTERVAL
from veille.errors import ReadError


def entries(value: object) -> list[FeedOutline]:
    text = value if isinstance(value, str) else json.dumps(value)
    return list(first_entries(text.encode(), 10_000).outlines)


def test_items_of_scrapy_are_read_line_by_line_and_as_an_array() -> None:
    items = [
        {"url": "https://a.example/1", "title": "One", "tags": ["tea", "law"]},
        {"link": ["https://a.example/2"], "name": ["Two"], "category": "shops, tea"},
    ]
    found = entries("\n".join(map(json.dumps, items)))
    assert found == entries(items)
    assert [(one.url, one.title, one.categories) for one in found] == [
        ("https://a.example/1", "One", ("tea", "law")),
        ("https://a.example/2", "Two", ("shops", "tea")),
    ]


def test_start_addresses_are_read() -> None:
    assert [one.url for one in entries(["https://a.example/", "https://b.example/x"])] == [
        "https://a.example/",
        "https://b.example/x",
    ]


def test_web_connectors_of_onyx_are_read_and_others_are_named() -> None:
    def connector(name: str, source: str = "web", **options: object) -> dict[str, object]:
        return {"id": 1, "name": name, "source": source, "connector_specific_config": options, "refresh_freq": 86400}

    manual = connector("Manual", base_url="https://docs.example/", web_connector_type="recursive")
    page = {
        "cc_pair_id": 3,
        "connector": connector("Page", base_url="https://a.example/p", web_connector_type="single"),
    }
    found = entries([manual, page, connector("Wiki", "confluence", wiki_base="https://w.example")])
    assert [(one.url, one.title, one.kind) for one in found] == [
        ("https://docs.example/", "Manual", "site"),
        ("https://a.example/p", "Page", "page"),
        ("", "Wiki (confluence)", ""),
    ]
    assert found[0].interval_ms == DAY
    assert [bool(one.obstacle) for one in found] == [False, False, True]
    uploaded, without = entries([connector("Files", web_connector_type="upload", base_url=""), connector("Nowhere")])
    assert ("'web, upload'" in uploaded.obstacle, "'web, recursive'" in without.obstacle) == (True, True)


@pytest.mark.parametrize(
    ("said", "interval"),
    [
        ("Infinity", None),
        ("NaN", None),
        ("1e999", None),
        ("-1", None),
        ("1e308", MAX_INTERVAL),
        ("9" * 400, MAX_INTERVAL),
        ("0.001", MIN_INTERVAL),
    ],
)
def test_any_number_is_an_interval_or_none(said: str, interval: int | None) -> None:
    options = '{"base_url": "https://a.example/"}'
    (found,) = entries(f'[{{"connector_specific_config": {options}, "refresh_freq": {said}}}]')
    assert found.interval_ms == interval


@pytest.mark.parametrize("text", ["{}", "[]", '[{"a": 1}]', "[1, 2]", '{"a": 1}\nnothing', "[" * 50_000])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ReadError):
        entries(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["url", "tags", "connector", "connector_specific_config", "refresh_freq", "base_url"]),
                inner,
            )
        ),
        max_leaves=10,
    )
)
def test_any_json_is_a_list_or_refused(value: object) -> None:
    with suppress(ReadError):
        entries([value, {"url": "https://a.example/"}])
