"""Conditions about words and patterns."""

from __future__ import annotations

import pytest

from occurrences import changed, first, found, new, removed, text_of
from veille.rules import Evidence, Facts, RuleError, compile_rule

SHOP = "Green tea.\n\nSmoked tea is back."

APPEAR = [
    ('"smoked tea" appears', changed("Green tea.", SHOP), ['"smoked tea" appeared']),
    ('"smoked tea" appears', changed(SHOP, SHOP + " Black."), None),
    ('"smoked tea" appears', changed(SHOP, "Green tea."), None),
    ('"smoked tea" appears', new(SHOP), ['"smoked tea" appeared']),
    ('"smoked tea" appears', first(SHOP), None),
    ('"smoked tea" appears', removed(SHOP), None),
    ('"smoked tea" disappears', changed(SHOP, "Green tea."), ['"smoked tea" disappeared']),
    ('"smoked tea" disappears', removed(SHOP), ['"smoked tea" disappeared']),
    ('"smoked tea" is gone', removed(SHOP), ['"smoked tea" disappeared']),
    ('"smoked tea" disappears', new("Green tea."), None),
    ('"smoked tea" disappears', changed("Green tea.", "Black tea."), None),
    ('"tea" is added', changed("Tea.", "Tea. Tea."), ['"tea" occurs 2 times, before 1']),
    ('"tea" is added', changed("Tea. Tea.", "Tea."), None),
    ('"tea" is added', changed("Tea.", "Some tea."), None),
    ('"tea" is added', new("Tea."), ['"tea" appeared']),
    ('"tea" is removed', changed("Tea. Tea.", "Tea."), ['"tea" occurs 1 time, before 2']),
    ('"tea" is removed', changed("Tea.", "Soup."), ['"tea" occurs 0 times, before 1']),
    ('"tea" is removed', changed("Soup.", "Tea."), None),
    ('"tea" is removed', removed("Tea."), ['"tea" disappeared']),
    ('"tea" appears', changed("Soup.", text_of("Soup.", title="Tea")), ['"tea" appeared']),
    ('not "tea" appears and is changed', changed("Tea.", "Soup."), ['"tea" did not appear', "it is changed"]),
]
CONTAIN = [
    ('"sold out" is there', changed("Tea.", "Sold out."), ['"sold out" is in the text']),
    ('"sold out" is there', changed("Sold out.", "Sold out today."), None),
    ('"sold out" is there', changed("Sold out.", "Tea."), None),
    ('"sold out" is still there and is changed', changed("Sold out.", "Sold out today."), 2),
    ('"sold out" is there', first("Sold out."), ['"sold out" is in the text']),
    ('"sold out" is there', new("Sold out."), ['"sold out" is in the text']),
    ('"sold out" is there', removed("Sold out."), None),
    ('"sold out" is not there', changed("Sold out.", "Tea."), ['"sold out" is not in the text']),
    ('"sold out" is not there', changed("Tea.", "Black tea."), None),
    ('"sold out" is not there', removed("Sold out."), ['"sold out" is not in the text']),
    ('"sold out" is not there', removed("Tea."), None),
    ('text contains "sold out"', changed("Tea.", "Sold out."), ['"sold out" is in the text']),
    ('title contains "sale"', new(text_of("Sale.", title="Tea")), None),
    ('title contains "sale"', new(text_of("Tea.", title="A SALE!")), ['"sale" is in the title']),
    ('"sale" is in the title', new(text_of("Tea.", title="A SALE!")), ['"sale" is in the title']),
    ('title does not contain "sale"', new(text_of("Sale.", title="Tea")), 1),
]
MATCH = [
    ("matches /[0-9]+ places left/", changed("Full.", "12 places left."), ["the pattern is found in the text"]),
    ("matches /[0-9]+ places left/", changed("9 places left.", "12 places left."), None),
    ("matches /Places/", changed("Full.", "12 places left."), None),
    ("matches /Places/i", changed("Full.", "12 places left."), ["the pattern is found in the text"]),
    ("title matches /sale|offer/i", new(text_of("Sale", title="Tea")), None),
    ("title matches /sale|offer/i", new(text_of("Tea", title="An offer")), ["the pattern is found in the title"]),
    ("not matches /Full/", changed("Full.", "12 places left."), ["the pattern is not found in the text"]),
    ("matches /^$/", removed("Tea."), None),
    (r"matches /1\/2/", new("1/2 off"), ["the pattern is found in the text"]),
    ("matches /(?m)^Open/", new("Hours\n\nOpen now"), ["the pattern is found in the text"]),
    ("matches /^Open/", new("Hours\n\nOpen now"), None),
    ("matches /größ.r/", new("Nun größer."), ["the pattern is found in the text"]),
]


