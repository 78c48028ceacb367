"""The parsed page that all strategies share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.core.extract._types import Options
from veille.core.extract.judge.announced import Announced, announced_of
from veille.core.extract.output.html import Base
from veille.core.extract.output.markup import markup
from veille.core.extract.tree.find import Found, Link, find, links
from veille.core.extract.tree.page_data import jsonld, microdata
from veille.core.extract.tree.pagetype import article_type, og_type, page_facts, schema_types
from veille.core.extract.tree.permalinks import without_permalinks
from veille.core.extract.tree.walk import FlatTree, has_code, walk
from veille.core.http.charset import decoded, encoding_of, label

Attributes = dict[str, str | None]

#: Elements that describe the page rather than hold its content.
_MARKED: Final = (
    ("base", "href", "", True),
    ("meta", "", "", True),
    ("link", "", "", True),
    ("script", "type", "application/ld+json", True),
    ("time", "datetime", "", True),
    ("h1", "", "", True),
)
#: Attributes and the words in them that `Page.notes` can test, so that searches without a hit are skipped.
_NOTED: Final = (
    ("itemscope", ""),
    ("rel", "author"),
    ("itemprop", "author"),
    ("class", "byline"),
    ("id", "byline"),
    ("class", "author"),
)
_META: Final = (("title", "", "", True), ("meta", "content", "", True))
#: Names of `meta` elements: a title, and summaries.
_SAID: Final = ("og:title", "description", "og:description")
#: With less visible text than this, hidden text is read too: the page probably needs a script to show it.
_BARE_CHARS: Final = 400


def _utf8(data: bytes, charset: str) -> bytes:
    """The same text in UTF-8; bytes that are UTF-8 already go to the parser untouched."""
    if encoding_of(data, label(charset)) == "utf-8":
        return data
    return decoded(data, label(charset))[0].encode("utf-8", "replace")


class Page:
    """A parsed page; everything derived from the tree is built when first needed and cached."""

    def __init__(self, html: bytes | str, url: str, options: Options) -> None:
        data = html.encode("utf-8", "replace") if isinstance(html, str) else _utf8(html, options.charset)
        #: Without NUL, which is nothing in a page, but ends its head.
        self.data = data.replace(b"\0", b"")
        self.url = url
        self.options = options
        #: Whether `reading` includes hidden elements.
        self.everything = False

    @cached_property
    def source(self) -> bytes:
        """The bytes that are parsed."""
        return without_permalinks(self.data)

    @cached_property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.source, is_fragment=False)

    @cached_property
    def root(self) -> LexborNode:
        found = self.tree.body or self.tree.root
        # A tree always has a root, even for empty input; the library's type does not say so.
        assert found is not None  # noqa: S101
        return found

    @cached_property
    def reading(self) -> FlatTree:
        found = walk(self.root)
        if found.chars < _BARE_CHARS:
            everything = walk(self.root, everything=True)
            if everything.chars > _BARE_CHARS:
                self.everything = True
                return everything
        return found

    def markup(self, kept: Sequence[bool]) -> str:
        """The kept blocks of `reading` as markup."""
        return markup(self.root, kept, self.base, everything=self.everything, reading=self.reading)

    @cached_property
    def _survey(self) -> tuple[list[Found], list[tuple[str, str]]]:
        root = self.tree.root
        return find(root, _MARKED, _NOTED) if root is not None else ([], [])

    @cached_property
    def marked(self) -> dict[str, list[tuple[Attributes, str]]]:
        """The elements that describe the page, by name: their attributes and text."""
        found: dict[str, list[tuple[Attributes, str]]] = {name: [] for name, *_ in _MARKED}
        for tag, attributes, text in self._survey[0]:
            found[tag].append((attributes, text))
        return found

    def notes(self, *pairs: tuple[str, str]) -> bool:
        """Whether any element has one of these attributes with the given word in it."""
        return any(pair in self._survey[1] for pair in pairs)

    def links(self, beyond: str) -> list[Link]:
        """Its links, without those that certainly lead to an address that starts with `beyond`, unless it is empty."""
        root = self.tree.root
        return links(root, beyond, rooted=self.is_rooted(beyond)) if root is not None else []

    def is_rooted(self, beyond: str) -> bool:
        """Whether all paths of the page's host lead to an address that starts with `beyond`."""
        return bool(beyond) and f"{self.base.origin}/" == beyond

    @cached_property
    def items(self) -> list[dict[str, Any]]:
        """The page's structured data: its JSON-LD, then its microdata."""
        found = jsonld(text for _, text in self.marked["script"])
        root = self.tree.root
        return found + microdata(root) if root is not None and self.notes(("itemscope", "")) else found

    @cached_property
    def base(self) -> Base:
        """The base address of its links."""
        stated = next((attributes.get("href") or "" for attributes, _ in self.marked["base"]), "")
        return Base(Base(self.url).absolute(stated) or self.url)

    @cached_property
    def _named_types(self) -> tuple[set[bytes], str]:
        """Every schema.org type named in its JSON, and its OpenGraph type."""
        return schema_types(self.data), og_type(self.data)

    @cached_property
    def article_type(self) -> str:
        """Its type, guessed; empty if unknown."""
        return article_type(*self._named_types, self.url)

    @cached_property
    def may_be_manual(self) -> bool:
        """Whether it is documentation, or a plain page that says nothing about its type, as manuals do."""
        types, kind = self._named_types
        if self.article_type or types:
            return self.article_type == "documentation"
        return not kind or (kind == "website" and has_code(self.reading))

    @cached_property
    def facts(self) -> tuple[float, ...]:
        return page_facts(*self._named_types, self.url)

    @cached_property
    def announced(self) -> Announced:
        """What it says of its text in its head."""
        said: dict[str, str] = {}
        head, title = self.tree.head, ""
        for tag, attributes, text in find(head, _META)[0] if head is not None else ():
            if tag == "title":
                title = title or text
                continue
            name = attributes.get("property") or attributes.get("name") or ""
            if name in _SAID:
                said.setdefault(name, attributes.get("content") or "")
        titles, summaries = (title, said.get("og:title", "")), (said.get(name, "") for name in _SAID[1:])
        return announced_of(titles, summaries)

    @cached_property
    def title(self) -> str:
        """The text of `title`."""
        head = self.tree.head
        node = head.css_first("title") if head is not None else None
        return " ".join((node.text() or "").split()) if node is not None else ""
