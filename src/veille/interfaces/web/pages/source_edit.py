"""Editing a source: its name, address and schedule, and every option of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Form, Path, Response
from pydantic import BaseModel, ConfigDict

from veille.core.kinds import KindConfig, config_type
from veille.core.models import Source
from veille.core.schedule import duration_ms, duration_text
from veille.core.show.tried import CAN_TRY
from veille.errors import ConfigError, ReadError, ThrottledError
from veille.interfaces.operations.sources import placed_again
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.forms import Field, Filled, fields_of, read, refilled
from veille.services.watching.questions import KIND as QUESTION
from veille.services.watching.sources import SourceEdit

if TYPE_CHECKING:
    from veille.services.watching.field_trials import FieldTrial

routes = Pages("editing sources")

SourceId = Annotated[str, Path(max_length=200)]
_EDIT = "/d/{dossier_id}/sources/{source_id}/edit"
#: The field that an error belongs to; other errors are shown above the form.
_PLACES = {
    "bad_name": "name",
    "bad_url": "url",
    "unsafe_address": "url",
    "secret_in_url": "url",
    "duplicate_source": "url",
    "invalid_source": "url",
    "bad_interval": "every",
    "bad_cron": "cron",
    "seed_out_of_scope": "seeds",
    "headers_elsewhere": "headers",
    "unknown_extension": "mode",
    "bad_selector": "selectors",
}


class SourceForm(BaseModel):
    """The fields of the form, as they were sent; which ones there are depends on the kind."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]


Sent = Annotated[SourceForm, Form()]


@routes.get(_EDIT, auth=within("write"))
def _ask_edit(show: Showing, source_id: SourceId) -> Response:
    source = show.services.sources.find(show.dossier.id, source_id)
    if source.kind == QUESTION:
        return show.go(f"{show.home}/questions/{source.id}/edit")
    return _form(show, source, _basics(source), fields_of(config_type(source.kind), source.config), {})


@routes.post(_EDIT, auth=within("write"))
def _edit(show: Showing, source_id: SourceId, sent: Sent) -> Response:
    form = sent.__pydantic_extra__
    source = show.services.sources.find(show.dossier.id, source_id)
    model = config_type(source.kind)
    filled = read(model, form, source.config)
    filled.problems |= _missing(form, filled)
    try:
        edit = _wanted(show, source, form, filled)
        if not filled.problems:
            show.services.sources.edit(show.dossier.id, source.id, edit)
    except ConfigError as error:
        filled.problems.setdefault(_PLACES.get(error.code, ""), str(error))
    if filled.problems:
        fields = refilled(fields_of(model, source.config), form, filled.problems)
        return _form(show, source, {name: form.get(name, "") for name in _basics(source)}, fields, filled.problems)
    show.access.log("update_source", show.dossier.id, source=source.id)
    return show.go(f"{show.home}/sources/{source.id}", "Saved.")


@routes.post(f"{_EDIT}/try", auth=within("write"), asks_outside=True)
def _try(show: Showing, source_id: SourceId, sent: Sent) -> Response:
    """Show what a field of the form would take from the last fetch; nothing is saved."""
    form = dict(sent.__pydantic_extra__)
    field, anew = form.pop("field", ""), form.pop("anew", "")
    source = show.services.sources.find(show.dossier.id, source_id)
    model = config_type(source.kind)
    filled = read(model, form, source.config)
    tried: FieldTrial | None = None
    if not filled.problems and (field or anew) in CAN_TRY:
        try:
            show.services.sources.reader(source.kind, filled.options).check()
            wanted = replace(source, config=filled.options)
            fetches = show.request.app.state.field_fetches
            tried = fetches.tried(show, source, wanted, field or anew, anew=bool(anew))
        except ConfigError as error:
            filled.problems.setdefault(_PLACES.get(error.code, ""), str(error))
        except (ReadError, ThrottledError) as error:
            filled.problems[field or anew] = str(error)
    fields = refilled(fields_of(model, source.config), form, filled.problems)
    basics = {name: form.get(name, "") for name in _basics(source)}
    return _form(show, source, basics, fields, filled.problems, tried)


def _form(
    show: Show,
    source: Source,
    basics: Mapping[str, str],
    fields: list[Field],
    problems: Mapping[str, str],
    tried: FieldTrial | None = None,
) -> Response:
    known = {one.name for one in fields} | set(_PLACES.values())
    general = [text for name, text in problems.items() if name not in known]
    return show(
        "source_edit.html",
        problem=bool(problems),
        source=source,
        basics=basics,
        own=[one for one in fields if one.name not in KindConfig.model_fields],
        common=[one for one in fields if one.name in KindConfig.model_fields],
        problems=problems,
        general=general,
        tried=tried,
        can_try=CAN_TRY,
    )


def _basics(source: Source) -> dict[str, str]:
    timing = "cron" if source.cron else "adaptive" if source.pace_ms is not None else "interval"
    every = duration_text(source.original_interval_ms or source.interval_ms)
    return {"name": source.name, "url": source.url, "timing": timing, "every": every, "cron": source.cron}


def _missing(form: Mapping[str, str], filled: Filled) -> dict[str, str]:
    """Problems of required fields that are empty."""
    needed = {"name": "Write a name.", "url": "Write an address."}
    if filled.options.get("robots") is False:
        needed["robots_reason"] = "Say why robots.txt is not obeyed."
    return {name: text for name, text in needed.items() if not form.get(name, "").strip()}


def _wanted(show: Show, source: Source, form: Mapping[str, str], filled: Filled) -> SourceEdit:
    """The edit to make. An unchanged schedule is not passed, so that a back-off continues."""
    before = _basics(source)
    url = form.get("url", "").strip()
    edit: dict[str, Any] = {
        "name": form.get("name", "").strip(),
        "url": placed_again(show.app, source, url) if url not in {"", source.url} else None,
        "options": filled.options,
        "unset": tuple(name for name in source.config if name not in filled.options),
    }
    timing = form.get("timing", "interval")
    if any(form.get(name, "").strip() != before[name] for name in ("timing", "every", "cron")):
        if timing == "cron":
            if not form.get("cron", "").strip():
                raise ConfigError("Write a cron expression, such as 0 7 * * 1-5.", code="bad_cron")
            edit["cron"] = form["cron"].strip()
        else:
            edit |= {"interval_ms": duration_ms(form.get("every", "")), "adaptive": timing == "adaptive"}
    return SourceEdit(**edit)
