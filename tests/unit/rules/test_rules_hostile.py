"""Rules and texts that are made to hurt: they take no more than their share of time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occurrences import AT, changed, new, removed, silence, text_of, valued
from veille.core.alerts.models import RuleScope
from veille.core.rules.judging import judged
from veille.rules import CompiledRule, Facts, RuleBook, RuleError, Subject, compile_rule

WORDS = [f"word{number}" for number in range(5_000)]
#: 1 MB.
LONG = " ".join(WORDS[number * 7919 % 5_000] for number in range(115_000))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _read(line: str) -> tuple[CompiledRule | None, RuleError | None]:
    try:
        return compile_rule(line), None
    except RuleError as error:
        return None, error


def _judge(rules: list[CompiledRule], facts: Facts) -> None:
    for rule in rules:
        rule.judge(facts)


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 1_000,
        ")" * 1_000,
        "not " * 499 + "is new",
        "not (" * 300,
        "is new and " * 100,
        '"' * 999,
        "/" * 999,
        "`" * 999,
        "\\" * 999,
        "/" + "a|" * 900,
        "matches /" + "(" * 900 + ")" * 900 + "/",
        "matches /" + "(a*)*" * 100 + "b/",
        "matches /(((a{100}){100}){100})/",
        "matches /" + "\\p{L}" * 380 + "/",
        "price < " + "9" * 1_900,
        "price < " + "1," * 900 + "1",
        "price is between " + "and " * 400,
        "told by " + "9" * 1_000 + " sources",
        "source is silent for " + "9" * 1_000 + " days",
        "on " + "mon," * 400,
        "\ud800 < 5",
        '"\ud800" appears',
        "matches /\ud800/",
        "x = \x00",
        "between 08:00 and 18:00 " + "x" * 1_900,
        "between 08:00 and 18:00 \ud800",
    ],
)
def test_a_hostile_expression_is_a_rule_or_refused_at_once(expression: str) -> None:
    def attempt() -> None:
        rule, error = _read(expression)
        for facts in (changed("a", "b"), new("aaaa"), valued("price", "1", "2")):
            _judge([rule] if rule else [], facts)
        assert error is None or len(str(error)) < 2_000

    # Far more than it takes, and far less than something that grows with the square of its length.
    assert _seconds(attempt) < 2


@given(st.text(st.sampled_from(list('is not new price<>=()"`/\\|&, 12.%€a*+between andor\u200b\ud800')), max_size=60))
def test_any_line_is_a_rule_or_refused(line: str) -> None:
    rule, error = _read(line)
    assert error is None or 0 <= error.place <= len(line)
    for facts in (changed("a b", "b c"), removed("a b"), silence(AT)):
        _judge([rule] if rule else [], facts)


@given(st.text(max_size=200), st.text(max_size=200), st.text(min_size=1, max_size=8))
def test_any_text_can_be_judged(before: str, after: str, words: str) -> None:
    written = words.replace("\\", "\\\\").replace('"', '\\"')
    lines = [f'"{written}" appears', f'"{written}" is added', f'"{written}" is removed', "matches /a|.\\b/"]
    facts = changed(text_of(before, title=after), text_of(after, title=before))
    for line in lines:
        rule, error = _read(f"({line}) or is changed")
        assert rule.judge(facts) if rule else error and error.message == "The text is empty."


def test_a_pattern_that_would_backtrack_is_matched_in_linear_time() -> None:
    rules = [compile_rule(f"matches /{pattern}/") for pattern in ("(a+)+$", "(a|aa)+b", "(.*a){12}b", "(a*)*c")]
    costs = [
        min(_seconds(partial(_judge, rules, facts)) for _ in range(3))
        for facts in (new("a" * 25_000), new("a" * 100_000))
    ]
    # Four times the text: sixteen times would be quadratic.
    assert costs[1] < 10 * costs[0] + 0.05


@pytest.mark.parametrize("pattern", ["[ab]{0,500}z", "([ab]{1,9}){20,60}z", "(.{0,50}a){6}q", "a.{0,200}z"])
def test_a_large_pattern_costs_little_more_than_a_small_one(pattern: str) -> None:
    facts = new(("ab" * 500 + " ") * 400)
    small, large = (
        min(_seconds(partial(_judge, [compile_rule(f"matches /{one}/")], facts)) for _ in range(2))
        for one in ("[ab]+z", pattern)
    )
    # With too little room it is a hundred times.
    assert large < 20 * small + 0.2


def test_a_pattern_that_is_too_large_is_refused() -> None:
    for pattern in ("(.{0,100}a){9}q", "((a{100}){100}){100}", "\\p{L}" * 30):
        with pytest.raises(RuleError, match="Make it shorter, or its repetitions smaller") as refused:
            compile_rule(f"matches /{pattern}/")
        assert refused.value.code == "bad_pattern"


def test_a_thousand_rules_over_a_megabyte_share_what_is_derived_from_it() -> None:
    lines = {str(number): f'"{WORDS[number]} {WORDS[-number]}" appears' for number in range(1_000)}
    facts = changed(LONG, LONG + " the end")
    one = _seconds(lambda: judged(dict([*lines.items()][:1]), [(facts, ["0"])]))
    many = _seconds(lambda: judged(lines, [(facts, list(lines))]))
    # Most of one rule is reading the text, which a thousand do once.
    assert many < 30 * one + 0.5


def test_a_rule_that_is_not_understood_holds_up_no_other() -> None:
    found = judged({"good": "is new", "bad": "is nwe"}, [(new(), ["bad", "good", "unknown"])])
    assert [one.rule_id for one in found.cases[0].fired] == ["good"]
    assert list(found.bad_rules) == ["bad"]


def _cost(book: RuleBook, changes: list[Facts]) -> float:
    def work() -> None:
        for facts in changes:
            subject = Subject(facts)
            for rule_id in book.candidates(facts):
                book.rules[rule_id].judge(subject)

    return _seconds(work)


def test_ten_thousand_rules_that_cannot_match_cost_next_to_nothing() -> None:
    text = " ".join(WORDS[:500])
    changes = [
        replace(valued("price", "13 EUR", "11 EUR"), source_id=f"source-{number % 10}", is_same_text=False,
                before=text_of(text), after=text_of(f"{text} tea {number}"))
        for number in range(100)
    ]  # fmt: skip
    few = [(f'"tea {number}" appears or price < {number}', RuleScope()) for number in range(20)]
    others = [(f'"tea {number}" appears', RuleScope(sources=(f"other-{number % 500}",))) for number in range(3_000)]
    others += [(f"price < {number}", RuleScope(tags=(f"tag-{number % 500}",))) for number in range(1_000)]
    others += [(f"`value {number}` < 5", RuleScope()) for number in range(3_000)]
    others += [(f"source is silent for {number + 1} days", RuleScope()) for number in range(1_000)]
    others += [("source is broken and on mon-fri", RuleScope())] * 1_000
    others += [("is removed", RuleScope())] * 1_000
    alone, among = (
        RuleBook((str(place), scope, compile_rule(line)) for place, (line, scope) in enumerate(rules))
        for rules in (few, few + others)
    )
    assert [among.candidates(facts) for facts in changes] == [alone.candidates(facts) for facts in changes]
    costs = [(_cost(alone, changes), _cost(among, changes)) for _ in range(5)]
    assert min(many for _, many in costs) <= 1.5 * min(none for none, _ in costs)
