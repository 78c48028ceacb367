"""The statements of a page: its metas and links, and the structured items that describe the page itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any, Final

from veille.core.extract._page import Page
from veille.core.extract.tree.page_data import types
from veille.core.extract.tree.walk import TRICKS

_ARTICLES: Final = re.compile(r"Article|Posting|Report|WebPage|Review|Recipe|HowTo|Product")
_PROSE: Final = re.compile(r"Article|Posting|Report")
#: Most links of a page are for the browser, and of no interest here.
_BROWSER: Final = frozenset(
    (
        "", "stylesheet", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest", "icon",
        "shortcut icon", "mask-icon", "apple-touch-icon", "apple-touch-icon-precomposed",
    )
)  # fmt: skip
_WORD: Final = re.compile(r"\w+")
#: A tag, whether it ends an element, its name, and whether it has attributes.
_MARKUP: Final = re.compile(
    r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,20})(?:(?P<more>\s[^<>=]{0,100}=[^<>]*+)|\s*+/?)>"
)
#: Elements without an end, and those whose tags separate no words.
_VOID: Final = frozenset({"br", "hr", "img", "wbr"})
_WITHIN_WORDS: Final = frozenset(
    "a abbr b big bdi bdo cite code em font i kbd mark q s small span strong sub sup tt u var wbr".split()
)
#: A text names at most so many tags.
_MAX_NAMED_TAGS: Final = 10


@dataclass(frozen=True)
class Head:
    """The metas of a page, its links to other pages, and the items about it, the most telling first."""

    metas: dict[str, list[str]]
    links: list[dict[str, str]]
    items: list[dict[str, Any]]
    #: Every item of the page.
    all_items: list[dict[str, Any]]
    host: str

    @property
    def item(self) -> dict[str, Any]:
        return self.items[0] if self.items else {}

    def first(self, *names: str) -> str | None:
        """The first of these metas that is not blank."""
        return next(self.every(*names), None)

    def every(self, *names: str) -> Iterator[str]:
        """All of these metas that are not blank."""
        for name in names:
            for value in self.metas.get(name, ()):
                # Many sites escape these values twice.
                if text := clean(value):
                    yield text

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """Every item with an `@id`: other items refer to it by that."""
        return {item["@id"]: item for item in self.all_items if isinstance(item.get("@id"), str)}

    @cached_property
    def site_name(self) -> str:
        return self.first("og:site_name", "application-name") or self._publisher

    @cached_property
    def site_names(self) -> frozenset[str]:
        """The names of the site, folded: those it states, and those its host gives ("example.org", "example")."""
        labels = self.host.removeprefix("www.").replace("-", " ").split(".")
        names = {folded(self.site_name), folded(self._publisher), " ".join(labels), " ".join(labels[-2:]), *labels[:-1]}
        return frozenset(names - {""})

    @cached_property
    def _publisher(self) -> str:
        publisher = self.item.get("publisher")
        return (named(publisher, self) if isinstance(publisher, dict) else None) or ""


def read_head(page: Page) -> Head:
    """What the page states."""
    metas: dict[str, list[str]] = {}
    for attributes, _ in page.marked["meta"]:
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop")
        content = attributes.get("content")
        if name and content:
            for word in name.lower().split():
                metas.setdefault(word, []).append(content)
    links = [
        {key: attributes.get(key) or "" for key in ("rel", "href", "type", "title")}
        for attributes, _ in page.marked["link"]
        if (attributes.get("rel") or "") not in _BROWSER and attributes.get("href")
    ]
    return Head(metas, links, _about(page.items), page.items, page.url.partition("://")[2].partition("/")[0].lower())


def _about(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The item that describes the page, then the other items with the same headline."""
    found = [item for item in items if _is(item, _ARTICLES)]
    # Of several items the one with a date or headline describes the page; a bare WebPage often only names the site.
    first = next((item for item in found if "datePublished" in item or "headline" in item), found[0] if found else None)
    if first is None:
        return []
    headline = first.get("headline")
    same = [item for item in found if item is not first and headline and item.get("headline") == headline]
    return [first, *same]


def is_prose(item: dict[str, Any]) -> bool:
    """Whether the item describes an article, in JSON-LD; microdata marks displayed text in whatever format it has."""
    return "@origin" not in item and _is(item, _PROSE)


def _is(item: dict[str, Any], kinds: re.Pattern[str]) -> bool:
    stated = item.get("@type")
    names = (stated,) if isinstance(stated, str) else types(item)
    return any(map(kinds.search, names))


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
        name, reference = value.get("name"), value.get("@id")
        value = name if name or not isinstance(reference, str) else head.by_id.get(reference, {}).get("name")
    return clean(value) or None if isinstance(value, str) else None


def clean(text: str) -> str:
    """The text without markup, character references and line breaks."""
    plain = without_markup(text) if "<" in text else text
    return " ".join((unescape(plain) if "&" in plain else plain).split())


def without_markup(text: str) -> str:
    """The text without the tags that mark parts of it: "<b>Breaking</b> news".

    A tag that is only named, as in "How to use <div>", is text: it has no end, no attributes, and few others beside it.
    """
    tags = list(_MARKUP.finditer(text))
    ended = {tag["name"].lower() for tag in tags if tag["end"]} | _VOID
    is_all = len(tags) > _MAX_NAMED_TAGS

    def resolved(tag: re.Match[str]) -> str:
        name = tag["name"].lower()
        if not (is_all or name in ended or tag["more"]):
            return tag[0]
        return "" if name in _WITHIN_WORDS else " "

    return _MARKUP.sub(resolved, text) if tags else text


def bounded(text: str, most: int) -> str:
    """The beginning of a text of more than so many characters: no page has such a title, but some are made to harm."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def folded(text: str) -> str:
    """The words of a text in lower case: equal for texts that differ in punctuation, spaces and invisible signs."""
    plain = text if text.isascii() else TRICKS.sub("", text)
    return " ".join(_WORD.findall(plain.casefold()))


def unique(values: Iterable[str | None]) -> tuple[str, ...]:
    """Each value once, in order, without empty ones."""
    return tuple(dict.fromkeys(value for value in values if value))
