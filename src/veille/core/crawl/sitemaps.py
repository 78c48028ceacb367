"""Sitemaps: XML, indexes of further sitemaps, and plain lists of addresses; with or without gzip."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.crawl.roots import root_name
from veille.core.formats.office.xml import local, parse_xhtml
from veille.errors import ReadError

if TYPE_CHECKING:
    from lxml import etree

#: The limits of the sitemap protocol.
MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 50_000

_GZIP = b"\x1f\x8b"
_ROOTS = frozenset({"urlset", "sitemapindex"})
#: Enough decompressed bytes to find the root element.
_HEAD = 4096
_MAX_STAMP = 64


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses of pages, each with its `lastmod` or an empty text, and of further sitemaps."""

    pages: tuple[tuple[str, str], ...] = ()
    sitemaps: tuple[str, ...] = ()
    #: Whether entries beyond the limit were left out.
    is_cut: bool = False


def is_sitemap(data: bytes) -> bool:
    """Whether the root element is one of a sitemap, with or without gzip. Plain lists are not recognised."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, _HEAD)
        except zlib.error:
            return False
    return root_name(data) in _ROOTS


def parse_sitemap(data: bytes) -> Sitemap:
    """Parse a sitemap. Broken XML is read as far as possible; raises ReadError if nothing can be read."""
    if data.startswith(_GZIP):
        data = _unpacked(data)
    text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"<"):
        return _plain(text)
    try:
        root = parse_xhtml(text)
    except ReadError as error:
        if error.code == "hostile":
            raise
        raise ReadError(f"The sitemap cannot be read: {error}", code="sitemap.malformed") from error
    entries = [(local(entry), *_facts(entry)) for entry in root.iter() if local(entry) in {"url", "sitemap"}]
    if not entries and local(root) not in _ROOTS:
        raise ReadError("There is something, but it is no sitemap.", code="sitemap.unknown_format")
    pages = [(where, changed) for kind, where, changed in entries if where and kind == "url"]
    return _limited(pages, [where for kind, where, _ in entries if where and kind == "sitemap"])


def _facts(entry: etree._Element) -> tuple[str, str]:
    parts = {local(part): (part.text or "").strip() for part in entry}
    return parts.get("loc", ""), parts.get("lastmod", "")[:_MAX_STAMP]


def _plain(text: bytes) -> Sitemap:
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
    pages = [(line, "") for line in lines if line.startswith(("http://", "https://"))]
    if any(lines) and not pages:
        raise ReadError("There is something, but it is no sitemap.", code="sitemap.unknown_format")
    return _limited(pages, [])


def _limited(pages: list[tuple[str, str]], sitemaps: list[str]) -> Sitemap:
    is_cut = len(pages) > MAX_ENTRIES or len(sitemaps) > MAX_ENTRIES
    return Sitemap(tuple(pages[:MAX_ENTRIES]), tuple(sitemaps[:MAX_ENTRIES]), is_cut)


def _unpacked(data: bytes) -> bytes:
    machine = zlib.decompressobj(wbits=31)
    try:
        text = machine.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise ReadError(f"The packed sitemap is damaged: {error}.", code="sitemap.malformed") from error
    if machine.unconsumed_tail or (not machine.eof and len(text) >= MAX_BYTES):
        raise ReadError(f"The sitemap unpacks to more than {MAX_BYTES:,} bytes.", code="sitemap.too_large")
    return text
