"""`told by at least 3 sources`: several sources tell the same story."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.amounts import whole
from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldBy(StateCondition):
    """The story of a document is told by a number of sources."""

    help = "The story of the document is told by that many sources, itself included; told once per story."
    examples = ("told by at least 3 sources", "told by 3 sources")

    number: int

    @classmethod
    def parse(cls, phrase: Phrase) -> ToldBy | None:
        phrase.take("is", "story is", "the story is", "story")
        if not phrase.take("told by"):
            return None
        sign = phrase.take("at least", "more than", ">=", "≥", ">", "min")
        number = whole(phrase)
        if number is None:
            return None
        if not phrase.take("sources", "source") or not phrase.is_over:
            return None
        return cls(number=number + (sign in {"more than", ">"}))

    def holds(self, subject: Subject) -> bool:
        return subject.facts.tellers >= self.number and subject.facts.change in self.changes

    def held(self, subject: Subject) -> bool:
        del subject
        # How many told it before is not known; who keeps stories tells each of them once.
        return False

    def found(self, subject: Subject) -> str:
        number = subject.facts.tellers
        return f"told by {number} source{'s' * (number != 1)}"

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(tellers=True)
