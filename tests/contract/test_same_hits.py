"""Both stores find the same documents for the same queries, in eight languages, and rank them alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from contract.stores import STORES
from desk import Desk
from retrieval.sets import LANGUAGES, made
from samples import NOW, document
from veille.core.search.answers import Hit
from veille.core.search.query import parse

_SETS = [made(lang, seed=1, documents=40, questions=4) for lang in LANGUAGES]


def _queries() -> Iterator[str]:
    """For each language: words, a phrase, beginnings, either of two words, one without another."""
    for one in _SETS:
        first, second = (text.split() for _, _, text, _ in one.documents[:2])
        yield first[0]
        yield f'"{" ".join(first[:2])}"'
        yield f"{second[-1][:3]}*"
        yield f"{first[1 % len(first)]} OR {second[0]}"
        yield f"{second[0]} -{first[-1]}"


WORDS = tuple(_queries())
QUESTIONS = tuple(text for one in _SETS for text in one.questions.values())


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Desk]]:
    with ExitStack() as stack:
        found = []
        for name, opened in STORES.items():
            store = opened(tmp_path_factory.mktemp(name))
            stack.callback(store.close)
            program = store.program()
            desk = Desk(program, program.dossiers.create("news", NOW).id)
            desk.bring(
                *(
                    document(f"https://example.org/{name}", text=text, title=title, lang=lang)
                    for one in _SETS
                    for name, title, text, lang in one.documents
                )
            )
            found.append(desk)
        yield found


def _found(desk: Desk, text: str, *, asked: bool) -> list[Hit]:
    with desk.open() as opened:
        index = opened.index
        return (index.answering if asked else index.ranked)(parse(text, NOW), 1_000).hits


def test_there_are_enough_queries() -> None:
    assert len(LANGUAGES) == 8
    assert len(WORDS) + len(QUESTIONS) >= 60


@pytest.mark.parametrize("text", WORDS)
def test_a_search_finds_the_same_in_both_stores(desks: list[Desk], text: str) -> None:
    one, other = ({hit.url: hit.score for hit in _found(desk, text, asked=False)} for desk in desks)
    assert other == pytest.approx(one)
    assert one or "-" in text


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_answered_by_the_same_in_both_stores(desks: list[Desk], text: str) -> None:
    one, other = ({hit.url: hit.score for hit in _found(desk, text, asked=True)} for desk in desks)
    assert one
    assert other == pytest.approx(one)
