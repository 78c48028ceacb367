"""Read and write lists of feeds in OPML, the exchange format of feed readers. Bytes and values only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import chain, islice, pairwise

from lxml import etree

from veille.core.feeds.source_text import decoded, without_doctype
from veille.core.models import Json
from veille.core.text import flat, xml_safe
from veille.errors import ReadError

#: Nesting limit of folders, whose names every feed in them gets as tags; more is a mistake or an attack.
MAX_DEPTH = 20
#: Every feed repeats the names of its folders: without a limit they could take gigabytes.
_MAX_FOLDER_NAME = 200
_CATEGORY_SEPARATOR = "/"
#: Types of outlines that are not feeds: saved searches of a feed reader (Liferea).
_NO_FEEDS = frozenset({"vfolder"})

_IS_LIST = re.compile(r"<(?:\w+:)?(?:opml|outline|body)[\s>]", re.IGNORECASE)
# A tag ends at the next one at the latest, so that an unclosed quote loses one tag and not the rest.
_TAG = re.compile(
    r"""<!--(?s:.*?-->|.*\Z)|<(/?)(?:\w+:)?outline\b((?:[^'"<>]++|"[^"<]*+"|'[^'<]*+')*+)>""", re.IGNORECASE
)
# The look-behind lets a name match only from its start: tried from each letter, a long one would take a minute.
_ATTRIBUTE = re.compile(r"""(?<![-\w:.])([a-zA-Z_:][-\w:.]*+)\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'<>]+)""")

_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")

#: The attributes of a start tag, None for an end tag.
_Node = dict[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOutline:
    """One feed of a list."""

    url: str
    title: str = ""
    #: The page the feed belongs to.
    site: str = ""
    #: The folders it is in, the outermost first.
    folders: tuple[str, ...] = ()
    #: Additional categories, each as a path of folders.
    categories: tuple[str, ...] = ()
    #: The kind of source; empty: as its address looks.
    kind: str = "feed"
    interval_ms: int | None = None
    #: Options of the source.
    options: Json = field(default_factory=dict, hash=False)
    is_paused: bool = False
    #: What of the entry could not be taken over.
    note: str = ""
    #: Why it cannot be watched at all, whatever its address.
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedList:
    """The first feeds of a list, verbatim: with duplicates, and with feeds that have no address."""

    outlines: tuple[FeedOutline, ...]
    #: The number of feeds in the whole list.
    total: int


def first_outlines(data: bytes, most: int) -> FeedList:
    """At most `most` feeds of a list; ReadError if it is not OPML."""
    text = without_doctype(decoded(data))
    outlines = _outlines(_scanned(text))
    found = tuple(islice(outlines, most))
    if not found and not _IS_LIST.search(text):
        raise ReadError("This is not a list of feeds: there is no <opml> in it.", code="opml.unknown_format")
    return FeedList(outlines=found, total=len(found) + sum(1 for _ in outlines))


def read_opml(data: bytes) -> list[FeedOutline]:
    """The feeds of a list, each address once, in order; ReadError if it is not OPML."""
    return distinct(first_outlines(data, len(data)).outlines)


def distinct(outlines: Iterable[FeedOutline]) -> list[FeedOutline]:
    """The outlines without duplicates and without those that have no address."""
    return list({outline.url: outline for outline in reversed([*outlines]) if outline.url}.values())[::-1]


def write_opml(outlines: Iterable[FeedOutline], title: str = "Sources") -> bytes:
    """Write a list that `read_opml` and every feed reader can read, with one element per folder."""
    root = etree.Element("opml", version="2.0")
    etree.SubElement(etree.SubElement(root, "head"), "title").text = _written(title)
    folders: dict[tuple[str, ...], etree._Element] = {(): etree.SubElement(root, "body")}
    for outline in {(outline.folders, outline.url): outline for outline in outlines}.values():
        for depth, name in enumerate(outline.folders, 1):
            path = outline.folders[:depth]
            if path not in folders:
                folders[path] = etree.SubElement(folders[path[:-1]], "outline", text=_written(name))
        etree.SubElement(folders[outline.folders], "outline", _attributes(outline))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _scanned(text: str) -> Iterator[_Node]:
    """The tags, scanned leniently: lists are edited by hand, and one unquoted attribute must not lose the rest."""
    for tag in _TAG.finditer(text):
        if tag[2] is None:
            continue
        if not tag[1]:
            yield {
                name: _unescaped(value[1:-1] if value[0] in "\"'" else value)
                for name, value in _ATTRIBUTE.findall(tag[2])
            }
        if tag[1] or tag[2].endswith("/"):
            yield None


def _outlines(nodes: Iterator[_Node]) -> Iterator[FeedOutline]:
    folders: list[str] = []
    for node, after in pairwise(chain(nodes, ({},))):
        if node is None:
            if folders:
                folders.pop()
            continue
        attributes = {key.lower(): flat(value) for key, value in node.items()}
        url = attributes.get("xmlurl") or (attributes.get("url", "") if attributes.get("type") == "rss" else "")
        name = attributes.get("text") or attributes.get("title", "")
        # Some programs write folders with type "rss"; a feed without an address is one only if it has no children.
        is_feed = bool(url) and attributes.get("type", "").lower() not in _NO_FEEDS
        if is_feed or (attributes.get("type") == "rss" and after is None):
            yield _outline(url, name, attributes, tuple(folder for folder in folders[:MAX_DEPTH] if folder))
        folders.append("" if url else name[:_MAX_FOLDER_NAME])


def _outline(url: str, name: str, attributes: dict[str, str], folders: tuple[str, ...]) -> FeedOutline:
    categories = (part.strip().strip(_CATEGORY_SEPARATOR) for part in attributes.get("category", "").split(","))
    return FeedOutline(
        url=url,
        title=attributes.get("title") or name,
        site=attributes.get("htmlurl", ""),
        folders=folders,
        categories=tuple(category for category in categories if category),
    )


def _attributes(outline: FeedOutline) -> dict[str, str]:
    name = outline.title or outline.url
    values = {"type": "rss", "text": name, "title": name, "xmlUrl": outline.url, "htmlUrl": outline.site}
    values["category"] = ",".join(f"{_CATEGORY_SEPARATOR}{category}" for category in outline.categories)
    return {key: _written(value) for key, value in values.items() if value}


def _unescaped(text: str) -> str:
    # Only with a semicolon: in "?a=1&copy=2", `&copy` is a parameter and not a copyright sign.
    return _REFERENCE.sub(lambda found: unescape(found[0]), text)


def _written(text: str) -> str:
    return xml_safe(flat(text))
