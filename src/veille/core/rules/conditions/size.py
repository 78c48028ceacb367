"""`more than 50 words changed`: how much of a text changed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from veille.core.rules.amounts import amount
from veille.core.rules.condition import CHANGES, EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_COMPARISONS: Final = {
    "more than": ">",
    "over": ">",
    ">": ">",
    "at least": ">=",
    ">=": ">=",
    "≥": ">=",
    "less than": "<",
    "fewer than": "<",
    "under": "<",
    "<": "<",
    "at most": "<=",
    "<=": "<=",
    "≤": "<=",
}
_AFTER: Final = {
    "changed": frozenset({"changed"}),
    "added": frozenset({"changed", "new"}),
    "removed": frozenset({"changed", "removed"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSize(EventCondition):
    """More or fewer words than a number, or than a share of the text, changed, were added, or were removed."""

    help = (
        "How many words changed, were added or removed; or which share of the words of the longer text. A word that "
        "replaces another is one changed word. A new document has words added, a removed one has words removed."
    )
    examples = (
        "more than 50 words changed",
        "more than 10% changed",
        "at least 100 words added",
        "less than 5 words changed",
    )
    changes = CHANGES

    sign: str
    number: Decimal
    is_share: bool
    what: str

    @classmethod
    def parse(cls, phrase: Phrase) -> ChangeSize | None:
        written = phrase.take(*_COMPARISONS)
        found = amount(phrase) if written else None
        if found is None:
            return None
        if not found.is_share and not phrase.take("words", "word"):
            return None
        if found.is_share:
            phrase.take("of the text", "of it", "of the words", "of words", "words")
        phrase.take("are", "is", "were", "was", "has", "have")
        what = phrase.take("changed", "added", "removed")
        if not what or not phrase.is_over:
            return None
        return cls(sign=_COMPARISONS[written], number=found.number, is_share=found.is_share, what=what)

    @property
    def after(self) -> frozenset[str]:
        return _AFTER[self.what]

    def _words(self, subject: Subject) -> int:
        added, removed = subject.size
        return {"added": added, "removed": removed}.get(self.what, max(added, removed))

    def holds(self, subject: Subject) -> bool:
        words = self._words(subject) if subject.facts.change in _AFTER[self.what] else 0
        if not words:
            return False
        longer = max(subject.before.count, subject.after.count, 1)
        size: float | Decimal = Decimal(min(words, longer) * 100) / longer if self.is_share else words
        return {">": size > self.number, ">=": size >= self.number, "<": size < self.number}.get(
            self.sign, size <= self.number
        )

    def found(self, subject: Subject) -> str:
        added, removed = subject.size
        longer = max(subject.before.count, subject.after.count, 1)
        share = f", {min(self._words(subject), longer) * 100 / longer:.0f}% of the text" if self.is_share else ""
        return f"{added} words were added and {removed} removed{share}"

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
