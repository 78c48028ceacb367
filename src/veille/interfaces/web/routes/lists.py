"""OPML import and export, saved searches, and feeds for feed readers: of a dossier, and of a saved search."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body as RawBody
from fastapi import Query, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from veille.core.schedule import HOUR, MAX_INTERVAL, MIN_INTERVAL
from veille.core.show.syndication import FeedItem, json_feed, rss
from veille.interfaces.web._routes import Routes, within
from veille.interfaces.web.requests.calls import Call, Caller
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, Body, Done, RestView, example
from veille.services.watching.lists import as_opml

routes = Routes("feeds")

_OPML = "text/x-opml"
_RSS = "application/rss+xml"
_JSON_FEED = "application/feed+json"


class TakenView(RestView):
    """The result of one entry of a list; an empty `code` means that it is watched now."""

    model_config = example(url="https://example.org/feed", name="Example", code="", message="")

    url: str
    name: str
    code: str
    message: str


class SavedSearchView(RestView):
    """A saved search."""

    model_config = example(id=ID, name="Whales", query="whale OR whales", created_at=1790000000000)

    id: str
    name: str
    query: str
    created_at: int


class NewSearch(Body):
    """A search to save."""

    name: str = Field(examples=["Whales"])
    query: str = Field(examples=["whale OR whales"])


@routes.get("/api/dossiers/{dossier_id}/opml", auth=within("export"), response_class=Response)
def _get_opml(call: Caller) -> Response:
    """The feeds of the dossier as OPML."""
    text, _ = as_opml([(call.dossier.name, call.services.sources.all(call.dossier.id))], call.dossier.name)
    return Response(text, media_type=_OPML)


@routes.post("/api/dossiers/{dossier_id}/opml", auth=within("write"))
def _take_opml(
    call: Caller,
    # Any type is accepted; this is the one that generated clients can send.
    opml: Annotated[bytes, RawBody(media_type="application/octet-stream", json_schema_extra={"format": "binary"})],
    interval: Annotated[int, Query(ge=MIN_INTERVAL, le=MAX_INTERVAL, description="Milliseconds.")] = HOUR,
) -> list[TakenView]:
    """Watch every entry of a list (OPML, CSV, bookmarks, changedetection.io, lines); known ones stay as they are."""
    taken = call.services.lists.take_in(opml, call.dossier.id, interval_ms=interval)
    call.access.log("opml.import", call.dossier.id, feeds=len(taken))
    return list(map(TakenView.showing, taken))


@routes.get("/api/dossiers/{dossier_id}/feed.rss", auth=within("read"), response_class=Response)
def _dossier_rss(call: Caller, limit: Limit = 50) -> Response:
    """What is new in the dossier, as RSS. Feed readers send a token as the password."""
    return _rss(call, call.dossier.name, call.services.saved.items(call.dossier.id, limit))


@routes.get("/api/dossiers/{dossier_id}/feed.json", auth=within("read"), response_class=Response)
def _dossier_json_feed(call: Caller, limit: Limit = 50) -> Response:
    """What is new in the dossier, as JSON Feed."""
    return _json_feed(call, call.dossier.name, call.services.saved.items(call.dossier.id, limit))


@routes.get("/api/dossiers/{dossier_id}/searches", auth=within("read"))
def _list_searches(call: Caller) -> list[SavedSearchView]:
    """The saved searches, by name."""
    return list(map(SavedSearchView.showing, call.services.saved.all(call.dossier.id)))


@routes.post("/api/dossiers/{dossier_id}/searches", auth=within("write"), status_code=201)
def _add_search(call: Caller, body: NewSearch) -> SavedSearchView:
    """Save a search."""
    return SavedSearchView.showing(call.services.saved.add(call.dossier.id, body.name, body.query))


@routes.delete("/api/dossiers/{dossier_id}/searches/{search_id}", auth=within("write"))
def _delete_search(call: Caller, search_id: str) -> Done:
    """Delete a saved search; it can be restored for seven days."""
    call.services.saved.delete(call.dossier.id, search_id)
    return Done(status="deleted")


@routes.post("/api/dossiers/{dossier_id}/searches/{search_id}/restore", auth=within("write"))
def _restore_search(call: Caller, search_id: str) -> SavedSearchView:
    """Undo the deletion of a saved search, within seven days."""
    restored = call.services.trash.restore_setup(call.dossier.id, "search", search_id)
    return SavedSearchView.showing(call.services.saved.find(call.dossier.id, restored.id))


@routes.get("/api/dossiers/{dossier_id}/searches/{search_id}/feed.rss", auth=within("read"), response_class=Response)
def _search_rss(call: Caller, search_id: str, limit: Limit = 50) -> Response:
    """What the search finds, as RSS, the latest change first."""
    search = call.services.saved.find(call.dossier.id, search_id)
    return _rss(call, search.name, call.services.saved.found_items(call.dossier.id, search_id, limit))


@routes.get("/api/dossiers/{dossier_id}/searches/{search_id}/feed.json", auth=within("read"), response_class=Response)
def _search_json_feed(call: Caller, search_id: str, limit: Limit = 50) -> Response:
    """What the search finds, as JSON Feed, the latest change first."""
    search = call.services.saved.find(call.dossier.id, search_id)
    return _json_feed(call, search.name, call.services.saved.found_items(call.dossier.id, search_id, limit))


def _rss(call: Call, title: str, items: list[FeedItem]) -> Response:
    return Response(rss(title, call.url, items), media_type=_RSS)


def _json_feed(call: Call, title: str, items: list[FeedItem]) -> Response:
    return JSONResponse(json_feed(title, call.url, items), media_type=_JSON_FEED)
