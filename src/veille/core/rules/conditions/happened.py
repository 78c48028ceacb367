"""`is new`: a document is new, changed or removed."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import CHANGES, EventCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened(EventCondition):
    """What happened to a document."""

    help = "The document is new, changed or removed. What the first check of a source finds is not new."
    examples = ("is new", "is changed", "is removed")
    changes = CHANGES

    change: str

    @classmethod
    def parse(cls, phrase: Phrase) -> Happened | None:
        phrase.take("the")
        phrase.take("document", "page", "it")
        phrase.take("is", "was")
        written = phrase.take("new", "changed", "changes", "removed", "gone", "deleted")
        if not written or not phrase.is_over:
            return None
        return cls(change={"changes": "changed", "gone": "removed", "deleted": "removed"}.get(written, written))

    def holds(self, subject: Subject) -> bool:
        return subject.facts.change == self.change

    @property
    def after(self) -> frozenset[str]:
        return frozenset({self.change})

    certain = after

    def found(self, subject: Subject) -> str:
        why = subject.facts.message
        return f"it is {self.change}: {why}" if why else f"it is {self.change}"

    def found_not(self, subject: Subject) -> str:
        return f"it is {subject.facts.change}" if subject.facts.change else "no document changed"
