"""Metadata of a page, from its head, JSON-LD and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from itertools import chain
from typing import Any, Final

from veille.core.dates import parse_date
from veille.core.extract._types import UNTITLED, Metadata, Page, PageFeed, PageLink
from veille.core.extract.tree.hidden import visible
from veille.core.extract.tree.page_data import types
from veille.core.extract.tree.pagetype import category_guess
from veille.core.language.languages import contradicts, language_of

_FEEDS: Final = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/json"})
_ARTICLES: Final = re.compile(r"Article|Posting|Report|WebPage|Review|Recipe|HowTo|Product")
_PROSE: Final = re.compile(r"Article|Posting|Report")
_BY: Final = re.compile(r"^(?:by|von|par|por|di|da)\s+", re.IGNORECASE)
#: Names of metas, the preferred first.
_TITLES: Final = ("dc:title", "dcterm:title", "og:title", "parsely-title")
_DESCRIPTIONS: Final = ("dc:description", "dcterm:description", "og:description", "description", "twitter:description")
_CREATORS: Final = ("dc:creator", "dcterm:creator")
_AUTHORS: Final = ("author", "article:author", "dc.creator", "parsely-author")
_MAX_AUTHOR: Final = 100
#: Selectors for the author in the body, the most reliable first, each with the `Page.notes` pairs it depends on.
_BYLINES: Final = (
    ('[rel="author"],[itemprop~="author"]', (("rel", "author"), ("itemprop", "author"))),
    ('[class*="byline" i],[id*="byline" i]', (("class", "byline"), ("id", "byline"))),
    ('[class*="author" i]:not([class*="authority" i])', (("class", "author"),)),
)
_MAX_BYLINE: Final = 60
_SEPARATOR: Final = re.compile(r"\s[|\-–—\\/>»]\s")  # noqa: RUF001 - dashes of every length separate
_PROPERTIES: Final = {"published": "datePublished", "modified": "dateModified"}
_METAS: Final = {
    "published": (
        "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
        "dcterms.created", "pubdate", "publishdate", "parsely-pub-date", "sailthru.date", "citation_publication_date",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified", "revised",
    ),
}  # fmt: skip
_IN_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)(?:[/-](\d\d?))?(?=[/-])")
#: A title cut shorter than this may have lost more than the name of the site.
_TITLE_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class _Head:
    """The metas and links of a page, and the JSON-LD item that describes the page itself."""

    metas: dict[str, list[str]]
    links: list[dict[str, str]]
    item: dict[str, Any]

    def first(self, *names: str) -> str | None:
        """The first of these metas that is not blank."""
        for name in names:
            for value in self.metas.get(name, ()):
                if value:
                    return value
        return None


def read_metadata(page: Page, text: str) -> Metadata:
    """Everything but the content; `text` is used to guess what the page does not state."""
    head = _read_head(page)
    published, origin = _first_date(page, head, "published")
    modified, _origin = _first_date(page, head, "modified")
    section = head.first("article:section", "section") or _text(head.item.get("articleSection")) or ""
    tags = _tags(head)
    title = _stated(head, "headline", "name") or head.first(*_TITLES) or _title(page, head) or _heading(page)
    canonical = next((link["href"] for link in head.links if "canonical" in link["rel"].split()), None)
    return Metadata(
        title=title or UNTITLED,
        description=_stated(head, "description") or head.first(*_DESCRIPTIONS) or "",
        authors=_authors(head) or _byline(page),
        site_name=head.first("og:site_name", "application-name")
        or _text(_dict(head.item.get("publisher")).get("name"))
        or "",
        lang=_language(page, head, text),
        published_at=published,
        modified_at=modified,
        date_origin=origin,
        canonical_url=page.base.absolute(canonical) if canonical else "",
        section=section,
        tags=tags,
        images=_images(page, head),
        feeds=_feeds(page, head),
        robots=head.first("robots") or "",
        article_type=page.article_type,
        category_guess=category_guess(section, tags, page.url, title),
        find_links=lambda: _links(page),
    )


def _read_head(page: Page) -> _Head:
    metas: dict[str, list[str]] = {}
    for attributes, _ in page.marked["meta"]:
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name and "content" in attributes:
            # Many sites escape these values twice.
            content = " ".join(unescape(attributes["content"] or "").split())
            for word in name.lower().split():
                metas.setdefault(word, []).append(content)
    links = [
        {key: attributes.get(key) or "" for key in ("rel", "href", "type", "title")}
        for attributes, _ in page.marked["link"]
        if attributes.get("rel") and attributes.get("href")
    ]
    found = [item for item in page.items if any(_ARTICLES.search(kind) for kind in types(item))]
    # Of several items the one with a date or headline describes the page; a bare WebPage often only names the site.
    item = next((item for item in found if "datePublished" in item or "headline" in item), found[0] if found else {})
    return _Head(metas, links, item)


def _stated(head: _Head, *names: str) -> str | None:
    """A value from the JSON-LD of an article; metas are often written for sharing, other items for other things."""
    is_article = any(_PROSE.search(kind) for kind in types(head.item)) and "@origin" not in head.item
    return next((said for name in names if (said := _text(head.item.get(name)))), None) if is_article else None


def _title(page: Page, head: _Head) -> str:
    """The title without the site name, if the page's data or a separator shows which part that is."""
    for stated in (_text(head.item.get("name")), _text(head.item.get("headline"))):
        if stated and (stated in page.title or not page.title):
            return stated
    before = _SEPARATOR.split(page.title)[:-1]
    end = page.title.rfind(before[-1]) + len(before[-1]) if before else 0
    short = page.title[:end]
    return short if len(short.split()) >= _TITLE_WORDS else page.title


