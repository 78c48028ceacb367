from __future__ import annotations

from typing import Any

from desk import Desk
from samples import NOW, document
from veille.core.models import Change, Document
from veille.core.schedule import DAY
from veille.core.values.reading import value_of
from veille.core.values.value import Value
from veille.ports import DossierStore

OTHER = "Nothing of the kind was planned for the northern pier, said the engineers who had been asked about it. " * 2


def _value(text: str, name: str = "price") -> Value:
    found = value_of(name, text)
    assert found is not None
    return found


def _priced(price: str = "", **given: Any) -> Document:
    return document(values=(_value(price),) if price else (), **given)


def _texts(opened: DossierStore, **asked: Any) -> list[str | None]:
    return [point.value.text if point.value else None for point in opened.values.series(**asked)]


def _around(opened: DossierStore, seq: int) -> list[tuple[str, str | None, str | None]]:
    changes = opened.values.around([seq])[seq]
    return [
        (one.name, one.before.text if one.before else None, one.after.text if one.after else None) for one in changes
    ]


def test_a_value_that_changes_alone_is_a_change_and_a_point_of_its_series(desk: Desk) -> None:
    source = desk.bring(_priced("12,90 €"))
    plan = desk.again(_priced("11,50 €"), now=NOW + 1)
    assert [(item.change, item.restated) for item in plan.items] == [(Change.CHANGED, ("values",))]
    assert "price 12.90 EUR → 11.50 EUR" in plan.items[0].message
    with desk.open() as opened:
        assert _texts(opened) == ["12.90 EUR", "11.50 EUR"]
        assert _texts(opened, source_id=source.id, name="price") == ["12.90 EUR", "11.50 EUR"]
        assert _texts(opened, source_id="another") == _texts(opened, name="weight") == []
        assert [event.changed_metadata for event in opened.outbox.events()] == [(), ("values",)]
        (current,) = opened.records.documents()
        assert (current.n, current.meta["values"]) == (1, {"price": "11.50 EUR"})
        assert opened.values.names() == ["price"]


def test_a_value_that_stays_makes_no_point_whatever_the_text_does(desk: Desk) -> None:
    desk.bring(_priced("12,90 €"))
    desk.again(_priced("12,90 €"), now=NOW + 1)
    desk.again(_priced("12,90 €", text=OTHER), now=NOW + 2)
    with desk.open() as opened:
        assert _texts(opened) == ["12.90 EUR"]
        assert _around(opened, 2) == [("price", "12.90 EUR", "12.90 EUR")]


def test_a_value_that_is_not_found_any_more_ends_and_may_come_back(desk: Desk) -> None:
    desk.bring(_priced("12,90 €"))
    desk.again(_priced(), now=NOW + 1)
    with desk.open() as opened:
        assert opened.values.current() == []
    desk.again(_priced("12,90 €"), now=NOW + 2)
    with desk.open() as opened:
        assert _texts(opened) == ["12.90 EUR", None, "12.90 EUR"]
        assert [_around(opened, seq) for seq in (1, 2, 3)] == [
            [("price", None, "12.90 EUR")],
            [("price", "12.90 EUR", None)],
            [("price", None, "12.90 EUR")],
        ]
        (point,) = opened.values.current()
        assert point.at == NOW + 2


def test_the_values_around_an_event_are_exact_long_after_it(desk: Desk) -> None:
    desk.bring(_priced("10 €"))
    for place, price in enumerate(("9 €", "8 €", "12 €"), 1):
        desk.again(_priced(price), now=NOW + place)
    with desk.open() as opened:
        assert _around(opened, 2) == [("price", "10.00 EUR", "9.00 EUR")]
        assert _around(opened, 3) == [("price", "9.00 EUR", "8.00 EUR")]
        assert opened.values.around([99]) == {99: ()}


def test_extremes_are_those_in_force_in_the_days_before_an_event(desk: Desk) -> None:
    desk.bring(_priced("5 €"))
    for place, price in ((10, "10 €"), (20, "8 €"), (30, "12 €")):
        desk.again(_priced(price), now=NOW + place * DAY)
    with desk.open() as opened:
        (current,) = opened.records.documents()

        def within(days: int, seq: int, at: int) -> tuple[float | None, float | None]:
            found = opened.values.extremes(current.document_id, "price", days, seq, at)
            return found.lowest, found.highest

        # On day 15 the price of day 10 was in force; that of day 0 was not.
        assert within(15, 4, NOW + 30 * DAY) == (8, 10)
        assert within(40, 4, NOW + 30 * DAY) == (5, 10)
        assert within(40, 1, NOW) == (None, None)


def test_prices_in_another_currency_are_no_extremes(desk: Desk) -> None:
    desk.bring(_priced("5 $"))
    for place, price in enumerate(("10 €", "9 €"), 1):
        desk.again(_priced(price), now=NOW + place * DAY)
    with desk.open() as opened:
        (current,) = opened.records.documents()
        found = opened.values.extremes(current.document_id, "price", 30, 3, NOW + 2 * DAY)
        assert (found.lowest, found.highest) == (10, 10)


def test_a_series_since_a_time_begins_with_what_was_in_force_then(desk: Desk) -> None:
    desk.bring(_priced("5 €"))
    for day in (1, 2, 3):
        desk.again(_priced(f"{day} €"), now=NOW + day * DAY)
    with desk.open() as opened:
        assert _texts(opened, since=NOW + DAY + 1) == ["1.00 EUR", "2.00 EUR", "3.00 EUR"]
        assert _texts(opened, limit=2) == ["2.00 EUR", "3.00 EUR"]


def test_the_values_of_a_deleted_source_go_with_it(desk: Desk) -> None:
    source = desk.bring(_priced("5 €"))
    with desk.open() as opened:
        opened.sources.delete(source.id)
        assert opened.values.names() == _texts(opened) == []


def test_a_list_of_values_has_what_each_is_what_it_was_and_since_when(desk: Desk) -> None:
    source = desk.bring(_priced("5 €"))
    with desk.open() as opened:
        assert [(one.value is not None, one.before, one.at) for one in opened.values.lines()] == [(True, None, NOW)]
    for day, price in enumerate(("4 €", "", "3 €"), 1):
        desk.again(_priced(price), now=NOW + day * DAY)
    with desk.open() as opened:
        (line,) = opened.values.lines(source_id=source.id, name="price")
        assert (line.value and line.value.text, line.before, line.at) == ("3.00 EUR", None, NOW + 3 * DAY)
        assert (line.source_name, line.document_id) == (source.name, opened.values.current()[0].document_id)
        assert opened.values.lines(document_id=line.document_id, since=NOW + 3 * DAY) == [line]
        nothing: list[dict[str, Any]] = [{"source_id": "x"}, {"document_id": "x"}, {"name": "x"}, {"limit": 0}]
        for asked in (*nothing, {"since": NOW + 4 * DAY}):
            assert opened.values.lines(**asked) == []
    desk.again(_priced(), now=NOW + 4 * DAY)
    with desk.open() as opened:
        (line,) = opened.values.lines()
        assert (line.value, line.before and line.before.text) == (None, "3.00 EUR")
