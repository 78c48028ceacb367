"""A linear scan of the bytes before parsing, and a fallback for pages that would hang the parser.

The parser is quadratic in the attributes of one tag and in the depth of the tree. Nearly every page is cleared by
counting; only a page that could exceed a limit is read tag by tag.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from veille.core.extract.tree.compiled import COMPILED, native
from veille.errors import ReadError

#: Real pages stay far below: the maxima in the wcxb sample are 61 attributes in one tag and a depth of 66.
MAX_ATTRIBUTES: Final = 500
MAX_DEPTH: Final = 2000
# By the standard, a quote opens a value only after "=".
_TAG: Final = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)((?:[^>=]++|=\s*+(?:\"[^\"]*\"|'[^']*')?+)*+)>?")
_TOKEN: Final = re.compile(rb"<!--.*?(?:-->|\Z)|" + _TAG.pattern, re.DOTALL)
_ATTRIBUTE: Final = re.compile(rb"[^\s=\"'/>]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_BETWEEN: Final = b" \t\n\r\f\v\"'/>="
_RAW: Final = re.compile(rb"(?is)<(script|style|svg|template|noscript)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)")
_BLOCK: Final = re.compile(rb"(?i)</?(?:p|div|li|h[1-6]|br|tr|table|ul|ol|section|article|blockquote|pre)\b[^<>]*>")
_ANY: Final = re.compile(rb"<[a-zA-Z/!?][^<>]*>?")
#: Elements that cannot be nested in their own kind: they cannot make a tree deep.
FLAT: Final = frozenset(
    b"area base br col embed hr img input link meta param source track wbr p li dt dd option tr td th".split()
)
#: Bytes after a "<" that starts a tag.
_TAG_STARTS: Final = list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/!?")
#: From this many open tags, or "<" that start no tag, every tag is read. Fewer cost the parser at most 0.1 s.
_SUSPECT: Final = 6000


def tree_of(page: bytes) -> LexborHTMLParser:
    """The tree of a whole page; ReadError for a page built to hang a parser."""
    if hostile(page):
        raise ReadError("The page is nested too deeply, or a tag has too many attributes.", code="hostile")
    return LexborHTMLParser(page)


def hostile(data: bytes) -> bool:
    """Whether the page is built to hang a parser."""
    overfull = native.overfull if COMPILED else plain_overfull
    return _suspect(data) and overfull(data, MAX_ATTRIBUTES, MAX_DEPTH, FLAT)


def plain_overfull(data: bytes, most: int, deepest: int, flat: frozenset[bytes]) -> bool:
    """Whether a tag has too many attributes or too many elements are open: the reference for the compiled code."""
    stack: list[bytes] = []
    opened: Counter[bytes] = Counter()
    for closing, tag, inside in _tags(data):
        if _overloaded(inside, most):
            return True
        if closing:
            _close(tag, stack, opened)
        elif tag not in flat and not inside.endswith(b"/"):
            stack.append(tag)
            opened[tag] += 1
            if len(stack) > deepest:
                return True
    return False


def _suspect(data: bytes) -> bool:
    """Whether every tag must be read; runs at memory speed, because every page pays for it."""
    # An attribute takes at least two bytes, so a tag with too many is long.
    long_tags = native.long_tags if COMPILED else plain_long_tags
    found = long_tags(data, _SUSPECT, MAX_ATTRIBUTES * 2)
    if found is None:
        return True
    too_many = native.overloaded if COMPILED else plain_overloaded
    return any(too_many(data, at, MAX_ATTRIBUTES) for at in found)


def plain_overloaded(data: bytes, at: int, most: int) -> bool:
    """Whether the tag that starts here has more attributes than `most`: the reference for the compiled code."""
    tag = _TAG.match(data, at)
    return tag is not None and _overloaded(tag.group(3), most)


def plain_long_tags(data: bytes, most: int, length: int) -> list[int] | None:
    """The positions of every "<" with no other within `length` bytes: the reference for the compiled code.

    None if more than `most` tags are left open, or more than `most` "<" do not start a tag.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and needed only without the compiled code

    codes = np.frombuffer(data, dtype=np.uint8)
    starts = np.flatnonzero(codes == ord("<"))
    # With no more "<" than this, neither count below can exceed it.
    if len(starts) > most:
        after = codes[np.minimum(starts + 1, len(codes) - 1)]
        # A tag with too many attributes is long, or split by "<" inside its values. In scripts "<" is common, so
        # neither is proof; fewer splits than `most` do no harm.
        if np.count_nonzero(~np.isin(after, _TAG_STARTS)) > most:
            return None
        if (np.cumsum(1 - 2 * (after == ord("/"))) > most).any():
            return None
    found: list[int] = starts[np.diff(starts, append=len(data)) > length].tolist()
    return found


def _overloaded(inside: bytes, most: int) -> bool:
    if len(inside) <= most * 2:
        return False
    # Attributes need a separator between them: counting separators is cheaper.
    if len(inside) - len(inside.translate(None, _BETWEEN)) < most:
        return False
    return sum(1 for _ in _ATTRIBUTE.finditer(inside)) > most


def _tags(data: bytes) -> Iterator[tuple[bool, bytes, bytes]]:
    """Every tag outside comments, scripts and styles: whether it closes, its name, its inside."""
    at = 0
    while match := _TOKEN.search(data, at):
        at = match.end()
        if match.group(2) is None:
            continue
        tag = match.group(2).lower()
        yield bool(match.group(1)), tag, match.group(3)
        if tag in (b"script", b"style") and not match.group(1):
            end = data.find(b"</" + match.group(2), at)
            at = len(data) if end < 0 else end


def _close(tag: bytes, stack: list[bytes], opened: Counter[bytes]) -> None:
    """A closing tag also closes the elements left open inside it."""
    if not opened[tag]:
        return
    while stack:
        last = stack.pop()
        opened[last] -= 1
        if last == tag:
            return


def bare_text(data: bytes) -> str:
    """The text of a page without a tree: tags removed, block tags replaced by line breaks."""
    data = _BLOCK.sub(b"\n", _RAW.sub(b" ", data))
    text = unescape(_ANY.sub(b" ", data).decode("utf-8", "replace"))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n\n".join(line for line in lines if line)
