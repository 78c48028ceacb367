from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import veille
from archives import restored
from retrieval import pages
from vectors import Embeddings
from veille.bootstrap.backups import back_up
from veille.errors import ConfigError
from veille.search import rank
from veille.services.reading.filling import fill
from watching import FAST
from world import Site

DOCUMENTS = [
    ("ferry", "Ferries", "The ferry to the island leaves at nine in the morning from the old harbour.", "en"),
    ("bridge", "Bridges", "A bridge was closed after the flood damaged it, says the council.", "en"),
    ("clocks", "Clocks", "A museum of clocks opens in the customs house.", "en"),
    ("market", "Marktplatz", "Auf dem Marktplatz gibt es jeden Samstag frisches Gemüse zu kaufen.", "de"),
]
QUESTIONS = {
    "ferry": "When does the boat sail?",
    "bridge": "Warum wurde die Brücke gesperrt und wann öffnet sie wieder?",
    "market": "where can I buy vegetables at the weekend?",
    "clocks": "timepieces exhibition",
}


@pytest.fixture
def filled(app: veille.App) -> str:
    """A dossier with the documents."""
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [one[1:] for one in DOCUMENTS], app.clock())
    return dossier


@pytest.mark.parametrize("mode", ["meaning", "both"])
def test_questions_in_other_words_and_in_another_language_find_their_documents(mode: veille.search.SearchMode) -> None:
    found = rank(DOCUMENTS, QUESTIONS, mode)
    assert {question: ids[0] for question, ids in found.items()} == {name: name for name in QUESTIONS}
    assert all(len(ids) == len(set(ids)) == len(DOCUMENTS) for ids in found.values())


def test_where_it_is_off_the_message_says_how_to_switch_it_on(app: veille.App, filled: str) -> None:
    with pytest.raises(ConfigError, match="veille vectors on") as caught:
        app.searches.search([filled], "which boat sails?", mode="meaning")
    assert caught.value.code == "no_vectors"
    assert app.searches.search([filled], "when does the ferry sail?")[0].title == "Ferries"


def test_questions_are_searched_by_both_once_it_is_on_and_words_as_ever(app: veille.App, filled: str) -> None:
    app.meaning.switch_on(filled, ["multilingual"])
    assert app.meaning.keep_up([filled]) == 8
    hits = app.searches.search([filled], "Wann fährt das Schiff zur Insel?")
    assert hits[0].title == "Ferries"
    assert "ferry to the island" in hits[0].snippet
    with app.reading(filled) as reading:
        text = reading.records.revision(hits[0].document_id).text
    assert hits[0].piece in {(0, len(text)), (0, 0)}
    assert [hit.title for hit in app.searches.search([filled], "museum clocks")] == ["Clocks"], "these are words"
    assert [hit.title for hit in app.searches.search([filled], '"the ferry" OR "the flood"', mode="both")] == [
        hit.title for hit in app.searches.search([filled], '"the ferry" OR "the flood"')
    ]
    only_german = app.searches.search([filled], "where is fresh food sold? lang:de", mode="meaning")
    assert [hit.title for hit in only_german] == ["Marktplatz"]
    assert len(app.searches.search([filled], "which boat sails to an island?", mode="words")) < 4
    page = app.searches.find([filled], "which boat sails to an island?", 0, 2)
    assert (page.total, page.hits[0].title) == (4, "Ferries")


def test_the_first_hits_are_the_same_however_many_are_wanted(app: veille.App) -> None:
    one = pages.made("de", 1)
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [document[1:] for document in one.documents], app.clock())
    app.meaning.switch_on(dossier, ["multilingual"])
    app.meaning.keep_up([dossier])
    for question in list(one.questions.values())[:10]:
        best = [hit.document_id for hit in app.searches.ranked([dossier], question, mode="both")]
        for limit in (3, 10):
            hits = app.searches.search([dossier], question, limit, mode="both")
            assert [hit.document_id for hit in hits] == best[:limit]


