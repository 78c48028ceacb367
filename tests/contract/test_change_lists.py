from __future__ import annotations

from dataclasses import replace

from desk import Desk
from samples import NOW, document, failure
from veille.core.models import Change, Document
from veille.core.show.change_rows import ChangeFilter, Which
from veille.core.told import plain_edits
from veille.core.values.value import Value, ValueType


def _about(name: str, text: str = "", price: float = 0) -> Document:
    values = (Value(name="price", type=ValueType.PRICE, text=f"{price:.2f} EUR", number=price, unit="EUR"),)
    made = document(f"https://example.org/{name}", title=name, text=text or f"All about {name}.")
    return replace(made, values=values if price else ())


def _titles(desk: Desk, which: Which, limit: int = 100, user: str = "ada", **given: object) -> list[str]:
    """The titles of all pages of a list."""
    found: list[str] = []
    before: int | None = None
    with desk.open() as opened:
        while before != 0:
            wanted = ChangeFilter(user_id=user, which=which, **given)  # type: ignore[arg-type]
            lines, before = opened.changes.page(wanted, before, limit)
            assert len(lines) <= limit
            events = {event.seq: event for event in opened.outbox.numbered([line.seq for line in lines])}
            found += [events[line.seq].title for line in lines]
    return found


def test_a_change_is_stored_with_what_it_says(desk: Desk) -> None:
    desk.bring(_about("tea", "It costs 12.50 EUR.\n\nIt is good.", 12.5), _about("salt"))
    desk.again(_about("tea", "It costs 13.90 EUR.\n\nIt is good.", 13.9), _about("salt"), now=NOW + 1)
    with desk.open() as opened:
        first, _, last = opened.outbox.events()
        ids = [first.document_id]
        assert plain_edits(first.told.excerpt) == "It costs 12.50 EUR. It is good."
        assert plain_edits(last.told.excerpt) == "It costs [-12.50-]{+13.90+} EUR. It is good."
        assert (last.told.paragraphs_changed, last.told.paragraphs, last.told.values[0].percent) == (1, 2, 11.2)
        assert opened.changes.last_of(ids) == {ids[0]: last}
        assert opened.changes.at_times([(ids[0], NOW + 1), (ids[0], 5)]) == {(ids[0], NOW + 1): last}
        assert opened.changes.trends([(ids[0], "price")], 24) == {(ids[0], "price"): [12.5, 13.9]}
        assert opened.changes.trends([(ids[0], "price"), (ids[0], "other")], 1) == {(ids[0], "price"): [13.9]}


def test_a_removal_is_stored_with_its_reason(desk: Desk) -> None:
    source = desk.bring(document("https://example.org/a", text="It is here."))
    desk.again(now=NOW + 1, failure=failure(410))
    with desk.open() as opened:
        *_, last = opened.outbox.events()
        assert last.change is Change.REMOVED
        assert (last.told.reason, last.told.seen_at) == ("taken down for good (410); last text kept", NOW)
        assert last.source_id == source.id


def test_a_list_of_changes_is_paged_to_its_end(desk: Desk) -> None:
    names = [f"n{number}" for number in range(7)]
    desk.bring(*map(_about, names))
    for limit in (1, 2, 3, 7, 8):
        assert _titles(desk, Which.ALL, limit) == names[::-1]
        assert _titles(desk, Which.UNREAD, limit) == names[::-1]
        assert _titles(desk, Which.OTHERS, limit) == []


def test_unread_changes_and_the_others_are_all_changes(desk: Desk) -> None:
    desk.bring(_about("one"), _about("two"), _about("three"))
    with desk.open() as opened:
        ids = {one.title: one.document_id for one in opened.records.documents()}
        opened.marks.read_all("ada", opened.outbox.last_seq())
    desk.again(_about("one", "Something else."), _about("two", "Another."), _about("three"), now=NOW + 1)
    desk.again(_about("one", "A third one."), _about("two", "Another."), _about("three"), now=NOW + 2)
    with desk.open() as opened:
        opened.marks.read("ada", ids["two"])
        opened.marks.read("ada", ids["three"], is_read=False)
        assert opened.marks.unread("ada") == 2
        (earlier,) = opened.changes.unread_of("ada", [ids["one"]], 10).values()
        assert [event.rev_n for event in earlier] == [3, 2]
    for limit in (1, 2, 10):
        assert _titles(desk, Which.UNREAD, limit) == ["one", "three"], "what was marked as unread comes last"
        assert _titles(desk, Which.OTHERS, limit) == ["two", "two", "one"]
    assert len(_titles(desk, Which.UNREAD, user="bob")) == 3


def test_a_list_can_be_of_one_source_and_of_some_numbers(desk: Desk) -> None:
    first = desk.bring(_about("one"), _about("two"))
    desk.bring(_about("three"), url="https://example.org/b")
    with desk.open() as opened:
        seqs = [event.seq for event in opened.outbox.events()]
    assert _titles(desk, Which.ALL, source_id=first.id) == ["two", "one"]
    assert _titles(desk, Which.UNREAD, since=seqs[1]) == ["three", "two"]


def test_important_is_what_the_user_keeps(desk: Desk) -> None:
    desk.bring(_about("one"), _about("two"))
    with desk.open() as opened:
        ids = {one.title: one.document_id for one in opened.records.documents()}
        opened.marks.keep("ada", ids["one"], NOW)
    assert _titles(desk, Which.IMPORTANT) == ["one"]
    assert _titles(desk, Which.IMPORTANT, user="bob") == []


def test_a_value_that_changes_alone_makes_its_document_unread(desk: Desk) -> None:
    desk.bring(_about("tea", price=12.5))
    with desk.open() as opened:
        opened.marks.read_all("ada", opened.outbox.last_seq())
    desk.again(_about("tea", price=13.9), now=NOW + 1)
    with desk.open() as opened:
        assert opened.marks.unread("ada") == 1
        *_, last = opened.outbox.events()
        assert plain_edits(last.told.excerpt) == "price [-12.50 EUR-]{+13.90 EUR+}"
    assert _titles(desk, Which.UNREAD) == ["tea"]
