"""What is no rule is refused with the place, what was expected there, and what was probably meant."""

from __future__ import annotations

import pytest

from veille.core.rules.parser import MAX_CONDITIONS, MAX_DEPTH, conditions, parsed
from veille.core.rules.tokens import MAX_LETTERS
from veille.rules import RuleError, compile_rule

#: An expression, what is marked below it, and a part of the message.
WRONG = [
    ("", "", "Expected a condition, like price < 12"),
    ("   ", "", "Expected a condition"),
    ("price <", "", "Expected a number, a date, a version"),
    ("price < cheap", "cheap", "Expected a number"),
    ("price < 12 or", "", "Expected a condition"),
    ("and is new", "and", "Expected a condition"),
    ("price falls by lots", "lots", "Expected"),
    ("price falls by 0", "0", "more than zero"),
    ("price fals by 10%", "fals", "Did you mean falls"),
    ("price is lowest of 30 day ago", "ago", "the end of the condition"),
    ("price is lowset of 30 days", "lowset", "Did you mean lowest?"),
    ("price is gone now", "now", "the end of the condition"),
    ("colour = a very dark blue", "a", "a text of more than 3 words in quotes"),
    ("price is lowest of 12 hours", "hours", "Whole days are needed"),
    ('"tea" apears', "apears", "Did you mean appears?"),
    ("tea appears", "appears", "Did you mean"),
    ("is nwe", "nwe", "Did you mean new?"),
    ('"tea appears', '"tea appears', "The closing quotation mark is missing."),
    ("`stock < 5", "`stock < 5", "The closing quotation mark is missing."),
    ("`` < 5", "``", "The name is empty."),
    ("(is new", "(", "This parenthesis is not closed."),
    ("is new)", ")", "This parenthesis was not opened."),
    ("(is new) is removed", "is", 'Expected "and" or "or".'),
    ("is new (is removed)", "(", 'Expected "and" or "or". Put a text with parentheses into quotes.'),
    ("()", ")", "Expected a condition"),
    ("price ! 12", "!", "Write != or not."),
    ("price < 1,299", "1,299", "can be read in two ways"),
    ("price < -1,299", "-1,299", "can be read in two ways"),
    ("price < 1.299 EUR", "EUR", "can be read in two ways"),
    ("price < 1,2,3", "1,2,3", "This is no number"),
    ("price is between 10 and 5", "5", "The smaller one comes first."),
    ("told by 0 sources", "0", "A whole number of at least 1"),
    ("told by 1.5 sources", "1.5", "A whole number of at least 1"),
    ("source is silent for 5 seconds", "seconds", "Expected minutes, hours, days or weeks"),
    ("source is silent for 20 years", "years", "between one minute and ten years"),
    ("source is silent", "", "Expected"),
    ("source is happy", "is", "Expected"),
    ("language is Klingon", "Klingon", "This is no code of a language"),
    ("matches /a(/", "a(", "This pattern cannot be used: missing )"),
    (r"matches /(a)\1/", r"\1", "no look-around and no back-references"),
    ("matches /a(?=b)/", "(?=", "no look-around and no back-references"),
    ("matches /a", "/a", "a pattern between slashes"),
    ("more than 50 words", "", "Expected"),
    ("日本語 と 12", "と", "Expected"),
    ("title < 5", "<", "Expected"),
]


@pytest.mark.parametrize(("expression", "marked", "said"), WRONG)
def test_the_place_of_a_mistake_is_marked(expression: str, marked: str, said: str) -> None:
    with pytest.raises(RuleError) as refused:
        compile_rule(expression)
    error = refused.value
    assert said in error.message
    assert expression[error.place : error.place + error.length] == marked


def test_the_mark_stands_below_the_place_also_below_wide_signs() -> None:
    with pytest.raises(RuleError) as refused:
        compile_rule('"お茶" apears')
    assert str(refused.value).splitlines()[1:] == ['  "お茶" apears', "         ^^^^^^"]


def test_of_a_long_rule_the_part_around_the_place_is_shown() -> None:
    with pytest.raises(RuleError) as refused:
        compile_rule(" or ".join(['"tea" appears'] * 20 + ["is nwe"] + ['"tea" appears'] * 20))
    line, mark = str(refused.value).splitlines()[1:]
    assert line.startswith("  …")
    assert line.endswith("…")
    assert line[mark.index("^") : mark.rindex("^") + 1] == "nwe"
    assert len(line) < 110


def test_mistakes_have_codes() -> None:
    with pytest.raises(RuleError) as bad:
        compile_rule("is nwe")
    with pytest.raises(RuleError) as pattern:
        compile_rule("matches /a(/")
    assert (bad.value.code, pattern.value.code) == ("bad_rule", "bad_pattern")


def test_every_example_of_the_reference_is_read_by_its_own_condition() -> None:
    for kind in conditions():
        for example in kind.examples:
            (leaf, _) = parsed(f"{example} or is new").leaves()
            assert (type(leaf.condition), leaf.text) == (kind, example)


@pytest.mark.parametrize(
    ("most", "more", "said"),
    [
        ('"' + "a" * (MAX_LETTERS - 10) + '" appears', '"' + "a" * MAX_LETTERS + '" appears', "at most 2000 letters"),
        (
            " or ".join(["is new"] * MAX_CONDITIONS),
            " or ".join(["is new"] * (MAX_CONDITIONS + 1)),
            "at most 50 conditions",
        ),
        (
            "(" * MAX_DEPTH + "is new" + ")" * MAX_DEPTH,
            "(" * (MAX_DEPTH + 1) + "is new" + ")" * (MAX_DEPTH + 1),
            "20 deep at most",
        ),
    ],
)
def test_a_rule_has_limits(most: str, more: str, said: str) -> None:
    assert compile_rule(most).needs.occasions
    with pytest.raises(RuleError, match=said):
        compile_rule(more)
