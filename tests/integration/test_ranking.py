"""`veille.search.rank`, and questions through the search service."""

from __future__ import annotations

import pytest

from veille.errors import ConfigError
from veille.search import SearchMode, rank

DOCUMENTS = [
    ("a", "Ferries", "The ferry to the island sails at noon.", "en"),
    ("b", "Bridges", "A bridge was closed by the flood.", "en"),
    ("c", "Bridges", "A bridge was closed by the flood.", "en"),
]


def test_documents_are_ranked_for_questions() -> None:
    queries = {1: "When do ferries sail?", 2: "who closed bridges", 3: "", 4: "heliotrope", 5: "x" * 10_000, 6: None}
    ranked = rank(DOCUMENTS, queries)
    assert ranked[1] == ["a"]
    assert set(ranked[2]) == {"b", "c"}, "equal documents are both there"
    assert (ranked[3], ranked[4], ranked[5], ranked[6]) == ([], [], [], [])
    assert rank([], {"q": "anything"}) == {"q": []}
    assert rank(DOCUMENTS, {1: "When do ferries sail?"}, mode="both")[1][0] == "a"


def test_a_mode_that_there_is_not_is_told_before_anything_is_read() -> None:
    with pytest.raises(ConfigError, match="words, meaning, both"):
        rank(iter(()), {"q": "ferries"}, mode="hybrid")  # type: ignore[arg-type]  # as a script may have it


@pytest.mark.parametrize("mode", ["words", "both"])
def test_no_sign_in_a_question_is_an_operator(mode: SearchMode) -> None:
    questions = [
        '"unclosed bridge',
        'the bridge "was never closed" flood',
        "-bridge",
        "ferry OR bridge AND NOT noon",
        "lang:fr before:1990 bridge",
        "bridge*",
        "bridge \ud800\x00",
        "(bridge NEAR/3 flood) ^2",
        "bridge " * 3000,
    ]
    ranked = rank(DOCUMENTS, dict(enumerate(questions)), mode)
    for number, found in ranked.items():
        assert {"b", "c"} <= set(found[:3]), questions[number]


@pytest.mark.parametrize("mode", ["words", "meaning", "both"])
def test_any_ids_and_languages_are_taken_and_parts_may_be_missing(mode: SearchMode) -> None:
    documents = [
        (1, "Ferries", "The ferry to the island sails at nine.", "en-US"),
        ("", "Bridges", None, ""),
        ((1, "x"), "", "A bridge was closed after a storm.", "English"),
        (None, None, "Die Brücke wurde nach dem Sturm gesperrt.", "de_DE"),
        ("nothing", "", "", None),
        (2.5, "a\x00b", "The bridge \ud800 has a \x00.", "no language"),
    ]
    ranked = rank(documents, {("a", 1): "Why was the bridge closed?", None: "When does the ferry sail?"}, mode)
    assert {"", (1, "x")} <= set(ranked["a", 1])
    assert ranked[None][0] == 1
    assert "nothing" not in ranked["a", 1] + ranked[None]


def test_embedders_that_no_question_needs_are_not_used() -> None:
    greek = [("g", "Γέφυρα", "Κλειστή γέφυρα μετά την καταιγίδα.", "el")]
    questions = {"q": "Γιατί έκλεισε η γέφυρα;"}
    assert rank(greek, questions, "both") == rank(greek, questions, "meaning") == rank(greek, questions) == {"q": ["g"]}


def test_documents_with_one_id_are_one() -> None:
    parts = [(number % 120, "", f"The bridge number {number} was closed.", "en") for number in range(360)]
    ranked = rank(iter(parts), {"q": "Why was bridge 7 closed?", "long": "bridge closed " * 700})
    assert ranked["q"][0] == 7
    assert all(len(set(found)) == len(found) == 100 for found in ranked.values())
