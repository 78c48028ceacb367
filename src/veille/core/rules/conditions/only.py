"""`only added`: something was added and nothing removed, or the other way round."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyOneWay(EventCondition):
    """Words were added and none removed, or removed and none added."""

    help = "A text only grew, or only lost something. Lines that moved count as neither."
    examples = ("only added", "only removed")
    changes = frozenset({"changed"})

    is_added: bool

    @classmethod
    def parse(cls, phrase: Phrase) -> OnlyOneWay | None:
        if not phrase.take("only"):
            return None
        phrase.take("words", "text")
        written = phrase.take("added", "additions", "removed", "removals", "deleted")
        return cls(is_added=written in {"added", "additions"}) if written and phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        if subject.facts.change != "changed":
            return False
        added, removed = subject.size
        return (added > 0 and not removed) if self.is_added else (removed > 0 and not added)

    def found(self, subject: Subject) -> str:
        added, removed = subject.size
        return (
            f"{added} words were added, none removed" if self.is_added else f"{removed} words were removed, none added"
        )

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
