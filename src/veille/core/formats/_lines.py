"""Printed lines of pages, combined into headings and paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from veille.core.formats._paper import Section
from veille.core.text import flat

#: Text larger than the body by this factor is a heading; sub- and superscripts vary by less.
_LARGER = 1.12
#: A gap of this many normal line distances begins a paragraph.
_GAP = 1.35
_MAX_HEADING_CHARS = 160
_MAX_LEVEL = 6
#: pdfium's mark for a hyphen at the end of a line that belongs to the layout.
SOFT_HYPHEN = "\x02"
_BULLET = re.compile(r"\s*(?:[•◦▪‣○●■]|[·\u2013\u2014-]\s|\(?\d{1,3}[.)](?!\d)|\(?[a-z][.)]\s)\s*\S")
#: A line shorter than this share of the longest on its page, with sentence-ending punctuation, ends its paragraph.
_SHORT = 0.7
_END = re.compile(r"[.!?:;\u3002\uff01\uff1f\uff1a\u2026][\"'\u201d\u2019\u00bb)\]]*\s*$")
_FULL = 0.8
_LETTER = re.compile(r"[^\W\d_]")
#: The default line distance, in units of the font size.
_LEADING = 1.2


class Line(NamedTuple):
    """One printed line."""

    text: str
    size: float
    y: float


def sections_of(pages: list[list[Line]]) -> Iterator[Section]:
    """The sections of all pages; font sizes are compared over the whole document."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    larger = sorted((size for size in sizes if size >= body * _LARGER), reverse=True)
    levels = {size: min(rank, _MAX_LEVEL) for rank, size in enumerate(larger, 1)}
    leading = _leading(pages)
    for number, lines in enumerate(pages, 1):
        yield Section(kind="page", title=f"Page {number}")
        yield from _page(lines, levels, leading)


def _page(lines: list[Line], levels: dict[float, int], leading: float) -> Iterator[Section]:
    short = max((len(line.text) for line in lines), default=0) * _SHORT
    block: list[Line] = []
    for line in lines:
        if block and _begins(line, block[-1], levels, leading, short):
            yield _section(block, levels)
            block = []
        block.append(line)
    if block:
        yield _section(block, levels)


def _leading(pages: list[list[Line]]) -> float:
    """The line distance within paragraphs: the line after a full line mostly continues its paragraph."""
    full = max((len(line.text) for lines in pages for line in lines), default=0) * _FULL
    gaps = [
        (above.y - below.y) / below.size
        for lines in pages
        for above, below in pairwise(lines)
        if len(above.text) >= full and below.size == above.size > 0 and above.y > below.y
    ]
    return median(gaps) if gaps else _LEADING


def _begins(line: Line, above: Line, levels: dict[float, int], leading: float, short: float) -> bool:
    """Whether a line begins a new block rather than continuing the line above it.

    `leading` is the line distance in font sizes; a line with fewer characters than `short` may end a paragraph.
    """
    if (line.size in levels or above.size in levels) and line.size != above.size:
        return True
    gap = above.y - line.y
    # A new column or page: the line is above the one before it.
    is_apart = gap < 0 or gap > leading * line.size * _GAP
    is_last = len(above.text) < short and _END.search(above.text[-20:]) is not None
    return is_apart or is_last or _BULLET.match(line.text) is not None


def _section(block: list[Line], levels: dict[float, int]) -> Section:
    text = _joined([line.text for line in block])
    level = levels.get(block[0].size, 0)
    if level and len(text) <= _MAX_HEADING_CHARS and _LETTER.search(text):
        return Section(kind="heading", title=flat(text), level=level)
    return Section(kind="paragraph", text=text)


def _joined(lines: list[str]) -> str:
    """The lines as one paragraph, with hyphenated words rejoined."""
    text = ""
    for line in lines:
        line = line.strip(" \t")  # noqa: PLW2901 - the loop's own copy
        text = text[:-1] + line if text.endswith(SOFT_HYPHEN) else f"{text} {line}"
    return text.lstrip().replace(SOFT_HYPHEN, "-")
