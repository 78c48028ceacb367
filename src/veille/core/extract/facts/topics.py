"""The section and the topics of a page: keywords, tags, and what its article is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from veille.core.extract._page import Page
from veille.core.extract.facts.head import Head, clean, named
from veille.core.extract.tree.find import find
from veille.core.extract.tree.hidden import visible

_METAS: Final = (
    "article:tag", "news_keywords", "keywords", "sailthru.tags", "parsely-tags", "classification-tags", "dc.subject",
)  # fmt: skip
_SPLIT: Final = re.compile(r"\s*[,;、|]\s*")
_MAX_TOPICS: Final = 200
_MAX_TOPIC: Final = 100
#: More links in one box are a menu, not the tags of an article.
_MAX_LINKS: Final = 20
_MAX_BOXES: Final = 20
_MANY: Final = 8
_LINKS: Final = (("a", "rel", "tag", True),)
_BOXES: Final = (("class", "tags"),)
#: Identifiers of a publishing system, or of its parts.
_CODE: Final = re.compile(r"_|[\d\W_]*$|[0-9a-f]{8}-[0-9a-f-]{20,}$")
_LABEL: Final = re.compile(r"([\w ]{2,30}):\s*(.+)")
_TOPICAL: Final = frozenset({"category", "subject", "topic", "tag", "keyword", "person", "place", "location"})


def section_of(head: Head) -> str:
    """The section that the page states, or empty."""
    stated = (named(item.get("articleSection"), head) for item in head.items)
    return head.first("article:section", "section") or next(filter(None, stated), "")


def topics_of(page: Page, head: Head) -> tuple[str, ...]:
    """The topics that the page states, else what its article is about, else the tags it links to."""
    said = [name for item in head.items for name in _listed(item.get("keywords"), head)]
    said += head.every(*_METAS)
    own = head.host.removeprefix("www.")
    return _cleaned(said, own) or _cleaned(_about(head), own) or _cleaned(_linked(page), own)


def _listed(value: Any, head: Head) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:_MAX_TOPICS]:
        if name := named(one, head):
            yield name


def _about(head: Head) -> Iterator[str]:
    for key in ("about", "mentions"):
        for item in head.items:
            yield from _listed(item.get(key), head)


def _linked(page: Page) -> list[str]:
    """The tags below an article: links that say so, or those in the first box that says so."""
    root = page.tree.root
    if page.article_type != "article" or root is None:
        return []
    links, noted = find(root, _LINKS, _BOXES)
    if links or not noted:
        return [clean(text) for _, _, text in links[:_MAX_TOPICS]]
    for box in page.root.css('[class*="tags" i]')[:_MAX_BOXES]:
        inside = box.css("a")
        if 0 < len(inside) <= _MAX_LINKS and visible(box.attributes):
            return [clean(link.text() or "").removeprefix("#") for link in inside]
    return []


def _cleaned(values: Iterable[str], host: str) -> tuple[str, ...]:
    """The topics one by one, without the identifiers that publishing systems put among them."""
    parts = list(islice((part for value in values for part in _parts(value)), _MAX_TOPICS))
    labelled = sum(":" in part for part in parts) > 1
    found: dict[str, str] = {}
    for part in parts:
        match = _LABEL.fullmatch(part) if labelled else None
        if match and match[1].lower() not in _TOPICAL:
            continue
        topic = match[2] if match else part
        if len(topic) <= _MAX_TOPIC and topic != host and not _CODE.match(topic):
            found.setdefault(topic.casefold(), topic)
    return tuple(_without_codes(list(found.values())))


def _parts(value: str) -> list[str]:
    parts = [value] if ", & " in value or ", and " in value else _SPLIT.split(value, _MAX_TOPICS)
    return [part for part in parts if part]


def _without_codes(topics: list[str]) -> list[str]:
    """The topics; without the words in capitals if these are most of many: then they are codes."""
    if len(topics) < _MANY:
        return topics
    words = [topic for topic in topics if not topic.isupper()]
    return words if len(words) * 2 < len(topics) else topics
