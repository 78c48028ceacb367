"""Examination of an answer before a source is added: the recommended kind, the feeds it names, and page or feed.

A feed costs less than its page; it replaces the page if it covers what the page shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from veille.core.crawl.index_files import folder_key
from veille.core.discover.detect import Advice, Alternative, counted, judge
from veille.core.discover.discovery import GUESSED, LINKED, FeedLink, feed_links, language_in, verdict
from veille.core.extract.tree.prescan import tree_of
from veille.core.feeds import Feed, parse_feed
from veille.core.text import printed
from veille.core.traffic import Failure, Payload
from veille.core.urls import join, url_key
from veille.errors import ReadError

#: Maximum number of links of a page that are compared with the entries of a feed.
_MOST_LINKS: Final = 5000
#: A feed without new entries for so long may be abandoned while its page is still updated.
FRESH_DAYS: Final = 90
#: Below these scores are feeds of comments, and JSON that may be anything.
_SURE: Final = 90
_SURE_LINK: Final = 50
#: Number of entries of a feed that are compared; a page that lists the feed links to at least half of them.
_FIRST: Final = 10


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


def candidates(page: Examined) -> list[FeedLink]:
    """The feeds that a page declares or links to, the most certain first.

    If a front page names none, one usual place is tried, and only one: each costs a request.
    """
    named = [link for link in page.links if link.score >= (_SURE_LINK if link.reason == LINKED else _SURE)]
    guesses = [link for link in page.links if link.reason == GUESSED][:1]
    return named or (guesses if _is_front(folder_key(page.url)) else [])


def feed_instead(page: Examined, links: list[FeedLink], found: FeedSeen | Failure, now: int) -> Advice:
    """The judgement about a page, given its first feed or its failure: the feed, if it can replace the page."""
    best, judged = links[0], page.judgement
    if isinstance(found, Failure):
        why_not = f"that cannot be read ({found.code})"
    else:
        why_not = _objection(page, best, found.feed, now)
    if isinstance(found, Failure) or why_not:
        if best.reason == GUESSED:
            return judged
        others = tuple(map(_as_alternative, links))
        reason = f"It is a web page. It names a feed, but {why_not}."
        return replace(judged, reason=reason, alternatives=(*others, *judged.alternatives))
    count = counted(len(links), "feed", "feeds")
    entries = counted(len(found.feed.entries), "entry", "entries")
    itself = Alternative(kind="page", url=judged.url, reason="watches the page itself")
    return Advice(
        kind="feed",
        url=best.url,
        reason=f"The page has {count}: one with {entries} is watched, as it costs less.",
        name=page.title or printed(found.feed.title),
        alternatives=(itself, *map(_as_alternative, links[1:]), *judged.alternatives),
    )


def _objection(page: Examined, link: FeedLink, feed: Feed, now: int) -> str:
    judged = verdict(feed, now, max_age_days=FRESH_DAYS)
    if not judged.accepted:
        return f"that is not alive ({judged.finding}): {judged.reason[0].lower()}{judged.reason[1:].rstrip('.')}"
    here = folder_key(page.url)
    entries = {url_key(entry.link) for entry in feed.entries[:_FIRST] if entry.link.startswith("http")}
    if here in entries:
        return "the page is one of its entries"
    is_under_it = url_key(link.url).startswith(here)
    is_its_page = feed.link.startswith("http") and folder_key(feed.link) == here
    if _is_front(here) or is_under_it or is_its_page or _lists(page, entries):
        return ""
    return "that is of the whole site and not of this page"


def _lists(page: Examined, entries: set[str]) -> bool:
    """Whether the page links to at least half of the feed's entries."""
    return bool(entries) and 2 * len(page.linked & entries) >= len(entries)


def _is_front(key: str) -> bool:
    return "/" not in key and "?" not in key


def _as_alternative(link: FeedLink) -> Alternative:
    return Alternative(kind="feed", url=link.url, reason=f"{link.reason}{f': {link.title}' if link.title else ''}")
