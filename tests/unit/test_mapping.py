from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import payload
from veille.core.json.endpoints import Endpoint, read_listing
from veille.core.json.mapping import mapping_of
from veille.core.kinds import Kind
from veille.core.models import Source

LONG = "The ferry to the outer islands leaves at dawn and comes back after dark."


def _item(**more: Any) -> dict[str, Any]:
    return {"id": 1, "title": "A title", "url": "https://example.org/1", **more}


@pytest.mark.covers("R-087")
@pytest.mark.parametrize(
    ("value", "path", "fields"),
    [
        ([_item(), _item(id=2)], "", {}),
        ({"data": {"items": [_item()]}, "total": 1}, "data.items", {}),
        ({"a.b": [_item()]}, "a\\.b", {}),
        (
            {"hits": [{"objectID": "7", "story": {"headline": LONG, "link": "https://example.org/7"}}]},
            "hits",
            {"id": "objectID", "title": "story.headline", "url": "story.link"},
        ),
        (
            [{"nr": 3, "posted_on": "2026-02-03", "excerpt": LONG, "last_edited": "2026-02-04T10:00:00Z"}],
            "",
            {"text": "excerpt", "published": "posted_on", "updated": "last_edited"},
        ),
        ([{"x": 1, "y": LONG}, {"x": 2, "y": LONG}], "", {"text": "y"}),
    ],
)  # fmt: skip
def test_the_list_and_its_fields_are_guessed(value: Any, path: str, fields: dict[str, str]) -> None:
    found = mapping_of(value)
    assert found is not None
    assert (found.result_path, found.fields) == (path, fields)


def test_of_several_lists_the_one_with_the_richest_items_is_taken() -> None:
    tags = [{"name": "ships"}, {"name": "ports"}, {"name": "weather"}]
    found = mapping_of({"tags": tags, "numbers": [1, 2, 3], "articles": [_item(created_at="2026-02-03")]})
    assert found is not None
    assert (found.result_path, found.count) == ("articles", 1)


@pytest.mark.parametrize("value", [[], {}, None, 7, "text", [1, 2], [[1]], {"a": {"b": 1}}, [{"x": 1.5, "y": None}]])
def test_a_list_without_titles_or_texts_is_not_taken(value: Any) -> None:
    assert mapping_of(value) is None


def test_a_list_below_a_key_that_no_path_can_name_is_not_taken() -> None:
    assert mapping_of({"\\": {"": []}}) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(_json)
def test_whatever_is_guessed_can_be_checked(value: Any) -> None:
    found = mapping_of(value)
    if found is not None:
        Endpoint.model_validate(found.config)


def test_a_guess_gives_documents() -> None:
    value = {"rows": [{"ref_id": "a", "subject": "One", "note": "First."}, {"ref_id": "b", "subject": "Two"}]}
    found = mapping_of(value)
    assert found is not None
    source = Source(id="s", name="", kind="api", url="https://example.org/a", config=found.config)
    answer = payload(json.dumps(value), media_type="application/json")
    listing = read_listing(Endpoint.model_validate(found.config), Kind.request(source, source.url), answer)
    assert [(document.title, document.text) for document in listing.documents] == [("One", "First."), ("Two", "Two")]
