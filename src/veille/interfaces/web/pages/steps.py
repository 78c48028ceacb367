"""The steps that a browser takes on a page: written, tried, recorded from a picture of the page, and saved."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Form, Path, Query, Response

from veille.core.browsing.steps import ACTIONS, BrowserStep, step_lines
from veille.core.browsing.visit import WINDOW, Box
from veille.core.kinds import kind_of
from veille.core.kinds._visits import VisitConfig
from veille.core.models import Source
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.actions.trials import KeptTrial, Trials
from veille.services.watching.sources import SourceEdit

routes = Pages("steps")

SourceId = Annotated[str, Path(max_length=200)]
Lines = Annotated[str, Form(max_length=60_000)]
_STEPS = "/d/{dossier_id}/sources/{source_id}/steps"
#: Our own pictures, for the person who may see the page they belong to.
PICTURE_HEADERS = {"Cache-Control": "private, max-age=900", "X-Content-Type-Options": "nosniff"}


@routes.get(_STEPS, auth=within("write"))
def _ask_steps(
    show: Showing,
    source_id: SourceId,
    trial: Annotated[str, Query(max_length=100)] = "",
    add: Annotated[int | None, Query(ge=0, le=10_000)] = None,
) -> Response:
    """The steps of a source, and what came of those that were tried last."""
    source, config = _source(show, source_id)
    try:
        kept = _trials(show).find(show, source.id, trial) if trial else None
    except NotFoundError as error:
        return show.go(_at(show, source), str(error))
    lines = kept.lines if kept else step_lines(config.steps)
    if kept is not None and add is not None and add < len(kept.tried.boxes):
        lines = "\n".join(filter(None, (lines.rstrip(), _next_line(kept.tried.boxes[add]))))
    return _form(show, source, lines, kept)


@routes.post(f"{_STEPS}/try", auth=within("write"), asks_outside=True)
def _try_steps(show: Showing, source_id: SourceId, steps: Lines = "") -> Response:
    """Take these steps now; nothing is saved."""
    source, _ = _source(show, source_id)
    try:
        read = _read(source, steps)
    except ConfigError as error:
        return _form(show, source, steps, None, str(error))
    kept = _trials(show).make(show, source, read, steps.replace("\r\n", "\n").strip())
    show.access.log("try_steps", show.dossier.id, source=source.id)
    return show.go(f"{_at(show, source)}?trial={kept.id}#tried")


@routes.post(_STEPS, auth=within("write"))
def _save_steps(show: Showing, source_id: SourceId, steps: Lines = "") -> Response:
    source, _ = _source(show, source_id)
    try:
        read = _read(source, steps)
        edit = SourceEdit(options={"steps": [step.line for step in read]}) if read else SourceEdit(unset=("steps",))
        show.services.sources.edit(show.dossier.id, source.id, edit)
    except ConfigError as error:
        return _form(show, source, steps, None, str(error))
    show.access.log("update_source", show.dossier.id, source=source.id)
    return show.go(f"{show.home}/sources/{source.id}", "The steps are saved.")


@routes.get(f"{_STEPS}/picture", auth=within("write"))
def _trial_picture(show: Showing, source_id: SourceId, trial: Annotated[str, Query(max_length=100)]) -> Response:
    """What the page looked like after the steps that were tried."""
    picture = _trials(show).find(show, source_id, trial).tried.picture
    if not picture:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return Response(picture, media_type="image/png", headers=PICTURE_HEADERS)


@routes.get(f"{_STEPS}/failed", auth=within("read"))
def _failed_picture(show: Showing, source_id: SourceId) -> Response:
    """What the page looked like when a step failed at the last check."""
    source = show.reading.survey.one(source_id).source
    failed = show.reading.pictures.failed_step(source.id)
    if failed is None or not failed.data:
        raise NotFoundError("There is no picture of a step that failed.", code="no_picture")
    return Response(failed.data, media_type="image/png", headers=PICTURE_HEADERS | {"Cache-Control": "no-store"})


def _form(show: Show, source: Source, lines: str, kept: KeptTrial | None, problem: str = "") -> Response:
    return show(
        "steps.html",
        source=source,
        here=_at(show, source),
        lines=lines,
        rows=min(30, max(8, lines.count("\n") + 3)),
        trial=kept,
        problem=problem,
        window=WINDOW,
        actions=ACTIONS,
        next_line=_next_line,
    )


def _source(show: Show, source_id: str) -> tuple[Source, VisitConfig]:
    """The source, if it is a page: others have no steps."""
    source = show.services.sources.find(show.dossier.id, source_id)
    config = kind_of(source.kind, source.config).config if source.kind == "page" else None
    if not isinstance(config, VisitConfig):
        raise NotFoundError("Only a page has steps.", code="no_steps")
    return source, config


def _read(source: Source, lines: str) -> tuple[BrowserStep, ...]:
    config = kind_of(source.kind, source.config | {"steps": lines.replace("\r\n", "\n")}).config
    return config.steps if isinstance(config, VisitConfig) else ()


def _next_line(box: Box) -> str:
    """The step of an element; a password is named, never written."""
    return f"{box.line}${{secret:NAME}}" if box.name.startswith("field password") else box.line


def _at(show: Show, source: Source) -> str:
    return f"{show.home}/sources/{source.id}/steps"


def _trials(show: Show) -> Trials:
    found: Trials = show.request.app.state.trials
    return found
