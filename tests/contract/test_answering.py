"""Questions: ranked by any of their words, in any form, over all documents."""

from __future__ import annotations

import pytest

from desk import Desk, Program
from samples import AWKWARD, NOW, document
from veille.core.search.answers import Hit
from veille.core.search.query import parse
from veille.core.search.question import FEW_DOCUMENTS
from veille.services.reading.search import SearchService


def _answers(desk: Desk, text: str, limit: int = 10) -> list[Hit]:
    with desk.open() as opened:
        query = parse(text, NOW)
        hits = opened.index.answering(query, limit).hits
        return opened.index.with_snippets(query, hits, any_form=True)


def _names(desk: Desk, text: str) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in _answers(desk, text)]


LANGS = {"porpoise": "en", "code": "en", "path": "en", "hafen": "de", "unknown": ""}


def _library(desk: Desk) -> None:
    texts = {
        "porpoise": ("Porpoises", "Harbour porpoises were counted from ferries, and fewer were seen than before."),
        "code": ("A manual", "Call os.path.join and not os.path.split; see getElementById, __init__ and C++ 3.14."),
        "path": ("Paths", "The path along the coast joins another path near the C of the sign."),
        "ru": ("Ёж", "Ежи живут в лесу, и за́мок стоит там же. Паромы не ходят."),
        "el": ("Νέα", "\u03a4\u03bf λιμάνι της Αθήνας είναι μεγάλο."),
        "hafen": ("Hafen", "Der Hafen ist neu."),
        "hi": ("समाचार", "हिन्दी में लिखा हुआ पुराना पुल बंद है।"),
        "ar": ("خبر", "أُغْلِقَ الجسر القديم في المدينة."),
        "th": ("ข่าว", "มีเรือข้ามฟากลำใหม่มาถึงท่าเรือแล้ว"),
        "de": ("Computer", "Die Festplattenverschlüsselung der Stadtbibliotheken wurde erneuert."),
        "unknown": ("Installation", "LVM: Partitionstabellen"),
        "zh": ("港口新闻", "港口的新渡轮停运了三天。"),
    }
    desk.bring(
        *(
            document(f"https://example.org/{name}", text=text, title=title, lang=LANGS.get(name, name))
            for name, (title, text) in texts.items()
        )
    )


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("how many porpoise did they count from a ferry", "porpoise"),
        ("what does os.path.join do", "code"),
        ("join", "path"),
        ("where is C++ used", "code"),
        ("__init__", "code"),
        ("element by id", "code"),
        ("is it 3.14", "code"),
        ("где живет еж", "ru"),
        ("замок", "ru"),
        ("μεγαλο λιμανι", "el"),
        ("पुराना पुल", "hi"),
        ("اغلق الجسر القديم", "ar"),
        ("เรือข้ามฟากใหม่มาเมื่อไร", "th"),
        ("Verschlüsselung", "de"),
        ("Tabelle", "unknown"),
        ("Bibliothek", "de"),
        ("warum will man die Festplatten erneuern", "de"),
        ("Festplattenverschlüsselungen", "de"),
        ("Hafencomputer", "hafen"),
        ("кто живёт в лесах", "ru"),
        ("λιμανια", "el"),
        ("पुराने पुलों", "hi"),
        ("مدينة قديمة", "ar"),
        ("渡轮为什么停运", "zh"),
        ("渡", "zh"),
    ],
)
def test_a_question_finds_the_document_that_answers_it(desk: Desk, text: str, best: str) -> None:
    _library(desk)
    assert _names(desk, text)[0] == best


def test_filters_and_excluded_words_hold_for_questions_too(desk: Desk) -> None:
    _library(desk)
    assert set(_names(desk, "path join")) == {"code", "path"}
    assert _names(desk, "path join -coast") == ["code"]
    assert _names(desk, "渡轮 path lang:zh") == ["zh"]
    assert _names(desk, "path before:1d") == []
    assert _names(desk, "path source:nobody") == []


