"""Operations on the questions that a dossier puts to search engines."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from veille.core.models import Json
from veille.core.models import Source as Watched
from veille.core.schedule import DAY, MAX_INTERVAL, MIN_INTERVAL
from veille.errors import ConfigError
from veille.interfaces.operations import shapes
from veille.interfaces.operations._limits import json_value
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.interfaces.operations.sources import Deleted, check_now
from veille.services.watching.questions import Asking, AskingEdit

MAX_TEXT = 2000
MAX_RESULTS = 10_000
_CHANNELS = "The engines to ask, as a JSON array of their ids in a string."
_SCHEDULE = f"How often it is asked, in milliseconds: {MIN_INTERVAL} to {MAX_INTERVAL}."
_RESULTS = "Most results taken from one engine; 0: all."


class AddQuestion(InDossier):
    """The question to add."""

    text: str = Field(min_length=1, max_length=MAX_TEXT, description="The question.")
    keywords: str = Field(
        "", max_length=MAX_TEXT, description="Keywords for the engines, if they differ from the question."
    )
    channels: str = Field("", max_length=8192, description=f"{_CHANNELS} Default: all that are switched on.")
    schedule_ms: int = Field(DAY, ge=0, description=f"{_SCHEDULE} 0: {DAY}.")
    max_results: int = Field(20, ge=0, le=MAX_RESULTS, description=_RESULTS)
    follow_links: bool = Field(default=True, description="Read the page of each result; otherwise keep its snippet.")


class OneQuestion(InDossier):
    """One question."""

    question_id: str = Field(min_length=1, max_length=MAX_TEXT, description="The question.")


class UpdateQuestion(OneQuestion):
    """The changes; omitted fields stay unchanged."""

    text: str | None = Field(None, min_length=1, max_length=MAX_TEXT, description="The question.")
    keywords: str | None = Field(None, max_length=MAX_TEXT, description="Keywords for the engines.")
    channels: str | None = Field(None, min_length=1, max_length=8192, description=_CHANNELS)
    schedule_ms: int | None = Field(None, ge=0, description=f"{_SCHEDULE} 0: unchanged.")
    max_results: int | None = Field(None, ge=0, le=MAX_RESULTS, description=_RESULTS)
    follow_links: bool | None = Field(None, description="Whether the page of each result is read.")
    enabled: bool | None = Field(None, description="Whether it is asked.")


class QuestionResults(OneQuestion):
    """The question, and the maximum number of results."""

    limit: int = Field(50, ge=1, le=1000, description="Maximum number, newest first.")


class Ran(Shape):
    """The question was put to its engines."""

    status: Literal["ok"] = "ok"
    new_results: int


@operation("write")
def _add_question(place: Place, given: AddQuestion) -> shapes.Question:
    """Ask search engines something from now on, again and again."""
    channels = _channels(given.channels) or _switched_on(place)
    asking = Asking(**_same(given), channels=channels, interval_ms=given.schedule_ms or DAY)
    return shapes.Question.of(place.services.questions.add(place.dossier_id, asking), ())


@operation("read")
def _list_questions(place: Place, _: InDossier) -> list[shapes.Question]:
    """The questions of a dossier, newest first."""
    found = place.services.questions.all(place.dossier_id)
    return [_shown(place, source) for source in reversed(found)]


@operation("write")
def _update_question(place: Place, given: UpdateQuestion) -> shapes.Question:
    """Change a question; what is not given stays as it is."""
    channels = None if given.channels is None else _channels(given.channels)
    edit = AskingEdit(**_same(given), channels=channels, interval_ms=given.schedule_ms or None)
    return _shown(place, place.services.questions.update(place.dossier_id, given.question_id, edit))


@operation("write", destructive=True)
def _delete_question(place: Place, given: OneQuestion) -> Deleted:
    """Delete a question with everything that only it found."""
    place.services.questions.delete(place.dossier_id, given.question_id)
    return Deleted()


@operation("fetch")
def _run_question(place: Place, given: OneQuestion) -> Ran:
    """Ask a question now, and wait for the results; how many are new."""
    source = place.services.questions.find(place.dossier_id, given.question_id)
    before = _new_results(place, source)
    check_now(place, source)
    return Ran(new_results=_new_results(place, source) - before)


@operation("read", untrusted=True)
def _question_results(place: Place, given: QuestionResults) -> list[shapes.Extraction]:
    """What a question found, newest first."""
    source = place.services.questions.find(place.dossier_id, given.question_id)
    return list(map(shapes.Extraction.of, place.reading.records.latest(source.id, given.limit)))


def _shown(place: Place, source: Watched) -> shapes.Question:
    return shapes.Question.of(source, place.services.questions.series(place.dossier_id, source.id))


def _new_results(place: Place, source: Watched) -> int:
    return sum(count.new for count in place.services.questions.series(place.dossier_id, source.id))


def _same(given: AddQuestion | UpdateQuestion) -> Json:
    """The arguments that have the same names in a question."""
    return given.model_dump(exclude={"dossier_id", "question_id", "channels", "schedule_ms"})


def _channels(text: str) -> tuple[str, ...]:
    if not text.strip():
        return ()
    found = json_value(text, "channels", "invalid_question")
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ConfigError('channels must be an array of texts, such as ["brave_api"].', code="invalid_question")
    return tuple(dict.fromkeys(found))


def _switched_on(place: Place) -> tuple[str, ...]:
    engines = place.services.catalogue.engines(place.dossier_id)
    return tuple(engine.id for engine in engines.values() if engine.enabled)
