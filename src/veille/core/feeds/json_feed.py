"""JSON Feed 1.0 and 1.1. A field of the wrong type is dropped, not the feed."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from veille.core.feeds.markup import Cleaner
from veille.core.feeds.model import Entry, Feed
from veille.core.feeds.moments import moment
from veille.core.http.charset import without_halves
from veille.errors import ReadError


def looks_like_json(text: str) -> bool:
    """Whether this is a JSON object rather than XML."""
    return text[:1000].lstrip("\ufeff \t\r\n").startswith("{")


def read_json(text: str, base: str = "") -> Feed:
    """The feed in this JSON, or ReadError."""
    try:
        value = json.loads(without_halves(text.lstrip("\ufeff")))
    except (ValueError, RecursionError) as error:
        raise ReadError(f"This is not a feed: it starts as JSON, but {error}.", code="feed.malformed") from error
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in (_text(value, "version") or "jsonfeed.org"):
        raise ReadError(
            "This is JSON, but no JSON Feed: it has no list of items. An api source can read it.",
            code="feed.unknown_format",
        )
    cleaner = Cleaner()
    return Feed(
        title=_text(value, "title"),
        link=_text(value, "home_page_url"),
        entries=tuple(_entry(item, value, cleaner, base) for item in _objects(value, "items")),
        language=_text(value, "language"),
        next_link=_text(value, "next_url"),
        reader="json",
    )


def _entry(item: dict[str, Any], feed: dict[str, Any], cleaner: Cleaner, base: str) -> Entry:
    html = cleaner.clean(_text(item, "content_html"), base)
    return Entry(
        guid=_text(item, "id"),
        link=_text(item, "url") or _text(item, "external_url"),
        title=_text(item, "title"),
        summary=_text(item, "summary"),
        content=html or escape(_text(item, "content_text"), quote=False),
        authors=_authors(item) or _authors(feed),
        published_at=moment(_text(item, "date_published")),
        updated_at=moment(_text(item, "date_modified")),
        enclosures=tuple(_text(file, "url") for file in _objects(item, "attachments") if _text(file, "url")),
        categories=tuple(tag for tag in _list(item, "tags") if isinstance(tag, str) and tag),
        language=_text(item, "language") or _text(feed, "language"),
    )


def _authors(value: dict[str, Any]) -> tuple[str, ...]:
    people = _objects(value, "authors")
    if not people and isinstance(value.get("author"), dict):  # version 1.0 has one author
        people = [value["author"]]
    names = (_text(person, "name") or _text(person, "url") for person in people)
    return tuple(name for name in names if name)


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    # Ids are often numbers, against the specification; lone surrogates are not text.
    if isinstance(found, int | float) and not isinstance(found, bool):
        return str(found)
    return found.encode("utf-8", "replace").decode().strip() if isinstance(found, str) else ""


def _list(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _objects(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [item for item in _list(value, key) if isinstance(item, dict)]
