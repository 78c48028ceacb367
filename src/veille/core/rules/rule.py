"""A rule, compiled: what it needs to know, and whether it fires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from veille.core.rules.condition import NOTHING, RuleNeeds
from veille.core.rules.facts import Evidence, Facts, Occasion
from veille.core.rules.parser import parsed
from veille.core.rules.subject import Subject
from veille.core.rules.tokens import RuleError
from veille.core.rules.tree import Anchors, Key, Tree, reach

#: Compiled rules that a process keeps: about 2 kB each.
_KEPT: Final = 16_384


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """An expression that was understood. It does not change, and is for all threads."""

    expression: str
    needs: RuleNeeds
    #: On which occasions it can fire, and of which values one must be there then; None: of none.
    reach: dict[Key, Anchors]
    _tree: Tree

    def judge(self, facts: Facts | Subject) -> tuple[Evidence, ...] | None:
        """Why the rule fires on these facts; None if it does not. For several rules, make one Subject of the facts."""
        subject = facts if isinstance(facts, Subject) else Subject(facts)
        tree = self._tree
        if tree.holds(subject) and tree.is_news(subject):
            return tuple(tree.evidence(subject))
        return None


@lru_cache(maxsize=_KEPT)
def compile_rule(expression: str) -> CompiledRule:
    """The rule that an expression means; RuleError shows the place of a mistake, and what was expected there."""
    tree = parsed(expression)
    found = reach(tree)
    needs = NOTHING
    for leaf in tree.leaves():
        needs |= leaf.condition.needs
    if not found:
        message = (
            "This never fires: its conditions exclude each other, or nothing in it is news by itself. "
            "Add what has to happen, like is new or is changed."
        )
        raise RuleError(message, line=expression, place=0, length=len(expression))
    occasions = frozenset(occasion for occasion, _ in found)
    changes = frozenset(change for occasion, change in found if occasion is Occasion.CHANGE)
    return CompiledRule(expression, replace(needs, occasions=occasions, changes=changes), found, tree)


def fired(rule: CompiledRule, past: Iterable[Facts]) -> Iterator[tuple[Facts, tuple[Evidence, ...]]]:
    """On which of these facts a rule would have fired, and why; one by one, as they are read."""
    for facts in past:
        evidence = rule.judge(facts) if (facts.occasion, facts.change) in rule.reach else None
        if evidence is not None:
            yield facts, evidence
