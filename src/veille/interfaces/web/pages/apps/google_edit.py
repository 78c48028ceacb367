"""The Google Reader protocol, for what apps change: marks, labels, feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from veille.core.discover.detect import LIST
from veille.core.readers.item_numbers import item_number
from veille.core.readers.streams import ItemQuery, Stream, StreamKind, chosen, stream_of
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import APP, AppRoutes
from veille.interfaces.web.actions.errands import check_soon
from veille.interfaces.web.pages.add import title_of
from veille.interfaces.web.pages.apps.google_reader import HOMES
from veille.interfaces.web.requests.app_forms import AppForm, app_form
from veille.interfaces.web.requests.calls import Call, Waiting, answered
from veille.interfaces.web.views.google_reader import feed_id
from veille.services.watching.adding import Terms
from veille.services.watching.sources import SourceEdit

if TYPE_CHECKING:
    from veille.core.models import Dossier, Source
    from veille.services.container import Services
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
            call.services.reader_apps.mark(call.access.who.user_id, numbers, read=read, keep=keep)
        for streams, is_on in ((put, True), (drop, False)):
            for label in (one.name for one in streams if one.kind is StreamKind.LABEL):
                _writing(call).reader_apps.tag(numbers, label, is_on=is_on)
        _forget_counts(call)
        return PlainTextResponse(_OK)

    return await patience.ask(edit)


async def _mark_all(request: Request, patience: Waiting) -> Response:
    """Mark a stream as read, up to a time."""
    form = await app_form(request)
    stream = stream_of(form.one("s"))
    if stream is None:
        raise ConfigError("Say which stream: s=user/-/state/com.google/reading-list, for one.", code="bad_stream")
    query = ItemQuery(stream=stream, within=(Stream(StreamKind.UNREAD),), before=_end(form.number("ts")))

    def mark(call: Call) -> Response:
        reader, user_id = call.services.reader_apps, call.access.who.user_id
        items = reader.items(user_id, reader.feeds(), tagged=stream.kind is StreamKind.LABEL)
        reader.mark(user_id, [item.number for item in chosen(items, query)], read=True)
        _forget_counts(call)
        return PlainTextResponse(_OK)

    return await patience.ask(mark)


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
                _writing(call).sources.delete(feed.dossier.id, feed.source.id)
                call.access.log("delete_source", feed.dossier.id, source=feed.source.id)
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


def _added(call: Call, url: str, form: AppForm) -> Source:
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigError("Only an address on the web can be added: https://…", code="bad_url")
    writing, labels = _writing(call), _labels(form.streams("a"))
    dossier = _dossier_for(call, labels)
    seen = call.request.app.state.previews.make(call, url, dossier.id)
    found = seen.detection
    if found.kind == LIST:
        raise ConfigError("This is a list of feeds: import it on the page of sources.", code="bad_url")
    terms = Terms(name=form.one("t").strip() or found.name or title_of(found), adaptive=True)
    added = writing.adding.add(dossier.id, found, b"", terms).source
    assert added is not None  # noqa: S101 - only lists have none
    call.access.log("add_source", dossier.id, source=added.id)
    for label in labels:
        if label != dossier.name:
            writing.bulk.tag(dossier.id, [added.id], label)
    check_soon(call, dossier.id, added)
    return added


def _edited(call: Call, feed: ReaderFeed, form: AppForm) -> None:
    writing, source = _writing(call), feed.source
    put, drop = _labels(form.streams("a")), _labels(form.streams("r"))
    if name := form.one("t").strip():
        writing.sources.edit(feed.dossier.id, source.id, SourceEdit(name=name))
    for labels, is_on in ((put, True), (drop, False)):
        for label in labels:
            # A dossier is no tag: apps cannot take a source out of it.
            if label != feed.dossier.name:
                writing.bulk.tag(feed.dossier.id, [source.id], label, is_on=is_on)
    call.access.log("update_source", feed.dossier.id, source=source.id)


def _feed(feeds: list[ReaderFeed], stream: Stream) -> ReaderFeed:
    for feed in feeds:
        if stream.feed == feed.number or stream.name == feed.source.url:
            return feed
    raise NotFoundError("There is no such feed.", code="no_source")


def _dossier_for(call: Call, labels: list[str]) -> Dossier:
    """The dossier that a folder is, or else the first that they may write to."""
    known = call.access.dossiers(scope="write")
    if not known:
        raise ConfigError("You have no dossier that you may add to: make one on the pages.", code="no_dossier")
    return next((one for one in known if one.name in labels), known[0])


def _writing(call: Call) -> Services:
    call.access.require("write")
    return call.app.on_behalf(call.access, "write")


def _forget_counts(call: Call) -> None:
    """Pages count anew."""
    call.request.app.state.counters.forget(call.access.who.user_id, {one.id for one in call.access.dossiers()})


def _streams(ids: list[str]) -> list[Stream]:
    return [found for found in map(stream_of, ids) if found]


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


_API = {"edit-tag": _edit_tag, "mark-all-as-read": _mark_all}
_OUTSIDE = {"subscription/edit": _subscription_edit, "subscription/quickadd": _quick_add}
for _home in HOMES:
    for _path, _answer in (_API | _OUTSIDE).items():
        routes.app("POST", f"{_home}/reader/api/0/{_path}")(_answer)
