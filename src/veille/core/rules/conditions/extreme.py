"""`price is lowest of 30 days`: a value is lower, or higher, than at any time of some days before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import days
from veille.core.rules.comparison import NUMERIC, step, told
from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.facts import Extreme
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_LOWEST: Final = ("lowest", "new lowest", "new low", "minimum", "cheapest")
_HIGHEST: Final = ("highest", "new highest", "new high", "maximum", "dearest")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExtreme(EventCondition):
    """A value is at a new lowest or highest."""

    help = (
        "A value is lower, or higher, than it was at any time of the days before. "
        "Nothing is lowest of a time in which it was not known."
    )
    examples = ("price is lowest of 30 days", "price is highest in 2 weeks", "price is a new low of 90 days")
    order = 40
    changes = frozenset({"changed"})

    name: str
    days: int
    is_lowest: bool

    @classmethod
    def parse(cls, phrase: Phrase) -> NewExtreme | None:
        name = phrase.name()
        if not name or not phrase.take("is", "reaches", "hits"):
            return None
        phrase.take("the", "at", "a", "its")
        phrase.take("a")
        written = phrase.take(*_LOWEST, *_HIGHEST)
        if not written or not phrase.take("of the last", "in the last", "of", "in", "for", "since", "within"):
            return None
        found = days(phrase)
        if found is None or not phrase.is_over:
            return None
        return cls(name=name, days=found, is_lowest=written in _LOWEST)

    def _past(self, subject: Subject) -> Extreme | None:
        for one in subject.facts.extremes:
            if one.days == self.days and one.name.casefold() == self.name:
                return one
        return None

    def holds(self, subject: Subject) -> bool:
        before, after = subject.values.get(self.name, (None, None))
        if after is None or after.type not in NUMERIC or after.number is None:
            return False
        if before is not None and step(before, after) is None:
            return False
        past = self._past(subject)
        limit = (past.lowest if self.is_lowest else past.highest) if past else None
        if limit is None:
            return False
        return after.number < limit if self.is_lowest else after.number > limit

    def found(self, subject: Subject) -> str:
        which = "lowest" if self.is_lowest else "highest"
        span = f"{self.days} day{'s' * (self.days != 1)}"
        return f"{told(self.name, *subject.values.get(self.name, (None, None)))}, the {which} of {span}"

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}), windows=frozenset({(self.name, self.days)}))
