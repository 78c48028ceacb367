from __future__ import annotations

from desk import Desk
from samples import NOW, document
from veille.core.access.accounts import VISIT_MS, Since
from veille.core.models import Document


def _about(name: str, text: str = "") -> Document:
    return document(f"https://example.org/{name}", title=name, text=text or f"All about {name}.")


def _ids(desk: Desk) -> dict[str, str]:
    with desk.open() as opened:
        return {one.title: one.document_id for one in opened.records.documents()}


def test_what_is_read_is_unread_again_when_it_changes(desk: Desk) -> None:
    desk.bring(_about("one"), _about("two"))
    ids = _ids(desk)
    with desk.open() as opened:
        marks = opened.marks
        assert marks.unread("ada") == 2
        marks.read("ada", ids["one"])
        assert marks.unread_of("ada", [*ids.values(), "nothing"]) == {ids["two"]}
        assert marks.unread_documents("ada") == [ids["two"]]
        assert marks.unread("bob") == 2, "one person's marks are no other's"
        desk.again(_about("one", "Something else."), _about("two"), now=NOW + 1)
        assert set(marks.unread_documents("ada")) == set(ids.values())


def test_all_read_is_about_what_was_shown_and_one_can_be_unread_again(desk: Desk) -> None:
    desk.bring(_about("one"), _about("two"))
    ids = _ids(desk)
    with desk.open() as opened:
        marks = opened.marks
        shown = opened.outbox.last_seq()
        desk.again(_about("one"), _about("two", "Something else."), now=NOW + 1)
        marks.read_all("ada", shown)
        assert marks.unread_of("ada", list(ids.values())) == {ids["two"]}
        marks.read("ada", ids["one"], is_read=False)
        assert (marks.unread("ada"), marks.unread_of("ada", [ids["one"]])) == (2, {ids["one"]})
        marks.read_all("ada", opened.outbox.last_seq())
        marks.read_all("ada", shown)
        assert (marks.unread("ada"), marks.unread("bob")) == (0, 2), "what was read once stays so"


def test_a_visit_ends_when_nothing_was_looked_at_for_a_while(desk: Desk) -> None:
    desk.bring(_about("one"))
    with desk.open() as opened:
        marks = opened.marks
        assert marks.visit("ada", NOW) == Since(seq=0, at=None)
        assert marks.visit("ada", NOW + VISIT_MS) == Since(seq=0, at=None), "it is still the same visit"
        seen = opened.outbox.last_seq()
        desk.again(_about("one", "Something else."), now=NOW + 1)
        before = Since(seq=seen, at=NOW + VISIT_MS)
        assert marks.visit("ada", NOW + 3 * VISIT_MS) == before
        assert marks.visit("ada", NOW + 3 * VISIT_MS + 1) == before
        assert marks.visit("bob", NOW) == Since(seq=0, at=None)


def test_what_is_kept_comes_back_latest_first_and_goes_with_its_document(desk: Desk) -> None:
    source = desk.bring(*(_about(name) for name in ("one", "two", "three")))
    ids = _ids(desk)
    with desk.open() as opened:
        marks = opened.marks
        for at, name in enumerate(("two", "one", "three")):
            marks.keep("ada", ids[name], NOW + at)
        assert list(marks.kept("ada", 10).items()) == [
            (ids["three"], NOW + 2),
            (ids["one"], NOW + 1),
            (ids["two"], NOW),
        ]
        assert marks.kept("ada", 1, NOW + 2) == {ids["one"]: NOW + 1}
        marks.keep("ada", ids["two"], None)
        marks.read("ada", ids["one"])
        assert marks.kept_of("ada", [*ids.values(), "nothing"]) == {ids["one"], ids["three"]}
        assert marks.kept("bob", 10) == {}
        opened.sources.delete(source.id)
        assert (marks.kept("ada", 10), marks.unread("ada")) == ({}, 0)


def test_a_document_that_is_gone_is_neither_read_nor_kept(desk: Desk) -> None:
    with desk.open() as opened:
        opened.marks.read("ada", "nothing")
        opened.marks.read("ada", "nothing", is_read=False)
        opened.marks.keep("ada", "nothing", NOW)
        assert (opened.marks.kept("ada", 10), opened.marks.unread("ada")) == ({}, 0)
