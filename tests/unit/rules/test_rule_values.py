"""Conditions about values."""

from __future__ import annotations

import pytest

from occurrences import changed, fires, first, found, moved, new, removed, valued
from veille.core.rules.comparison import differs, step
from veille.rules import Extreme, Facts, Value, ValueChange, ValueType, compile_rule

PRICE = ("price", "12.90 EUR", "11.50 EUR")
FELL = ["price fell from 12.90 EUR to 11.50 EUR"]

COMPARE = [
    ("price < 12", valued(*PRICE), FELL),
    ("price < 12 EUR", valued(*PRICE), FELL),
    ("price < €12", valued(*PRICE), FELL),
    ("price < 12 euros", valued(*PRICE), FELL),
    ("price < 12,00 EUR", valued(*PRICE), FELL),
    ("PRICE < 12", valued(*PRICE), FELL),
    ("`Price` < 12", valued(*PRICE), FELL),
    ("price is less than 12", valued(*PRICE), FELL),
    ("price < 12 USD", valued(*PRICE), None),
    ("price > 12", valued(*PRICE), None),
    ("not price > 12", valued(*PRICE), FELL),
    ("price < 12", valued("price", "11.90 EUR", "11.50 EUR"), None),
    ("price < 12", valued("price", "12.90 EUR", "12 EUR"), None),
    ("price <= 12", valued("price", "12.90 EUR", "12 EUR"), ["price fell from 12.90 EUR to 12.00 EUR"]),
    ("price = 12", valued("price", "12.90 EUR", "12 EUR"), ["price fell from 12.90 EUR to 12.00 EUR"]),
    ('price = "12"', valued("price", "12.90 EUR", "12 EUR"), ["price fell from 12.90 EUR to 12.00 EUR"]),
    ("price != 12", valued("price", "12 EUR", "12.90 EUR"), ["price rose from 12.00 EUR to 12.90 EUR"]),
    ("price != 12 EUR", valued("price", "12 EUR", "12 USD"), None),
    ("price < 12", valued("price", None, "11.50 EUR"), ["price is 11.50 EUR"]),
    ("price < 12", valued("price", "11.50 EUR", None), None),
    ("not price < 12", valued("price", "11.50 EUR", None), ["price is gone; it was 11.50 EUR"]),
    ("price < 12", removed(values=(moved(*PRICE),)), None),
    ("price < 12", first(values=(moved("price", None, "11.50 EUR"),)), ["price is 11.50 EUR"]),
    ("price < 12", new(values=(moved("price", None, "11.50 EUR"),)), ["price is 11.50 EUR"]),
    ("price < 12", changed(), None),
    ("price < 12", valued("Price", "call us", "ask us", ValueType.TEXT), None),
    ("price > 12", valued("price", "ask us", "call us", ValueType.TEXT), None),
    ("price is between 11 and 12 EUR", valued(*PRICE), FELL),
    ("price is between 11 EUR and 12", valued(*PRICE), FELL),
    ("price is between 10 and 11", valued(*PRICE), None),
    ("price is not between 10 and 12", valued("price", "11 EUR", "13 EUR"), ["price rose from 11.00 EUR to 13.00 EUR"]),
    ("price < 100 kr", valued("price", "120 SEK", "90 SEK"), ["price fell from 120.00 SEK to 90.00 SEK"]),
    ("price < 1299.50", valued("price", "1.300,00 €", "1.299,00 €"), ["price fell from 1300.00 EUR to 1299.00 EUR"]),
    ("price < 1.299,50 EUR", valued("price", "1300 EUR", "1299 EUR"), ["price fell from 1300.00 EUR to 1299.00 EUR"]),
    ("followers > 10k", valued("followers", "9,999", "10,001"), ["followers rose from 9999 to 10001"]),
    ("heat > 30 °C", valued("heat", "29 °C", "31 °C"), ["heat rose from 29 °C to 31 °C"]),
    ("heat > 30 °F", valued("heat", "29 °C", "31 °C"), None),
    ("heat < -5", valued("heat", "-4 °C", "-6 °C"), ["heat fell from -4 °C to -6 °C"]),
    ("`stock level` < 5", valued("stock level", "9", "4"), ["stock level fell from 9 to 4"]),
    ("availability = in stock", valued("availability", "Sold out", "In stock"), 1),
    ("availability is available", valued("availability", "Sold out", "In stock"), 1),
    ("availability = InStock", valued("availability", "Ausverkauft", "Auf Lager"), 1),
    ('availability = "sold out"', valued("availability", "In stock", "Out of stock"), 1),
    ("availability = pre-order", valued("availability", "Sold out", "Preorder now"), 1),
    ("availability is not available", valued("availability", "In stock", "Sold out"), 1),
    ("availability = not available", valued("availability", "In stock", "Sold out"), 1),
    ("availability != in stock", valued("availability", "In stock", "Sold out"), 1),
    ("availability = in stock", valued("availability", "In stock", "Sold out"), None),
    ("availability = nonsense", valued("availability", "In stock", "Sold out"), None),
    ("version > 3.9", valued("version", "3.9", "3.11"), ["version rose from 3.9 to 3.11"]),
    ("version > 3.11", valued("version", "3.9", "3.11"), None),
    ("version >= 2.0", valued("version", "2.0rc1", "2.0"), ["version rose from 2.0rc1 to 2.0"]),
    ("version > 2.0-rc1", valued("version", "2.0rc1", "2.0"), ["version rose from 2.0rc1 to 2.0"]),
    ("version >= v3", valued("version", "2.9.1", "3.0"), ["version rose from 2.9.1 to 3.0"]),
    ("version = 1.0.0", valued("version", "0.9.1", "1.0"), ["version rose from 0.9.1 to 1.0"]),
    ("version is between 3.9 and 3.12", valued("version", "3.8", "3.10"), ["version rose from 3.8 to 3.10"]),
    ("deadline < 2026-12-31", valued("deadline", "2027-01-15", "2026-12-01"), 1),
    ("deadline < 31.12.2026", valued("deadline", "2027-01-15", "2026-12-01"), 1),
    ("deadline > 2026-12-31", valued("deadline", "2027-01-15", "2026-12-01"), None),
    ("deadline is between 2026-11-01 and 2026-12-31", valued("deadline", "2027-01-15", "2026-12-01"), 1),
    ("colour = Dark  Blue", valued("colour", "red", "dark blue"), ["colour changed from red to dark blue"]),
    ("colour = STRASSE", valued("colour", "red", "Straße"), ["colour changed from red to Straße"]),
    ("colour = blue", valued("colour", "red", "dark blue"), None),
    ("colour is 12", valued("colour", "red", "12", ValueType.TEXT), ["colour changed from red to 12"]),
]
MOVE = [
    ("price falls", valued(*PRICE), FELL),
    ("price rises", valued(*PRICE), None),
    ("price changes", valued(*PRICE), FELL),
    ("price falls by 10%", valued("price", "10 EUR", "9 EUR"), ["price fell from 10.00 EUR to 9.00 EUR"]),
    ("price falls by more than 10%", valued("price", "10 EUR", "9 EUR"), None),
    ("price falls more than 10%", valued("price", "10 EUR", "9 EUR"), None),
    ("price falls by at least 10%", valued("price", "10 EUR", "9 EUR"), ["price fell from 10.00 EUR to 9.00 EUR"]),
    ("price falls by 10 percent", valued("price", "10 EUR", "9.01 EUR"), None),
    ("price falls by 1.40", valued(*PRICE), FELL),
    ("price falls by 1.41", valued(*PRICE), None),
    ("price drops by 1 EUR", valued(*PRICE), FELL),
    ("price drops by 1 USD", valued(*PRICE), None),
    ("price changes by 1", valued(*PRICE), FELL),
    ("price rises by 10%", valued("price", "0 EUR", "1 EUR"), ["price rose from 0.00 EUR to 1.00 EUR"]),
    ("price falls", valued("price", "12 EUR", "11 USD"), None),
    ("price changes", valued("price", "12 EUR", "11 USD"), ["price changed from 12.00 EUR to 11.00 USD"]),
    ("price changes", valued("price", "12 EUR", "12.00 EUR"), None),
    ("price changes", valued("price", None, "12 EUR"), None),
    ("price changes", valued("price", "12 EUR", None), None),
    ("price changes", new(values=(moved("price", None, "12 EUR"),)), None),
    ("price falls", removed(values=(moved(*PRICE),)), None),
    ("availability changes", valued("availability", "In stock", "Sold out"), 1),
    ("availability falls", valued("availability", "In stock", "Sold out"), None),
    ("version rises", valued("version", "3.9", "3.11"), ["version rose from 3.9 to 3.11"]),
    ("version changes", valued("version", "1.0", "1.0.0"), None),
    ("version rises by 1", valued("version", "3.9", "4.11"), None),
    ("colour changes", valued("colour", "Red", "red"), None),
    ("deadline changes", valued("deadline", "2027-01-15", "2026-12-01"), 1),
    ("price rises by 1", valued("x", "1", "2", values=(ValueChange(
        name="price",
        before=Value(name="price", type=ValueType.NUMBER, text="inf", number=float("inf")),
        after=Value(name="price", type=ValueType.NUMBER, text="inf", number=float("inf")),
    ),)), None),
]  # fmt: skip
CROSS = [
    ("price falls below 12", valued(*PRICE), FELL),
    ("price falls below 12", valued("price", "12 EUR", "11.50 EUR"), ["price fell from 12.00 EUR to 11.50 EUR"]),
    ("price falls below 12", valued("price", "12.90 EUR", "12 EUR"), None),
    ("price falls below 12", valued("price", "11.90 EUR", "11.50 EUR"), None),
    ("price falls below 12", valued("price", "13 USD", "11 EUR"), None),
    ("price falls below 12 USD", valued(*PRICE), None),
    ("price falls below 12", valued("price", None, "11 EUR"), None),
    ("price falls below 12", new(values=(moved("price", None, "11 EUR"),)), None),
    ("price rises above 12", valued("price", "11 EUR", "13 EUR"), ["price rose from 11.00 EUR to 13.00 EUR"]),
    ("price exceeds 12", valued("price", "12 EUR", "13 EUR"), ["price rose from 12.00 EUR to 13.00 EUR"]),
    ("heat crosses 0", valued("heat", "1 °C", "-1 °C"), ["heat fell from 1 °C to -1 °C"]),
    ("heat crosses 0", valued("heat", "-1 °C", "1 °C"), ["heat rose from -1 °C to 1 °C"]),
    ("heat crosses 0", valued("heat", "1 °C", "0 °C"), None),
    ("heat crosses 0", valued("heat", "1 °C", "2 °C"), None),
]
KNOWN = [
    ("price is known", valued("price", None, "12 EUR"), ["price is 12.00 EUR"]),
    ("price is known", valued("price", "11 EUR", "12 EUR"), None),
    ("price is known", valued("price", "12 EUR", None), None),
    ("price is gone", valued("price", "12 EUR", None), ["price is gone; it was 12.00 EUR"]),
    ("price is not known", valued("price", "12 EUR", None), ["price is gone; it was 12.00 EUR"]),
    ("price is gone", removed(values=(moved("price", "12 EUR", None),)), ["price is gone; it was 12.00 EUR"]),
    ("price is gone", removed(values=(moved("price", "12 EUR", "12 EUR"),)), ["price is gone; it was 12.00 EUR"]),
    ("price is gone", valued("price", None, None), None),
    ("price is gone", changed(), None),
    ("price is gone", new(), None),
    ("price is known", first(values=(moved("price", None, "12 EUR"),)), ["price is 12.00 EUR"]),
]


