"""The Google Reader protocol, for what apps read: signing in, feeds, folders, counts, items."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from veille.core.readers.item_numbers import item_number
from veille.core.readers.streams import (
    ItemPage,
    ItemQuery,
    Stream,
    StreamKind,
    label_id,
    page_of,
    state_id,
    stream_of,
)
from veille.errors import ConfigError, LoginError
from veille.interfaces.web._routes import ANYBODY, AppRoutes
from veille.interfaces.web.requests.app_forms import AppForm, app_form
from veille.interfaces.web.requests.calls import Call, Waiting, by_app_secret
from veille.interfaces.web.views.google_reader import atom, content, feed_id, item_ref, subscription, unread_counts
from veille.services.reading.reader_apps import ItemContent, ReaderFeed
from veille.services.watching.lists import as_opml

routes = AppRoutes("google reader")

#: As Miniflux has it, and as FreshRSS does; apps for either add the rest.
HOMES = ("", "/api/greader.php")
#: Lists of ids are short; contents are long, and apps ask for the next page.
_MOST_IDS, _MOST_ITEMS, _USUAL = 10_000, 200, 20
#: How many parts the id of a stream has at most: a label may have slashes.
_PARTS = 8


@routes.app("POST", "/accounts/ClientLogin", ANYBODY)
@routes.app("POST", "/api/greader.php/accounts/ClientLogin", ANYBODY)
async def _client_login(request: Request, patience: Waiting) -> Response:
    """Sign in with a password of an app, or with a token; what comes back is sent with every request."""
    form = await app_form(request)
    login, password = form.one("Email"), form.one("Passwd")

    def enter(call: Call) -> Response:
        try:
            by_app_secret(call.app, password, call.visit, login)
        except LoginError:
            return PlainTextResponse("Error=BadAuthentication\n", HTTPStatus.UNAUTHORIZED)
        said = {"SID": password, "LSID": password, "Auth": password}
        if form.one("output") == "json":
            return JSONResponse(said)
        return PlainTextResponse("".join(f"{name}={value}\n" for name, value in said.items()))

    return await patience.ask(enter)


async def _token(patience: Waiting) -> Response:
    """A token against forged requests. Nobody can forge one here, as cookies do not count: any token is as good."""

    def made(call: Call) -> Response:
        return PlainTextResponse(hashlib.sha256(f"edit {call.access.who.way_id}".encode()).hexdigest()[:57])

    return await patience.ask(made)


async def _user_info(patience: Waiting) -> Response:
    def me(call: Call) -> Response:
        user = call.app.accounts.me(call.access)
        said = {"userId": user.id, "userName": user.name or user.email, "userProfileId": user.id}
        return JSONResponse(said | {"userEmail": user.email, "isBloggerUser": False, "publicUserName": ""})

    return await patience.ask(me)


async def _preferences(patience: Waiting) -> Response:
    return await patience.ask(lambda _: JSONResponse({"prefs": [], "streamprefs": {}}))


async def _subscriptions(patience: Waiting) -> Response:
    def listed(call: Call) -> Response:
        return JSONResponse({"subscriptions": [subscription(feed) for feed in call.services.reader_apps.feeds()]})

    return await patience.ask(listed)


async def _export(patience: Waiting) -> Response:
    """The feeds as OPML."""

    def written(call: Call) -> Response:
        feeds = call.services.reader_apps.feeds()
        body, _ = as_opml([(feed.dossier.name, [feed.source]) for feed in feeds], "veille")
        return Response(body, media_type="text/x-opml")

    return await patience.ask(written)


async def _tags(patience: Waiting) -> Response:
    def listed(call: Call) -> Response:
        reader, user_id = call.services.reader_apps, call.access.who.user_id
        feeds = reader.feeds()
        folders = {label for feed in feeds for label in feed.labels}
        own = {label for item in reader.items(user_id, feeds, tagged=True) for label in item.labels} - folders
        tags = [{"id": state_id(StreamKind.STARRED)}]
        tags += [{"id": label_id(label), "type": "folder"} for label in sorted(folders)]
        tags += [{"id": label_id(label), "type": "tag"} for label in sorted(own)]
        return JSONResponse({"tags": tags})

    return await patience.ask(listed)


async def _unread(patience: Waiting) -> Response:
    def counted(call: Call) -> Response:
        reader = call.services.reader_apps
        feeds = reader.feeds()
        return JSONResponse(unread_counts(reader.items(call.access.who.user_id, feeds), feeds))

    return await patience.ask(counted)


async def _ids(request: Request, patience: Waiting) -> Response:
    form = await app_form(request)

    def listed(call: Call) -> Response:
        page, _ = _page(call, _query(form, form.one("s"), _MOST_IDS))
        return JSONResponse(_with(page, {"itemRefs": [item_ref(item) for item in page.items]}))

    return await patience.ask(listed)


async def _contents_of_ids(request: Request, patience: Waiting) -> Response:
    form = await app_form(request)
    numbers = [number for text in form.all("i") if (number := item_number(text)) is not None]

    def listed(call: Call) -> Response:
        reader = call.services.reader_apps
        feeds = reader.feeds()
        found = reader.contents(call.access.who.user_id, feeds, numbers)
        return JSONResponse(_told(call, state_id(StreamKind.ALL), found, feeds))

    return await patience.ask(listed)


async def _contents(request: Request, patience: Waiting) -> Response:
    form = await app_form(request)
    stream = form.one("s") or _named(request, "/stream/contents/") or state_id(StreamKind.ALL)

    def listed(call: Call) -> Response:
        page, feeds, found = _found(call, form, stream)
        return JSONResponse(_with(page, _told(call, stream, found, feeds)))

    return await patience.ask(listed)


async def _atom(request: Request, patience: Waiting) -> Response:
    """The same as Atom, which newsboat reads."""
    form = await app_form(request)
    stream = form.one("s") or _named(request, "/reader/atom/")

    def listed(call: Call) -> Response:
        page, feeds, found = _found(call, form, stream)
        by_number = {feed.number: feed for feed in feeds}
        title = next((feed.source.name for feed in feeds if feed_id(feed.number) == stream), "veille")
        told = [(one, by_number[one.item.feed]) for one in found]
        return Response(atom(stream, title, told, page.following), media_type="application/atom+xml")

    return await patience.ask(listed)


def _found(call: Call, form: AppForm, stream: str) -> tuple[ItemPage, list[ReaderFeed], list[ItemContent]]:
    page, feeds = _page(call, _query(form, stream, _MOST_ITEMS))
    numbers = [item.number for item in page.items]
    found = call.services.reader_apps.contents(call.access.who.user_id, feeds, numbers)
    # What there was no room for is on the next page.
    return page.up_to(found[-1].item) if found else page, feeds, found


def _page(call: Call, query: ItemQuery) -> tuple[ItemPage, list[ReaderFeed]]:
    reader = call.services.reader_apps
    feeds = reader.feeds()
    by_label = any(one.kind is StreamKind.LABEL for one in (query.stream, *query.within, *query.without))
    return page_of(reader.items(call.access.who.user_id, feeds, tagged=by_label), query), feeds


def _query(form: AppForm, stream: str, most: int) -> ItemQuery:
    wanted = _streams([stream])
    if not wanted:
        raise ConfigError("Say which stream: s=user/-/state/com.google/reading-list, for one.", code="bad_stream")
    before = form.number("nt")
    return ItemQuery(
        stream=wanted[0],
        within=_streams(form.streams("it")),
        without=_streams(form.streams("xt")),
        since=form.number("ot") * 1000,
        before=before * 1000 if before else None,
        is_oldest_first=form.one("r") == "o",
        limit=min(form.number("n", _USUAL) or _USUAL, most),
        after=form.one("c"),
    )


def _streams(ids: list[str]) -> tuple[Stream, ...]:
    return tuple(found for found in map(stream_of, ids) if found)


def _named(request: Request, before: str) -> str:
    """The stream in the path."""
    return str(request.scope["path"]).partition(before)[2]


def _with(page: ItemPage, said: dict[str, Any]) -> dict[str, Any]:
    return said | {"continuation": page.following} if page.following else said


def _told(call: Call, stream: str, found: list[ItemContent], feeds: list[ReaderFeed]) -> dict[str, Any]:
    by_number = {feed.number: feed for feed in feeds}
    return {
        "direction": "ltr",
        "id": stream,
        "title": "veille",
        "self": [{"href": str(call.request.url)}],
        "updated": call.app.clock() // 1000,
        "items": [content(one, by_number[one.item.feed]) for one in found],
    }


_API: dict[str, Callable[..., Awaitable[Response]]] = {
    "token": _token,
    "user-info": _user_info,
    "preference/list": _preferences,
    "preference/stream/list": _preferences,
    "subscription/list": _subscriptions,
    "subscription/export": _export,
    "tag/list": _tags,
    "unread-count": _unread,
    "stream/items/ids": _ids,
    "stream/items/contents": _contents_of_ids,
    "stream/contents": _contents,
}
_STREAMS = ["/".join(f"{{part{at}}}" for at in range(length)) for length in range(1, _PARTS + 1)]
for _home in HOMES:
    for _path, _answer in _API.items():
        routes.app("GET", f"{_home}/reader/api/0/{_path}")(_answer)
    # Long lists of items do not fit into an address, and some apps send whatever they ask for as a form.
    for _path in ("stream/items/ids", "stream/items/contents", "stream/contents"):
        routes.app("POST", f"{_home}/reader/api/0/{_path}")(_API[_path])
    for _stream in _STREAMS:
        for _method in ("GET", "POST"):
            routes.app(_method, f"{_home}/reader/api/0/stream/contents/{_stream}")(_contents)
        routes.app("GET", f"{_home}/reader/atom/{_stream}")(_atom)
