from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW
from veille.core.search.query import parse
from veille.core.search.snippets import SNIPPET_CHARS, folded, marked, snippet


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The old Bridge.", "bridge", "The old <mark>Bridge</mark>."),
        ("In Zürich, now", "ZURICH", "In <mark>Zürich</mark>, now"),
        ("harbours and harbour", "harbour", "harbours and <mark>harbour</mark>"),
        ("harbours and harbour", "harb*", "<mark>harbours</mark> and <mark>harbour</mark>"),
        ("an old harbour, bridge", '"harbour bridge"', "an old <mark>harbour, bridge</mark>"),
        ("says O'Brien & co", "o'brien", "says <mark>O&#x27;Brien</mark> &amp; co"),
        ("<b>bold</b>", "b", "&lt;<mark>b</mark>&gt;bold&lt;/<mark>b</mark>&gt;"),
        ("東京タワー is here", "東京*", "<mark>東京</mark>タワー is here"),
        ("nothing", "+++", "nothing"),
        ("nothing", "-nothing", "nothing"),
        ("snake_case", "case", "snake_<mark>case</mark>"),
    ],
)
def test_what_matches_is_marked(text: str, query: str, expected: str) -> None:
    assert snippet(text, parse(query, NOW)) == expected


def test_the_piece_with_most_of_the_words_is_chosen() -> None:
    text = "harbour " + "filler " * 200 + "the ferry left the harbour at noon " + "filler " * 200
    found = snippet(text, parse("harbour ferry", NOW))
    assert "<mark>ferry</mark> left the <mark>harbour</mark>" in found
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert len(re.sub("</?mark>", "", found)) <= SNIPPET_CHARS + 4


@given(st.text(), st.text())
def test_nothing_but_marks_is_markup_and_nothing_is_lost(text: str, asked: str) -> None:
    shown = marked(text, parse(asked, NOW))
    assert not re.search(r"<(?!/?mark>)", shown)
    assert html.unescape(re.sub("</?mark>", "", shown)) == html.unescape(html.escape(text))


@given(st.text())
def test_folding_moves_nothing(text: str) -> None:
    assert len(folded(text)) == len(text)
