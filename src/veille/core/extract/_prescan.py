"""A linear look at the bytes before the parser sees them, and what to do with pages that would hang it.

The parser is quadratic in the attributes of one tag and in the depth of the tree. Nearly every page is cleared by
counting; only a page that could be over a limit is read tag by tag.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

#: Real pages stay far below: the most in the wcxb sample are 61 attributes in one tag and a depth of 66.
MAX_ATTRIBUTES: Final = 500
MAX_DEPTH: Final = 2000
_TAG: Final = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>?")
_ATTRIBUTE: Final = re.compile(rb"[^\s=\"'/>]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_RAW: Final = re.compile(rb"(?is)<(script|style|svg|template|noscript)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)")
_BLOCK: Final = re.compile(rb"(?i)</?(?:p|div|li|h[1-6]|br|tr|table|ul|ol|section|article|blockquote|pre)\b[^<>]*>")
_ANY: Final = re.compile(rb"<[a-zA-Z/!?][^<>]*>?")
#: Elements that never hold another of their kind open: they cannot make a tree deep.
_FLAT: Final = frozenset(
    b"area base br col embed hr img input link meta param source track wbr p li dt dd option tr td th".split()
)
_STEPS: Final = 64


def hostile(data: bytes) -> bool:
    """Whether the page is built to hang a parser."""
    return _many_attributes(data) or _deep(data)


def _many_attributes(data: bytes) -> bool:
    # An attribute takes two bytes at least, so a tag with too many is long, or cut up by "<" inside its values.
    pieces = data.split(b"<")
    odd = sum(1 for piece in pieces if not piece[:1].isalpha() and piece[:1] not in b"/!?")
    if odd <= MAX_ATTRIBUTES and max(map(len, pieces)) < MAX_ATTRIBUTES * 2:
        return False
    for match in _TAG.finditer(data):
        inside = match.group(3)
        if len(inside) > MAX_ATTRIBUTES * 2 and sum(1 for _ in _ATTRIBUTE.finditer(inside)) > MAX_ATTRIBUTES:
            return True
    return False


def _deep(data: bytes) -> bool:
    open_tags = highest = 0
    step = len(data) // _STEPS + 1
    for start in range(0, len(data), step):
        part = data[start : start + step]
        opened = part.count(b"<")
        highest = max(highest, open_tags + opened)
        open_tags += opened - 2 * part.count(b"</")
    return highest > MAX_DEPTH and _depth(data) > MAX_DEPTH


def _depth(data: bytes) -> int:
    depth = deepest = 0
    for closing, name, inside in _TAG.findall(data):
        if name.lower() in _FLAT or inside.endswith(b"/"):
            continue
        depth = max(depth - 1, 0) if closing else depth + 1
        deepest = max(deepest, depth)
    return deepest


def bare_text(data: bytes) -> str:
    """The text of a page without a tree: tags cut out, block tags made into line ends."""
    data = _BLOCK.sub(b"\n", _RAW.sub(b" ", data))
    text = unescape(_ANY.sub(b" ", data).decode("utf-8", "replace"))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n\n".join(line for line in lines if line)
