"""When a rule fires: it holds, and something about it is news."""

from __future__ import annotations

from dataclasses import replace

import pytest

from occurrences import AT, changed, fires, first, found, health, moved, new, ran, removed, silence, valued
from veille.core.alerts.models import RuleScope
from veille.rules import Facts, RuleBook, RuleError, compile_rule, fired

TEA, SOUP = '"tea" is there', '"soup" is there'
COMES, GOES, BEGINS, ENDS = '"tea" appears', '"tea" disappears', changed("None.", "Tea."), changed("Tea.", "None.")
STAYS, NEVER = changed("Tea.", "More tea."), changed("None.", "Nothing.")
#: In a time that holds, and in one that does not.
NOON, NIGHT = "between 11:00 and 13:00", "between 22:00 and 02:00"

#: By expression: whether it fires where tea begins to be there, ends to be there, stays, and was never there.
TABLE = {
    TEA: (True, False, False, False),
    f"not {TEA}": (False, True, False, False),
    f"not not {TEA}": (True, False, False, False),
    COMES: (True, False, False, False),
    GOES: (False, True, False, False),
    # An event that does not happen is no news.
    f"not {COMES} and is changed": (False, True, True, True),
    f"not {COMES} and {TEA}": (False, False, False, False),
    # `and` is news if one of its parts is.
    f"{TEA} and is changed": (True, False, True, False),
    f"{TEA} and not {SOUP}": (True, False, False, False),
    f"not {TEA} and not {SOUP}": (False, True, False, False),
    f"{TEA} and {SOUP}": (False, False, False, False),
    # `or` is news if one that holds is.
    f"{TEA} or {SOUP}": (True, False, False, False),
    f"{TEA} or not {SOUP}": (True, False, False, False),
    f"{TEA} or not {TEA}": (True, True, False, False),
    f"{SOUP} or {COMES} or {GOES}": (True, True, False, False),
    f"{TEA} or is changed": (True, True, True, True),
    # Not all of them is one that is not, and the other way round.
    f"not ({TEA} and {SOUP})": (False, True, False, False),
    f"not ({TEA} or {SOUP})": (False, True, False, False),
    f"not (not {TEA})": (True, False, False, False),
    # `and` comes before `or`.
    f"{SOUP} and {SOUP} or {TEA}": (True, False, False, False),
    f"{TEA} or {SOUP} and {SOUP}": (True, False, False, False),
    f"({TEA} or {SOUP}) and {SOUP}": (False, False, False, False),
    # A time holds, but is no news.
    f"{TEA} and {NOON}": (True, False, False, False),
    f"{TEA} and {NIGHT}": (False, False, False, False),
    f"{TEA} and not {NIGHT}": (True, False, False, False),
    f"{TEA} or {NOON}": (True, False, False, False),
    f"not {TEA} and {NOON}": (False, True, False, False),
}


@pytest.mark.parametrize("expression", TABLE)
def test_combinations(expression: str) -> None:
    assert tuple(fires(expression, facts) for facts in (BEGINS, ENDS, STAYS, NEVER)) == TABLE[expression]


#: By expression: whether it fires for a document with tea that the first check finds, that is new later, and that is
#: removed; and for one without.
KINDS = {
    TEA: (True, True, False, False, False, False),
    f"not {TEA}": (False, False, True, True, True, False),
    COMES: (False, True, False, False, False, False),
    GOES: (False, False, True, False, False, False),
    f"not {COMES}": (False, False, False, False, True, False),
    "is new": (False, True, False, False, True, False),
    "not is changed": (False, True, False, False, True, False),
    "is removed": (False, False, True, False, False, True),
    f"is removed and not {TEA}": (False, False, True, False, False, True),
    f"is removed and {TEA}": (False, False, False, False, False, False),
    f"{TEA} and not is new": (True, False, False, False, False, False),
    f"{TEA} and is new": (False, True, False, False, False, False),
    f"{TEA} or is new": (True, True, False, False, True, False),
    f"not {SOUP} and {NOON}": (True, True, False, True, True, False),
}


@pytest.mark.parametrize("expression", KINDS)
def test_first_new_and_removed_documents(expression: str) -> None:
    some, none = "Tea.", "None."
    facts = (first(some), new(some), removed(some), first(none), new(none), removed(none))
    rule = _try(expression)
    given = tuple(rule is not None and compile_rule(expression).judge(one) is not None for one in facts)
    assert given == KINDS[expression]


