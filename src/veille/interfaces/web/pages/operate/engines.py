"""The search engines that a dossier can ask: the built-in ones, and its own."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Form, Path, Response

from veille.core.discover.engines import SearchEngine, as_it_was, engine_of
from veille.core.http.credentials import shown_options
from veille.core.http.secrets import names_in
from veille.core.models import Json
from veille.errors import ConfigError
from veille.interfaces.operations._limits import json_object
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.services.watching.trials import TriedEngine

routes = Pages("engines")

EngineId = Annotated[str, Path(max_length=100)]
Record = Annotated[str, Form(max_length=20_000)]
_ALL = "/d/{dossier_id}/engines"
#: What an engine is asked to try it, if nothing else is written.
_WORDS = "news"
_EXAMPLE = {
    "id": "my_engine",
    "name": "My engine",
    "url_template": "https://search.example.org/api?q={query}",
    "result_path": "results",
    "headers": {"Authorization": "Bearer ${secret:MY_KEY}"},
}


@routes.get(_ALL, auth=within("read"))
def _engines(show: Showing) -> Response:
    own = show.services.catalogue.own_engines(show.dossier.id)
    asked: dict[str, int] = {}
    for question in show.services.questions.all(show.dossier.id):
        for channel in question.config.get("channels", ()):
            asked[channel] = asked.get(channel, 0) + 1
    found = show.services.catalogue.engines(show.dossier.id).values()
    needs = {one.id: sorted(names_in([*one.headers.values(), json.dumps(one.body)])) for one in found}
    return show("engines.html", engines=list(found), own=own, asked=asked, needs=needs)


@routes.post(_ALL + "/{engine_id}/enabled", auth=within("write"))
def _switch(show: Showing, engine_id: EngineId, *, value: Annotated[bool, Form()]) -> Response:
    engine = show.services.catalogue.set_engine_enabled(show.dossier.id, engine_id, enabled=value)
    show.access.log("enable_engine", show.dossier.id, engine=engine.id, enabled=value)
    return _done(show, f"{engine.name or engine.id} is {'asked' if value else 'not asked'} from now on.")


@routes.get(_ALL + "/new", auth=within("write"))
def _ask_new(show: Showing) -> Response:
    return _form(show, "", _written(_EXAMPLE))


@routes.get(_ALL + "/{engine_id}/edit", auth=within("write"))
def _ask_edit(show: Showing, engine_id: EngineId) -> Response:
    known = _known(show).get(engine_id)
    return _form(show, engine_id, _written(known.record if known else _EXAMPLE | {"id": engine_id}))


@routes.post(_ALL + "/try", auth=within("write"), asks_outside=True)
def _try(show: Showing, record: Record = "", words: Annotated[str, Form(max_length=500)] = "") -> Response:
    """Ask an engine as its record is written here; nothing is saved."""
    try:
        engine = engine_of(_meant(show, record))
        with show.app.trials() as trials:
            tried = trials.ask(show.dossier.id, engine, words.strip() or _WORDS, show.app.clock())
    except ConfigError as error:
        tried = TriedEngine(problem=str(error))
    return _form(show, "", record, tried=tried, words=words)


@routes.post(_ALL + "/new", auth=within("write"))
def _save(show: Showing, record: Record = "") -> Response:
    """Add an engine, or change the one with that id; a built-in one is replaced in this dossier only."""
    try:
        record_now = _meant(show, record)
        engine = show.services.catalogue.put_engine(show.dossier.id, record_now)
    except ConfigError as error:
        return _form(show, "", record, str(error))
    show.access.log("put_engine", show.dossier.id, engine=engine.id)
    return _done(show, f"{engine.name or engine.id} is saved; questions that ask it use the new definition.")


@routes.post(_ALL + "/{engine_id}/delete", auth=within("write"))
def _delete(show: Showing, engine_id: EngineId) -> Response:
    at = show.services.catalogue.delete_engine(show.dossier.id, engine_id)
    show.access.log("delete_engine", show.dossier.id, engine=engine_id)
    is_back = engine_id in _known(show)
    said = f"{engine_id} is as in all other dossiers again." if is_back else f"“{engine_id}” is deleted."
    return show.go(f"{show.home}/engines", said, undo=at)


def _known(show: Show) -> dict[str, SearchEngine]:
    return show.services.catalogue.engines(show.dossier.id)


def _meant(show: Show, record: str) -> Json:
    """A record as it was sent, with the headers that were hidden in it."""
    wanted = json_object(record, "This", "bad_engine")
    return as_it_was(wanted, _known(show).get(str(wanted.get("id"))))


def _form(
    show: Show, engine_id: str, record: str, problem: str = "", *, tried: TriedEngine | None = None, words: str = ""
) -> Response:
    fields = [(name, info.description or "") for name, info in SearchEngine.model_fields.items()]
    return show(
        "engine_edit.html", engine_id=engine_id, record=record, problem=problem, fields=fields, tried=tried, words=words
    )


def _written(record: Json) -> str:
    return json.dumps(shown_options(record), indent=2, ensure_ascii=False)


def _done(show: Show, said: str) -> Response:
    return show.go(f"{show.home}/engines", said)