def _first_date(page: Page, head: _Head, kind: str) -> tuple[int | None, str]:
    """The date in milliseconds and where it was found: json-ld, microdata, meta, time or url."""
    stated, said_in = head.item.get(_PROPERTIES[kind]), head.item.get("@origin", "json-ld")
    for origin, value in ((said_in, stated), ("meta", head.first(*_METAS[kind]))):
        at = parse_date(value) if isinstance(value, str) else None
        if at is not None:
            return at, origin
    if kind == "modified":
        return None, ""
    stated = next((attributes.get("datetime") for attributes, _ in page.marked["time"]), None)
    at = parse_date(stated) if stated else None
    if at is not None:
        return at, "time"
    match = _IN_URL.search(page.url)
    at = parse_date(f"{match[1]}-{int(match[2]):02}-{int(match[3] or 1):02}") if match else None
    return at, "url" if at is not None else ""


def _byline(page: Page) -> tuple[str, ...]:
    """The first short text in the body that is marked as the author."""
    for node in chain.from_iterable(page.root.css(selector) for selector, hints in _BYLINES if page.notes(*hints)):
        name = node.css_first('[itemprop~="name"]') or node
        found = _BY.sub("", " ".join((name.text() or "").split()))
        if 0 < len(found) <= _MAX_BYLINE and visible(node.attributes):
            return (found,)
    return ()


def _heading(page: Page) -> str:
    return next((" ".join(text.split()) for _, text in page.marked["h1"]), "")


def _text(value: Any) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("name")
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _unique(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _authors(head: _Head) -> tuple[str, ...]:
    stated = head.item.get("author")
    people = stated if isinstance(stated, list) else [stated]
    names = [_text(person) for person in people]
    # Microdata marks displayed text, in whatever format it has: metas are more reliable.
    if not any(names) or "@origin" in head.item:
        stated_by = next((head.metas[name] for name in _CREATORS if head.metas.get(name)), [])
        names = [*stated_by] or [name for key in _AUTHORS for name in head.metas.get(key, [])] or names
    cleaned = (_BY.sub("", name.strip()) for name in names if name and not name.startswith("http"))
    return _unique(name for name in cleaned if len(name) <= _MAX_AUTHOR)


def _tags(head: _Head) -> tuple[str, ...]:
    stated = head.item.get("keywords")
    words = stated if isinstance(stated, list) else str(stated or "").split(",")
    words = [*head.metas.get("article:tag", []), *words, *(head.first("keywords", "news_keywords") or "").split(",")]
    return _unique(" ".join(word.split()) for word in words if isinstance(word, str))


def _language(page: Page, head: _Head, text: str) -> str:
    root = page.tree.root
    declared = (root.attributes.get("lang") or root.attributes.get("xml:lang")) if root is not None else None
    declared = declared or head.first("og:locale", "content-language", "language")
    named = (declared or "").replace("_", "-").split("-")[0].strip().lower()[:8]
    # Many pages declare the language of the software that generated them.
    return named if named and not contradicts(named, text) else language_of(text)


def _images(page: Page, head: _Head) -> tuple[str, ...]:
    stated = head.item.get("image")
    listed = [
        image.get("url") if isinstance(image, dict) else image
        for image in (stated if isinstance(stated, list) else [stated])
    ]
    found = [*head.metas.get("og:image", []), *head.metas.get("twitter:image", []), *listed]
    return _unique(page.base.absolute(image) for image in found if isinstance(image, str))


def _links(page: Page) -> tuple[PageLink, ...]:
    """Every link of the page once, in order; the first text wins."""
    found: dict[str, PageLink] = {}
    left = page.find((("a", "href", "", True),))[::-1]
    while left:
        # Release each one at once: a page may have a hundred thousand links.
        _, attributes, text = left.pop()
        href = (attributes.get("href") or "").strip()
        url = "" if href.startswith("#") else page.base.absolute(href)
        if url and url not in found:
            found[url] = PageLink(url=url, text=" ".join(text.split()), rel=attributes.get("rel") or "")
    return tuple(found.values())


def _feeds(page: Page, head: _Head) -> tuple[PageFeed, ...]:
    found = []
    for link in head.links:
        media_type = link["type"].partition(";")[0].strip().lower()
        url = page.base.absolute(link["href"])
        if url and media_type in _FEEDS and "alternate" in link["rel"].lower().split():
            found.append(PageFeed(url=url, title=link["title"], media_type=media_type))
    return tuple(found)
