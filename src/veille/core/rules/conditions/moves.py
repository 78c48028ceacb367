"""`price falls by 10%`: a value falls, rises or changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import Amount, amount
from veille.core.rules.comparison import NUMERIC, differs, step, told
from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.values.value import Value

_FALLS: Final = "falls fall drops drop decreases decrease sinks sink".split()
_RISES: Final = "rises rise increases increase grows grow climbs climb".split()
_CHANGES: Final = ["changes", "change", "is different", "moves", "move"]
_DIRECTIONS: Final = {**dict.fromkeys(_FALLS, -1), **dict.fromkeys(_RISES, 1), **dict.fromkeys(_CHANGES, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMoves(EventCondition):
    """A value falls (-1), rises (1) or changes in either direction (0), by an amount or at all."""

    help = (
        "A value falls, rises or changes, at all or by at least an amount or a share of what it was. "
        "It was there before and is there now; prices in different currencies only change."
    )
    examples = (
        "price falls by 10%",
        "price rises by 2",
        "price changes",
        "availability changes",
        "price drops by 5 EUR",
    )
    changes = frozenset({"changed"})

    name: str
    direction: int
    by: Amount | None = None

    @classmethod
    def parse(cls, phrase: Phrase) -> ValueMoves | None:
        name = phrase.name()
        written = phrase.take(*_DIRECTIONS) if name else ""
        if not written:
            return None
        by = None
        if phrase.take("by", "more than", "at least"):
            phrase.take("at least", "more than", "min", "minimum")
            by = amount(phrase)
            if by is None:
                return None
            if by.number <= 0:
                phrase.fail("The amount is more than zero.")
        return cls(name=name, direction=_DIRECTIONS[written], by=by) if phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        before, after = subject.values.get(self.name, (None, None))
        if before is None or after is None:
            return False
        if self.by is None:
            return differs(before, after) if not self.direction else step(before, after) == self.direction
        return self._moved_enough(before, after, self.by)

    def _moved_enough(self, before: Value, after: Value, by: Amount) -> bool:
        old, new = before.exact, after.exact
        way = step(before, after)
        if not way or old is None or new is None or after.type not in NUMERIC or (self.direction or way) != way:
            return False
        if by.is_share:
            return abs(new - old) * 100 >= by.number * abs(old)
        return abs(new - old) >= by.number and by.unit in {"", after.unit.casefold()}

    def found(self, subject: Subject) -> str:
        return told(self.name, *subject.values.get(self.name, (None, None)))

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}))
