"""Judge changes by the rules of users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from veille.core.rules.facts import Facts
from veille.core.rules.judging import JudgedChanges, judged
from veille.core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChanges(Task[JudgedChanges]):
    """Judge changes by rules: what users wrote, over what sites sent. Make it with `of`."""

    #: Expressions by the ids of rules.
    rules: dict[str, str]
    #: Lists of ids of rules that may fire. Changes of one source share them, so that each is sent once.
    candidates: tuple[tuple[str, ...], ...]
    #: Facts, and the place of their list.
    cases: tuple[tuple[Facts, int], ...]

    @classmethod
    def of(cls, rules: Mapping[str, str], cases: Iterable[tuple[Facts, Sequence[str]]]) -> JudgeChanges:
        """The task for cases, each with the ids of the rules that may fire on it (`RuleBook.candidates`)."""
        places: dict[tuple[str, ...], int] = {}
        placed = tuple((facts, places.setdefault(tuple(ids), len(places))) for facts, ids in cases)
        needed = {rule_id: rules[rule_id] for ids in places for rule_id in ids if rule_id in rules}
        return cls(rules=needed, candidates=tuple(places), cases=placed)

    def run(self, body: bytes) -> JudgedChanges:
        del body
        return judged(self.rules, ((facts, self.candidates[place]) for facts, place in self.cases))