def _try(expression: str) -> object:
    try:
        return compile_rule(expression)
    except RuleError as error:
        assert error.message.startswith("This never fires")  # noqa: PT017 - those that can never fire are refused
        return None


@pytest.mark.parametrize(
    "expression",
    [
        NOON,
        f"not {NOON} or on weekdays",
        "is not new",
        "is new and is removed",
        f"{COMES} and is removed",
        "source is broken and is new",
        "source is silent for 3 days and run failed",
        "price < 12 and source is broken",
        f"is removed and {TEA}",
    ],
)
def test_what_can_never_fire_is_refused(expression: str) -> None:
    with pytest.raises(RuleError, match="This never fires"):
        compile_rule(expression)


def test_only_the_parts_of_or_that_hold_are_evidence() -> None:
    assert found(f"{COMES} or {SOUP} or is changed", BEGINS) == ['"tea" appeared', "it is changed"]


def test_a_rule_about_sources_is_not_judged_by_documents() -> None:
    assert compile_rule("source is broken or run failed").needs.changes == frozenset()
    assert compile_rule(GOES).needs.changes == {"changed", "removed"}
    assert not fires("not source is broken or is removed", new())


def test_the_past_is_judged_one_by_one() -> None:
    rule = compile_rule(COMES)
    past = [BEGINS, STAYS, health("ok", "broken"), replace(BEGINS, at=AT + 1)]
    assert [facts.at for facts, _ in fired(rule, past)] == [AT, AT + 1]


PARTS = [
    TEA, COMES, GOES, "price < 12", "price changes", "price is gone", "price is known", "is new", "is removed", NOON,
    "source is broken", "source is silent for 3 days", "run failed", "language is de", 'search "x" finds it',
    "stock > 3", "only added", "told by 2 sources",
]  # fmt: skip
WORLD = [
    BEGINS, ENDS, STAYS, NEVER, first("Tea."), new("Tea."), new("None."), removed("Tea."), health("ok", "broken"),
    health("broken", "ok"), silence(10**9), ran("crawl", has_failed=True), ran("crawl", has_failed=False),
    valued("price", "13 EUR", "11 EUR"), valued("price", "11 EUR", None), valued("Stock", "2", "4"),
    valued("price", None, "11 EUR"), new(values=(moved("price", None, "11 EUR"),), tellers=2),
    removed(values=(moved("price", "11 EUR", None),)), changed(found_by=frozenset({"x"}), tellers=5),
]  # fmt: skip


@pytest.mark.parametrize("left", PARTS)
def test_no_rule_that_fires_is_left_out_by_the_index(left: str) -> None:
    forms = ("{a} and {b}", "{a} or {b}", "not {a} and {b}", "{a} or not {b}", "not ({a} and {b})", "not ({a} or {b})")
    lines = [form.format(a=left, b=right) for right in PARTS for form in forms]
    rules = {line: compile_rule(line) for line in lines if _try(line) is not None}
    book = RuleBook((line, RuleScope(), rule) for line, rule in rules.items())
    for facts in WORLD:
        judged = {line for line, rule in rules.items() if rule.judge(facts) is not None}
        assert judged <= set(book.candidates(facts))


SCOPES = [
    (RuleScope(), True),
    (RuleScope(sources=("tea",)), True),
    (RuleScope(sources=("soup",)), False),
    (RuleScope(tags=("food",)), True),
    (RuleScope(tags=("news",)), False),
    (RuleScope(sources=("soup",), tags=("food", "drink")), True),
    (RuleScope(sources=("tea", "tea"), tags=("food",)), True),
]


def test_rules_are_found_by_their_scope_once_and_in_order() -> None:
    rule = compile_rule("is new")
    book = RuleBook((str(place), scope, rule) for place, (scope, _) in enumerate(SCOPES))
    facts: Facts = new(source_id="tea", tags=("food", "drink"))
    assert book.candidates(facts) == [str(place) for place, (_, is_in) in enumerate(SCOPES) if is_in]
    assert all(scope.covers("tea", ("food", "drink")) is is_in for scope, is_in in SCOPES)
    assert len(book) == len(SCOPES)
