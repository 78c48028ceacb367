"""The smallest telling part of a change."""

from __future__ import annotations

import pytest

from occurrences import changed, moved, new, removed, text_of, valued
from veille.core.compare.excerpt import LETTERS, excerpt
from veille.core.rules.judging import judged
from veille.core.told import EditKind
from veille.rules import Facts

NEWS = "The news of the harbour are long, and would be shown if nothing else had changed. "
OTHER = NEWS.replace("harbour", "town hall and of the whole market place")


def _shown(old: str, new_text: str, *hints: str) -> str:
    """An excerpt as people write it: [-struck-] and {+added+}."""
    signs = {EditKind.EQUAL: "{}", EditKind.DELETE: "[-{}-]", EditKind.INSERT: "{{+{}+}}"}
    return "".join(signs[edit.kind].format(edit.text) for edit in excerpt(old, new_text, hints=hints))


@pytest.mark.parametrize(
    ("old", "new_text", "shown"),
    [
        ("Tea costs 12 EUR.", "Tea costs 11 EUR.", "Tea costs [-12-]{+11+} EUR."),
        ("", "New  text\nin lines", "New text in lines"),
        ("Old text", "", "[-Old text-]"),
        ("", "", ""),
        ("Same.", "Same.", ""),
        ("a b", "a\nb", ""),
        ("価格は1290円。", "価格は1190円。", "価格は[-1290-]{+1190+}円。"),
    ],
)
def test_excerpts(old: str, new_text: str, shown: str) -> None:
    assert _shown(old, new_text) == shown


@pytest.mark.parametrize(
    ("before", "after", "hints", "shown"),
    [
        ("12,90 €", "11,50 €", ("12.90 EUR", "11.50 EUR"), "[-12,90-]{+11,50+} €"),
        ("12.90 EUR", "11.50 EUR", ("12.90 EUR", "11.50 EUR"), "[-12.90-]{+11.50+} EUR"),
        ("1.299,00 €", "1.199,00 €", ("1299.00 EUR", "1199.00 EUR"), "[-1.299,00-]{+1.199,00+} €"),
        ("1 299 kr", "1 199 kr", ("1299.00 SEK",), None),
        ("Out of stock", "In stock", ("out of stock", "in stock"), "[-Out of-]{+In+} stock"),
        ("version 3.9", "version 3.11", ("3.9", "3.11"), "version [-3.9-]{+3.11+}"),
        ("12,90 €", "11,50 €", (), None),
    ],
)
def test_the_part_with_a_value_comes_first(before: str, after: str, hints: tuple[str, ...], shown: str | None) -> None:
    given = _shown(f"Tea: {before}\n\n{NEWS * 3}", f"Tea: {after}\n\n{OTHER * 3}", *hints)
    assert given.startswith(f"Tea: {shown}") if shown else "market place" in given


def test_an_excerpt_is_short_whatever_changed() -> None:
    for old, new_text in [
        ("x" * 9_000, "y" * 9_000),
        (NEWS * 90, OTHER * 90),
        ("", NEWS * 90),
        ("a\n" * 900, "b\n" * 800),
    ]:
        assert 0 < sum(len(edit.text) for edit in excerpt(old, new_text)) < 2 * LETTERS


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        (changed("Green tea.", "Black tea."), ["Green", "Black", " tea."]),
        (new(text_of("A long read.", title="Tea")), ["A long read."]),
        (new(text_of("", title="Tea")), ["Tea"]),
        (removed("Green tea."), ["Green tea."]),
        (changed(text_of("Tea.", title="Old"), text_of("Tea.", title="New")), ["Old", "New", " Tea."]),
        (valued("price", "12 EUR", "11 EUR"), []),
    ],
)
def test_an_alert_has_the_excerpt_of_its_change(facts: Facts, shown: list[str]) -> None:
    (case,) = judged({"r": "is new or is changed or is removed"}, [(facts, ["r"])]).cases
    assert [edit.text for edit in case.excerpt] == shown


def test_an_alert_about_a_price_shows_the_price() -> None:
    values = (moved("price", "12,90 €", "11,50 €"),)
    facts = changed(f"{NEWS * 3}\n\nNur 12,90 €", f"{OTHER * 3}\n\nNur 11,50 €", values=values)
    (case,) = judged({"r": "price < 12"}, [(facts, ["r"])]).cases
    assert [edit.text for edit in case.excerpt if edit.kind is not EditKind.EQUAL] == ["12,90", "11,50"]
    assert case.words_added > case.words_removed > 0
