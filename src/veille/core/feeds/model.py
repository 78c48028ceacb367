"""What a feed says, whatever format it says it in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry as the publisher wrote it; title, summary and content are HTML without active parts."""

    guid: str = ""
    link: str = ""
    title: str = ""
    summary: str = ""
    content: str = ""
    authors: tuple[str, ...] = ()
    #: Milliseconds since 1970; None when the feed does not say or cannot be understood.
    published_at: int | None = None
    updated_at: int | None = None
    #: Addresses of attached files.
    enclosures: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = ""
    #: Whether a text of it was longer than is kept.
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed and its entries, in the publisher's order."""

    title: str = ""
    link: str = ""
    entries: tuple[Entry, ...] = ()
    language: str = ""
    #: Where the feed says it lives, where its older entries are, and who pushes its news.
    self_link: str = ""
    next_link: str = ""
    hubs: tuple[str, ...] = ()
    #: Which reader understood it: `json`, `strict`, `mended`, `loose` or `salvaged`.
    reader: str = "strict"
