"""`search "Budget" finds it`: a saved search finds the document."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.rules.words import folded


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFinds(EventCondition):
    """A saved search finds the document."""

    help = (
        "A saved search of that name finds the document as it is now. Every document that is new or changes is asked "
        "for anew, so that each change of one that is found is news; add `is new` to be told of it once."
    )
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
        return folded(self.name) in subject.found_by

    def found(self, subject: Subject) -> str:
        del subject
        return f'the search "{self.name}" finds it'

    def found_not(self, subject: Subject) -> str:
        del subject
        return f'the search "{self.name}" does not find it'

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(searches=frozenset({self.name}))
