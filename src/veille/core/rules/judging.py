"""Many rules over many changes at once: which fired, why, and what of the change to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from veille.core.compare.excerpt import below_title, excerpt
from veille.core.rules.facts import Evidence, Facts
from veille.core.rules.rule import CompiledRule, compile_rule
from veille.core.rules.subject import Subject
from veille.core.told import TextEdit
from veille.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredRule:
    """A rule that fired, and why."""

    rule_id: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChange:
    """What became of one case. The excerpt and the sizes are there if a rule fired."""

    fired: tuple[FiredRule, ...] = ()
    excerpt: tuple[TextEdit, ...] = ()
    words_added: int = 0
    words_removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChanges:
    """What became of each case, in order; and why rules could not be used, by their ids."""

    cases: tuple[JudgedChange, ...]
    bad_rules: dict[str, str]


def judged(rules: Mapping[str, str], cases: Iterable[tuple[Facts, Iterable[str]]]) -> JudgedChanges:
    """The rules that fire, of expressions by id, on facts with the ids of the rules that may fire on them.

    A rule that is not understood any more is reported, and holds up no other.
    """
    compiled: dict[str, CompiledRule] = {}
    bad: dict[str, str] = {}
    for rule_id, expression in rules.items():
        try:
            compiled[rule_id] = compile_rule(expression)
        except ConfigError as error:
            bad[rule_id] = str(error)
    return JudgedChanges(
        cases=tuple(_judged(compiled, facts, candidates) for facts, candidates in cases), bad_rules=bad
    )


def _judged(rules: Mapping[str, CompiledRule], facts: Facts, candidates: Iterable[str]) -> JudgedChange:
    subject = Subject(facts)
    fired = []
    for rule_id in candidates:
        rule = rules.get(rule_id)
        evidence = rule.judge(subject) if rule is not None else None
        if evidence is not None:
            fired.append(FiredRule(rule_id=rule_id, evidence=evidence))
    if not fired:
        return JudgedChange()
    added, removed = subject.size
    return JudgedChange(fired=tuple(fired), excerpt=_excerpt(subject), words_added=added, words_removed=removed)


def _excerpt(subject: Subject) -> tuple[TextEdit, ...]:
    """What to show of a change; nothing if the text is the same."""
    before, after = subject.before, subject.after
    if subject.is_same_text:
        return ()
    hints = [
        value.text
        for old, new in subject.values.values()
        if (old and old.text) != (new and new.text)
        for value in (old, new)
        if value is not None
    ]
    if before.is_there and after.is_there and before.title != after.title:
        return excerpt(before.text, after.text, hints=hints)
    old, new = below_title(after.title or before.title, before.body, after.body)
    return excerpt(old or before.title, new or after.title, hints=hints)