@pytest.mark.parametrize(("expression", "facts", "expected"), [*COMPARE, *MOVE, *CROSS, *KNOWN])
def test_values(expression: str, facts: Facts, expected: list[str] | int | None) -> None:
    given = found(expression, facts)
    assert (len(given or ()) if isinstance(expected, int) else given) == expected


def _extreme(lowest: float | None, highest: float | None = None, days: int = 30, name: str = "price") -> Facts:
    return valued(*PRICE, extremes=(Extreme(name=name, days=days, lowest=lowest, highest=highest),))


EXTREMES = [
    ("price is lowest of 30 days", _extreme(11.51), [f"{FELL[0]}, the lowest of 30 days"]),
    ("price is lowest of 30 days", _extreme(11.5), None),
    ("price is lowest of 30 days", _extreme(None), None),
    ("price is lowest of 30 days", valued(*PRICE), None),
    ("price is lowest of 90 days", _extreme(11.51), None),
    ("price is a new low of the last 30 days", _extreme(11.51, name="Price"), [f"{FELL[0]}, the lowest of 30 days"]),
    ("price is lowest of 1 day", _extreme(11.51, days=1), [f"{FELL[0]}, the lowest of 1 day"]),
    ("price is highest in 2 weeks", _extreme(1, 11.49, days=14), [f"{FELL[0]}, the highest of 14 days"]),
    ("price is highest in 2 weeks", _extreme(1, 11.5, days=14), None),
]


