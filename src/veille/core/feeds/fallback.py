"""The slow readers: feedparser, which reads nearly anything, and fastfeedparser to salvage entries from the rest."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from veille.core.feeds.machine import HTML_TYPES, mapped_type
from veille.core.feeds.markup import Cleaner
from veille.core.feeds.model import Entry, Feed
from veille.core.feeds.moments import at_of, moment

#: feedparser reads about one megabyte per second; larger feeds are left to the quick readers.
MAX_LENGTH = 2_000_000

# Exceptions that these parsers raised for broken input; a TypeError of ours would show in other tests.
_GIVES_UP = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def read_loose(text: str, base: str = "") -> Feed | None:
    """The feed as feedparser reads it; None if it finds no feed."""
    import feedparser  # noqa: PLC0415 - its parser is needed by one feed in twenty

    # Parsed without its address: ids must not depend on it. We clean the texts ourselves, in bounded time.
    headers = {"content-type": "application/xml; charset=utf-8"}
    data = f"<?xml version='1.0' encoding='utf-8'?>\n{text}".encode("utf-8", "replace")
    try:
        # A stream, because feedparser takes a string for an address or file name if it looks like one.
        result = feedparser.parse(
            io.BytesIO(data), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except _GIVES_UP:
        return None
    if not (result.get("version") or result["entries"] or {"title", "link"} & result["feed"].keys()):
        return None
    return _feed(result, base)


def salvage(text: str, known: Feed) -> Feed | None:
    """The known feed with the entries that fastfeedparser finds; None if it finds none."""
    import fastfeedparser  # noqa: PLC0415 - needed by one feed in hundreds

    try:
        result = fastfeedparser.parse(text.encode("utf-8", "replace"))
        entries = tuple(_salvaged(entry) for entry in result.get("entries") or ())
    except _GIVES_UP:
        return None
    about = result.get("feed") or {}
    title, link = known.title or _text(about.get("title")), known.link or _text(about.get("link"))
    return replace(known, title=title, link=link, entries=entries, reader="salvaged") if entries else None


def _feed(result: Any, base: str) -> Feed:
    cleaner = Cleaner()
    about = result["feed"]
    links = _dicts(dict.get(about, "links"))
    language = _text(dict.get(about, "language"))
    return Feed(
        title=_markup(about, "title", base, cleaner),
        link=_text(dict.get(about, "link")),
        entries=tuple(_entry(entry, language, base, cleaner) for entry in result["entries"]),
        language=language,
        next_link=next(iter(_hrefs(links, "next") + _hrefs(links, "prev-archive")), ""),
        reader="loose",
    )


def _entry(entry: Any, language: str, base: str, cleaner: Cleaner) -> Entry:
    # dict.get, because feedparser's own get() returns `published` for `updated`.
    contents = _dicts(dict.get(entry, "content"))
    people = (person.get("name") or person.get("email") for person in _dicts(dict.get(entry, "authors")))
    return Entry(
        guid=_text(dict.get(entry, "id")),
        link=_text(dict.get(entry, "link")),
        title=_markup(entry, "title", base, cleaner),
        summary=_markup(entry, "summary", base, cleaner),
        content=_cleaned(_text(contents[0].get("value")), contents[0], base, cleaner) if contents else "",
        authors=tuple(str(person) for person in people if person),
        published_at=at_of(dict.get(entry, "published_parsed")),
        updated_at=at_of(dict.get(entry, "updated_parsed")),
        enclosures=tuple(_hrefs(_dicts(dict.get(entry, "links")), "enclosure")),
        categories=tuple(dict.fromkeys(str(tag["term"]) for tag in _dicts(dict.get(entry, "tags")) if tag.get("term"))),
        language=_text(dict.get(entry, "language")) or language,
    )


def _markup(about: Any, name: str, base: str, cleaner: Cleaner) -> str:
    """A text as the parser left it, sanitised if it is markup."""
    value = _text(dict.get(about, name))
    # A summary may be a copy of the content, and a value need not belong to the last recorded details.
    noted = [dict.get(about, f"{name}_detail"), *_dicts(dict.get(about, "content"))]
    details = next((one for one in noted if isinstance(one, dict) and one.get("value") == value), {})
    return _cleaned(value, details, base, cleaner)


def _cleaned(value: str, details: dict[str, Any], base: str, cleaner: Cleaner) -> str:
    kind = mapped_type(_text(details.get("type")) or "text/html")
    return cleaner.clean(value, _text(details.get("base")) or base, kind) if kind in HTML_TYPES else value


def _salvaged(entry: Any) -> Entry:
    contents = _dicts(entry.get("content"))
    author = _text(entry.get("author"))
    return Entry(
        guid=_text(entry.get("id")),
        link=_text(entry.get("link")),
        title=_text(entry.get("title")),
        summary=_text(entry.get("description")),
        content=_text(contents[0].get("value")) if contents else "",
        authors=(author,) if author else (),
        published_at=moment(_text(entry.get("published"))),
        updated_at=moment(_text(entry.get("updated"))),
        enclosures=tuple(_text(item.get("url")) for item in _dicts(entry.get("enclosures")) if item.get("url")),
    )


def _hrefs(links: list[dict[str, Any]], rel: str) -> list[str]:
    return [str(link["href"]) for link in links if link.get("rel") == rel and link.get("href")]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
