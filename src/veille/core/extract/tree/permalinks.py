"""Permalinks: links of headings to themselves (`¶`, `#`), which are controls and not text.

They are cut from the bytes before parsing, so that every way of reading a page is without them.
"""

from __future__ import annotations

import re
from typing import Final

from veille.core.compiled import BUILT, native

_END: Final = b"</a>"
#: Last bytes of a sign, or of a character reference to one.
_SIGNS: Final = bytes(sorted({sign.encode()[-1] for sign in "#¶§⚓∞🔗;\ufe0e\ufe0f"}))
#: After the element name: its attributes, then only a sign, possibly wrapped in another element.
_LINK: Final = re.compile(
    r"\s([^<>]*)>\s*(?:<(?:span|i|b|sup|small)\b[^<>]*>\s*)?"
    r"(?:[#¶§⚓∞🔗]|&para;|&sect;|&num;|&#0*(?:35|182|167);|&#x0*(?:23|b6|a7);)"
    r"[\s\ufe0e\ufe0f]*(?:</(?:span|i|b|sup|small)>\s*)?",
    re.IGNORECASE,
)
_MOST_BYTES: Final = 1000
_TARGET: Final = re.compile(r"""href\s*=\s*["']?[^"'\s>]*#([^"'\s>]+)""", re.IGNORECASE)
#: Attributes that mark a permalink.
_NAMED: Final = re.compile(
    r"""(?:class|rel)\s*=\s*["']?[^"'>]*(?:header-?link|anchor|perma-?link|hash-?link|id_link|self-?link|bookmark)"""
    r"""|(?:title|aria-label)\s*=\s*["'][^"'>]*(?:perma(?:nent )?-?link|link to this|direct link|anchor)""",
    re.IGNORECASE,
)
#: How far before the link its target may begin, and how many occurrences of its name are tried there.
_NEAR, _TRIES = 8000, 3
_NAMES: Final = re.compile(rb"""\b(?:id|name)\s*=\s*["']?$""", re.IGNORECASE)


def without_permalinks(html: bytes) -> bytes:
    """The page without permalinks; a sign that links elsewhere, as in an alphabetical index, stays."""
    cuts: list[tuple[int, int]] = []
    for end in native.sign_ends(html, _SIGNS) if BUILT else plain_sign_ends(html):
        first = max(0, end - _MOST_BYTES)
        before = html.rfind(_END, max(0, first - len(_END)), end)
        start = html.rfind(b"<a", first if before < 0 else max(first, before + len(_END)), end)
        if start >= 0 and _is_permalink(html, start, end):
            cuts.append((start, end + len(_END)))
    if not cuts:
        return html
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(html)]
    return b"".join(html[start:end] for start, end in zip(starts, ends, strict=True))


def plain_sign_ends(html: bytes) -> list[int]:
    """Where links end with a sign: the reference for the compiled code."""
    found: list[int] = []
    place = 0
    for piece in html.split(_END)[:-1]:
        place += len(piece)
        if _ends_with_sign(piece):
            found.append(place)
        place += len(_END)
    return found


def _ends_with_sign(piece: bytes) -> bool:
    """Whether a link may end with a sign: a cheap test, as most links end with a word."""
    last = piece[-1:]
    if last.isspace():
        piece = piece.rstrip()
        last = piece[-1:]
    if last == b">":
        last = piece[: piece.rfind(b"</")].rstrip()[-1:]
    return bool(last) and last[0] in _SIGNS


def _is_permalink(html: bytes, start: int, end: int) -> bool:
    link = _LINK.fullmatch(html[start + 2 : end].decode("utf-8", "replace"))
    target = _TARGET.search(link[1]) if link else None
    if link is None or target is None:
        return False
    return _NAMED.search(link[1]) is not None or _leads_to_itself(html, start, end, target[1].encode())


def _leads_to_itself(html: bytes, start: int, end: int, name: bytes) -> bool:
    """Whether the target of the link contains it, is the link itself, or is just before it."""
    first, at = max(0, start - _NEAR), end
    for _ in range(_TRIES + 1):
        at = html.rfind(name, first, at)
        if at < 0:
            return False
        if _NAMES.search(html[max(0, at - 12) : at]) and html[at + len(name) : at + len(name) + 1] in b"\"' >\t\n":
            return True
    return False
