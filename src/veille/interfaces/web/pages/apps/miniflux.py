"""The Miniflux protocol (its API v1): feeds, categories and entries; marks; feeds are added, renamed and deleted.

A category is a dossier: a feed has one, and one only. Categories are made on the pages.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from veille.core.readers.entries import EntryQuery, entries_of
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import APP, AppRoutes
from veille.interfaces.web.actions.app_feeds import add_feed, delete_feed, mark, writing
from veille.interfaces.web.requests.app_forms import app_form
from veille.interfaces.web.requests.calls import answered
from veille.interfaces.web.requests.miniflux_calls import MinifluxCall
from veille.interfaces.web.views import miniflux
from veille.services.reading.reader_apps import ReaderFeed
from veille.services.watching.lists import as_opml
from veille.services.watching.sources import SourceEdit

routes = AppRoutes("miniflux")

#: The version of Miniflux whose protocol it is: apps ask for it, to know what they may send.
_VERSION = "2.2.0"
_DONE = HTTPStatus.NO_CONTENT
#: Feeds and entries that are marked at once.
_MOST_MARKED = 20_000

_Answer = Callable[[MinifluxCall], Any]


def _route(method: str, path: str, *, asks_outside: bool = False) -> Callable[[_Answer], _Answer]:
    """Register what answers; it returns JSON, None for nothing, or a response."""

    def register(answer: _Answer) -> _Answer:
        async def handle(request: Request) -> Response:
            # Read here, understood when it is known who asks.
            form, raw = await app_form(request, in_body=False), await request.body()

            def told(call: Any) -> Response:
                said = answer(MinifluxCall(call, form, raw))
                if isinstance(said, Response):
                    return said
                return Response(status_code=_DONE) if said is None else JSONResponse(said)

            return await answered(request, APP, told, asks_outside=asks_outside)

        handle.__name__ = f"miniflux{answer.__name__}"
        routes.app(method, f"/v1/{path}")(handle)
        return answer

    return register


@_route("GET", "version")
def _version(_: MinifluxCall) -> Any:
    return {"version": _VERSION, "commit": "", "build_date": "", "go_version": "", "compiler": "", "arch": "", "os": ""}


@_route("GET", "me")
def _me(asked: MinifluxCall) -> Any:
    user = asked.call.app.accounts.me(asked.call.access)
    said = {"id": miniflux.USER, "username": user.email, "is_admin": False, "theme": "system_serif"}
    return said | {"language": "en_US", "timezone": "UTC", "entry_sorting_direction": "desc", "extra": {}}


@_route("GET", "categories")
def _categories(asked: MinifluxCall) -> Any:
    listed = [miniflux.category(number, name) for name, number in sorted(asked.categories.items())]
    if asked.form.one("counts").lower() == "true":
        for one in listed:
            feeds = asked.of_category(one["title"])
            one["feed_count"] = len(feeds)
            one["total_unread"] = len(entries_of(asked.items, EntryQuery(feeds=feeds, is_unread=True)))
    return listed


@_route("GET", "categories/{category_id}/feeds")
def _feeds_of_category(asked: MinifluxCall) -> Any:
    numbers = asked.of_category(asked.category())
    return [_feed(asked, one) for one in asked.feeds if one.number in numbers]


@_route("GET", "feeds")
def _feeds(asked: MinifluxCall) -> Any:
    return [_feed(asked, one) for one in asked.feeds]


@_route("GET", "feeds/counters")
def _counters(asked: MinifluxCall) -> Any:
    return {
        "reads": Counter(one.feed for one in asked.items if not one.is_unread),
        "unreads": Counter(one.feed for one in asked.items if one.is_unread),
    }


@_route("GET", "feeds/{feed_id}")
def _one_feed(asked: MinifluxCall) -> Any:
    return _feed(asked, asked.feed())


@_route("GET", "feeds/{feed_id}/icon")
@_route("GET", "icons/{feed_id}")
def _icon(asked: MinifluxCall) -> Any:
    found = _icon_of(asked, asked.feed())
    if found is None:
        raise NotFoundError("It has no icon.", code="not_found")
    kind, body = found
    return {
        "id": asked.number("feed_id"),
        "mime_type": kind,
        "data": f"{kind};base64,{base64.b64encode(body).decode()}",
    }


@_route("GET", "entries")
@_route("GET", "feeds/{feed_id}/entries")
@_route("GET", "categories/{category_id}/entries")
def _entries(asked: MinifluxCall) -> Any:
    listed = entries_of(asked.items, asked.query())
    start, most = asked.page()
    numbers = [one.number for one in listed[start : start + most]]
    return {"total": len(listed), "entries": _told(asked, numbers)}


@_route("GET", "entries/{entry_id}")
@_route("GET", "feeds/{feed_id}/entries/{entry_id}")
@_route("GET", "categories/{category_id}/entries/{entry_id}")
def _entry(asked: MinifluxCall) -> Any:
    found = _told(asked, [asked.number("entry_id")])
    within = asked.query().feeds
    if not found or (within is not None and found[0]["feed_id"] not in within):
        raise NotFoundError("There is no such entry.", code="no_document")
    return found[0]


@_route("PUT", "entries")
def _mark(asked: MinifluxCall) -> Any:
    given, status = asked.body.get("entry_ids"), asked.body.get("status")
    numbers: list[Any] = given if isinstance(given, list) else [None]
    if len(numbers) > _MOST_MARKED or not all(isinstance(one, int) and 0 <= one < 2**63 for one in numbers):
        raise ConfigError(f"entry_ids is a list of at most {_MOST_MARKED} numbers.", code="bad_entry")
    if str(status) not in {"read", "unread"}:
        raise ConfigError("status is read or unread: nothing is removed here.", code="bad_entry")
    mark(asked.call, numbers, read=status == "read")


@_route("PUT", "entries/{entry_id}/bookmark")
@_route("PUT", "entries/{entry_id}/star")
def _star(asked: MinifluxCall) -> Any:
    """Keep it, or do not keep it any more."""
    one = _entry(asked)
    mark(asked.call, [one["id"]], keep=not one["starred"])


@_route("PUT", "feeds/{feed_id}/mark-all-as-read")
@_route("PUT", "categories/{category_id}/mark-all-as-read")
@_route("PUT", "users/{user_id}/mark-all-as-read")
def _mark_all(asked: MinifluxCall) -> Any:
    if "user_id" in asked.path and asked.number("user_id") != miniflux.USER:
        raise NotFoundError("There is no such user.", code="no_user")
    listed = entries_of(asked.items, EntryQuery(feeds=asked.query().feeds, is_unread=True))
    mark(asked.call, [one.number for one in listed], read=True)


@_route("GET", "export")
def _export(asked: MinifluxCall) -> Any:
    body, _ = as_opml([(one.dossier.name, [one.source]) for one in asked.feeds], "veille")
    return Response(body, media_type="text/x-opml")


@_route("POST", "feeds", asks_outside=True)
def _add(asked: MinifluxCall) -> Any:
    writing(asked.call)
    body = asked.body
    number = body.get("category_id")
    folders = [asked.named(number)] if isinstance(number, int) and number else []
    source = add_feed(asked.call, str(body.get("feed_url") or "").strip(), folders)
    feed = next(one for one in asked.reader.feeds() if one.source.id == source.id)
    return JSONResponse({"feed_id": feed.number}, HTTPStatus.CREATED)


@_route("PUT", "feeds/{feed_id}")
def _rename(asked: MinifluxCall) -> Any:
    services, feed, body = writing(asked.call), asked.feed(), asked.body
    number = body.get("category_id")
    if number is not None and number != asked.categories[feed.dossier.name]:
        raise ConfigError("Sources are moved to another dossier on the pages.", code="bad_entry")
    if name := str(body.get("title") or "").strip():
        services.sources.edit(feed.dossier.id, feed.source.id, SourceEdit(name=name))
        asked.call.access.log("update_source", feed.dossier.id, source=feed.source.id)
    return JSONResponse(_feed(asked, _again(asked, feed)), HTTPStatus.CREATED)


@_route("DELETE", "feeds/{feed_id}")
def _delete(asked: MinifluxCall) -> Any:
    feed = asked.feed()
    delete_feed(asked.call, feed.dossier.id, feed.source.id)


def _again(asked: MinifluxCall, feed: ReaderFeed) -> ReaderFeed:
    return next(one for one in asked.reader.feeds() if one.number == feed.number)


def _told(asked: MinifluxCall, numbers: list[int]) -> list[dict[str, Any]]:
    found = asked.reader.contents(asked.user_id, asked.feeds, numbers)
    wanted = {one.item.feed for one in found}
    feeds = {one.number: _feed(asked, one) for one in asked.feeds if one.number in wanted}
    return [miniflux.entry(one, feeds[one.item.feed]) for one in found]


def _feed(asked: MinifluxCall, one: ReaderFeed) -> dict[str, Any]:
    return miniflux.feed(one, asked.categories, has_icon=_icon_of(asked, one) is not None)


def _icon_of(asked: MinifluxCall, feed: ReaderFeed) -> tuple[str, bytes] | None:
    favicons = asked.call.app.favicons
    return favicons.read(favicons.name(feed.dossier.id, feed.source.url) or "none")
