"""Public API of the feed parser: the bytes of any feed in, plain values out."""

from __future__ import annotations

from typing import Any

from veille.core.dates import iso_or_none
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
    published = iso_or_none(entry.published_at)
    updated = iso_or_none(entry.updated_at) or published
    found = {"id": entry.guid, "title": entry.title, "link": entry.link, "published": published, "updated": updated}
    texts = {"summary": entry.summary, "content": entry.content}
    return found | texts | {"authors": list(entry.authors), "enclosures": list(entry.enclosures)}
