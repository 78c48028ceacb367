"""RSS 2.0 and Atom 1.0 as values. Entities and DTDs are refused: no feed needs them, and bombs are made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from veille.core.dates import parse_date
from veille.errors import ReadError

_ATOM = "{http://www.w3.org/2005/Atom}"
_CONTENT = "{http://purl.org/rss/1.0/modules/content/}encoded"
_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
_SUBSET = re.compile(rb"<!DOCTYPE[^>\[]*\[|<!ENTITY", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry as the publisher wrote it; content and summary are HTML."""

    guid: str
    link: str
    title: str
    summary: str = ""
    content: str = ""
    authors: tuple[str, ...] = ()
    published_at: int | None = None
    updated_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed and its entries, in the publisher's order."""

    title: str
    link: str
    entries: tuple[Entry, ...]


def parse_feed(data: bytes) -> Feed:
    """The feed in these bytes, or ReadError."""
    if _SUBSET.search(data[:65536]):
        raise ReadError("The feed declares entities; such feeds are refused.", code="feed.hostile")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root: etree._Element | None = etree.fromstring(data.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ReadError(f"This is not a feed: {error}.", code="feed.malformed") from error
    if root is None:
        raise ReadError("This is not a feed: there is no markup in it.", code="feed.malformed")
    if root.tag == "rss":
        return _rss(root)
    if root.tag == f"{_ATOM}feed":
        return _atom(root)
    name = str(root.tag).rpartition("}")[2]
    raise ReadError(f"This is not a feed: it starts with <{name}>, not <rss> or <feed>.", code="feed.unknown_format")


def _rss(root: etree._Element) -> Feed:
    channel = root.find("channel")
    if channel is None:
        raise ReadError("This is not a feed: <rss> holds no <channel>.", code="feed.malformed")
    return Feed(
        title=_text(channel, "title"),
        link=_text(channel, "link"),
        entries=tuple(_rss_entry(item) for item in channel.iterfind("item")),
    )


def _rss_entry(item: etree._Element) -> Entry:
    guid, link = _text(item, "guid"), _text(item, "link")
    if not link and guid.startswith(("http://", "https://")):
        link = guid
    return Entry(
        guid=guid or link,
        link=link,
        title=_text(item, "title"),
        summary=_text(item, "description"),
        content=_text(item, _CONTENT),
        authors=_names([_text(item, _CREATOR) or _text(item, "author")]),
        published_at=parse_date(_text(item, "pubDate")),
    )


def _atom(root: etree._Element) -> Feed:
    return Feed(
        title=_text(root, f"{_ATOM}title"),
        link=_atom_link(root),
        entries=tuple(_atom_entry(entry) for entry in root.iterfind(f"{_ATOM}entry")),
    )


def _atom_entry(entry: etree._Element) -> Entry:
    link = _atom_link(entry)
    published, updated = _text(entry, f"{_ATOM}published"), _text(entry, f"{_ATOM}updated")
    return Entry(
        guid=_text(entry, f"{_ATOM}id") or link,
        link=link,
        title=_text(entry, f"{_ATOM}title"),
        summary=_markup(entry.find(f"{_ATOM}summary")),
        content=_markup(entry.find(f"{_ATOM}content")),
        authors=_names(_text(author, f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author")),
        published_at=parse_date(published or updated),
        updated_at=parse_date(updated),
    )


def _atom_link(element: etree._Element) -> str:
    links = element.findall(f"{_ATOM}link")
    best = next((link for link in links if link.get("rel", "alternate") == "alternate"), links[0] if links else None)
    return best.get("href", "").strip() if best is not None else ""


def _text(element: etree._Element, tag: str) -> str:
    child = element.find(tag)
    return "".join(str(part) for part in child.itertext()).strip() if child is not None else ""


def _markup(element: etree._Element | None) -> str:
    if element is None:
        return ""
    if element.get("type") == "xhtml":
        return "".join(etree.tostring(child, encoding="unicode", method="html") for child in element)
    return "".join(str(part) for part in element.itertext()).strip()


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name)