def test_nothing_is_embedded_again_after_a_restore(app: veille.App, filled: str, tmp_path: Path) -> None:
    app.meaning.switch_on(filled, ["multilingual"])
    made = app.meaning.keep_up([filled])
    asked = "Wann fährt das Schiff zur Insel?"
    before = [(hit.document_id, hit.score) for hit in app.searches.search([filled], asked, mode="both")]
    back_up(app.settings, tmp_path / "a.zip", app.clock())
    restored(tmp_path / "a.zip", tmp_path / "new")
    with veille.open_app(data=tmp_path / "new") as other:
        assert other.meaning.state(filled).counts == app.meaning.state(filled).counts
        assert other.meaning.keep_up([filled]) == 0
        assert [(hit.document_id, hit.score) for hit in other.searches.search([filled], asked, mode="both")] == before
        (dossier,) = other.local.all()
        report = other.local.examine(dossier, [])
        assert report["healthy"]
        assert report["vectors"] == {
            "pieces": made, "made": {"use-multilingual-3-q": made}, "waiting": {"use-multilingual-3-q": 0},
            "strays": 0, "lost": 0, "uncut": 0,
        }  # fmt: skip


def test_an_embedder_that_is_not_there_is_told_at_once(app: veille.App, filled: str) -> None:
    with pytest.raises(ConfigError):
        app.meaning.switch_on(filled, ["nonsense"])
    assert app.meaning.state(filled).embedders == ()


@pytest.fixture
def serving(tmp_path: Path, site: Site) -> Iterator[tuple[veille.App, Embeddings]]:
    """A program whose settings name an OpenAI-style service for all dossiers."""
    service = Embeddings(site)
    meaning = {"embedders": ["mine"], "options": {"mine": service.options}}
    with veille.open_app(data=tmp_path / "served", fetch=FAST, meaning=meaning) as app:
        yield app, service


def test_a_worker_embeds_what_is_new_in_all_dossiers_by_a_service_of_the_settings(
    serving: tuple[veille.App, Embeddings],
) -> None:
    app, service = serving
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [one[1:] for one in DOCUMENTS], app.clock())
    assert app.vectors.keep_up(lambda: False) == 8
    assert app.vectors.keep_up(lambda: False) == 0, "too soon"
    assert sorted(service.texts) == sorted(part for one in DOCUMENTS for part in one[1:3])
    assert app.vectors.keep_up(lambda: False, at_once=True) == 0
    assert len(service.texts) == 8, "nothing is embedded twice"
    assert app.searches.search([dossier], DOCUMENTS[2][2], mode="meaning")[0].title == "Clocks"


def test_a_service_that_is_down_loses_nothing(serving: tuple[veille.App, Embeddings]) -> None:
    app, service = serving
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [one[1:] for one in DOCUMENTS], app.clock())
    service.works = False
    with pytest.raises(veille.VeilleError):
        app.vectors.keep_up(lambda: False, at_once=True)
    state = app.meaning.state(dossier)
    assert sum(state.counts.waiting.values()) == 8
    assert app.searches.search([dossier], "when does the ferry sail?")[0].title == "Ferries", "words still find"
    with pytest.raises(veille.SinkError):
        app.searches.search([dossier], "when does the ferry sail?", mode="both")


def test_what_failed_is_embedded_as_soon_as_it_is_asked_for_again(serving: tuple[veille.App, Embeddings]) -> None:
    app, service = serving
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [one[1:] for one in DOCUMENTS], app.clock())
    assert [one.label for one in app.meaning.switch_on(dossier).embedders] == ["mine"], "as the settings say"
    service.works = False
    with pytest.raises(veille.SinkError, match="veille vectors embed"):
        app.meaning.keep_up([dossier], is_asked_for=True)
    service.works = True
    assert app.meaning.keep_up([dossier], is_asked_for=True) == 8


