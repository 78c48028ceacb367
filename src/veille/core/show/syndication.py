"""Documents and alerts as a feed for feed readers: RSS 2.0, Atom and JSON Feed 1.1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from html import escape
from typing import Any

from lxml import etree

from veille.core.dates import iso
from veille.core.show.marked import marked_html
from veille.core.text import xml_safe
from veille.core.told import TextEdit


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """One entry of a feed; `text` is plain text, `edits` is what changed, and `lines` say it in words."""

    id: str
    url: str
    title: str
    text: str
    changed_at: int
    lang: str = ""
    edits: tuple[TextEdit, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """All of it as plain text, but for the words struck."""
        return "\n".join((*self.lines, self.text))


def rss(title: str, link: str, items: Sequence[FeedItem]) -> bytes:
    """The items as RSS 2.0; their texts are always text, never markup."""
    root = etree.Element("rss", version="2.0")
    channel = etree.SubElement(root, "channel")
    _put(channel, (("title", title), ("link", link), ("description", f"{title}: what is new and what changed")))
    for item in items:
        entry = etree.SubElement(channel, "item")
        _put(entry, (("title", item.title or item.url), ("link", item.url), ("description", _content(item))))
        etree.SubElement(entry, "guid", isPermaLink="false").text = item.id
        etree.SubElement(entry, "pubDate").text = formatdate(item.changed_at / 1000, usegmt=True)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def atom(title: str, address: str, items: Sequence[FeedItem]) -> bytes:
    """The items as Atom (RFC 4287); `address` is that of the feed itself. Their texts are always text."""
    root = etree.Element("feed", xmlns="http://www.w3.org/2005/Atom")
    newest = max((item.changed_at for item in items), default=0)
    _put(root, (("title", title), ("id", address), ("updated", iso(newest))))
    etree.SubElement(root, "link", rel="self", href=xml_safe(address))
    _put(etree.SubElement(root, "author"), (("name", "veille"),))
    for item in items:
        entry = etree.SubElement(root, "entry")
        _put(entry, (("title", item.title or item.url), ("id", item.id), ("updated", iso(item.changed_at))))
        if item.url:
            etree.SubElement(entry, "link", href=xml_safe(item.url))
        if item.edits:
            etree.SubElement(entry, "content", type="html").text = xml_safe(_content(item))
        else:
            etree.SubElement(entry, "content", type="text").text = xml_safe(item.plain)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def json_feed(title: str, link: str, items: Iterable[FeedItem]) -> dict[str, Any]:
    """The items as JSON Feed 1.1."""
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": title,
        "home_page_url": link,
        "items": [
            {
                "id": item.id,
                "url": item.url,
                "title": item.title,
                "content_text": item.plain,
                **({"content_html": _content(item)} if item.edits else {}),
                "date_modified": iso(item.changed_at),
                **({"language": item.lang} if item.lang else {}),
            }
            for item in items
        ],
    }


def _put(parent: etree._Element, values: Iterable[tuple[str, str]]) -> None:
    for name, text in values:
        etree.SubElement(parent, name).text = xml_safe(text)


def _content(item: FeedItem) -> str:
    """What changed, with `<del>` and `<ins>` around words, and the text below it; all else is escaped."""
    if not item.edits:
        return _as_html(item.plain)
    said = "".join(f"<p>{_as_html(line)}</p>" for line in item.lines)
    return f"{said}<p>{_lines(marked_html(item.edits))}</p><hr>{_as_html(item.text)}"


def _as_html(text: str) -> str:
    """Feed readers take a description for HTML."""
    return _lines(escape(text, quote=False))


def _lines(html: str) -> str:
    return html.replace("\n", "<br>")
