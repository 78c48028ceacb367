"""The questions of a dossier: queries that search engines are asked regularly."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Path, Response
from pydantic import BaseModel, Field

from veille.core.models import Json, Source
from veille.core.report.source_status import SourceFilter
from veille.core.schedule import DAY, duration_ms, duration_text
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.views.charts import activity_spark, first_day
from veille.services.watching.questions import KIND, Asking, AskingEdit

routes = Pages("questions")

QuestionId = Annotated[str, Path(max_length=200)]
_MOST = 200
_RESULTS = 20
_NO_ENGINE = "Choose at least one search engine to ask."


class QuestionForm(BaseModel):
    """The form of a question, as it was sent."""

    text: str = Field("", max_length=2000)
    keywords: str = Field("", max_length=2000)
    channels: list[str] = Field([], max_length=200)
    every: str = Field("", max_length=100)
    max_results: str = Field("", max_length=100)
    follow_links: bool = False

    def asked(self) -> Json:
        """What is asked; ConfigError if the number of results is none."""
        if not self.max_results.strip().isdecimal() or len(self.max_results) > 9:  # noqa: PLR2004 - more than any has
            raise ConfigError("How many results? Write a number; 0 for all.", code="bad_option")
        return {
            "text": self.text.strip(),
            "keywords": self.keywords.strip(),
            "channels": tuple(self.channels),
            "max_results": int(self.max_results),
            "follow_links": self.follow_links,
        }


Sent = Annotated[QuestionForm, Form()]


@routes.get("/d/{dossier_id}/questions", auth=within("read"))
def _questions(show: Showing) -> Response:
    now = show.app.clock()
    found = show.reading.survey.page(SourceFilter(kind=KIND), now, None, _MOST)
    ids = [one.source.id for one in found]
    active = show.reading.survey.activity(ids, first_day(now))
    return show("questions.html", found=found, sparks={one: activity_spark(active.get(one, {})) for one in ids})


@routes.get("/d/{dossier_id}/questions/new", auth=within("write"))
def _ask_new(show: Showing) -> Response:
    return _form(show, None, QuestionForm(every=duration_text(DAY), max_results=str(_RESULTS), follow_links=True))


@routes.post("/d/{dossier_id}/questions/new", auth=within("write"))
def _add(show: Showing, sent: Sent) -> Response:
    try:
        asking = Asking(**sent.asked(), interval_ms=duration_ms(sent.every))
        source = show.services.questions.add(show.dossier.id, asking)
    except ConfigError as error:
        return _form(show, None, sent, _told(error))
    show.access.log("add_question", show.dossier.id, source=source.id)
    return show.go(f"{show.home}/sources/{source.id}", "It is asked from now on; “Check now” asks at once.")


@routes.get("/d/{dossier_id}/questions/{question_id}/edit", auth=within("write"))
def _ask_edit(show: Showing, question_id: QuestionId) -> Response:
    source = show.services.questions.find(show.dossier.id, question_id)
    config = source.config
    shown = QuestionForm(
        text=config["text"],
        keywords=config.get("keywords", ""),
        channels=config.get("channels", ()),
        every=duration_text(_usual_turn(source)),
        max_results=str(config.get("max_results", _RESULTS)),
        follow_links=config.get("follow_links", True),
    )
    return _form(show, source, shown)


@routes.post("/d/{dossier_id}/questions/{question_id}/edit", auth=within("write"))
def _edit(show: Showing, question_id: QuestionId, sent: Sent) -> Response:
    source = show.services.questions.find(show.dossier.id, question_id)
    if not sent.channels:
        return _form(show, source, sent, _NO_ENGINE)
    try:
        # An unchanged interval is not passed, so that a back-off continues.
        is_new_turn = sent.every.strip() != duration_text(_usual_turn(source))
        edit = AskingEdit(**sent.asked(), interval_ms=duration_ms(sent.every) if is_new_turn else None)
        show.services.questions.update(show.dossier.id, source.id, edit)
    except ConfigError as error:
        return _form(show, source, sent, _told(error))
    show.access.log("update_question", show.dossier.id, source=source.id)
    return show.go(f"{show.home}/sources/{source.id}", "Saved.")


def _usual_turn(source: Source) -> int:
    return source.original_interval_ms or source.interval_ms


def _form(show: Show, source: Source | None, given: QuestionForm, problem: str = "") -> Response:
    engines = show.services.catalogue.engines(show.dossier.id)
    # Engines that it asks now can be kept, even if they are switched off.
    kept = set(source.config.get("channels", ())) if source else set()
    offered = [one for one in engines.values() if one.enabled or one.id in kept]
    return show("question_edit.html", source=source, given=given, engines=offered, problem=problem)


def _told(error: ConfigError) -> str:
    if error.code == "no_engine" and not isinstance(error, NotFoundError):
        return _NO_ENGINE
    return str(error)
