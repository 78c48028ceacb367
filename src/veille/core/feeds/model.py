"""A feed and its entries, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry as published; title, summary and content are HTML without active parts."""

    guid: str = ""
    link: str = ""
    title: str = ""
    summary: str = ""
    content: str = ""
    authors: tuple[str, ...] = ()
    #: Milliseconds since 1970; None if the feed gives none or it cannot be parsed.
    published_at: int | None = None
    updated_at: int | None = None
    #: Addresses of attached files.
    enclosures: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = ""
    #: Whether one of its texts was cut at the maximum length.
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed and its entries, in the publisher's order."""

    title: str = ""
    link: str = ""
    entries: tuple[Entry, ...] = ()
    language: str = ""
    #: The address of its older entries.
    next_link: str = ""
    #: The reader that parsed it: `json`, `strict`, `mended`, `loose` or `salvaged`.
    reader: str = "strict"
