"""Public API of the feed parser: the bytes of any feed in, plain values out."""

from __future__ import annotations

from typing import Any

from veille.core.dates import iso
from veille.core.feeds import Entry, parse_feed

__all__ = ["parse"]


def parse(data: bytes) -> dict[str, Any]:
    """The feed's title, link and entries; ReadError if these bytes are not a feed.

    Texts are HTML without active content. As in feedparser, `updated` defaults to the publication date.

    >>> parse(b"<rss><channel><title>News</title><item><title>One</title></item></channel></rss>")["title"]
    'News'
    """
    feed = parse_feed(data)
    return {"title": feed.title, "link": feed.link, "entries": [_entry(entry) for entry in feed.entries]}


def _entry(entry: Entry) -> dict[str, Any]:
    published = None if entry.published_at is None else iso(entry.published_at)
    return {
        "id": entry.guid,
        "title": entry.title,
        "link": entry.link,
        "published": published,
        "updated": published if entry.updated_at is None else iso(entry.updated_at),
        "summary": entry.summary,
        "content": entry.content,
        "authors": list(entry.authors),
        "enclosures": list(entry.enclosures),
    }
