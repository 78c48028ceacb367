"""Adds what was detected, whatever it is: a source, a question, a list of feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.change.cron import next_cron
from veille.core.discover.detect import LIST, target_of
from veille.core.schedule import DAY, HOUR
from veille.errors import ConfigError
from veille.services.watching.questions import KIND as QUESTION
from veille.services.watching.questions import Asking
from veille.services.watching.sources import SourceEdit, Wish, check

if TYPE_CHECKING:
    from veille.core.models import Json, Source
    from veille.core.report.imports import Taken
    from veille.services.watching.detection import Detection
    from veille.services.watching.lists import ListService
    from veille.services.watching.questions import QuestionService
    from veille.services.watching.sources import SourceService


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How to watch it: name, schedule, and the engines if it is a question."""

    name: str = ""
    interval_ms: int | None = None
    cron: str = ""
    adaptive: bool = False
    channels: tuple[str, ...] = ()

    def interval(self, kind: str) -> int:
        return self.interval_ms or (DAY if kind == QUESTION else HOUR)

    def interval_of(self, text: str) -> int:
        """The interval for an input that was not examined yet."""
        return self.interval(QUESTION if target_of(text).shape == "words" else "")

    def wish(self, url: str, kind: str, config: Json, name: str = "") -> Wish:
        """A source on these terms; `name` if they have none."""
        return Wish(
            url=url,
            kind=kind,
            name=self.name or name,
            interval_ms=self.interval(kind),
            cron=self.cron,
            adaptive=self.adaptive,
            config=config,
        )

    def check(self) -> None:
        """ConfigError if nothing can be watched on these terms."""
        check(self.name, self.interval(""))
        if self.cron:
            next_cron(self.cron, 0)
        if self.cron and (self.adaptive or self.interval_ms):
            raise ConfigError(
                "A source is checked on a schedule (cron) or at an interval: give one of them.", code="bad_option"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The source that was added; or, for a list, the result of each entry."""

    source: Source | None = None
    taken: tuple[Taken, ...] = ()


class AddingService:
    """Adds what was detected."""

    def __init__(self, sources: SourceService, questions: QuestionService, lists: ListService) -> None:
        self._sources = sources
        self._questions = questions
        self._lists = lists

    def add(self, dossier_id: str, detection: Detection, body: bytes, terms: Terms) -> Added:
        """Add it; `body` is the answer it was detected from."""
        interval = terms.interval(detection.kind)
        if detection.kind == LIST:
            if terms.cron or terms.adaptive:
                raise ConfigError(
                    "A list of feeds has an interval for all of them; set other schedules with `veille sources edit`.",
                    code="bad_option",
                )
            return Added(taken=tuple(self._lists.take_in(body, dossier_id, interval_ms=interval)))
        if detection.kind == QUESTION:
            asking = Asking(text=detection.url, channels=terms.channels, interval_ms=interval, name=terms.name)
            asked = self._questions.add(dossier_id, asking)
            if terms.cron or terms.adaptive:
                edit = SourceEdit(cron=terms.cron or None, adaptive=terms.adaptive or None)
                asked = self._sources.edit(dossier_id, asked.id, edit)
            return Added(source=asked)
        wish = terms.wish(detection.url, detection.kind, detection.config, detection.name)
        return Added(source=self._sources.add(dossier_id, wish))
