"""`price < 12`: a value is less or more than something, or the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from veille.core.rules.amounts import amount
from veille.core.rules.comparison import Operand, is_same, order, told
from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.rules.tokens import TokenKind
from veille.core.values.value import Value, ValueType
from veille.core.values.versions import is_version

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
#: Words of a text without quotes.
_MOST_WORDS: Final = 3
#: Results of a comparison for which it holds.
_HOLDS: Final = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueComparison(StateCondition):
    """A value against a number, a date, a version or a text."""

    help = (
        "A value is less, more or the same. Prices in another currency than the one that is written are neither the "
        "same nor different; texts and states are compared without regard to case."
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
        lower = _end(phrase)
        upper = _end(phrase) if lower and phrase.take("and") else None
        if lower is None or upper is None or not phrase.is_over:
            return None
        # 3.9 and 3.11 are in order as versions.
        orders = [_order(lower, upper, kind) for kind in (ValueType.NUMBER, ValueType.DATE, ValueType.VERSION)]
        if 1 in orders and not {-1, 0} & set(orders):
            phrase.fail("The smaller one comes first.")
        unit = lower.unit or upper.unit
        return cls(name=name, sign=">=", operand=replace(lower, unit=unit), upper=replace(upper, unit=unit))

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


def _end(phrase: Phrase) -> Operand | None:
    """One end of `between`: a version, a date or a number."""
    token = phrase.next
    if token is not None and token.kind is TokenKind.WORD:
        word = Operand(phrase.line[token.start : token.end])
        is_date = not word.written.isdecimal() and word.meant(ValueType.DATE) is not None
        if is_date or is_version(word.written):
            phrase.at += 1
            return word
    found = amount(phrase)
    return None if found is None else Operand(f"{found.number:f}", found.number, found.unit)


def _order(lower: Operand, upper: Operand, kind: ValueType) -> int | None:
    first = lower.meant(kind)
    return None if first is None else order(first, upper)


def _operand(phrase: Phrase, *, text_too: bool) -> Operand | None:
    start = phrase.at
    if phrase.next is None:
        phrase.misses.note(start, what="a number, a date, a version" + " or a text" * text_too)
        return None
    is_text = text_too and _is_text(phrase)
    is_other = is_version(phrase.next.text)
    number = None if is_other else amount(phrase)
    is_whole = number is not None and phrase.at == len(phrase.parts)
    at, phrase.at = phrase.at, start
    written = phrase.rest()
    if number is not None and is_whole:
        return Operand(written, number.number, number.unit)
    found = Operand(written)
    if is_text or is_other or found.meant(ValueType.DATE) is not None:
        return found
    for what in ("the end of the condition",) if number else ("a date", "a version"):
        phrase.misses.note(at, what=what)
    if text_too:
        phrase.misses.note(max(at, phrase.misses.at), what=f"a text of more than {_MOST_WORDS} words in quotes")
    return None


def _is_text(phrase: Phrase) -> bool:
    """Whether what is left can be a text. Without quotes it is short, and nothing that a condition half understood.

    Otherwise each misspelt condition, as `price is lowset of 30 days`, would be a comparison that never holds.
    """
    left = phrase.parts[phrase.at :]
    is_quoted = len(left) == 1 and left[0].kind is TokenKind.TEXT
    return is_quoted or (len(left) <= _MOST_WORDS and phrase.misses.at <= phrase.at)
