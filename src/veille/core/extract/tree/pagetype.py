"""The type of a page by simple rules, the topic of its news, and what its kind gives the block model as numbers."""

from __future__ import annotations

import re
from typing import Final

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
_TYPE: Final = re.compile(rb'"@type"\s*:\s*\[?\s*"(\w+)"')
_DIGIT: Final = re.compile(r"\d")
_OG: Final = re.compile(rb"""og:type["'][^>]{0,40}content=["']?([\w.:]+)""")
_SCHEMA: Final = (
    frozenset({b"Product", b"ProductGroup"}),
    frozenset({b"CollectionPage", b"ItemList", b"OfferCatalog"}),
)
_PATHS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"product|/p/|/dp/|/item|/ip/|sku|/buy/",
        r"docs|documentation|reference|manual|guide|/api|wiki|/help|developer|learn",
        r"blog|news|article|story|/20\d\d|post",
    )
)


def schema_types(data: bytes) -> set[bytes]:
    """Every schema.org type named in the page's JSON."""
    # Searching one byte runs at memory speed; the pattern alone would take longer than parsing.
    found = set()
    at = data.find(b"@")
    while at >= 0:
        if data.startswith(b'@type"', at):
            match = _TYPE.match(data, at - 1)
            if match:
                found.add(match.group(1))
        at = data.find(b"@", at + 1)
    return found


def og_type(data: bytes) -> str:
    """The OpenGraph type in lower case, or empty."""
    at = data.find(b"og:type")
    match = _OG.match(data, at) if at >= 0 else None
    return match.group(1).decode("ascii", "replace").lower() if match else ""


def page_facts(types: set[bytes], kind: str, url: str) -> tuple[float, ...]:
    """Features from schema types, OpenGraph type, and the words and shape of the address."""
    lower = url.lower()
    path = url.partition("://")[2].partition("/")[2].partition("?")[0].strip("/")
    last = path.rpartition("/")[2]
    return (
        *(float(not types.isdisjoint(names)) for names in _SCHEMA),
        float(kind.startswith("product")),
        *(float(pattern.search(lower) is not None) for pattern in _PATHS),
        float(path.count("/") + bool(path)),
        float(last.count("-") + last.count("_")),
        float(len(_DIGIT.findall(last))),
    )


def article_type(types: set[bytes], kind: str, url: str) -> str:
    """One of article, collection, documentation, forum, listing, product, service; empty if unknown."""
    for name, named in _BY_SCHEMA:
        if not types.isdisjoint(named):
            return name
    if kind == "article" or kind.startswith("product"):
        return kind.partition(".")[0]
    return next((name for name, pattern in _BY_URL if pattern.search(url)), "")


def category_guess(section: str, tags: tuple[str, ...], url: str, title: str) -> str:
    """politics, sports or other, by the words of section, tags, address and title."""
    words = set(_WORD.findall(" ".join((section, *tags, url, title)).lower()))
    return next((topic for topic, signs in _TOPICS.items() if not words.isdisjoint(signs.split())), "other")
