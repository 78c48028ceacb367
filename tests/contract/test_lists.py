"""Lists of documents and stories, as every store must give them."""

from __future__ import annotations

import tracemalloc

from desk import Desk
from samples import NOW, document
from veille.core.models import Document
from veille.core.records import DocumentFilter


def _about(name: str, text: str = "", lang: str = "en") -> Document:
    return document(f"https://example.org/{name}", title=name, text=text or f"all about {name} " * 30, lang=lang)


def test_lists_are_gone_through_by_place_and_hold_what_is_wanted(desk: Desk) -> None:
    source = desk.bring(*(_about(f"d{n}", lang="de" if n % 2 else "en") for n in range(7)))
    with desk.open() as opened:
        seen, place = [], None
        while True:
            lines, place = opened.records.lines(DocumentFilter(), place, 3)
            seen += [line.title for line in lines]
            if place is None:
                break
        assert sorted(seen) == [f"d{n}" for n in range(7)]
        german, _ = opened.records.lines(DocumentFilter(lang="de", source_id=source.id, state="current"), None, 50)
        assert {line.title for line in german} == {"d1", "d3", "d5"}
        some, following = opened.records.lines(DocumentFilter(only=(german[0].id, "absent")), None, 50)
        assert ([line.id for line in some], following) == ([german[0].id], None)
        assert opened.records.lines(DocumentFilter(state="removed"), None, 50) == ([], None)
        assert opened.records.languages() == ["de", "en"]


def test_copies_are_listed_when_asked_for(desk: Desk) -> None:
    desk.bring(_about("first", "the very same words " * 30), _about("second", "the very same words " * 30))
    with desk.open() as opened:
        (line,), _ = opened.records.lines(DocumentFilter(), None, 50)
        (copy,), _ = opened.records.lines(DocumentFilter(state="duplicate"), None, 50)
    assert (copy.duplicate_of, copy.rev_n) == (line.id, 0)


def test_the_history_of_a_document_is_read_from_a_number_down(desk: Desk) -> None:
    desk.bring(_about("a", "text 0"))
    for n in range(1, 6):
        desk.again(_about("a", f"text {n}"), now=NOW + n)
    with desk.open() as opened:
        document_id = opened.records.lines(DocumentFilter(), None, 1)[0][0].id
        assert [one.text for one in opened.records.history(document_id, 5, 2)] == ["text 3", "text 2"]
        assert opened.records.times(document_id, 2) == {6: NOW + 5, 5: NOW + 4}


def test_the_history_of_a_long_document_is_never_all_in_memory(desk: Desk) -> None:
    long = "word " * 100_000
    desk.bring(_about("a", long))
    for n in range(1, 20):
        desk.again(_about("a", f"{n} {long}"), now=NOW + n)
    with desk.open() as opened:
        document_id = opened.records.lines(DocumentFilter(), None, 1)[0][0].id
        tracemalloc.start()
        try:
            numbers = [one.n for one in opened.records.history(document_id, None, 20)]
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert numbers == list(range(20, 0, -1))
    assert most < 8 * len(long)


def test_stories_count_who_tells_them_also_after_some_left(desk: Desk) -> None:
    words = " ".join(f"word{n} of{n % 7} the{n % 11} harbour{n}" for n in range(90))
    copies = [_about(f"s{n}", f"{words} and {n} says so") for n in range(3)]
    desk.bring(*copies)
    with desk.open() as opened:
        (story,) = opened.stories.lines(None, 10)
        assert (story.documents, story.title, story.last_at) == (3, "s0", NOW)
        assert opened.stories.lines(story.place, 10) == []
    desk.again(_about("s0", "something else entirely " * 40), *copies[1:], now=NOW + 1)
    with desk.open() as opened:
        (story,) = opened.stories.lines(None, 10)
        assert story.documents == 2
        assert [one.id for one in opened.stories.all()] == [story.id]


def test_all_that_is_current_is_walked_through_in_a_fixed_order(desk: Desk) -> None:
    desk.bring(*(_about(f"d{n}") for n in range(5)))
    with desk.open() as opened:
        first = opened.records.walk(0, 2)
        desk.again(*(_about(f"d{n}", f"Otherwise {n}.") for n in range(5)), now=NOW + 1)
        rest = opened.records.walk(first[-1][0], 9)
        assert [one.title for _, one in [*first, *rest]] == [f"d{n}" for n in range(5)]
        assert [one.n for _, one in [*first, *rest]] == [1, 1, 2, 2, 2], "each as it is when it is come by"
        assert opened.records.walk(rest[-1][0], 9) == []
