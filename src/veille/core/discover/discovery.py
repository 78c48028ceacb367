"""Feed discovery: which feeds a page names or may have, and whether a feed is worth watching."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser

from veille.core.extract.tree.prescan import tree_of
from veille.core.feeds import Feed
from veille.core.language.languages import language_of
from veille.core.schedule import DAY
from veille.core.urls import join

#: Media types of feeds, the surest first.
_TYPES = {
    "application/atom+xml": 100,
    "application/rss+xml": 100,
    "application/feed+json": 95,
    "application/rdf+xml": 90,
    "application/json": 60,
    "application/xml": 60,
    "text/xml": 60,
}
#: Usual paths of feeds, if the page names none: WordPress, Jekyll, Hugo, Ghost, Blogger and many hand-made sites.
_PATHS = "/feed /feed/ /rss /rss.xml /feed.xml /atom.xml /index.xml /rss/ /feed.json /feeds/posts/default /blog/feed"
_ADDRESS = re.compile(
    r"(?:^|[/._?=-])(?:rss|atom|feeds?|rdf)(?:[/._?&=-]|[0-9.]*(?:xml)?$)|\.(?:rss|atom|rdf)$", re.IGNORECASE
)
_WORDS = re.compile(r"\b(?:rss|atom|feed|syndicat\w*|flux|subscribe)\b", re.IGNORECASE)
#: Feeds of comments are seldom wanted.
_COMMENTS = re.compile(r"comment|kommentar|commentaire|replies", re.IGNORECASE)

#: Why an address may be a feed.
DECLARED, LINKED, GUESSED = "declared by the page", "linked by the page", "a usual place"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """An address that may be a feed, and why."""

    url: str
    title: str = ""
    #: 100 if the page declares it as a feed, less for guesses.
    score: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedVerdict:
    """Whether a feed should be registered, with a readable reason."""

    accepted: bool
    #: `ok`, `empty`, `undated`, `stale` or `language`.
    finding: str
    reason: str
    newest_at: int | None = None
    language: str = ""


def feed_links(html: bytes | str, url: str) -> list[FeedLink]:
    """The possible feeds of a page, most likely first, each address once. ReadError for a parser attack."""
    tree = tree_of(html.encode("utf-8", "replace") if isinstance(html, str) else html)
    base = join(url, _attribute(tree.css_first("base[href]"), "href")) or url
    best: dict[str, FeedLink] = {}
    for found in (*_declared(tree, base), *_anchors(tree, base), *_well_known(url)):
        known = best.get(found.url)
        if known is None or found.score > known.score:
            best[found.url] = found
    return sorted(best.values(), key=lambda link: -link.score)


def verdict(
    feed: Feed, now: int, *, max_age_days: int = 7, languages: Iterable[str] = (), language: str | None = None
) -> FeedVerdict:
    """Whether the feed is active and in one of the wanted languages, if any (such as `en`).

    `language` is the language of its entries, if it is already known; otherwise `language_in` detects it.
    """
    if not feed.entries:
        return FeedVerdict(accepted=False, finding="empty", reason="The feed has no entries.")
    # A date in the future is a mistake, not a sign of activity; one day of tolerance for time zones.
    dates = [at for entry in feed.entries for at in (entry.updated_at, entry.published_at) if at and at <= now + DAY]
    if not dates:
        return FeedVerdict(accepted=False, finding="undated", reason="No entry says when it was published.")
    newest = max(dates)
    age = max(0, now - newest) // DAY
    found = FeedVerdict(accepted=False, finding="stale", reason=f"The newest entry is {age} days old", newest_at=newest)
    if now - newest > max_age_days * DAY:
        return replace(found, reason=f"{found.reason}; at most {max_age_days} are allowed.")
    wanted = tuple(languages)
    spoken = feed.language
    if wanted:
        spoken = language_in(feed) if language is None else language
    if wanted and spoken not in wanted:
        reason = f"The entries are in {spoken or 'no known language'}; wanted: {', '.join(wanted)}."
        return replace(found, finding="language", reason=reason, language=spoken)
    return replace(found, accepted=True, finding="ok", reason=f"{found.reason}.", language=spoken)


def language_in(feed: Feed) -> str:
    """The language of the entries, detected from their texts."""
    return language_of("\n".join(_texts(feed)), hint=feed.language)


def _texts(feed: Feed) -> Iterator[str]:
    for entry in feed.entries[:20]:
        yield f"{entry.title}. {re.sub(r'<[^>]*>', ' ', (entry.summary or entry.content)[:2000])}"


def _declared(tree: LexborHTMLParser, base: str) -> Iterator[FeedLink]:
    for node in tree.css("link[href]"):
        rels = _attribute(node, "rel").lower().split()
        kind = _attribute(node, "type").lower().partition(";")[0].strip()
        if "feed" not in rels and ("alternate" not in rels or kind not in _TYPES):
            continue
        title = _attribute(node, "title")
        score = _TYPES.get(kind, 90) - _penalty(title + _attribute(node, "href"))
        yield from _link(base, _attribute(node, "href"), title, score, DECLARED)


def _anchors(tree: LexborHTMLParser, base: str) -> Iterator[FeedLink]:
    for node in tree.css("a[href]"):
        href = _attribute(node, "href")
        text = node.text(strip=True)[:200] or _attribute(node, "title") or _attribute(node, "aria-label")
        if _ADDRESS.search(href.partition("#")[0]):
            score = (70 if _WORDS.search(text) else 50) - _penalty(text + href)
            yield from _link(base, href, text, score, LINKED)


def _well_known(url: str) -> Iterator[FeedLink]:
    for place, path in enumerate(_PATHS.split()):
        yield from _link(url, path, "", 30 - place, GUESSED)


def web_address(href: str) -> str:
    """The address without `feed:`, which old pages and lists write before or instead of `http:`.

    >>> web_address("feed://example.org/news.rss")
    'http://example.org/news.rss'
    """
    return re.sub(r"^feed:(?://(?!/)|(?=https?:))", lambda found: "http://" if "//" in found[0] else "", href.strip())


def _link(base: str, href: str, title: str, score: int, reason: str) -> Iterator[FeedLink]:
    href = web_address(href)
    target = join(base, href) if href else None
    if target:
        yield FeedLink(url=target, title=title.strip(), score=max(1, score), reason=reason)


def _penalty(text: str) -> int:
    return 40 if _COMMENTS.search(text) else 0


def _attribute(node: object, name: str) -> str:
    attributes: dict[str, str | None] = getattr(node, "attributes", None) or {}
    return (attributes.get(name) or "").strip()
