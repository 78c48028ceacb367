"""Examination of an answer before a source is added: the recommended kind, and the feeds it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from veille.core.discover.detect import Advice, judge
from veille.core.discover.discovery import FeedLink, feed_links, language_in
from veille.core.extract.tree.prescan import tree_of
from veille.core.feeds import Feed, parse_feed
from veille.core.text import printed
from veille.core.traffic import Payload
from veille.core.urls import join, url_key
from veille.errors import ReadError

#: Maximum number of links of a page that are compared with the entries of a feed.
_MOST_LINKS: Final = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSeen:
    """A feed without the texts of its entries, and their language."""

    feed: Feed
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The facts about an answer."""

    judgement: Advice
    #: The address after redirects.
    url: str
    #: The feeds that a page names or may have, most likely first.
    links: tuple[FeedLink, ...] = ()
    title: str = ""
    #: The keys of the addresses that a page links to.
    linked: frozenset[str] = frozenset()
    #: Set if the answer itself is a feed.
    feed: FeedSeen | None = None


def seen(payload: Payload) -> Examined:
    """Examine an answer. ReadError for a page that attacks the parser."""
    judged = judge(payload)
    found = Examined(judgement=judged, url=payload.final_url)
    if judged.kind == "feed" or "xml" in payload.media_type:
        try:
            return replace(found, feed=feed_seen(payload))
        except ReadError:
            return found
    return _page_seen(found, payload) if judged.is_page else found


def feed_seen(payload: Payload) -> FeedSeen:
    """Read an answer as a feed; ReadError if it is none."""
    feed = parse_feed(payload.body, payload.final_url, payload.charset)
    entries = tuple(replace(one, summary="", content="", enclosures=(), categories=()) for one in feed.entries)
    return FeedSeen(feed=replace(feed, entries=entries), language=language_in(feed))


def _page_seen(found: Examined, payload: Payload) -> Examined:
    # Before the tree: this parses the page too, and the tree of a large page takes 70 MB.
    links = tuple(feed_links(payload.body, payload.final_url))
    tree = tree_of(payload.body)
    title = tree.css_first("title")
    targets = (join(payload.final_url, node.attributes.get("href") or "") for node in tree.css("a[href]")[:_MOST_LINKS])
    return replace(
        found,
        links=links,
        title=printed(title.text()) if title is not None else "",
        linked=frozenset(url_key(target) for target in targets if target),
    )
