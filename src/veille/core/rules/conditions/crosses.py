"""`price falls below 12`: a value crosses a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import amount
from veille.core.rules.comparison import Operand, order, step, told
from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_BELOW: Final = ("falls below", "falls under", "drops below", "drops under", "sinks below", "goes below")
_ABOVE: Final = ("rises above", "rises over", "climbs above", "grows above", "goes above", "exceeds")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueCrosses(EventCondition):
    """A value falls below a limit (-1), rises above it (1), or either (0)."""

    help = "A value falls below a limit, rises above it, or crosses it. It was there before, at the limit or beyond."
    examples = ("price falls below 12", "price rises above 100 EUR", "temperature crosses 0")
    order = 40
    changes = frozenset({"changed"})

    name: str
    direction: int
    limit: Operand

    @classmethod
    def parse(cls, phrase: Phrase) -> ValueCrosses | None:
        name = phrase.name()
        written = phrase.take(*_BELOW, *_ABOVE, "crosses", "cross") if name else ""
        limit = amount(phrase) if written else None
        if limit is None or not phrase.is_over:
            return None
        direction = -1 if written in _BELOW else 1 if written in _ABOVE else 0
        return cls(name=name, direction=direction, limit=Operand(str(limit.number), limit.number, limit.unit))

    def holds(self, subject: Subject) -> bool:
        before, after = subject.values.get(self.name, (None, None))
        if before is None or after is None or step(before, after) is None:
            return False
        old, new = order(before, self.limit), order(after, self.limit)
        if old is None or not new or old == new:
            return False
        return self.direction in {0, new}

    def found(self, subject: Subject) -> str:
        return told(self.name, *subject.values.get(self.name, (None, None)))

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}))