@pytest.mark.parametrize(("expression", "facts", "expected"), [*APPEAR, *CONTAIN, *MATCH])
def test_words_and_patterns(expression: str, facts: Facts, expected: list[str] | int | None) -> None:
    given = found(expression, facts)
    assert (len(given or ()) if isinstance(expected, int) else given) == expected


SAME = [
    ("smoked tea", "SMOKED\n   Tea", True),
    ("smoked tea", "smoked\u00a0tea", True),
    ("tea", "teapot", False),
    ("tea", "tea-pot", True),
    ("tea", "smoked_tea", False),
    ("straße", "STRASSE", True),
    ("STRASSE", "Straße", True),
    ("Käse", "ka\u0308se", True),
    ("Käse", "Kase", False),
    ("Käse", "Käsekuchen", False),
    ("Rauchtee", "Rauch\u00adtee", True),
    ("it's", "it\u2019s", True),
    ("ﬁsh", "FISH", True),
    ("İstanbul", "i\u0307stanbul", True),
    ("ΣΟΦΟΣ", "σοφος", True),
    ("芯片", "新的AI芯片上市", True),
    ("AI", "新的AI芯片上市", True),
    ("芯上", "新的AI芯片上市", False),
    ("お茶", "煙のお茶です", True),
    ("ชา", "ร้านชาดี", True),
    ("C++", "about C++ and C", True),
    ("C++", "about C", False),
    ("!!!", "wow!!!", True),
    ("12.90", "costs 12.90 now", True),
    ("12.9", "costs 12.90 now", False),
]


@pytest.mark.parametrize(("words", "text", "is_there"), SAME)
def test_words_are_found_whole_and_however_they_are_written(words: str, text: str, is_there: bool) -> None:  # noqa: FBT001
    assert (found(f'"{words}" appears', new(text)) is not None) is is_there


@pytest.mark.parametrize("words", ["", "  ", "\u200b", "\u00ad \ufeff"])
def test_a_text_without_anything_to_see_is_refused(words: str) -> None:
    with pytest.raises(RuleError, match="The text is empty"):
        compile_rule(f'"{words}" is added')


QUOTES = [
    ('"smoked tea" appears', new(SHOP), "Smoked tea is back."),
    ('"tea smoked" appears', new("Black tea.\n\nGreen tea\nsmoked at home. Soup."), "Green tea smoked at home."),
    ('"tea" is added', changed("Tea is old.", "Tea is old.\n\nTea is new."), "Tea is new."),
    ('"sold out" disappears', removed("Tea. Sold out today. Soup."), "Sold out today."),
    ("matches /[0-9]+ places/", new("Hello. There are 12 places left. Bye."), "There are 12 places left."),
    ('title contains "sale"', new(text_of("Sale in the text", title="Big sale")), "Big sale"),
    ('"お茶" appears', new("今日は晴れ。煙のお茶です。さようなら。"), "煙のお茶です。"),
    ('"soup" is not there', changed("Soup.", "Tea."), ""),
]


@pytest.mark.parametrize(("expression", "facts", "quote"), QUOTES)
def test_the_evidence_quotes_the_sentence(expression: str, facts: Facts, quote: str) -> None:
    (evidence,) = compile_rule(expression).judge(facts) or ()
    assert evidence.quote == quote


def test_a_long_passage_is_cut_at_words() -> None:
    (evidence,) = compile_rule('"tea" appears').judge(new("long words " * 50 + "tea" + " more words" * 50)) or ()
    assert evidence.quote.startswith("…long words") or evidence.quote.startswith("…words")
    assert evidence.quote.endswith("…")
    assert " tea " in evidence.quote
    assert len(evidence.quote) < 200


DENIED = [
    ('"soup" is not there', '"soup" is not there', '"soup" is not in the text'),
    ('not "soup" is there', 'not "soup" is there', '"soup" is not in the text'),
    ('not "tea" is not there', 'not "tea" is not there', '"tea" is in the text'),
    ('text does not contain "soup"', 'text does not contain "soup"', '"soup" is not in the text'),
    ('not not "tea" is there', '"tea" is there', '"tea" is in the text'),
    ('not ("soup" is there or is removed)', 'not "soup" is there', '"soup" is not in the text'),
]


@pytest.mark.parametrize(("expression", "written", "said"), DENIED)
def test_the_evidence_has_each_condition_as_it_was_written(expression: str, written: str, said: str) -> None:
    evidence = (compile_rule(expression).judge(changed("Soup.", "Tea.")) or ())[0]
    assert (evidence.condition, evidence.found) == (written, said)


def test_evidence_of_both_sides_of_and_is_in_order() -> None:
    assert compile_rule('"tea" appears and is changed').judge(changed("Soup.", "Tea.")) == (
        Evidence(condition='"tea" appears', found='"tea" appeared', quote="Tea."),
        Evidence(condition="is changed", found="it is changed"),
    )
