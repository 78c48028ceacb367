"""What the SQLite index does when very many documents match."""

from __future__ import annotations

import pytest

from contract.stores import ON_SQLITE
from desk import Desk
from samples import NOW, document
from veille.adapters.stores.sqlite.search import index
from veille.adapters.stores.sqlite.search.index import SqliteIndex
from veille.core.search.query import parse


def _index(desk: Desk, most: int) -> SqliteIndex:
    with desk.open() as opened:
        return SqliteIndex(opened.db, desk.dossier_id, most)  # type: ignore[attr-defined]  # it is the SQLite one


@ON_SQLITE
def test_of_very_many_the_newest_and_those_with_it_in_the_title_are_ranked(desk: Desk) -> None:
    desk.bring(
        document("https://example.org/first", title="Harbour", text="Nothing else."),
        *(document(f"https://example.org/{n}", title="News", text=f"A harbour {n}.") for n in range(20)),
    )
    cut = _index(desk, 5).ranked(parse("harbour", NOW), 100)
    assert cut.is_cut
    assert cut.hits[0].url == "https://example.org/first"
    assert {hit.url.rpartition("/")[2] for hit in cut.hits} == {"first", "15", "16", "17", "18", "19"}
    whole = _index(desk, 50).ranked(parse("harbour", NOW), 100)
    assert (len(whole.hits), whole.is_cut) == (21, False)
    assert len(_index(desk, 5).matching(parse("harbour", NOW), [hit.document_id for hit in whole.hits])) == 21


@ON_SQLITE
def test_a_beginning_stands_for_its_most_frequent_words_once_they_are_enough(desk: Desk) -> None:
    desk.bring(
        *(document(f"https://example.org/rare{n}", text=f"Once seaside{n:02}.") for n in range(40)),
        *(document(f"https://example.org/{n}", text=f"The seagull {n}.") for n in range(6)),
    )
    found = _index(desk, 6).ranked(parse("sea*", NOW), 100)
    assert found.is_cut
    assert {hit.url.rpartition("/")[2] for hit in found.hits} >= {"0", "5"}
    assert len(_index(desk, 100).ranked(parse("sea*", NOW), 100).hits) == 46


@ON_SQLITE
def test_of_a_word_that_most_documents_have_fewer_are_ranked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, small in (("RANKED_COMMON", 4), ("_COMMON", 3), ("_COMMON_OF", 6)):
        monkeypatch.setattr(index, name, small)
    desk.bring(
        *(document(f"https://example.org/old{n}", text=f"A harbour {n}.") for n in range(9)),
        *(
            document(f"https://example.org/{n}", text=f"The gull {n}{' of a harbour' * (n % 4 == 0)}.")
            for n in range(9)
        ),
    )
    common = _index(desk, 50).ranked(parse("gull", NOW), 100)
    assert ({hit.url.rpartition("/")[2] for hit in common.hits}, common.is_cut) == ({"5", "6", "7", "8"}, True)
    rarer = _index(desk, 50).ranked(parse("harbour", NOW), 100)
    assert (len(rarer.hits), rarer.is_cut) == (12, False)


@ON_SQLITE
@pytest.mark.parametrize("newest", [False, True])
@pytest.mark.parametrize("floor", [float("-inf"), 0.0, 1e9])
def test_whether_some_may_be_cut_or_not_the_hits_are_the_same(desk: Desk, floor: float, newest: bool) -> None:  # noqa: FBT001
    desk.bring(
        *(
            document(f"https://example.org/{n}", title=f"A harbour {n}", text="The harbour. " * (n % 5) + f"Pier {n}.")
            for n in range(20)
        ),
        *(document(f"https://example.org/other{n}", text=f"Nothing of it {n}.") for n in range(40)),
    )
    asked = parse("harbour", NOW)
    # Twenty match: with a limit of twenty nothing is left out either, but nobody knows before.
    perhaps = _index(desk, 20).ranked(asked, 8, newest=newest, floor=floor)
    surely_not = _index(desk, 21).ranked(asked, 8, newest=newest, floor=floor)
    assert (perhaps.is_cut, surely_not.is_cut) == (True, False)
    assert perhaps.hits
    assert [hit.document_id for hit in perhaps.hits] == [hit.document_id for hit in surely_not.hits]
