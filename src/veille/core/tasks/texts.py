"""Read texts that sites wrote, to say what they are about."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.analyse.analysis import AnalysisSubject, TextFacts, text_facts
from veille.core.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTexts(Task[list[TextFacts]]):
    """What texts say: their summaries, names and tones, and the words that may be keywords."""

    subjects: tuple[AnalysisSubject, ...]

    def run(self, body: bytes) -> list[TextFacts]:
        del body
        return list(map(text_facts, self.subjects))
