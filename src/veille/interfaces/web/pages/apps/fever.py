"""The Fever protocol: one address, whose parameters say what is asked for and what is marked."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response

from veille.core.access.access import ScopeName
from veille.core.readers.streams import ItemQuery, ReaderItem, Stream, StreamKind, chosen
from veille.errors import LoginError
from veille.interfaces.web._routes import ANYBODY, AppRoutes
from veille.interfaces.web.requests.app_forms import AppForm, app_form, whole_number
from veille.interfaces.web.requests.calls import Call, Waiting
from veille.interfaces.web.views.fever import told
from veille.interfaces.web.views.google_reader import author_of
from veille.services.people.access import Access
from veille.services.reading.reader_apps import ItemContent, ReaderAppService, ReaderFeed

if TYPE_CHECKING:
    from collections.abc import Mapping

routes = AppRoutes("fever")

_VERSION = 3
#: Items of one answer.
_MOST = 50
_READING: ScopeName = "read"


@routes.app("GET", "/fever", ANYBODY)
@routes.app("POST", "/fever", ANYBODY)
@routes.app("GET", "/fever/", ANYBODY)
@routes.app("POST", "/fever/", ANYBODY)
@routes.app("GET", "/api/fever.php", ANYBODY)
@routes.app("POST", "/api/fever.php", ANYBODY)
async def _fever(request: Request, patience: Waiting) -> Response:
    """Answer an app that has the key of a password; every other gets `auth: 0`."""
    form = await app_form(request)
    as_xml = form.one("api") == "xml"

    def answer(call: Call) -> Response:
        try:
            access = call.app.accounts.by_fever_key(form.one("api_key").strip().lower(), call.visit)
            access.require(_READING)
        except LoginError:
            return told({"api_version": _VERSION, "auth": 0}, as_xml=as_xml)
        return told(_Fever(call, access, form).answer(), as_xml=as_xml)

    return await patience.ask(answer)


@dataclass
class _Fever:
    """One request of an app."""

    call: Call
    access: Access
    form: AppForm

    def answer(self) -> dict[str, Any]:
        said = self._marked() if "mark" in self.form else {}
        for name, make in _MEMBERS.items():
            if name in self.form:
                said |= make(self)
        checked = max((feed.source.checked_at or 0 for feed in self.feeds), default=0)
        return {"api_version": _VERSION, "auth": 1, "last_refreshed_on_time": str(checked // 1000)} | said

    @cached_property
    def reader(self) -> ReaderAppService:
        return self.call.app.on_behalf(self.access, _READING).reader_apps

    @property
    def user_id(self) -> str:
        return self.access.who.user_id

    @cached_property
    def feeds(self) -> list[ReaderFeed]:
        return self.reader.feeds()

    @cached_property
    def labels(self) -> Mapping[str, int]:
        return self.reader.label_numbers({label for feed in self.feeds for label in feed.labels})

    @property
    def listed(self) -> list[ReaderItem]:
        return self.reader.items(self.user_id, self.feeds)

    def _feeds_groups(self) -> dict[str, Any]:
        rows = [
            {"group_id": number, "feed_ids": _joined(feed.number for feed in self.feeds if label in feed.labels)}
            for label, number in sorted(self.labels.items())
        ]
        return {"feeds_groups": rows}

    def groups(self) -> dict[str, Any]:
        rows = [{"id": number, "title": label} for label, number in sorted(self.labels.items())]
        return {"groups": rows, **self._feeds_groups()}

    def list_feeds(self) -> dict[str, Any]:
        rows = [
            {
                "id": feed.number,
                "favicon_id": feed.number if self._icon(feed) else 0,
                "title": feed.source.name,
                "url": feed.source.url,
                "site_url": feed.source.url,
                "is_spark": 0,
                "last_updated_on_time": (feed.source.checked_at or 0) // 1000,
            }
            for feed in self.feeds
        ]
        return {"feeds": rows, **self._feeds_groups()}

    def _icon(self, feed: ReaderFeed) -> str:
        favicons = self.call.app.favicons
        found = favicons.read(favicons.name(feed.dossier.id, feed.source.url) or "none")
        return f"{found[0]};base64,{base64.b64encode(found[1]).decode()}" if found else ""

    def favicons(self) -> dict[str, Any]:
        return {"favicons": [{"id": one.number, "data": icon} for one in self.feeds if (icon := self._icon(one))]}

    def items(self) -> dict[str, Any]:
        listed = sorted(self.listed, key=lambda item: item.number)
        numbers = [item.number for item in listed]
        form = self.form
        if "with_ids" in form:
            wanted = _numbers(form.one("with_ids"))[:_MOST]
        elif form.number("max_id"):
            wanted = [number for number in reversed(numbers) if number < form.number("max_id")][:_MOST]
        elif "max_id" in form:
            wanted = numbers[: -_MOST - 1 : -1]
        else:
            wanted = [number for number in numbers if number > form.number("since_id")][:_MOST]
        found = self.reader.contents(self.user_id, self.feeds, wanted)
        return {"total_items": len(numbers), "items": [_item(one) for one in found]}

    def unread_ids(self) -> dict[str, Any]:
        return {"unread_item_ids": _joined(sorted(item.number for item in self.listed if item.is_unread))}

    def saved_ids(self) -> dict[str, Any]:
        return {"saved_item_ids": _joined(sorted(item.number for item in self.listed if item.is_kept))}

    def links(self) -> dict[str, Any]:
        """Hot links are counted by Fever itself; here stories and rules are for that."""
        return {"links": []}

    def _marked(self) -> dict[str, Any]:
        what, how = self.form.one("mark"), self.form.one("as")
        read, keep = {"read": True, "unread": False}.get(how), {"saved": True, "unsaved": False}.get(how)
        if what == "item":
            numbers = _numbers(self.form.one("id"))
        elif what in {"feed", "group"} and read:
            numbers = self._before(what)
        else:
            return {}
        self.reader.mark(self.user_id, numbers, read=read, keep=keep)
        self.call.request.app.state.counters.forget(self.user_id, {one.id for one in self.access.dossiers()})
        return self.unread_ids() if keep is None else self.saved_ids()

    def _before(self, what: str) -> list[int]:
        """The unread items of a feed or of a group, up to a time; the group 0 is everything."""
        number = whole_number(self.form.one("id"))
        if number is None:
            # The group -1 is that of Fever's sparks, which there are none of here.
            return []
        before = self.form.number("before")
        query = ItemQuery(within=(Stream(StreamKind.UNREAD),), before=(before + 1) * 1000 if before else None)
        named = {one for one, of in self.labels.items() if of == number}
        return [
            item.number
            for item in chosen(self.listed, query)
            if (item.feed == number if what == "feed" else not number or named & item.labels)
        ]


_MEMBERS: dict[str, Callable[[_Fever], dict[str, Any]]] = {
    "groups": _Fever.groups,
    "feeds": _Fever.list_feeds,
    "favicons": _Fever.favicons,
    "items": _Fever.items,
    "links": _Fever.links,
    "unread_item_ids": _Fever.unread_ids,
    "saved_item_ids": _Fever.saved_ids,
}


def _item(one: ItemContent) -> dict[str, Any]:
    return {
        "id": one.item.number,
        "feed_id": one.item.feed,
        "title": one.event.title or one.event.url,
        "author": author_of(one.revision.meta if one.revision else {}),
        "html": one.html,
        "url": one.event.url,
        "is_saved": int(one.item.is_kept),
        "is_read": int(not one.item.is_unread),
        "created_on_time": one.shown_at // 1000,
    }


def _numbers(text: str) -> list[int]:
    return [number for part in text.split(",") if (number := whole_number(part)) is not None]


def _joined(numbers: Any) -> str:
    return ",".join(map(str, numbers))
