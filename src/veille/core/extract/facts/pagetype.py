"""Rule-based guesses: the type of a page, and the topic of its news."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from veille.core.extract._types import Page

_BY_SCHEMA: Final = (
    ("forum", frozenset({b"DiscussionForumPosting", b"QAPage"})),
    ("product", frozenset({b"Product", b"ProductGroup"})),
    ("article", frozenset({b"Article", b"NewsArticle", b"BlogPosting", b"ReportageNewsArticle"})),
    ("documentation", frozenset({b"TechArticle", b"APIReference"})),
    ("collection", frozenset({b"CollectionPage", b"OfferCatalog"})),
    ("listing", frozenset({b"ItemList", b"SearchResultsPage"})),
)
_BY_URL: Final = (
    (
        "forum",
        re.compile(r"//(?:forums?|community|discuss)\.|/(?:forums?|threads?|topic|questions|view|showthread)\b"),
    ),
    ("documentation", re.compile(r"//(?:docs?|developer|wiki)\.|/(?:docs?|documentation|reference|manual|wiki|api)/")),
    ("product", re.compile(r"/(?:products?|p|dp|ip|itm)/[^/]")),
    ("collection", re.compile(r"/(?:collections?|category|categories|shop|c)/")),
    ("listing", re.compile(r"/(?:tags?|search|list|archive|jobs)\b")),
    ("article", re.compile(r"/(?:blog|news|articles?|story|post)s?/[^/]|/20\d\d/\d\d?/")),
    ("service", re.compile(r"/(?:services?|solutions?|pricing|features|platform)\b")),
)
_TOPICS: Final = {
    "politics": "politics political election elections parliament government senate congress policy politik politique",
    "sports": "sport sports football soccer basketball tennis baseball cricket olympics nfl nba fifa rugby deportes",
}
_WORD: Final = re.compile(r"[^\W\d_]+")


def article_type(page: Page) -> str:
    """One of article, collection, documentation, forum, listing, product, service; empty if unknown."""
    named = page.types
    for name, types in _BY_SCHEMA:
        if not named.isdisjoint(types):
            return name
    kind = page.kind
    if kind == "article" or kind.startswith("product"):
        return kind.partition(".")[0]
    return next((name for name, pattern in _BY_URL if pattern.search(page.url)), "")


def category_guess(section: str, tags: tuple[str, ...], url: str, title: str) -> str:
    """politics, sports or other, by the words of section, tags, address and title."""
    words = set(_WORD.findall(" ".join((section, *tags, url, title)).lower()))
    return next((topic for topic, signs in _TOPICS.items() if not words.isdisjoint(signs.split())), "other")
