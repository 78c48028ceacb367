"""`price is known`: a document has a value, or no longer has it."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.comparison import told
from veille.core.rules.condition import CHANGES, RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueKnown(StateCondition):
    """A value is there, or it was and is gone."""

    help = "A value was found; or it was found before, and is not any more."
    examples = ("price is known", "price is gone")
    order = 40
    changes = CHANGES

    name: str
    is_there: bool

    @classmethod
    def parse(cls, phrase: Phrase) -> ValueKnown | None:
        name = phrase.name()
        written = phrase.take("is known", "is given", "is gone", "is missing", "is unknown") if name else ""
        if not written or not phrase.is_over:
            return None
        return cls(name=name, is_there=written in {"is known", "is given"})

    def holds(self, subject: Subject) -> bool:
        found = subject.values.get(self.name)
        return found is not None and (found[1] is not None) is self.is_there

    def held(self, subject: Subject) -> bool:
        found = subject.values.get(self.name)
        return found is not None and (found[0] is not None) is self.is_there

    def found(self, subject: Subject) -> str:
        return told(self.name, *subject.values.get(self.name, (None, None)))

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}))
