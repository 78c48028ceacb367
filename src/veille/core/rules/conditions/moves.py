"""`price falls by 10%`: a value falls, rises or changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import Amount, amount
from veille.core.rules.comparison import NUMERIC, differs, step, told
from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.values.currencies import is_same_unit
from veille.core.values.value import Value

_FALLS: Final = "falls fall drops drop decreases decrease sinks sink".split()
_RISES: Final = "rises rise increases increase grows grow climbs climb".split()
_CHANGES: Final = ["changes", "change", "is different", "moves", "move"]
_DIRECTIONS: Final = {**dict.fromkeys(_FALLS, -1), **dict.fromkeys(_RISES, 1), **dict.fromkeys(_CHANGES, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMoves(EventCondition):
    """A value falls (-1), rises (1) or changes in either direction (0), by an amount or at all."""

    help = (
        "A value falls, rises or changes, at all or by an amount or a share of what it was: that much, or with "
        "`more than` still more. "
        "It was there before and is there now; prices in different currencies only change."
    )
    examples = (
        "price falls by 10%",
        "price rises by 2",
        "price changes",
        "availability changes",
        "price drops by more than 5 EUR",
    )
    changes = frozenset({"changed"})

    name: str
    direction: int
    by: Amount | None = None
    #: Whether exactly this much is too little.
    is_strict: bool = False

    @classmethod
    def parse(cls, phrase: Phrase) -> ValueMoves | None:
        name = phrase.name()
        written = phrase.take(*_DIRECTIONS) if name else ""
        if not written:
            return None
        by, is_strict = None, False
        if first := phrase.take("by", "more than", "at least"):
            is_strict = "more than" in {first, phrase.take("at least", "more than", "min", "minimum")}
            by = amount(phrase)
            if by is None:
                return None
            if by.number <= 0:
                phrase.fail("The amount is more than zero.")
        if not phrase.is_over:
            return None
        return cls(name=name, direction=_DIRECTIONS[written], by=by, is_strict=is_strict)

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
        if not (old.is_finite() and new.is_finite()) or not (by.is_share or is_same_unit(by.unit, after.unit)):
            return False
        moved, least = abs(new - old), by.number
        if by.is_share:
            moved, least = moved * 100, least * abs(old)
        return moved > least if self.is_strict else moved >= least

    def found(self, subject: Subject) -> str:
        return told(self.name, *subject.values.get(self.name, (None, None)))

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}))
