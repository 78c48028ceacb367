"""`search "Budget" finds it`: a saved search finds the document."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFinds(StateCondition):
    """A saved search finds the document."""

    help = "A saved search of that name finds the document. As long as it is found, that is no news."
    examples = ('search "Budget" finds it', 'found by search "Budget"')

    name: str

    @classmethod
    def parse(cls, phrase: Phrase) -> SearchFinds | None:
        if phrase.take("found by search", "is found by search", "found by"):
            name = phrase.text()
        else:
            phrase.take("saved")
            name = phrase.text() if phrase.take("search") else None
            if name is None or not phrase.take("finds", "find", "matches", "match"):
                return None
            phrase.take("it", "the document")
        return cls(name=name) if name is not None and phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        return self.name in subject.facts.found_by

    def held(self, subject: Subject) -> bool:
        return self.name in subject.facts.found_before

    def found(self, subject: Subject) -> str:
        del subject
        return f'the search "{self.name}" finds it'

    def found_not(self, subject: Subject) -> str:
        del subject
        return f'the search "{self.name}" does not find it'

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(searches=frozenset({self.name}))
