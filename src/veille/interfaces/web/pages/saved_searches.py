"""Saved searches: their new finds, their feeds, and the sinks they are sent to."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Path, Response

from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.pages.search import Asked, search_page
from veille.interfaces.web.requests.auth import within
from veille.services.reading.saved import MAX_QUERY

routes = Pages("saved searches")

#: Finds shown per search.
_SHOWN = 100

SearchId = Annotated[str, Path(max_length=200)]
_SEARCH = "/d/{dossier_id}/searches/{search_id}"


@routes.get("/d/{dossier_id}/searches", auth=within("read"))
def _searches(show: Showing) -> Response:
    return show("searches.html", saved=show.call.services.saved.news(show.call.dossier.id, show.user_id))


@routes.post("/d/{dossier_id}/searches", auth=within("write"))
def _save(
    show: Showing,
    q: Annotated[str, Form(max_length=MAX_QUERY)] = "",
    name: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    try:
        show.call.services.saved.add(show.call.dossier.id, name.strip(), q)
    except ConfigError as error:
        return search_page(show, [show.call.dossier], Asked(q), problem=str(error), name=name)
    return show.go(
        f"/d/{show.call.dossier.id}/searches", f"“{name.strip()}” is kept: what it finds from now on is told."
    )


@routes.get(_SEARCH, auth=within("read"))
def _saved_search(show: Showing, search_id: SearchId) -> Response:
    return _shown(show, search_id)


@routes.post(f"{_SEARCH}/sink", auth=within("write"))
def _tell(show: Showing, search_id: SearchId, sink: Annotated[str, Form(max_length=200)] = "") -> Response:
    saved = show.call.services.saved
    try:
        saved.set_sink(show.call.dossier.id, search_id, sink, _sinks(show))
    except NotFoundError:
        raise
    except ConfigError as error:
        return _shown(show, search_id, str(error))
    said = f"What it finds from now on is sent to {sink}." if sink else "What it finds is sent to nobody."
    return show.go(f"/d/{show.call.dossier.id}/searches/{search_id}", said)


@routes.post(f"{_SEARCH}/delete", auth=within("write"))
def _delete(show: Showing, search_id: SearchId) -> Response:
    show.call.services.saved.delete(show.call.dossier.id, search_id)
    return show.go(f"/d/{show.call.dossier.id}/searches", "The search is no longer kept.")


def _shown(show: Show, search_id: str, problem: str = "") -> Response:
    saved, dossier_id = show.call.services.saved, show.call.dossier.id
    search = saved.find(dossier_id, search_id)
    events, seen = saved.look(dossier_id, show.user_id, search_id, _SHOWN)
    show.request.app.state.counters.forget(show.user_id, {dossier_id})
    return show(
        "saved_search.html",
        status=400 if problem else 200,
        search=search,
        events=events,
        seen=seen,
        sinks=_sinks(show),
        feed=f"{show.call.url}/api/dossiers/{dossier_id}/searches/{search_id}/feed",
        problem=problem,
    )


def _sinks(show: Show) -> list[str]:
    """The sinks that a search may use: those that receive only finds of searches (`only_found`)."""
    return sorted(name for name, options in show.call.app.settings.sinks.items() if options.get("only_found"))
