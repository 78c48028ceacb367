"""`source is broken`: a source stops working, or works again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.models import AILING, State
from veille.core.rules.condition import StateCondition
from veille.core.rules.facts import Occasion
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_STATES: Final[dict[str, frozenset[str]]] = {
    "broken": frozenset({State.BROKEN}),
    "failing": frozenset(AILING),
    "repaired": frozenset({State.OK, State.UNCHANGED}),
    "recovered": frozenset({State.OK, State.UNCHANGED}),
}
#: From which states a source is repaired, or recovers.
_FROM: Final[dict[str, frozenset[str]]] = {"repaired": _STATES["broken"], "recovered": _STATES["failing"]}
_WORDS: Final = {
    "is broken": "broken",
    "breaks": "broken",
    "is failing": "failing",
    "fails": "failing",
    "is repaired": "repaired",
    "works again": "recovered",
    "recovers": "recovered",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth(StateCondition):
    """A source is in a state."""

    help = (
        "A source is broken, so that a person has to look after it, or is repaired after that; is failing, broken or "
        "not, or works again after that."
    )
    examples = ("source is broken", "source is repaired", "source is failing", "source works again")
    occasions = frozenset({Occasion.HEALTH})

    state: str

    @classmethod
    def parse(cls, phrase: Phrase) -> SourceHealth | None:
        phrase.take("the")
        written = phrase.take(*_WORDS) if phrase.take("source") else ""
        return cls(state=_WORDS[written]) if written and phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        facts = subject.facts
        if self.state in _FROM and facts.state_before not in _FROM[self.state]:
            return False
        return facts.state_after in _STATES[self.state]

    def held(self, subject: Subject) -> bool:
        return subject.facts.state_before in _STATES[self.state]

    def found(self, subject: Subject) -> str:
        facts = subject.facts
        if self.state in _FROM:
            return f"{facts.source_name or 'the source'} works again"
        return f"{facts.source_name or 'the source'} is {self.state}" + (f": {facts.message}" if facts.message else "")
