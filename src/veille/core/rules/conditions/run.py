"""`run failed`: a crawl or a run of the news workflow failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.condition import EventCondition
from veille.core.rules.facts import Occasion
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_RUNS: Final = {"run": "", "crawl": "crawl", "crawler": "crawl", "news": "news"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed(EventCondition):
    """A run failed."""

    help = "A run of the crawler or of the news workflow failed; or of one of them."
    examples = ("run failed", "crawl failed", "news run failed")
    occasions = frozenset({Occasion.RUN})

    #: Empty for any.
    run: str

    @classmethod
    def parse(cls, phrase: Phrase) -> RunFailed | None:
        phrase.take("the", "a")
        written = phrase.take(*_RUNS)
        if not written:
            return None
        phrase.take("run")
        phrase.take("has")
        return cls(run=_RUNS[written]) if phrase.take("failed", "fails") and phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        facts = subject.facts
        return facts.occasion is Occasion.RUN and facts.has_failed and self.run in {"", facts.run}

    def found(self, subject: Subject) -> str:
        facts = subject.facts
        return f"the {facts.run or 'run'} failed" + (f": {facts.message}" if facts.message else "")
