"""Metadata of a page, from its head, JSON-LD and links."""

from __future__ import annotations

from typing import Final

from veille.core.extract._page import Page
from veille.core.extract._types import UNTITLED, Metadata, PageFeed
from veille.core.extract.facts.head import Head, bounded, read_head, stated, unique
from veille.core.extract.facts.moments import date_of
from veille.core.extract.facts.nearby import Below
from veille.core.extract.facts.outgoing import links_of, outgoing
from veille.core.extract.facts.people import authors_of
from veille.core.extract.facts.titles import title_of
from veille.core.extract.facts.topics import section_of, topics_of
from veille.core.extract.tree.pagetype import category_guess
from veille.core.language.languages import contradicts, language_of

#: Characters of a title, of a summary and of a name.
MAX_TITLE, MAX_SUMMARY, MAX_NAME = 1000, 5000, 200
_FEEDS: Final = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/json"})
#: Names of metas, the preferred first.
_DESCRIPTIONS: Final = ("dc:description", "dcterm:description", "og:description", "description", "twitter:description")


def read_metadata(page: Page, text: str) -> Metadata:
    """Everything but the content; `text` is used to guess what the page does not state."""
    head = read_head(page)
    title = bounded(title_of(page, head), MAX_TITLE)
    below = Below(page, title)
    published, origin = date_of(page, head, "published", below)
    modified, _origin = date_of(page, head, "modified", below)
    section, tags = section_of(head), topics_of(page, head)
    canonical = next((link["href"] for link in head.links if "canonical" in link["rel"].split()), None)
    return Metadata(
        title=title or UNTITLED,
        description=bounded(stated(head, "description") or head.first(*_DESCRIPTIONS) or "", MAX_SUMMARY),
        authors=authors_of(page, head, below),
        site_name=bounded(head.site_name, MAX_NAME),
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
        find_links=lambda beyond: links_of(page, beyond),
        find_outgoing=lambda home, leaves: outgoing(page, home, leaves),
    )


def _language(page: Page, head: Head, text: str) -> str:
    root = page.tree.root
    declared = (root.attributes.get("lang") or root.attributes.get("xml:lang")) if root is not None else None
    declared = declared or head.first("og:locale", "content-language", "language")
    named = (declared or "").replace("_", "-").split("-")[0].strip().lower()[:8]
    # Many pages declare the language of the software that generated them.
    return named if named and not contradicts(named, text) else language_of(text)


def _images(page: Page, head: Head) -> tuple[str, ...]:
    stated = head.item.get("image")
    listed = [
        image.get("url") if isinstance(image, dict) else image
        for image in (stated if isinstance(stated, list) else [stated])
    ]
    found = [*head.every("og:image", "twitter:image"), *listed]
    return unique(page.base.absolute(image) for image in found if isinstance(image, str))


def _feeds(page: Page, head: Head) -> tuple[PageFeed, ...]:
    found = []
    for link in head.links:
        media_type = link["type"].partition(";")[0].strip().lower()
        if media_type not in _FEEDS or "alternate" not in link["rel"].lower().split():
            continue
        if url := page.base.absolute(link["href"]):
            found.append(PageFeed(url=url, title=link["title"], media_type=media_type))
    return tuple(found)
