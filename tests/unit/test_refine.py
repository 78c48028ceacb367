from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW
from veille.core.schedule import DAY
from veille.core.search.answers import Hit, Labels
from veille.core.search.query import parse
from veille.core.search.refine import facets, loosened, with_filter, without_filter


def _hit(source: str = "The Times", lang: str = "en", age: int = 0, source_id: str = "") -> Hit:
    return Hit(
        dossier_id="d", document_id="x", revision_id="r", source_id=source_id or f"id of {source}", source_name=source,
        kind="page", url="https://example.org", title="", snippet="", lang=lang, score=1.0, changed_at=NOW,
        state="current", dated_at=NOW - age * DAY,
    )  # fmt: skip


def _counts(text: str, *hits: Hit) -> dict[str, list[tuple[str, int]]]:
    found = facets(text, parse(text, NOW), hits, NOW, {})
    return {facet.name: [(choice.label, choice.count) for choice in facet.choices] for facet in found}


def test_hits_are_counted_by_what_they_have() -> None:
    counts = _counts("whales", _hit(), _hit(lang="fr", age=3), _hit("Post", lang="", age=40))
    assert counts == {
        "source": [("The Times", 2), ("Post", 1)],
        "kind": [("page", 3)],
        "lang": [("en", 1), ("fr", 1)],
        "after": [("last day", 1), ("last week", 2), ("last month", 2)],
    }
    assert _counts("whales") == {}


def test_a_filter_narrows_the_search_and_can_be_removed() -> None:
    (source, *_) = facets("whales", parse("whales", NOW), [_hit()], NOW, {})
    narrowed = source.choices[0].text
    assert narrowed == 'whales source:"The Times"'
    (source, *_) = facets(narrowed, parse(narrowed, NOW), [_hit()], NOW, {})
    assert source.choices[0].is_chosen
    assert source.choices[0].text == "whales"


@pytest.mark.parametrize("name", ['The "Times"', " ", ""])
def test_a_name_that_cannot_be_written_is_chosen_by_its_id(name: str) -> None:
    (source, *_) = facets("whales", parse("whales", NOW), [_hit(name, source_id="id7")], NOW, {})
    assert source.choices[0].text == "whales source:id7"
    assert source.choices[0].label == (name.strip() or "id7")


def test_two_sources_with_one_name_are_distinguished() -> None:
    (source, *_) = facets("x", parse("x", NOW), [_hit(source_id="one"), _hit(source_id="two")], NOW, {})
    assert {choice.text for choice in source.choices} == {"x source:one", "x source:two"}


@given(st.text(), st.sampled_from(["source", "lang", "kind"]), st.from_regex(r"[a-z][a-z0-9 -]{0,20}", fullmatch=True))
def test_a_filter_put_in_is_in_it_alone_and_can_be_taken_out(text: str, name: str, value: str) -> None:
    fields = {"source": "sources", "lang": "langs", "kind": "kinds"}
    text = text.replace('"', "")
    assert getattr(parse(with_filter(text, name, value), NOW), fields[name]) == (value,)
    assert getattr(parse(without_filter(with_filter(text, name, value), name), NOW), fields[name]) == ()


@pytest.mark.parametrize(
    ("text", "last"),
    [("old harb", "harb"), ("ferry OR harb", "harb"), ("harb*", None), ("x", None), ("lang:fr", None), ("c++", None)],
)
def test_the_last_word_may_be_the_beginning_of_one(text: str, last: str | None) -> None:
    query = loosened(parse(text, NOW))
    assert (query is None) == (last is None)
    if query is not None:
        assert query.groups[-1][-1].prefix
        assert query.groups[-1][-1].text == last
        assert query.groups[:-1] == parse(text, NOW).groups[:-1]


def test_topics_and_tags_are_facets_and_narrow_the_search() -> None:
    hits = [_hit(source_id="one"), _hit(source_id="two")]
    labels = {(hits[0].dossier_id, hits[0].document_id): Labels(topics=("city council",), tags=("water", 'a "b"'))}
    found = {facet.name: facet for facet in facets("tag:water", parse("tag:water", NOW), hits, NOW, labels)}
    assert [(one.label, one.text) for one in found["topic"].choices] == [
        ("city council", 'tag:water topic:"city council"')
    ]
    assert [(one.label, one.text, one.is_chosen) for one in found["tag"].choices] == [("water", "", True)]
    assert parse('tag:Water topic:"City Council"', NOW).topics == ("city council",)
