"""Typing errors in searches are corrected by the words that documents have."""

from __future__ import annotations

import pytest

from desk import Desk, Program
from samples import AWKWARD, NOW, document
from veille.services.reading.search import SearchService

TEXTS = (
    "The harbour bridge was closed, and the harbour ferry sails to Zürich instead.",
    "The harbour is encrypted: Festplattenverschlüsselung for everybody.",
    "Мост через реку закрыт до понедельника, сообщила администрация.",
    "An arbour in the garden.",
    "In der Stadt ist eine Bücherei. Neu sind dort die Öffnungszeiten, und im Garten die Geräte.",
    "Bicycles are carried, mountain railways are not; the tram and a committee are.",
)


@pytest.fixture
def searches(program: Program) -> tuple[SearchService, list[str]]:
    ids = [program.dossiers.create(name, NOW).id for name in ("one", "two")]
    for number, dossier_id in enumerate(ids):
        some = TEXTS[number::2]
        Desk(program, dossier_id).bring(
            *(document(f"https://example.org/{n}", text=text) for n, text in enumerate(some))
        )
    return SearchService(program.dossiers, lambda: NOW), ids


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("harbuor", "harbour"),
        ("Harbuor bridge", "Harbour bridge"),
        ("harbor lang:en", "harbour lang:en"),
        ("brigde ferrry", "bridge ferry"),
        ("how is the harbuor encripted?", "how is the harbour encrypted?"),
        ("zurrich", "Zürich"),
        ("festplatenverschlüselung", "festplattenverschlüsselung"),
        ("понедельнка", "понедельника"),
        ("verschlüsselun", ""),
        # As it was typed, or else as documents have it.
        ("HARBUOR Bridge", "HARBOUR Bridge"),
        ("What is a Comittee?", "What is a Committee?"),
        ("Bücherei-Öffnugszeiten", "Bücherei-Öffnungszeiten"),
        ("öffnugszeiten", "Öffnungszeiten"),
        # Of compounds that no document has, a part may be mistyped.
        ("Wann hat die Stadtbüchrei offen?", "Wann hat die Stadtbücherei offen?"),
        ("STADTBÜCHREI", "STADTBÜCHEREI"),
        ("Büchreigarten", "Büchereigarten"),
        ("Gartengerätte", "Gartengeräte"),
        ("Stadtbücherei", ""),
        ("Stadtbüchereien", ""),
        ("Gartenzwerge", ""),
        ("harbuorencrypted", ""),
        ("bicycels", "bicycles"),
        ("понедельник закрывать", ""),
        ("harbours", ""),
        ("harbour", ""),
        ("closing", ""),
        ("fery", "ferry"),
        ("trma", "tram"),
        ("bycicles", "bicycles"),
        ("muontian", "mountain"),
        ("cmomitee", "committee"),
        ("xyzzyplugh", ""),
        ("wery", ""),
        ("bycicling", ""),
        ("fidges", ""),
        ("fry", ""),
        ('"harbuor bridge"', ""),
        ("harbuo*", ""),
        ("", ""),
    ],
)
def test_a_word_that_no_document_has_may_be_another(
    searches: tuple[SearchService, list[str]], typed: str, meant: str
) -> None:
    service, ids = searches
    assert service.suggestion(ids, typed) == meant


def test_a_page_of_hits_has_the_correction(searches: tuple[SearchService, list[str]]) -> None:
    service, ids = searches
    assert service.find(ids, "harbuor bridge", 0, 10).suggestion == "harbour bridge"
    assert service.find(ids, "harbuor", 0, 10).total == 0
    assert not service.find(ids, "harbour bridge", 0, 10).suggestion


def test_no_awkward_text_is_an_error(searches: tuple[SearchService, list[str]]) -> None:
    service, ids = searches
    for text in AWKWARD:
        assert isinstance(service.suggestion(ids, text), str)
