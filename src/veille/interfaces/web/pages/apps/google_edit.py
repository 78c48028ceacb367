"""The Google Reader protocol, for what apps change: marks, labels, feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from veille.core.readers.item_numbers import item_number
from veille.core.readers.streams import ItemQuery, Stream, StreamKind, chosen, stream_of
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import APP, AppRoutes
from veille.interfaces.web.actions.app_feeds import (
    add_feed,
    delete_feed,
    forget_counts,
    import_feeds,
    mark,
    rename_labels,
    writing,
)
from veille.interfaces.web.pages.apps.google_reader import HOMES
from veille.interfaces.web.requests.app_forms import AppForm, app_form
from veille.interfaces.web.requests.calls import Call, Waiting, answered
from veille.interfaces.web.views.google_reader import feed_id
from veille.services.watching.sources import SourceEdit

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.services.reading.reader_apps import ReaderFeed

routes = AppRoutes("google reader")

_OK = "OK"
#: Times are sent in microseconds; some apps send seconds or milliseconds.
_MILLISECONDS, _MICROSECONDS = 10**11, 10**14


async def _edit_tag(request: Request, patience: Waiting) -> Response:
    """Mark items as read, unread, starred; give them labels."""
    form = await app_form(request)
    numbers = [number for text in form.all("i") if (number := item_number(text)) is not None]
    put, drop = _streams(form.streams("a")), _streams(form.streams("r"))
    read, keep = _changed(put, drop, StreamKind.READ), _changed(put, drop, StreamKind.STARRED)
    if (unread := _changed(put, drop, StreamKind.UNREAD)) is not None and read is None:
        read = not unread

    def edit(call: Call) -> Response:
        if read is not None or keep is not None:
            mark(call, numbers, read=read, keep=keep)
        for streams, is_on in ((put, True), (drop, False)):
            for label in (one.name for one in streams if one.kind is StreamKind.LABEL):
                writing(call).reader_apps.tag(numbers, label, is_on=is_on)
        forget_counts(call)
        return PlainTextResponse(_OK)

    return await patience.ask(edit)


async def _mark_all(request: Request, patience: Waiting) -> Response:
    """Mark a stream as read, up to a time."""
    form = await app_form(request)
    stream = stream_of(form.one("s"))
    if stream is None:
        raise ConfigError("Say which stream: s=user/-/state/com.google/reading-list, for one.", code="bad_stream")
    query = ItemQuery(stream=stream, within=(Stream(StreamKind.UNREAD),), before=_end(form.number("ts")))

    def mark_all(call: Call) -> Response:
        reader, user_id = call.services.reader_apps, call.access.who.user_id
        items = reader.items(user_id, reader.feeds(), tagged=stream.kind is StreamKind.LABEL)
        mark(call, [item.number for item in chosen(items, query)], read=True)
        return PlainTextResponse(_OK)

    return await patience.ask(mark_all)


async def _subscription_edit(request: Request) -> Response:
    """Add, rename, tag and delete feeds."""
    form = await app_form(request)
    action = form.one("ac")

    def edit(call: Call) -> Response:
        feeds = call.services.reader_apps.feeds() if action in {"unsubscribe", "edit"} else []
        for text in form.streams("s"):
            stream = stream_of(text)
            if stream is None or stream.kind is not StreamKind.FEED:
                raise ConfigError("s names no feed: feed/ and its number or address.", code="bad_stream")
            if action == "subscribe":
                _added(call, stream.name, form)
            elif action == "unsubscribe":
                feed = _feed(feeds, stream)
                delete_feed(call, feed.dossier.id, feed.source.id)
            elif action == "edit":
                _edited(call, _feed(feeds, stream), form)
            else:
                raise ConfigError("ac is subscribe, unsubscribe or edit.", code="bad_action")
        return PlainTextResponse(_OK)

    return await answered(request, APP, edit, asks_outside=action == "subscribe")


async def _quick_add(request: Request) -> Response:
    """Watch an address, whatever is there."""
    form = await app_form(request)
    wanted = form.one("quickadd").removeprefix("feed/").strip()

    def add(call: Call) -> Response:
        source = _added(call, wanted, form)
        feed = next(feed for feed in call.services.reader_apps.feeds() if feed.source.id == source.id)
        said = {"query": wanted, "numResults": 1, "streamId": feed_id(feed.number), "streamName": source.name}
        return JSONResponse(said)

    return await answered(request, APP, add, asks_outside=True)


async def _import(request: Request, patience: Waiting) -> Response:
    """Watch the feeds of a list, which is the body."""
    data = await request.body()

    def take_in(call: Call) -> Response:
        import_feeds(call, data)
        return PlainTextResponse(_OK)

    return await patience.ask(take_in)


async def _rename_tag(request: Request, patience: Waiting) -> Response:
    """Give a tag of sources and items another name."""
    form = await app_form(request)

    def rename(call: Call) -> Response:
        rename_labels(call, [_label(form.one("s"))], _label(form.one("dest")))
        return PlainTextResponse(_OK)

    return await patience.ask(rename)


async def _disable_tag(request: Request, patience: Waiting) -> Response:
    """Take tags from all sources and items that have them."""
    form = await app_form(request)

    def disable(call: Call) -> Response:
        rename_labels(call, [_label(text) for text in form.streams("s") or [""]])
        return PlainTextResponse(_OK)

    return await patience.ask(disable)


def _added(call: Call, url: str, form: AppForm) -> Source:
    return add_feed(call, url, _labels(form.streams("a")), form.one("t").strip())


def _edited(call: Call, feed: ReaderFeed, form: AppForm) -> None:
    services, source = writing(call), feed.source
    put, drop = _labels(form.streams("a")), _labels(form.streams("r"))
    if name := form.one("t").strip():
        services.sources.edit(feed.dossier.id, source.id, SourceEdit(name=name))
    for labels, is_on in ((put, True), (drop, False)):
        for label in labels:
            # A dossier is no tag: apps cannot take a source out of it.
            if label != feed.dossier.name:
                services.bulk.tag(feed.dossier.id, [source.id], label, is_on=is_on)
    call.access.log("update_source", feed.dossier.id, source=source.id)


def _feed(feeds: list[ReaderFeed], stream: Stream) -> ReaderFeed:
    for feed in feeds:
        if stream.feed == feed.number or stream.name == feed.source.url:
            return feed
    raise NotFoundError("There is no such feed.", code="no_source")


def _streams(ids: list[str]) -> list[Stream]:
    return [found for found in map(stream_of, ids) if found]


def _label(stream_id: str) -> str:
    stream = stream_of(stream_id)
    if stream is None or stream.kind is not StreamKind.LABEL:
        raise ConfigError(f"{stream_id[:80]!r} is no label: user/-/label/ and its name.", code="bad_stream")
    return stream.name


def _labels(ids: list[str]) -> list[str]:
    return [one.name for one in _streams(ids) if one.kind is StreamKind.LABEL]


def _changed(put: list[Stream], drop: list[Stream], kind: StreamKind) -> bool | None:
    if any(one.kind is kind for one in put):
        return True
    return False if any(one.kind is kind for one in drop) else None


def _end(sent: int) -> int | None:
    """The time up to which to mark, in milliseconds."""
    if not sent:
        return None
    if sent < _MILLISECONDS:
        return sent * 1000 + 1000
    return (sent if sent < _MICROSECONDS else sent // 1000) + 1


_API = {
    "edit-tag": _edit_tag,
    "rename-tag": _rename_tag,
    "disable-tag": _disable_tag,
    "mark-all-as-read": _mark_all,
    "subscription/import": _import,
}
_OUTSIDE = {"subscription/edit": _subscription_edit, "subscription/quickadd": _quick_add}
for _home in HOMES:
    for _path, _answer in (_API | _OUTSIDE).items():
        routes.app("POST", f"{_home}/reader/api/0/{_path}")(_answer)
