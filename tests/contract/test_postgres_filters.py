"""A filter that leaves few of many matches: the best of these are found, however many have to be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract.stores import STORES
from desk import Desk
from samples import NOW, document
from veille.adapters.stores.postgres import search
from veille.core.search.query import parse

LIMIT = 4


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = STORES["postgres"](tmp_path)
    program = store.program()
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    # The more often a text has the word, the better it matches; the best are in English, and two are in Greek.
    documents = [
        document(
            f"https://example.org/{number}",
            f"A text of number{number % 7}. " + "harbour " * (number + 1),
            lang="el" if number in {3, 5} else "fr" if number % 4 == 0 and number < 50 else "en",
        )
        for number in range(60)
    ]
    desk.bring(*documents)
    # Two that were there already, and one of its own.
    desk.bring(
        *documents[3:5],
        document("https://example.com/", "A text of others. " + "harbour " * 7),
        url="https://example.com/feed",
        name="Other",
    )
    yield desk
    store.close()
    store.after()


@pytest.mark.parametrize(
    "text",
    [
        "harbour",
        "harbour lang:en",
        "harbour lang:fr",
        "harbour lang:el",
        "harbour lang:it",
        "harbour lang:fr -number1",
        "what of a harbour lang:fr",
        "harbour source:Other",
        "harbour source:Other lang:el",
        "harbour source:Other source:https://example.org/a lang:fr",
    ],
)
def test_the_best_that_pass_are_found(desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def found(limit: int) -> list[str]:
        with desk.open() as opened:
            asked = opened.index.answering if text.startswith("what") else opened.index.ranked
            return [hit.url for hit in asked(parse(text, NOW), limit).hits]

    expected = found(1_000)
    assert bool(expected) is ("lang:it" not in text)
    if text == "harbour source:Other":
        assert set(expected) == {"https://example.com/", "https://example.org/3", "https://example.org/4"}
    monkeypatch.setattr(search, "_FIRST", LIMIT)
    for some in (1, 60):
        monkeypatch.setattr(search, "_SOME", some)
        assert found(LIMIT) == expected[:LIMIT]
