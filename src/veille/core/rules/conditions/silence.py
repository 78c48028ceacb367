"""`source is silent for 3 days`: a source has brought nothing new for some time."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.amounts import span
from veille.core.rules.condition import EventCondition, RuleNeeds
from veille.core.rules.facts import Occasion
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject
from veille.core.schedule import DAY, HOUR, MINUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSilent(EventCondition):
    """A source was silent."""

    help = "A source has brought nothing new or changed for some time; told once in a silence."
    examples = ("source is silent for 3 days", "source is silent for 72h", "nothing new for 2 weeks")
    occasions = frozenset({Occasion.SILENCE})

    span_ms: int

    @classmethod
    def parse(cls, phrase: Phrase) -> SourceSilent | None:
        phrase.take("the")
        if phrase.take("source"):
            written = phrase.take("is silent", "silent", "brings nothing", "brings nothing new", "has nothing new")
        else:
            written = phrase.take("nothing new", "silent")
        if not written or not phrase.take("for at least", "for more than", "for", "since"):
            return None
        found = span(phrase)
        return cls(span_ms=found) if found is not None and phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        return subject.facts.occasion is Occasion.SILENCE and subject.facts.silent_ms >= self.span_ms

    def found(self, subject: Subject) -> str:
        return (
            f"{subject.facts.source_name or 'the source'} has brought nothing new for {_span(subject.facts.silent_ms)}"
        )

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(silences=frozenset({self.span_ms}))


def _span(ms: int) -> str:
    """A span of time in its largest unit, rounded down."""
    unit, size = next(((name, size) for name, size in (("day", DAY), ("hour", HOUR)) if ms >= size), ("minute", MINUTE))
    number = ms // size
    return f"{number} {unit}{'s' * (number != 1)}"
