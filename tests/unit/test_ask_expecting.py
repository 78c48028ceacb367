from __future__ import annotations

import pytest

from samples import NOW
from veille.core.ask.expecting import Expected, counts, has_value
from veille.core.ask.question import understood


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("What does a ticket cost?", {Expected.PRICE}),
        ("Was kostet ein Ausweis?", {Expected.PRICE}),
        ("How many employees does it have?", {Expected.AMOUNT}),
        ("Who founded the museum?", {Expected.PERSON}),
        ("Bei wem ist der Kurs?", {Expected.PERSON}),
        ("Who may use the sauna?", set()),
        ("What happens to patients who miss an appointment?", set()),
        ("Pourquoi le musée est-il fermé ?", {Expected.REASON}),
        ("What is the phone number of the library?", {Expected.PHONE}),
        ("Wie lautet die E-Mail-Adresse der Halle?", {Expected.EMAIL}),
        ("¿Cuál es el correo electrónico de la biblioteca?", {Expected.EMAIL}),
        ("From what time can I phone?", set()),
        ("Is there a fee?", set()),
    ],
)
def test_what_an_answer_cannot_be_without(text: str, needed: set[Expected]) -> None:
    assert understood(text, NOW).needed == needed


@pytest.mark.parametrize(
    ("text", "kind", "has"),
    [
        ("It is led by Ruth Moss.", Expected.PERSON, True),
        ("The Harbour Museum shows ships.", Expected.PERSON, False),
        ("Der Kurs ist voll. In den Ferien ist zu.", Expected.PERSON, False),
        ("館長は田中です。", Expected.PERSON, True),
        ("Adults pay 12 pounds.", Expected.PRICE, True),
        ("Kinder zahlen nichts.", Expected.PRICE, True),
        ("Open from 9 to 17.", Expected.PRICE, False),
        ("Call 05 55 12 34 56.", Expected.PHONE, True),
        ("There are 4,000 lamps from 1884.", Expected.PHONE, False),
        ("commit d266b9873ad50488163457f025db7cdd9683d88b", Expected.PHONE, False),
        ("電話03-1234-5678", Expected.PHONE, True),
        ("The “Harbour Museum's” walls are thick.", Expected.PERSON, False),
        ("Write to desk@example.org.", Expected.EMAIL, True),
        ("Drones are banned because of the falcons.", Expected.REASON, True),
        ("Une trentaine de bénévoles", Expected.AMOUNT, True),
        ("The paths are steep.", Expected.AMOUNT, False),
    ],
)
def test_a_value_is_known_by_its_kind(text: str, kind: Expected, has: bool) -> None:  # noqa: FBT001 - a column
    assert has_value(text, kind, {"harbour", "museum"}) is has


@pytest.mark.parametrize(
    ("text", "thing", "says"),
    [
        ("There are 160 routes.", "routes", True),
        ("Routes: 160", "routes", True),
        ("Up to 600 old lamps", "lamps", True),
        ("There are 35 parking spaces behind the house, free for visitors.", "visitors", False),
        ("The waiting list has 62 names.", "people", True),
    ],
)
def test_a_number_stands_beside_what_it_counts(text: str, thing: str, says: bool) -> None:  # noqa: FBT001 - a column
    assert counts(text, thing) is says


def test_words_that_say_what_kind_of_answer_is_wanted() -> None:
    assert understood("What year was the tower built, and how tall is it?", NOW).kind_words >= {"year", "tall"}
