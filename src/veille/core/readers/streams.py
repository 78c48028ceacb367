"""Streams of the Google Reader protocol: which items belong to one, and in which order they are listed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

_STATE = re.compile(r"user/[^/]+/state/com\.google/(.+)")
_LABEL = re.compile(r"user/[^/]+/label/(.+)", re.DOTALL)
_FEED = re.compile(r"feed/(.+)", re.DOTALL)


class StreamKind(StrEnum):
    """What a stream has."""

    ALL = "reading-list"
    READ = "read"
    UNREAD = "kept-unread"
    STARRED = "starred"
    LABEL = "label"
    FEED = "feed"
    #: States that mean nothing here, such as `broadcast`: they have no items.
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream by its id; `name` is that of a label, or the number or address of a feed."""

    kind: StreamKind
    name: str = ""

    @property
    def feed(self) -> int | None:
        """The number of the feed."""
        is_number = self.kind is StreamKind.FEED and self.name.isascii() and self.name.isdigit()
        return int(self.name) if is_number and len(self.name) < 16 else None  # noqa: PLR2004 - digits of a number


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderItem:
    """An item in a list: the last change of a document, and what its user did with it."""

    number: int
    dossier_id: str
    seq: int
    at: int
    document_id: str
    feed: int
    is_unread: bool
    is_kept: bool
    #: Names of the folders that its feed is in, and of its own tags.
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """Which items are asked for."""

    stream: Stream = Stream(StreamKind.ALL)
    #: Only those that are also in all of these, and in none of those.
    within: tuple[Stream, ...] = ()
    without: tuple[Stream, ...] = ()
    #: Listed at this time or later, and before that time, in milliseconds.
    since: int = 0
    before: int | None = None
    is_oldest_first: bool = False
    limit: int = 20
    #: Where the page before ended.
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """A page of a list of items; `following` continues it, and is empty after the last."""

    items: list[ReaderItem] = field(default_factory=list)
    following: str = ""

    def up_to(self, last: ReaderItem) -> ItemPage:
        """The page itself if it ends with that item, else a shorter one that does."""
        numbers = [one.number for one in self.items]
        if numbers[-1] == last.number:
            return self
        return ItemPage(items=self.items[: numbers.index(last.number) + 1], following=_written_place(last))


def stream_of(text: str) -> Stream | None:
    """The stream of an id; None if it is none.

    >>> stream_of("user/-/label/News"), stream_of("feed/3").feed, stream_of("user/1/state/com.google/read").kind
    (Stream(kind=<StreamKind.LABEL: 'label'>, name='News'), 3, <StreamKind.READ: 'read'>)
    """
    if found := _LABEL.fullmatch(text):
        return Stream(StreamKind.LABEL, found[1])
    if found := _FEED.fullmatch(text):
        return Stream(StreamKind.FEED, found[1])
    if found := _STATE.fullmatch(text):
        states = {"reading-list", "read", "kept-unread", "starred"}
        return Stream(StreamKind(found[1]) if found[1] in states else StreamKind.OTHER, found[1])
    return None


def label_id(name: str) -> str:
    """The id of the stream of a label."""
    return f"user/-/label/{name}"


def state_id(kind: StreamKind) -> str:
    """The id of the stream of a state."""
    return f"user/-/state/com.google/{kind.value}"


def belongs(item: ReaderItem, stream: Stream) -> bool:
    """Whether an item is in a stream."""
    if stream.kind is StreamKind.LABEL:
        return stream.name in item.labels
    if stream.kind is StreamKind.FEED:
        return item.feed == stream.feed
    states = {StreamKind.ALL: True, StreamKind.READ: not item.is_unread, StreamKind.UNREAD: item.is_unread}
    return item.is_kept if stream.kind is StreamKind.STARRED else states.get(stream.kind, False)


def chosen(items: Iterable[ReaderItem], query: ItemQuery) -> list[ReaderItem]:
    """All items that are asked for, in order."""
    found = [
        item
        for item in items
        if item.at >= query.since
        and (query.before is None or item.at < query.before)
        and belongs(item, query.stream)
        and all(belongs(item, one) for one in query.within)
        and not any(belongs(item, one) for one in query.without)
    ]
    return sorted(found, key=_place, reverse=not query.is_oldest_first)


def page_of(items: Iterable[ReaderItem], query: ItemQuery) -> ItemPage:
    """The next page of what is asked for. A list that grows meanwhile repeats nothing and skips nothing."""
    found = chosen(items, query)
    if query.after:
        end = _read_place(query.after)
        # What is no place is the end of the list: its beginning would be sent again and again.
        found = [one for one in found if end and (_place(one) > end if query.is_oldest_first else _place(one) < end)]
    page = found[: query.limit]
    return ItemPage(items=page, following=_written_place(page[-1]) if page and len(found) > len(page) else "")


def _place(item: ReaderItem) -> tuple[int, int]:
    return item.at, item.number


def _written_place(item: ReaderItem) -> str:
    return f"{item.at}-{item.number}"


def _read_place(text: str) -> tuple[int, int] | None:
    at, _, number = text.partition("-")
    is_place = all(part.isascii() and part.isdigit() and len(part) < 19 for part in (at, number))  # noqa: PLR2004 - digits
    return (int(at), int(number)) if is_place else None
