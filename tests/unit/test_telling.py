"""What a change says at first sight."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from veille.core.change.metadata_changes import facts_of
from veille.core.change.telling import tell_change, tell_metadata, tell_new, tell_removed
from veille.core.models import Document, Known
from veille.core.told import NOTHING_TOLD, ToldChange, packed_told, plain_edits, told_from
from veille.core.values.value import Value, ValueType

SHIPS = "Ships in port\n\nTern\n\nPetrel\n\nGannet\n\nSkua\n\nHeron"
PRICES = "\n".join(f"Item {n}: 12 EUR" for n in range(6))


def _document(text: str = "", title: str = "Tea", **given: object) -> Document:
    return Document(keys=("k",), url="https://shop.example/", title=title, text=text, **given)  # type: ignore[arg-type]


def _price(amount: float, unit: str = "EUR") -> Value:
    return Value(name="price", type=ValueType.PRICE, text=f"{amount:.2f} {unit}", number=amount, unit=unit)


def _known(document: Document) -> Known:
    return Known(document_id="d", source_id="s", content_hash="", rev_n=1, state="current", facts=facts_of(document))


def _changed(old: str, new: str) -> ToldChange:
    return tell_change("Tea", old, _document(new))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("It costs 12.50 crowns.", "It costs 13.90 crowns.", "It costs [-12.50-]{+13.90+} crowns."),
        (SHIPS, SHIPS.replace("Petrel", "Kittiwake"), "{+Kittiwake+} arrived · [-Petrel-] left"),
        (SHIPS, f"{SHIPS}\n\n- Auk", "{+Auk+} arrived"),
        (PRICES, PRICES.replace("Item 3: 12", "Item 3: 13"), ""),
    ],
)
def test_a_change_tells_what_was_struck_and_added_or_what_arrived_and_left(old: str, new: str, shown: str) -> None:
    told = plain_edits(_changed(old, new).excerpt)
    assert told == shown if shown else "[-12-]{+13+}" in told


@pytest.mark.parametrize(
    ("title", "text", "lead"),
    [
        ("Tram stops", "- Tram stops 3 Nov", "3 Nov"),
        ("Library opens late", "• Library opens late: from Monday on", "from Monday on"),
        ("Bridge", "Bridge — closed until Friday", "closed until Friday"),
        ("Price", "Price", ""),
        ("Tea", "Tea is a drink.", "Tea is a drink."),
        ("Tea", "- Teapots are sold out", "Teapots are sold out"),
        ("Tea", "- Tea\n- Coffee", "- Tea - Coffee"),
        ("", "- Ferry at noon", "Ferry at noon"),
        ("News", "12. December was cold", "12. December was cold"),
        ("Tea", "Tea\n\nIt is good.", "It is good."),
    ],
)
def test_the_lead_of_a_new_document_says_neither_its_bullet_nor_its_title_again(
    title: str, text: str, lead: str
) -> None:
    assert plain_edits(tell_new(_document(text, title)).excerpt) == lead


def test_paragraphs_that_changed_are_counted() -> None:
    text = "\n\n".join(f"Paragraph {n}." for n in range(18))
    told = _changed(text, text.replace("Paragraph 3.", "Another.").replace("Paragraph 9.", "A third."))
    assert (told.paragraphs_changed, told.paragraphs) == (2, 18)


def test_a_new_title_is_told_word_by_word() -> None:
    told = tell_change("Tea, green", "It is good.", _document("It is good.", "Tea, smoked"))
    assert plain_edits(told.excerpt).startswith("Tea, [-green-]{+smoked+}")


@pytest.mark.parametrize(
    ("given", "lead"),
    [
        ({"summary": "In short.", "text": "At length."}, "In short."),
        ({"text": "Tea\n\nIt is smoked."}, "It is smoked."),
        ({"text": ""}, ""),
    ],
)
def test_a_new_document_tells_its_lead(given: dict[str, str], lead: str) -> None:
    assert plain_edits(tell_new(_document(**given)).excerpt) == lead


def test_a_value_is_told_with_its_percentage() -> None:
    before, after = (
        _document("Now 12.50 EUR", values=(_price(12.5),)),
        _document("Now 13.90 EUR", values=(_price(13.9),)),
    )
    told = tell_change("Tea", before.text, after, _known(before))
    (value,) = told.values
    assert (value.before, value.after, value.percent) == ("12.50 EUR", "13.90 EUR", 11.2)
    assert plain_edits(told.excerpt) == "Now [-12.50-]{+13.90+} EUR"


def test_a_value_that_the_text_does_not_show_is_told_before_the_text() -> None:
    before, after = _document("Good.", values=(_price(12.5),)), _document("Better.", values=(_price(13.9, "SEK"),))
    told = tell_change("Tea", before.text, after, _known(before))
    assert plain_edits(told.excerpt) == "price [-12.50 EUR-]{+13.90 SEK+} · [-Good.-]{+Better.+}"
    assert told.values[0].percent is None, "crowns are not a part of euros"


def test_metadata_is_told_word_by_word() -> None:
    long = "A summary that is long enough to be stored by its hash, " * 4
    before, after = _document("x", summary=long), _document("x", summary=long.replace("long", "short", 1), lang="en")
    told = tell_metadata(("summary", "modified_at"), _known(before), after, before.summary)
    assert "summary: A summary that is [-long-]{+short+} enough" in plain_edits(told.excerpt)
    dated = tell_metadata(("modified_at",), _known(before), replace(before, modified_at=1_790_000_000_000), "")
    assert plain_edits(dated.excerpt) == "modified: {+2026-09-21T14:13:20Z+}"


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("http.410", 410, "taken down for good (410); last text kept"),
        ("http.404", 404, "no longer there (404); last text kept"),
        ("unlisted", 0, "no longer in the listing; last text kept"),
        ("moved", 200, "It moved to https://b.example, which is known"),
    ],
)
def test_a_removal_tells_why_and_when_it_was_last_seen(code: str, status: int, reason: str) -> None:
    told = tell_removed(code, status, "It moved to https://b.example, which is known.", 77)
    assert (told.reason, told.seen_at) == (reason, 77)


def test_words_around_a_change_are_not_the_title_once_more() -> None:
    told = _changed("Tea\n\nPrice: 12.90 crowns.", "Tea\n\nPrice: 13.90 crowns.")
    assert plain_edits(told.excerpt) == "Price: [-12.90-]{+13.90+} crowns."
    told = _changed("Tea for all\n\nPrice: 12 crowns.", "Tea\n\nPrice: 12 crowns.")
    assert plain_edits(told.excerpt).startswith("Tea [-for all-]"), "a heading that is a part of the other is told"
    told = _changed("Green tea\n\nPrice: 12 crowns.", "Black tea\n\nPrice: 12 crowns.")
    assert "[-Green-]{+Black+} tea" in plain_edits(told.excerpt), "a heading that is another one is told"


def test_what_is_told_is_stored_and_read_again() -> None:
    before = _document("Now 12.50 EUR\n\nb", values=(_price(12.5),))
    told = tell_change("Tea", before.text, _document("Now 13 EUR\n\n<b>", values=(_price(13),)), _known(before))
    for one in (told, tell_removed("unlisted", 0, "", 5), NOTHING_TOLD):
        assert told_from(packed_told(one)) == one
    assert packed_told(NOTHING_TOLD) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a " * 2_500_000, "b a " * 1_250_000),
        ("a\n\n" * 800_000, "b\n\na\n" * 600_000),
        ("x" * 5_000_000 + "1", "x" * 5_000_000 + "2"),
        ("\n".join("ab"[n % 7 % 2] for n in range(300_000)), "\n".join("ba"[n % 5 % 2] for n in range(300_000))),
    ],
    ids=["one-letter words", "one-letter paragraphs", "one word", "one-letter lines"],
)
def test_hostile_texts_are_told_in_bounded_time_and_size(old: str, new: str) -> None:
    start = time.process_time()
    told = _changed(old, new)
    # Comparing them whole takes several seconds to minutes.
    assert time.process_time() - start < 2
    assert told.excerpt
    assert len(packed_told(told)) < 4000
