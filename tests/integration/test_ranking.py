"""`veille.search.rank`, and questions through the search service."""

from __future__ import annotations

from veille.search import rank

DOCUMENTS = [
    ("a", "Ferries", "The ferry to the island sails at noon.", "en"),
    ("b", "Bridges", "A bridge was closed by the flood.", "en"),
    ("c", "Bridges", "A bridge was closed by the flood.", "en"),
]


def test_documents_are_ranked_for_questions() -> None:
    queries = {1: "When do ferries sail?", 2: "who closed bridges", 3: "", 4: "heliotrope", 5: "x" * 10_000}
    ranked = rank(DOCUMENTS, queries)
    assert ranked[1] == ["a"]
    assert set(ranked[2]) == {"b", "c"}, "equal documents are both there"
    assert (ranked[3], ranked[4], ranked[5]) == ([], [], [])
    assert rank([], {"q": "anything"}) == {"q": []}
    assert rank(DOCUMENTS, {1: "When do ferries sail?"}, mode="both")[1][0] == "a"
