"""From what something was found to be to its being watched, whatever it is: a source, a question, a list of feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.detect import LIST, target_of
from veille.core.schedule import DAY, HOUR
from veille.services.questions import KIND as QUESTION
from veille.services.questions import Asking
from veille.services.sources import Wish, check

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.services.detection import Detection
    from veille.services.lists import ListService, Taken
    from veille.services.questions import QuestionService
    from veille.services.sources import SourceService


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How it is to be watched: under which name, how often, and with which engines if it is a question."""

    name: str = ""
    interval_ms: int | None = None
    channels: tuple[str, ...] = ()

    def interval(self, kind: str) -> int:
        return self.interval_ms or (DAY if kind == QUESTION else HOUR)

    def interval_of(self, text: str) -> int:
        """For something that was not looked at yet."""
        return self.interval(QUESTION if target_of(text).shape == "words" else "")

    def check(self) -> None:
        """ConfigError when nothing can be watched so."""
        check(self.name, self.interval(""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The source that is watched now; or, of a list, what became of each entry."""

    source: Source | None = None
    taken: tuple[Taken, ...] = ()


class AddingService:
    """Watches what was detected."""

    def __init__(self, sources: SourceService, questions: QuestionService, lists: ListService) -> None:
        self._sources = sources
        self._questions = questions
        self._lists = lists

    def add(self, dossier_id: str, detection: Detection, body: bytes, terms: Terms) -> Added:
        """Watch it; `body` is the answer it was told by."""
        interval = terms.interval(detection.kind)
        if detection.kind == LIST:
            return Added(taken=tuple(self._lists.take_in(body, dossier_id, interval_ms=interval)))
        if detection.kind == QUESTION:
            asking = Asking(text=detection.url, channels=terms.channels, interval_ms=interval, name=terms.name)
            return Added(source=self._questions.add(dossier_id, asking))
        wish = Wish(
            url=detection.url,
            kind=detection.kind,
            name=terms.name or detection.name,
            interval_ms=interval,
            config=detection.config,
        )
        return Added(source=self._sources.add(dossier_id, wish))