@pytest.mark.parametrize(("expression", "facts", "expected"), EXTREMES)
def test_extremes(expression: str, facts: Facts, expected: list[str] | None) -> None:
    assert found(expression, facts) == expected


def test_a_price_in_another_currency_is_no_extreme() -> None:
    lowest = (Extreme(name="price", days=30, lowest=12.0),)
    assert not fires("price is lowest of 30 days", valued("price", "12 EUR", "11 USD", extremes=lowest))


def test_a_rule_says_which_values_searches_and_days_it_needs() -> None:
    needs = compile_rule(
        '`Stock Level` < 5 and price is lowest of 2 weeks or search "Budget" finds it or told by 3 sources'
    ).needs
    assert needs.values == {"stock level", "price"}
    assert needs.windows == {("price", 14)}
    assert needs.searches == {"Budget"}
    assert (needs.tellers, needs.text) == (True, False)
    assert compile_rule("source is silent for 72h").needs.silences == {259_200_000}
    assert compile_rule('"tea" appears').needs.text


@pytest.mark.parametrize(
    ("before", "after", "stepped", "is_different"),
    [
        ("12 EUR", "11 EUR", -1, True),
        ("12 EUR", "12.00 EUR", 0, False),
        ("12 EUR", "12", 0, False),
        ("12 EUR", "12 USD", None, True),
    ],
)
def test_prices_step_only_within_a_currency(before: str, after: str, stepped: int | None, is_different: bool) -> None:  # noqa: FBT001
    change = moved("price", before, after)
    assert change.before is not None
    assert change.after is not None
    assert (step(change.before, change.after), differs(change.before, change.after)) == (stepped, is_different)
