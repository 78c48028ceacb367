"""Feeds of every format as values. Bytes in, a Feed or a ReadError out; nothing is fetched here.

`parse_feed` tries the quick reader first and falls back to slower ones in case of doubt: JSON Feed, well-formed XML
(`strict`), XML with common small faults repaired (`mend`), feedparser, and last fastfeedparser.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from veille.core.feeds.fallback import MAX_LENGTH, read_loose, salvage
from veille.core.feeds.json_feed import looks_like_json, read_json
from veille.core.feeds.machine import Doubtful
from veille.core.feeds.mend import mended, with_prefixes
from veille.core.feeds.model import Entry, Feed
from veille.core.feeds.source_text import decoded, without_doctype
from veille.core.feeds.strict import read_tree
from veille.errors import ReadError

__all__ = ["Entry", "Feed", "parse_feed"]

#: libxml2 rejects longer texts unless `huge_tree` is set.
_LIBXML_LIMIT = 10_000_000


def parse_feed(data: bytes, base: str = "", charset: str = "") -> Feed:
    """The feed in these bytes, with addresses resolved against `base`, or ReadError."""
    text = decoded(data, charset)
    if looks_like_json(text):
        return read_json(text, base)
    text = without_doctype(text)
    feed = _quick(text, base)
    if feed is None:
        feed = read_loose(text, base) if len(text) <= MAX_LENGTH else _recovered(text, base)
        if feed is None or not feed.entries:
            feed = salvage(text, feed or Feed()) or feed
    if feed is None:
        raise ReadError(_why(text), code="feed.unknown_format" if "<" in text else "feed.malformed")
    return feed


def _quick(text: str, base: str) -> Feed | None:
    """The feed by our own rules, if nothing about the document is doubtful."""
    for is_mended, candidate in _candidates(text):
        data = candidate.encode("utf-8", "replace")
        root = _tree(data)
        if root is not None:
            try:
                return read_tree(root, data, base, is_mended=is_mended)
            except (Doubtful, RecursionError):
                return None
    return None


def _candidates(text: str) -> Iterator[tuple[bool, str]]:
    """The document verbatim, then with more and more faults repaired."""
    yield False, text
    better = mended(text)
    yield True, better
    best = with_prefixes(better)
    if best != better:
        yield True, best


def _recovered(text: str, base: str) -> Feed | None:
    """A large broken document as libxml2 recovers it; not always what was meant, but in bounded time."""
    data = with_prefixes(mended(text)).encode("utf-8", "replace")
    root = _tree(data, recover=True)
    try:
        return None if root is None else read_tree(root, data, base, is_mended=True, sure=True)
    except (Doubtful, RecursionError):
        return None


def _tree(data: bytes, *, recover: bool = False) -> etree._Element | None:
    # By default, lxml loads no document type and nothing from the network.
    parser = etree.XMLParser(
        resolve_entities=False,
        recover=recover,
        # We cut large texts ourselves; without a document type no small text can expand into a large one.
        huge_tree=len(data) > _LIBXML_LIMIT,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root: etree._Element | None = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root


def _why(text: str) -> str:
    start = text.lstrip()[:200].lower()
    if "<html" in start or "<!doctype html" in start:
        return "This is not a feed but a web page; `veille` can look for its feeds, or watch it as a page."
    return "This is not a feed: it has neither entries nor the root of any known format."
