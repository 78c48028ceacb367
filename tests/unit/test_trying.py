from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from veille.core.kinds import config_type, kind_names, kind_of_source
from veille.core.models import Source
from veille.core.show.tried import CAN_TRY, TriedField
from veille.core.show.trying import needs_texts, tried_on_answer, tried_on_texts
from veille.core.traffic import Payload
from veille.errors import ReadError

SHOP = (
    "<title>Tea</title><body><main><h1>Smoked tea</h1><p>Price <b class=price>12.90 EUR</b></p>"
    "<p class=views>Views: 12</p></main><ul><li><a href=/a>One</a></li><li><a href=/b>Two</a></li></ul>"
)


def _tried(field: str, kind: str = "page", body: str = SHOP, **config: Any) -> TriedField:
    source = Source(id="s", name="", kind=kind, url="http://a.example/", config={"min_chars": 1} | config)
    if kind not in {"page", "site"}:
        source = replace(source, config=config)
    request = next(iter(kind_of_source(source).start(source)))
    media = "application/json" if kind == "api" else "text/html"
    payload = Payload(
        url=source.url, final_url=source.url, status=200, media_type=media, fetched_at=0, body=body.encode()
    )
    return tried_on_answer(source, request, payload, field)


def test_every_selector_pattern_and_path_can_be_tried() -> None:
    said = re.compile(r"selector|xpath|pattern|dot path|regular expression|such (lines|paths|addresses)", re.IGNORECASE)
    not_them = {"pictures", "min_chars", "max_per_pattern", "max_repeats", "steps", "parts", "own_document"}
    for kind in kind_names():
        for name, info in config_type(kind).model_fields.items():
            if said.search(info.description or "") and name not in not_them:
                assert name in CAN_TRY, (kind, name)


def test_a_selector_takes_the_text_it_finds() -> None:
    assert _tried("selectors", mode="css", selectors=[".price"]).samples[0].text == "12.90 EUR"
    with pytest.raises(ReadError):
        _tried("selectors", mode="css", selectors=[".nothing"])


def test_values_are_shown_by_name_and_those_that_are_missing() -> None:
    found = _tried("values", values={"price": ".price", "weight": ".weight"})
    assert found.samples[0].values == (("price", "12.90 EUR"),)
    assert "'weight' was not found" in found.missing[0]


def test_items_and_paths_give_documents() -> None:
    found = _tried("item", "items", item="ul > li")
    assert [(one.title, one.url) for one in found.samples] == [
        ("One", "http://a.example/a"),
        ("Two", "http://a.example/b"),
    ]
    api = _tried(
        "result_path", "api", '{"data": [{"n": "One"}, {"n": "Two"}]}', result_path="data", fields={"title": "n"}
    )
    assert (api.found, [one.title for one in api.samples]) == (2, ["One", "Two"])


def test_patterns_show_the_lines_and_addresses_that_they_leave_out() -> None:
    assert _tried("ignore", ignore=["Views:*"]).takes == ("Views: 12",)
    left_out = _tried("exclude", "site", exclude=["*/b"])
    assert (left_out.takes, left_out.count) == (("http://a.example/b",), 1)


def test_selectors_of_pictures_show_their_elements() -> None:
    found = _tried("picture_ignore", pictures="page", picture_ignore=[".views", "li"])
    assert (found.takes, found.count) == (("Views: 12", "One", "Two"), 3)


def test_what_texts_are_enough_for_needs_no_fetch() -> None:
    source = Source(id="s", name="", kind="page", url="http://a.example/", config={"values": {"seen": "Views: {}"}})
    assert needs_texts(source, "values")
    assert needs_texts(source, "ignore")
    assert not needs_texts(replace(source, config={"values": {"price": ".price"}}), "values")
    assert not needs_texts(source, "selectors")
    found = tried_on_texts(source, [("Tea", "Smoked tea\nViews: 12")], "values")
    assert found.samples[0].values == (("seen", "12"),)
    ignoring = replace(source, config={"ignore": ["Views:*"]})
    assert tried_on_texts(ignoring, [("Tea", "Smoked tea\nViews: 12")], "ignore").takes == ("Views: 12",)
