"""The statements of a page: its metas and links, and the structured items that describe the page itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any, Final

from veille.core.extract._types import Page
from veille.core.extract.tree.page_data import types
from veille.core.extract.tree.walk import TRICKS

_ARTICLES: Final = re.compile(r"Article|Posting|Report|WebPage|Review|Recipe|HowTo|Product")
_PROSE: Final = re.compile(r"Article|Posting|Report")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Head:
    """The metas and links of a page, and the items that describe the page itself, the most telling first."""

    metas: dict[str, list[str]]
    links: list[dict[str, str]]
    items: list[dict[str, Any]]
    #: Every item with an `@id`: other items refer to it by that.
    by_id: dict[str, dict[str, Any]]
    host: str

    @property
    def item(self) -> dict[str, Any]:
        return self.items[0] if self.items else {}

    def first(self, *names: str) -> str | None:
        """The first of these metas that is not blank."""
        for name in names:
            for value in self.metas.get(name, ()):
                if value:
                    return value
        return None

    @cached_property
    def site_name(self) -> str:
        publisher = self.item.get("publisher")
        stated = named(publisher, self) if isinstance(publisher, dict) else None
        return self.first("og:site_name", "application-name") or stated or ""

    @cached_property
    def site_names(self) -> frozenset[str]:
        """The names of the site, folded: those it states, and those its host gives ("example.org", "example")."""
        publisher = self.item.get("publisher")
        stated = (self.site_name, named(publisher, self) if isinstance(publisher, dict) else "")
        host = self.host.removeprefix("www.")
        labels = host.split(".")
        hosts = (host, ".".join(labels[-2:]), *labels[:-1])
        return frozenset(filter(None, map(folded, (*(name or "" for name in stated), *hosts))))


def read_head(page: Page) -> Head:
    """What the page states."""
    metas: dict[str, list[str]] = {}
    for attributes, _ in page.marked["meta"]:
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        if name and "content" in attributes:
            # Many sites escape these values twice.
            content = clean(attributes["content"] or "")
            for word in name.lower().split():
                metas.setdefault(word, []).append(content)
    links = [
        {key: attributes.get(key) or "" for key in ("rel", "href", "type", "title")}
        for attributes, _ in page.marked["link"]
        if attributes.get("rel") and attributes.get("href")
    ]
    by_id = {item["@id"]: item for item in page.items if isinstance(item.get("@id"), str)}
    return Head(metas, links, _about(page.items), by_id, page.url.partition("://")[2].partition("/")[0].lower())


def _about(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The item that describes the page, then the other items with the same headline."""
    found = [item for item in items if any(_ARTICLES.search(kind) for kind in types(item))]
    # Of several items the one with a date or headline describes the page; a bare WebPage often only names the site.
    first = next((item for item in found if "datePublished" in item or "headline" in item), found[0] if found else None)
    if first is None:
        return []
    headline = first.get("headline")
    same = [item for item in found if item is not first and headline and item.get("headline") == headline]
    return [first, *same]


def is_prose(item: dict[str, Any]) -> bool:
    """Whether the item describes an article, in JSON-LD; microdata marks displayed text in whatever format it has."""
    return "@origin" not in item and any(_PROSE.search(kind) for kind in types(item))


def stated(head: Head, *names: str) -> str | None:
    """A value from the JSON-LD of an article; metas are often written for sharing, other items for other things."""
    if not is_prose(head.item):
        return None
    return next((said for name in names if (said := named(head.item.get(name), head))), None)


def named(value: Any, head: Head) -> str | None:
    """The text of a value, or the name of the item that it is or refers to."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        reference = value.get("@id")
        known = head.by_id.get(reference, {}) if isinstance(reference, str) else {}
        value = value.get("name") or known.get("name")
    return clean(value) or None if isinstance(value, str) else None


def clean(text: str) -> str:
    """The text without character references and line breaks."""
    return " ".join((unescape(text) if "&" in text else text).split())


def folded(text: str) -> str:
    """The words of a text in lower case: equal for texts that differ in punctuation, spaces and invisible signs."""
    return " ".join(_WORD.findall(TRICKS.sub("", text).casefold()))


def unique(values: Iterable[str | None]) -> tuple[str, ...]:
    """Each value once, in order, without empty ones."""
    return tuple(dict.fromkeys(value for value in values if value))