def test_the_forms_that_matched_are_marked(desk: Desk) -> None:
    _library(desk)
    (hit,) = _answers(desk, "a porpoise counting ferry")[:1]
    assert "<mark>porpoises</mark> were <mark>counted</mark> from <mark>ferries</mark>" in hit.snippet
    (hit,) = _answers(desk, "where were the porpoises counted?")[:1]
    assert "<mark>porpoises</mark> were <mark>counted</mark>" in hit.snippet, "small words are not marked"
    (hit,) = _answers(desk, "渡轮停运")[:1]
    assert "<mark>渡轮</mark>" in hit.snippet
    assert "<mark>Паромы</mark>" in _answers(desk, "расписание паромов")[0].snippet
    assert "<mark>Festplattenverschlüsselung</mark>" in _answers(desk, "Verschlüsselung")[0].snippet


def test_what_is_gone_from_the_index_answers_nothing(desk: Desk) -> None:
    added = desk.bring(document(text="The heliotrope is closed."))
    assert len(_answers(desk, "heliotropes")) == 1
    with desk.open() as opened:
        opened.trash.put(added.id, NOW)
        assert opened.index.answering(parse("heliotropes", NOW), 10).hits == []
        opened.trash.restore(added.id, NOW)
        assert len(opened.index.answering(parse("heliotropes", NOW), 10).hits) == 1
        assert opened.records.health(NOW)["indexed"] == 1
        opened.sources.delete(added.id)
        assert opened.index.answering(parse("heliotropes", NOW), 10).hits == []


def test_very_common_words_are_left_out_but_never_all(desk: Desk) -> None:
    desk.bring(
        *(document(f"https://example.org/{n}", text=f"The harbour of number{n} town.") for n in range(FEW_DOCUMENTS)),
        document("https://example.org/ferry", text="A ferry to the island."),
    )
    assert _names(desk, "where is the harbour ferry") == ["ferry"]
    assert len(_answers(desk, "harbour of town", 3000)) == FEW_DOCUMENTS


def test_no_awkward_question_is_an_error(desk: Desk) -> None:
    _library(desk)
    for text in AWKWARD:
        assert isinstance(_answers(desk, text), list)


def test_words_are_exact_first_and_what_no_document_has_all_of_is_found_by_any(program: Program) -> None:
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    _library(desk)
    searches = SearchService(program.dossiers, lambda: NOW)

    def found(text: str, *, exact: bool = False) -> list[str]:
        return [hit.url.rpartition("/")[2] for hit in searches.search([desk.dossier_id], text, exact=exact)]

    assert found("path coast") == ["path"], "all words, although another has one of them"
    assert found("porpoise island") == ["porpoise"], "no document has both: any of them, in any form"
    assert found("porpoise island", exact=True) == []
    assert found('"porpoise island"') == []
    assert found("who counted porpoises from the ferry")[0] == "porpoise"
    page = searches.find([desk.dossier_id], "who counts porpoises?", 0, 10)
    assert (page.total, page.by_any, page.is_loosened) == (1, True, False)
    assert "<mark>counted</mark>" in page.hits[0].snippet
    typed = searches.find([desk.dossier_id], "porpoises coun", 0, 10)
    assert (typed.total, typed.by_any, typed.is_loosened) == (1, False, True)


def test_the_best_of_several_dossiers_answer_a_question(program: Program) -> None:
    ids = [program.dossiers.create(f"dossier {number}", NOW).id for number in range(3)]
    for number, dossier_id in enumerate(ids):
        texts = ["harbour " * (number + 1) + f"word {n}" for n in range(3)]
        Desk(program, dossier_id).bring(
            *(document(f"https://example.org/{n}", text=text) for n, text in enumerate(texts)),
            document("https://example.org/other", text="Something else at another place, and more of that."),
        )
    hits = SearchService(program.dossiers, lambda: NOW).ranked(ids, "which harbours are there?", 5)
    assert len(hits) == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
