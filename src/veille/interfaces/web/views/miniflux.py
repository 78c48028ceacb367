"""Feeds, categories and entries in the shapes of the Miniflux protocol."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from veille.core.dates import iso
from veille.core.models import AILING
from veille.interfaces.web.views.google_reader import author_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veille.services.reading.reader_apps import ItemContent, ReaderFeed

#: An app sees one user, its own.
USER = 1
#: As fast as Miniflux says that people read.
_WORDS_A_MINUTE = 265


def category(number: int, title: str) -> dict[str, Any]:
    """A dossier."""
    return {"id": number, "title": title, "user_id": USER, "hide_globally": False}


def feed(one: ReaderFeed, categories: Mapping[str, int], *, has_icon: bool) -> dict[str, Any]:
    """A source. Apps that are strict want every member, also those that mean nothing here."""
    source = one.source
    return {
        "id": one.number,
        "user_id": USER,
        "title": source.name,
        "site_url": source.url,
        "feed_url": source.url,
        "checked_at": iso(source.checked_at or 0),
        "next_check_at": iso((source.checked_at or source.created_at) + (source.pace_ms or source.interval_ms)),
        "parsing_error_message": source.error if source.state in AILING else "",
        "parsing_error_count": source.failures,
        "disabled": not source.enabled,
        "category": category(categories[one.dossier.name], one.dossier.name),
        "icon": {"feed_id": one.number, "icon_id": one.number, "external_icon_id": ""} if has_icon else None,
        **dict.fromkeys(_TEXTS, ""),
        **dict.fromkeys(_SWITCHES, False),
    }


_TEXTS = (
    *("etag_header", "last_modified_header", "scraper_rules", "rewrite_rules", "blocklist_rules", "keeplist_rules"),
    *("urlrewrite_rules", "user_agent", "cookie", "username", "password", "description"),
)
_SWITCHES = (
    *("crawler", "ignore_http_cache", "fetch_via_proxy", "allow_self_signed_certificates", "hide_globally"),
    *("no_media_player", "disable_http2"),
)


def entry(one: ItemContent, told: dict[str, Any]) -> dict[str, Any]:
    """An item with its content, and with its feed as told."""
    meta = one.revision.meta if one.revision else {}
    words = len(one.revision.text.split()) if one.revision else 0
    return {
        "id": one.item.number,
        "user_id": USER,
        "feed_id": one.item.feed,
        "status": "unread" if one.item.is_unread else "read",
        "hash": hashlib.sha256(f"{one.event.revision_id} {one.event.seq}".encode()).hexdigest(),
        "title": one.event.title or one.event.url,
        "url": one.event.url,
        "comments_url": "",
        "published_at": iso(one.shown_at),
        "created_at": iso(one.event.at),
        "changed_at": iso(one.event.at),
        "content": one.html,
        "author": author_of(meta),
        "share_code": "",
        "starred": one.item.is_kept,
        "reading_time": -(-words // _WORDS_A_MINUTE),
        "enclosures": [],
        "tags": sorted(one.item.labels - {told["category"]["title"]}),
        "feed": told,
    }
