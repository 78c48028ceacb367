"""Searching, in all dossiers of the user or in one; and saved searches, with their feeds and sinks."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import quote_plus, urlencode

from fastapi import Form, Path, Query, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from veille.core.search.question import SearchOrder
from veille.core.search.snippets import marked
from veille.errors import ConfigError
from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.places import places
from veille.interfaces.web.actions.show import Show, Showing, refusal
from veille.services.reading.asking import MAX_QUESTION
from veille.services.reading.saved import MAX_QUERY
from veille.services.reading.search import COUNTED

routes = Pages("search")

_SEARCH = "/d/{dossier_id}/searches/{search_id}"
#: Hits on a page, and hits shown of a saved search.
_PAGE, _SHOWN = 15, 100

_ORDERS: dict[str, SearchOrder] = {"relevance": "best", "date": "newest", "popular": "popular"}

#: What is meant to be watched, not searched for: a URL, a host with a path, or a folder.
_ADDRESS = re.compile(
    r"(?:(?:https?|file|ftp|feed)://|www\.|/(?=[^/\s])|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/)\S*", re.IGNORECASE
)

#: What ends so is asked, not searched for: question marks of several scripts.
_ASKED = ("?", "\uff1f", "\u061f")

SearchId = Annotated[str, Path(max_length=200)]


class Asked(BaseModel):
    """A query, its sort order and the page of hits."""

    q: str = Field("", max_length=MAX_QUESTION)
    sort: Literal["relevance", "date", "popular"] = "relevance"
    mode: Literal["", "words", "meaning", "both"] = ""
    page: int = Field(1, ge=1, le=-(-COUNTED // _PAGE))


class _Link:
    """Links to the same search with another query, order or page; a page has dozens, and quoting takes long."""

    def __init__(self, home: str, text: str, sort: str, mode: str) -> None:
        self._home = home
        self._now = {"q": quote_plus(text), "sort": sort} | ({"mode": mode} if mode else {})

    def __call__(self, **given: object) -> str:
        parts = self._now | {name: quote_plus(str(value)) for name, value in given.items()}
        return f"{self._home}?{'&'.join(map('='.join, parts.items()))}"


@routes.get("/search", auth=KNOWN)
@routes.get("/d/{dossier_id}/search", auth=within("read"))
def _search(show: Showing, asked: Annotated[Asked, Query()]) -> Response:
    """Hits; whoever may watch something and gives an address is led to its preview, which they have yet to ask for."""
    if _ADDRESS.fullmatch(asked.q.strip()) and not show.request.headers.get("x-part") and places(show):
        at = show.home if show.found_dossier and show.may("write") else ""
        return RedirectResponse(f"{at}/add?{urlencode({'text': asked.q.strip()})}", HTTPStatus.SEE_OTHER)
    if place := _asked_in(show, asked.q):
        return RedirectResponse(f"/d/{place}/ask?{urlencode({'q': asked.q.strip()})}", HTTPStatus.SEE_OTHER)
    return _search_page(show, asked)


def _asked_in(show: Show, text: str) -> str:
    """The dossier in which a question of the box is answered; empty if it is a search, or nobody knows in which.

    Whoever chose to search (a link with an order, or results as they type) is not led away.
    """
    if not text.rstrip().endswith(_ASKED) or show.request.headers.get("x-part") or "sort" in show.request.query_params:
        return ""
    mine = [show.found_dossier] if show.found_dossier else show.access.dossiers()
    return mine[0].id if len(mine) == 1 else ""


def _search_page(show: Show, asked: Asked, problem: str = "", name: str = "") -> Response:
    """The search page, or only its results, for the script of the page."""
    here = show.found_dossier
    dossiers = [here] if here else show.access.dossiers()
    home = f"/d/{here.id}/search" if here else "/search"
    ids = [dossier.id for dossier in dossiers]
    text, sort, mode = asked.q, asked.sort, asked.mode

    def found(show: Show) -> dict[str, Any]:
        start = (asked.page - 1) * _PAGE
        found = show.services.searches.find(ids, text, start, _PAGE, order=_ORDERS[sort], mode=mode or None)
        return {
            "found": found,
            "has_meaning": show.services.searches.by_meaning(ids),
            "unreadable": [dossier for dossier in dossiers if dossier.id in found.unreadable],
            "last": show.services.front.last_everywhere((hit.dossier_id, hit.document_id) for hit in found.hits),
            "titles": [marked(hit.title, found.query) for hit in found.hits],
            "older": asked.page + 1 if start + _PAGE < found.total else 0,
        }

    values = {
        "q": text,
        "sort": sort,
        "start": (asked.page - 1) * _PAGE,
        "names": {dossier.id: dossier.name for dossier in dossiers},
        "mode": mode,
        "link": _Link(home, text, sort, mode),
        "newer": asked.page - 1,
        "problem": problem,
        "name": name or text[:60],
        "beginning": (re.findall(r"\w{2,}", text) or [""])[-1],
    }
    if show.request.headers.get("x-part"):
        return show.part("search_results.html", **values, **found(show), dossier=here, may=show.may)
    saved = show.services.saved
    news, _ = show.of_each(dossiers, lambda one: saved.news(one.id, show.user_id))
    values |= {"saved": [one for some in news for one in some], "home_search": home}
    if problem:
        return show("search.html", **values, **found(show))
    return show.gradually("search.html", found, **values)


@routes.get("/d/{dossier_id}/searches", auth=within("read"))
def _searches(show: Showing) -> Response:
    return show("searches.html", saved=show.services.saved.news(show.dossier.id, show.user_id))


@routes.post("/d/{dossier_id}/searches", auth=within("write"))
def _save(
    show: Showing,
    q: Annotated[str, Form(max_length=MAX_QUERY)] = "",
    name: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    try:
        show.services.saved.add(show.dossier.id, name.strip(), q)
    except ConfigError as error:
        return _search_page(show, Asked(q=q), problem=str(error), name=name)
    return show.go(f"{show.home}/searches", f"“{name.strip()}” is saved: new hits are counted from now on.")


@routes.get(_SEARCH, auth=within("read"))
def _saved_search(show: Showing, search_id: SearchId) -> Response:
    return _shown(show, search_id)


@routes.post(f"{_SEARCH}/sink", auth=within("write"))
def _tell(show: Showing, search_id: SearchId, sink: Annotated[str, Form(max_length=200)] = "") -> Response:
    saved = show.services.saved
    try:
        saved.set_sink(show.dossier.id, search_id, sink, _sinks(show))
    except ConfigError as error:
        return _shown(show, search_id, refusal(error))
    said = f"New hits are sent to {sink}." if sink else "New hits are not sent anywhere."
    return show.go(f"{show.home}/searches/{search_id}", said)


@routes.post("/d/{dossier_id}/searches/seen", auth=within("read"))
def _seen_all(show: Showing) -> Response:
    """Count nothing of all searches as new any more."""
    saved = show.services.saved
    for search in saved.all(show.dossier.id):
        saved.look(show.dossier.id, show.user_id, search.id, 1)
    return show.go(f"{show.home}/searches", "All that was found is marked as seen.")


@routes.post(f"{_SEARCH}/seen", auth=within("read"))
def _seen(show: Showing, search_id: SearchId) -> Response:
    """Count nothing of a search as new any more."""
    show.services.saved.look(show.dossier.id, show.user_id, search_id, 1)
    return show.go(f"{show.home}/searches", "What it found is marked as seen.")


@routes.post(f"{_SEARCH}/delete", auth=within("write"))
def _delete(show: Showing, search_id: SearchId) -> Response:
    search = show.services.saved.find(show.dossier.id, search_id)
    at = show.services.saved.delete(show.dossier.id, search.id)
    return show.go(f"{show.home}/searches", f"The saved search “{search.name}” is deleted.", undo=at)


def _shown(show: Show, search_id: str, problem: str = "") -> Response:
    saved, dossier_id = show.services.saved, show.dossier.id
    search = saved.find(dossier_id, search_id)
    events, seen = saved.look(dossier_id, show.user_id, search_id, _SHOWN)
    show.request.app.state.counters.forget(show.user_id, {dossier_id})
    return show(
        "saved_search.html",
        search=search,
        rows=show.services.front.of_events(show.dossier, show.user_id, events),
        seen=seen,
        sinks=_sinks(show),
        feed=f"{show.url}/api/dossiers/{dossier_id}/searches/{search_id}/feed",
        problem=problem,
    )


def _sinks(show: Show) -> list[str]:
    """The sinks that a search may use: those that receive only finds of searches (`only_found`)."""
    return sorted(name for name, options in show.app.settings.sinks.items() if options.get("only_found"))
