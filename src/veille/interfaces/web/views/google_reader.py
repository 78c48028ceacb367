"""Feeds and items in the shapes of the Google Reader protocol."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lxml import etree

from veille.core.dates import iso
from veille.core.readers.item_numbers import long_id
from veille.core.readers.streams import ReaderItem, StreamKind, label_id, state_id
from veille.core.text import xml_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.services.reading.reader_apps import ItemContent, ReaderFeed

_ATOM = "http://www.w3.org/2005/Atom"
_READER = "http://www.google.com/schemas/reader/atom/"


def subscription(feed: ReaderFeed) -> dict[str, Any]:
    """A feed in the list of all."""
    return {
        "id": feed_id(feed.number),
        "title": feed.source.name,
        "categories": [{"id": label_id(label), "label": label} for label in feed.labels],
        "url": feed.source.url,
        "htmlUrl": feed.source.url,
        "iconUrl": "",
        "sortid": f"{feed.number:08X}",
        "firstitemmsec": str(feed.source.created_at),
    }


def feed_id(number: int) -> str:
    """The id of the stream of a feed."""
    return f"feed/{number}"


def item_ref(item: ReaderItem) -> dict[str, Any]:
    """An item in a list of ids."""
    return {"id": str(item.number), "directStreamIds": [feed_id(item.feed)], "timestampUsec": str(item.at * 1000)}


def unread_counts(items: Iterable[ReaderItem], feeds: Sequence[ReaderFeed]) -> dict[str, Any]:
    """How many items of each stream are unread, and when the newest of them came."""
    labels = {feed.number: feed.labels for feed in feeds}
    counts: dict[str, int] = defaultdict(int)
    newest: dict[str, int] = defaultdict(int)
    for item in items:
        streams = (state_id(StreamKind.ALL), feed_id(item.feed), *map(label_id, labels[item.feed]))
        for stream in streams if item.is_unread else ():
            counts[stream] += 1
            newest[stream] = max(newest[stream], item.at)
    return {
        "max": 10_000,
        "unreadcounts": [
            {"id": stream, "count": count, "newestItemTimestampUsec": str(newest[stream] * 1000)}
            for stream, count in counts.items()
        ],
    }


def content(one: ItemContent, feed: ReaderFeed) -> dict[str, Any]:
    """An item with its content."""
    meta = one.revision.meta if one.revision else {}
    body = {"direction": "ltr", "content": one.html}
    return {
        "id": long_id(one.item.number),
        "crawlTimeMsec": str(one.item.at),
        "timestampUsec": str(one.item.at * 1000),
        "published": one.shown_at // 1000,
        "updated": one.event.at // 1000,
        "title": one.event.title or one.event.url,
        "author": author_of(meta),
        "categories": categories(one.item),
        "canonical": [{"href": one.event.url}],
        "alternate": [{"href": one.event.url, "type": "text/html"}],
        "summary": body,
        "content": body,
        "enclosure": [],
        "origin": {"streamId": feed_id(feed.number), "title": feed.source.name, "htmlUrl": feed.source.url},
    }


def categories(item: ReaderItem) -> list[str]:
    """The streams that an item is in, apart from that of its feed."""
    return [
        state_id(StreamKind.ALL),
        *([] if item.is_unread else [state_id(StreamKind.READ)]),
        *([state_id(StreamKind.STARRED)] if item.is_kept else []),
        *map(label_id, sorted(item.labels)),
    ]


def author_of(meta: dict[str, Any]) -> str:
    """Who wrote it, as one text."""
    authors = meta.get("authors") or meta.get("author") or []
    return authors if isinstance(authors, str) else ", ".join(map(str, authors))


def atom(stream: str, title: str, found: Sequence[tuple[ItemContent, ReaderFeed]], following: str) -> bytes:
    """Items as Atom, in which a category says that one is read or starred."""
    root = etree.Element(f"{{{_ATOM}}}feed", nsmap={None: _ATOM, "gr": _READER})  # type: ignore[dict-item]  # the stubs know no default
    _put(root, "id", f"tag:google.com,2005:reader/{stream}")
    _put(root, "title", title)
    _put(root, "updated", iso(max((one.event.at for one, _ in found), default=0)))
    if following:
        etree.SubElement(root, f"{{{_READER}}}continuation").text = following
    for one, feed in found:
        entry = etree.SubElement(root, f"{{{_ATOM}}}entry")
        _put(entry, "id", long_id(one.item.number))
        _put(entry, "title", one.event.title or one.event.url)
        _put(entry, "published", iso(one.shown_at))
        _put(entry, "updated", iso(one.event.at))
        etree.SubElement(entry, f"{{{_ATOM}}}link", rel="alternate", type="text/html", href=xml_safe(one.event.url))
        for term in map(xml_safe, categories(one.item)):
            label = term.rpartition("/")[2]
            etree.SubElement(
                entry, f"{{{_ATOM}}}category", term=term, scheme="http://www.google.com/reader/", label=label
            )
        etree.SubElement(entry, f"{{{_ATOM}}}content", type="html").text = xml_safe(one.html)
        _put(
            etree.SubElement(entry, f"{{{_ATOM}}}author"), "name", author_of(one.revision.meta if one.revision else {})
        )
        origin = etree.SubElement(entry, f"{{{_ATOM}}}source")
        _put(origin, "id", f"tag:google.com,2005:reader/{feed_id(feed.number)}")
        _put(origin, "title", feed.source.name)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _put(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{_ATOM}}}{name}").text = xml_safe(text)
