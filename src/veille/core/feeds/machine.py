"""The meaning of a feed's elements in document order, by the rules feedparser found in twenty years of real feeds.

Elements take effect wherever they are, not only where a schema wants them: an entry's `media:title` deep in a group is
a title as long as no better one is known, a second description is content, an author may be a line or an
element.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html import escape
from html.entities import entitydefs

from feedparser.html import _cp1252
from feedparser.sanitizer import _HTMLSanitizer
from feedparser.urls import _urljoin

from veille.core.feeds.markup import XHTML, Cleaner, absolute
from veille.core.feeds.mend import unquoted, unshelved
from veille.core.feeds.model import LinkElement, Record

Attributes = dict[str, str]

#: Maximum length of one text: an entry of 20 MB is a mistake or an attack, a long book chapter is neither.
MAX_TEXT = 1_000_000

HTML_TYPES = frozenset({"text/html", XHTML})
_TYPES = {"text": "text/plain", "plain": "text/plain", "html": "text/html", "xhtml": XHTML}
_URIS = frozenset({"href", "id", "link", "url"})
_MARKUP = frozenset({"content", "description", "summary", "title"})
_ACCEPTABLE = frozenset(_HTMLSanitizer.acceptable_elements)
_ANY_REFERENCE = re.compile(r"</\w+>|&#?\w+;")
_TAG_NAMES = re.compile(r"</?(\w+)")
_ENTITY_NAMES = re.compile(r"&(\w+);")
_CONTROL = re.compile("[\x80-\x9f]")
_FALSE_ENTITY = re.compile(r"&([A-Za-z0-9_]+);")


class Doubtful(Exception):  # noqa: N818 - not an error: the slower reader is used instead
    """Raised where only the reference parser knows the outcome."""


class Machine:
    """The state between elements. `start`, `data` and `end` handlers are called in document order."""

    def __init__(self, base: str = "", *, loose: bool = False, controls: bool = True, sure: bool = False) -> None:
        self.feed = Record()
        self.entries: list[Record] = []
        self.version = ""
        self.base = base
        self._document_base = base
        self.depth = 0
        self.in_feed = self.in_entry = self.in_source = self.in_image = self.in_text_input = False
        self.in_author = self.in_publisher = False
        self.has_content = self.guid_is_link = False
        self.summary_is_content = False
        self.title_depth = -1
        #: The type of the current text; empty outside of texts.
        self.content_type = ""
        self.in_content = 0
        self.source = Record()
        self.image: Record | None = None
        self.text_input = Record()
        self.cleaner = Cleaner()
        self.loose = loose
        self._controls = controls
        self._sure = sure
        #: Open elements that take text: name, whether the text is kept, its pieces.
        self._stack: list[tuple[str, bool, list[str]]] = []

    @property
    def context(self) -> Record:
        """The record that the next value belongs to."""
        if self.in_source:
            return self.source
        if self.in_image and self.image is not None:
            return self.image
        if self.in_text_input:
            return self.text_input
        return self.entries[-1] if self.in_entry else self.feed

    @property
    def takes_text(self) -> bool:
        return self.in_feed or self.in_entry or self.in_source

    def doubt(self) -> None:
        """Leave the feed to the slower reader, unless there is none."""
        if not self._sure:
            raise Doubtful

    def data(self, text: str, *, is_markup: bool = False) -> None:
        """Text between tags, or a tag inside a text."""
        if self._stack:
            if not is_markup and self.content_type == XHTML:
                text = escape(text, quote=False)
            self._stack[-1][2].append(text)

    def push(self, name: str, *, keep: bool = True) -> None:
        """Begin an element that takes text."""
        self._stack.append((name, keep, []))

    def push_content(self, name: str, attributes: Attributes, default: str, *, keep: bool = True) -> None:
        """Begin an element whose text may be markup."""
        self.in_content += 1
        self.content_type = self.typed(attributes, default)
        self.push(name, keep=keep)

    def typed(self, attributes: Attributes, default: str) -> str:
        """The media type of a text."""
        if not attributes:
            return default
        kind = mapped_type(attributes["type"]) if "type" in attributes else default
        if attributes.get("mode") == "base64" or not (kind.startswith("text/") or kind.endswith(("+xml", "/xml"))):
            self.doubt()
        return kind

    def pop_content(self, name: str) -> str:
        value = self.pop(name)
        self.in_content -= 1
        self.content_type = ""
        return value

    def pop(self, name: str) -> str:
        """End an element that takes text; returns its text, which is also stored where it belongs."""
        if not self._stack or self._stack[-1][0] != name:
            return ""
        _, keep, pieces = self._stack.pop()
        if self.content_type == XHTML and self.version == "atom10":
            pieces = without_wrapper(pieces)
        output = (pieces[0] if len(pieces) == 1 else "".join(pieces)).strip()
        return self.finish(name, output) if keep else self.limited(output)

    def finish(self, name: str, output: str) -> str:
        """Refine the text of an element and store it where it belongs."""
        output = self._refined(name, self.limited(output))
        if name != "category" and not (name == "title" and -1 < self.title_depth <= self.depth):
            self.store(name, output)
        return output

    def limited(self, text: str) -> str:
        """The text, cut at the maximum length; the entry is marked if it was longer."""
        if len(text) <= MAX_TEXT:
            return text
        if self.in_entry:
            self.entries[-1].is_cut = True
        return text[:MAX_TEXT]

    def _refined(self, name: str, output: str) -> str:
        if output and name in _URIS:
            output = self.identity(output) if name == "id" else self.resolved(output)
        if self.loose and not self.content_type.endswith("xml"):
            output = unquoted(output)
        if self.content_type == "text/plain" and not self.version.startswith("atom") and _looks_like_html(output):
            self.content_type = "text/html"
        if name in _MARKUP and (self.content_type in HTML_TYPES or not self.content_type):
            output = self.cleaner.clean(output, self.base, self.content_type or "text/html")
        if self.loose:
            output = unshelved(output)
        return output if output.isascii() else self._repaired(output)

    def _repaired(self, text: str) -> str:
        """Undo UTF-8 that was read as Latin-1 and encoded again, and Windows quotes in place of control characters."""
        with suppress(UnicodeError):
            text = text.encode("iso-8859-1").decode("utf-8")
        # Not str.translate, which takes ten times as long.
        return _CONTROL.sub(lambda found: _cp1252.get(ord(found[0]), found[0]), text) if self._controls else text

    def identity(self, text: str) -> str:
        """An id, made absolute if it is an address and the feed declares a base; never by where it was fetched."""
        is_own = self.base and self.base == self._document_base
        return self.resolved(text) if text and self.guid_is_link and not is_own else text

    def store(self, name: str, output: str) -> None:
        """Store a value where it belongs."""
        if self.in_entry and not self.in_source:
            self._store_in_entry(self.entries[-1], name, output)
        elif self.in_feed or self.in_source:
            if name == "link":
                output = _without_false_entities(output)
                if self.context.links:
                    self.context.links[-1].href = output
            if name in _FEED_VALUES:
                setattr(self.context, name, output)

    def _store_in_entry(self, entry: Record, name: str, output: str) -> None:
        if name == "content":
            entry.contents.append(output)
        elif name == "link":
            if not self.in_image:
                entry.link = _without_false_entities(output.replace("&amp;", "&"))
                if entry.link and entry.links:
                    entry.links[-1].href = entry.link
        else:
            name = "summary" if name == "description" else name
            if name in _ENTRY_VALUES and self.depth <= entry.depths.get(name, self.depth):
                entry.depths[name] = self.depth
                setattr(entry, name, output)

    def resolved(self, uri: str) -> str:
        if not self.base:
            return uri if uri.startswith(("http://", "https://")) and ":///" not in uri else str(_urljoin("", uri))
        return absolute(self.base, uri) if uri.startswith(("http://", "https://")) else str(_urljoin(self.base, uri))

    def add_link(self, attributes: Attributes) -> None:
        """A `<link>` begins: an Atom element, or an address as text."""
        rel = attributes.get("rel", "alternate")
        kind = attributes.get("type", "application/atom+xml" if rel == "self" else "text/html")
        href = attributes.get("url", attributes.get("uri", attributes.get("href")))
        if href is not None:
            href = self.resolved(href)
        context = self.context
        if not (self.in_entry and self.in_image):
            context.links.append(LinkElement(rel=rel, type=kind, href=href))
        if href is None:
            self.push("link", keep=self.takes_text)
        elif rel == "alternate" and mapped_type(kind) in HTML_TYPES:
            context.link = href


_FEED_VALUES = frozenset({"title", "link", "id", "author", "language", "summary"})
_ENTRY_VALUES = frozenset({"title", "id", "author", "summary", "language"})


def _without_false_entities(url: str) -> str:
    """Undo `&b;=2`, which a lenient parser makes of `&b=2`."""
    return _FALSE_ENTITY.sub(r"&\g<1>", url) if "&" in url else url


def mapped_type(kind: str) -> str:
    """The media type for a short name."""
    kind = kind.lower()
    return _TYPES.get(kind, kind)


def without_wrapper(pieces: list[str]) -> list[str]:
    """Without the `<div>` that Atom requires around XHTML, if everything is inside it."""
    begin, end = 0, len(pieces)
    while end - begin > 1 and not pieces[end - 1].strip():
        end -= 1
    while end - begin > 1 and not pieces[begin].strip():
        begin += 1
    pieces = pieces[begin:end]
    if not pieces or not (pieces[0] == "<div>" or pieces[0].startswith("<div ")) or pieces[-1] != "</div>":
        return pieces
    depth = 0
    for piece in pieces[:-1]:
        if piece.startswith("</"):
            depth -= 1
            if depth == 0:
                return pieces
        elif piece.startswith("<") and not piece.endswith("/>"):
            depth += 1
    return pieces[1:-1]


def _looks_like_html(text: str) -> bool:
    """Whether a text declared as plain is really HTML; in doubt it is not, because that loses nothing."""
    if ("<" not in text and "&" not in text) or not _ANY_REFERENCE.search(text):
        return False
    if any(name.lower() not in _ACCEPTABLE for name in _TAG_NAMES.findall(text)):
        return False
    return all(name in entitydefs for name in _ENTITY_NAMES.findall(text))