def test_what_a_service_refuses_does_not_hold_up_the_rest(serving: tuple[veille.App, Embeddings]) -> None:
    app, service = serving
    dossier = app.create_dossier("press").id
    documents = [(f"Title {n}", f"The text of number {n}.", "en") for n in range(60)]
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, documents, app.clock())
    app.meaning.switch_on(dossier)
    service.refused = "The text of number 1."
    with pytest.raises(veille.SinkError):
        app.meaning.keep_up([dossier], is_asked_for=True)
    counts = app.meaning.state(dossier).counts
    assert 0 < sum(counts.waiting.values()) <= 32
    assert sum(counts.vectors.values()) == counts.pieces - sum(counts.waiting.values())


def test_where_another_model_answers_words_still_find(serving: tuple[veille.App, Embeddings]) -> None:
    app, service = serving
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [one[1:] for one in DOCUMENTS], app.clock())
    app.meaning.switch_on(dossier)
    app.meaning.keep_up([dossier])
    service.numbers = 16
    assert app.searches.search([dossier], "when does the ferry sail?")[0].title == "Ferries"
    with pytest.raises(veille.SinkError, match="another model answers"):
        app.searches.search([dossier], "when does the ferry sail?", mode="both")
    app.meaning.switch_off(dossier)
    app.meaning.switch_on(dossier)
    assert app.meaning.keep_up([dossier]) == 8
    assert app.searches.search([dossier], DOCUMENTS[2][2], mode="meaning")[0].title == "Clocks"


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Wann fährt das Schiff zur Insel?", "The ferry to the island"),
        ("Where can I buy fresh vegetables?", "frisches Gemüse"),
        ("Why is the bridge closed?", "A bridge was closed"),
    ],
)
def test_a_question_in_another_language_is_answered_with_the_very_words(
    app: veille.App, filled: str, question: str, quote: str
) -> None:
    assert question.startswith("Why") or app.asking.ask(filled, question).kind == "nothing"
    app.meaning.switch_on(filled, ["multilingual"])
    app.meaning.keep_up([filled])
    answer = app.asking.ask(filled, question)
    assert answer.kind == "extract"
    assert quote in answer.statements[0].text
    (citation,) = answer.statements[0].citations
    with app.reading(filled) as reading:
        revision = reading.records.revision(citation.document_id)
    assert revision.text[citation.start : citation.end] == citation.quote
    assert app.asking.ask(filled, "Which team won the world cup in ice hockey?").kind == "nothing"


def test_sentences_with_its_words_and_those_that_mean_it_answer_a_question_in_turns(app: veille.App) -> None:
    dossier = app.create_dossier("press").id
    shop = ("Shop window", "A small boat with a red sail stands in the window of the shop.", "en")
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [shop, *(one[1:] for one in DOCUMENTS)], app.clock())
    question = "When does the boat sail?"
    (only,) = app.asking.ask(dossier, question).statements
    assert "red sail" in only.text
    app.meaning.switch_on(dossier, ["english"])
    app.meaning.keep_up([dossier])
    told = [one.text for one in app.asking.ask(dossier, question).statements]
    assert ["red sail" in told[0], "The ferry to the island leaves" in told[1]] == [True, True]
    assert len(told) == len(set(told))


def test_what_stands_below_a_heading_answers_not_the_heading(app: veille.App) -> None:
    text = (
        "Questions that visitors ask\n\n1.1.\n\nHow do I get to the island?!\n\n"
        "Take the boat that leaves at nine in the morning from the old harbour.\n\n"
        "What is there to eat?\n\nThe kitchen of the lighthouse has fish on Fridays.\n"
    )
    dossier = app.create_dossier("press").id
    with app.dossiers.open(dossier) as store:
        fill(store, dossier, [("Visitors", text, "en"), *(one[1:] for one in DOCUMENTS[1:3])], app.clock())
    app.meaning.switch_on(dossier, ["multilingual"])
    app.meaning.keep_up([dossier])
    told = [one.text for one in app.asking.ask(dossier, "Wie komme ich auf die Insel?").statements]
    assert told[0].startswith("Take the boat")
    assert not any(one.endswith(("?", "?!")) or one == "1.1." for one in told)
