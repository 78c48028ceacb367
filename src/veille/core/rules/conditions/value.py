"""`price < 12`: a value is less or more than something, or the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import amount
from veille.core.rules.comparison import Operand, is_same, order, told
from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.values.value import Value

#: How comparisons are written, and what they mean.
_SIGNS: Final = {
    "<": "< below under",
    "<=": "<= ≤",
    ">": "> above over",
    ">=": ">= ≥",
    "!=": "!= <> ≠",
    "=": "= == equals",
}
_WORDS: Final = {
    "less than": "<",
    "lower than": "<",
    "at most": "<=",
    "more than": ">",
    "greater than": ">",
    "higher than": ">",
    "at least": ">=",
    "equal to": "=",
    **{sign: meaning for meaning, signs in _SIGNS.items() for sign in signs.split()},
}
#: Results of a comparison for which it holds.
_HOLDS: Final = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0)}
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+){2,}\S*|v\d\S*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueComparison(StateCondition):
    """A value against a number, a date, a version or a text."""

    help = (
        "A value is less, more or the same. A sum with a currency is compared with prices in that currency only; "
        "texts and states are compared without regard to case."
    )
    examples = (
        "price < 12",
        "price >= 99.50 EUR",
        "availability = in stock",
        "`stock level` is between 5 and 10",
        "version > 3.11",
        "deadline < 2026-12-31",
    )
    # `NAME is …` is the most general of all phrases.
    order = 90

    name: str
    sign: str
    operand: Operand
    #: The upper end of `between`.
    upper: Operand | None = None

    @classmethod
    def parse(cls, phrase: Phrase) -> ValueComparison | None:
        name = phrase.name()
        if not name:
            return None
        has_is = phrase.take("is", "are", "costs")
        if phrase.take("between"):
            return cls._between(phrase, name)
        written = phrase.take(*_WORDS)
        if not written and not has_is:
            return None
        operand = _operand(phrase, text_too=not written or _WORDS[written] in {"=", "!="})
        if operand is None:
            return None
        return cls(name=name, sign=_WORDS.get(written, "="), operand=operand)

    @classmethod
    def _between(cls, phrase: Phrase, name: str) -> ValueComparison | None:
        lower = amount(phrase)
        upper = amount(phrase) if lower and phrase.take("and") else None
        if lower is None or upper is None or not phrase.is_over:
            return None
        if lower.number > upper.number:
            phrase.fail("The smaller number comes first.")
        unit = lower.unit or upper.unit
        ends = (Operand(str(one.number), one.number, unit) for one in (lower, upper))
        return cls(name=name, sign=">=", operand=next(ends), upper=next(ends))

    def holds(self, subject: Subject) -> bool:
        found = subject.values.get(self.name)
        return found is not None and self._is_true(found[1])

    def held(self, subject: Subject) -> bool:
        found = subject.values.get(self.name)
        return found is not None and self._is_true(found[0])

    def _is_true(self, value: Value | None) -> bool:
        if value is None:
            return False
        if self.sign in _HOLDS:
            is_lower = order(value, self.operand) in _HOLDS[self.sign]
            return is_lower and (self.upper is None or order(value, self.upper) in _HOLDS["<="])
        return is_same(value, self.operand) is (self.sign == "=")

    def found(self, subject: Subject) -> str:
        return told(self.name, *subject.values.get(self.name, (None, None)))

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(values=frozenset({self.name}))


def _operand(phrase: Phrase, *, text_too: bool) -> Operand | None:
    start = phrase.at
    if phrase.next is None:
        phrase.misses.note(start, what="a number, a date, a version" + " or a text" * text_too)
        return None
    is_version = _VERSION.fullmatch(phrase.next.text) is not None
    number = None if is_version else amount(phrase)
    is_whole = number is not None and phrase.at == len(phrase.parts)
    at, phrase.at = phrase.at, start
    written = phrase.rest()
    if number is not None and is_whole:
        return Operand(written, number.number, number.unit)
    found = Operand(written)
    if text_too or is_version or found.date is not None:
        return found
    for what in ("the end of the condition",) if number else ("a date", "a version"):
        phrase.misses.note(at, what=what)
    return None
