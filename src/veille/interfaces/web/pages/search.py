"""Searching: in all dossiers of the user, or in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Query, Response

from veille.core.models import Dossier
from veille.core.search.snippets import marked
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import KNOWN, within
from veille.services.reading.saved import MAX_QUERY
from veille.services.reading.search import COUNTED

routes = Pages("search")

#: Hits on a page.
_PAGE = 15

Text = Annotated[str, Query(max_length=MAX_QUERY)]
Sort = Annotated[Literal["relevance", "date"], Query()]
PageNumber = Annotated[int, Query(ge=1, le=-(-COUNTED // _PAGE))]


@dataclass(frozen=True)
class Asked:
    """A query, its sort order and the page of hits."""

    text: str
    sort: str = "relevance"
    page: int = 1


@routes.get("/search", auth=KNOWN)
def _everywhere(show: Showing, q: Text = "", sort: Sort = "relevance", page: PageNumber = 1) -> Response:
    return search_page(show, show.call.access.dossiers(), Asked(q, sort, page))


@routes.get("/d/{dossier_id}/search", auth=within("read"))
def _in_dossier(show: Showing, q: Text = "", sort: Sort = "relevance", page: PageNumber = 1) -> Response:
    return search_page(show, [show.call.dossier], Asked(q, sort, page))


def search_page(show: Show, dossiers: Sequence[Dossier], asked: Asked, problem: str = "", name: str = "") -> Response:
    """The search page, or only its results, for the script of the page."""
    home = _home(show)
    ids = [dossier.id for dossier in dossiers]
    text, sort = asked.text, asked.sort

    def found(show: Show) -> dict[str, Any]:
        start = (asked.page - 1) * _PAGE
        found = show.call.services.searches.find(ids, text, start, _PAGE, newest=sort == "date")
        return {
            "found": found,
            "unreadable": [dossier for dossier in dossiers if dossier.id in found.unreadable],
            "titles": [marked(hit.title, found.query) for hit in found.hits],
            "older": asked.page + 1 if start + _PAGE < found.total else 0,
        }

    values = {
        "q": text,
        "sort": sort,
        "start": (asked.page - 1) * _PAGE,
        "names": {dossier.id: dossier.name for dossier in dossiers},
        "link": lambda **given: f"{home}?{urlencode({'q': text, 'sort': sort} | given)}",
        "newer": asked.page - 1,
        "problem": problem,
        "name": name or text[:60],
        "beginning": (re.findall(r"\w{2,}", text) or [""])[-1],
    }
    if show.request.headers.get("x-part"):
        return show.part("search_results.html", **values, **found(show), dossier=show.call.found_dossier, may=show.may)
    saved = show.call.services.saved
    news, _ = show.of_each(dossiers, lambda one: saved.news(one.id, show.user_id))
    values |= {"saved": [one for some in news for one in some], "home_search": home}
    if problem:
        return show("search.html", status=HTTPStatus.BAD_REQUEST, **values, **found(show))
    return show.gradually("search.html", found, **values)


def _home(show: Show) -> str:
    dossier = show.call.found_dossier
    return f"/d/{dossier.id}/search" if dossier else "/search"
