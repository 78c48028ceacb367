"""The structure of a text: its headings and blocks, found in the plain text with the help of its HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from veille.core.markup_bounds import parsed
from veille.core.text import flat

_BLANK: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
#: A line that begins or ends a code block; only one without text after the fence can end it.
_FENCE: Final = re.compile(r"^(```+|~~~+)([^\n]*)", re.MULTILINE)
_MARKDOWN: Final = re.compile(r"(#{1,6})\s+\S")
#: How many headings or code blocks of the HTML may be missing from the text (they were not content) before the next
#: one that is present.
_MISSING: Final = 30


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, a list, a table, a code block, or a heading (with its level), by its place in the text."""

    start: int
    end: int
    level: int = 0


def blocks(text: str, html: str = "") -> list[TextBlock]:
    """The blocks of a text in order; between them is only white space."""
    headings, codes = _structure(html)
    kept = _kept(text, codes)
    found: list[TextBlock] = []
    for start, end in _paragraphs(text, kept):
        if kept.get(start) == end:
            found.append(TextBlock(start, end))
        else:
            found += _parted(text, start, end, headings)
    return found


def _structure(html: str) -> tuple[list[tuple[int, str]], list[str]]:
    """The headings and the code blocks, in order."""
    headings, codes = [], []
    if html:
        for node in parsed(html).css("h1, h2, h3, h4, h5, h6, pre"):
            if node.tag == "pre":
                codes.append(node.text().strip("\n"))
            elif title := flat(node.text()):
                headings.append((int(str(node.tag)[1]), title))
    return headings, codes


def _kept(text: str, codes: list[str]) -> dict[int, int]:
    """The parts that blank lines do not split: code."""
    kept = dict(_fenced(text))
    at = missing = 0
    for code in codes:
        if "\n" not in code or missing > _MISSING:
            continue
        found = text.find(code, at)
        if found < 0:
            missing += 1
            continue
        at, missing = found + len(code), 0
        kept[found] = at
    return kept


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of code between two fences; the second has the same signs and is at least as long."""
    fences = list(_FENCE.finditer(text))
    # The longest fence after each that may end it: a missing end is not searched for.
    behind: list[int] = []
    longest: dict[str, int] = {}
    for fence in reversed(fences):
        sign = fence[1][0]
        behind.append(longest.get(sign, 0))
        if not fence[2].strip():
            longest[sign] = max(behind[-1], len(fence[1]))
    opened: re.Match[str] | None = None
    for fence, most in zip(fences, reversed(behind), strict=True):
        if opened is None:
            opened = fence if most >= len(fence[1]) else None
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            yield opened.start(), fence.end()
            opened = None


def _paragraphs(text: str, kept: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The parts between blank lines, and the parts that are kept whole."""
    at = 0
    for start, end in [*sorted(kept.items()), (len(text), len(text))]:
        if start < at:
            continue
        here = at
        for blank in [*_BLANK.finditer(text, at, start), None]:
            to = blank.start() if blank else start
            if text[here:to].strip():
                yield here + len(text[here:to]) - len(text[here:to].lstrip()), here + len(text[here:to].rstrip())
            here = blank.end() if blank else start
        if start < end:
            yield start, end
        at = end


def _parted(text: str, start: int, end: int, headings: list[tuple[int, str]]) -> Iterator[TextBlock]:
    """A paragraph, with its heading lines separated; headings that were found are consumed."""
    body = at = start
    for line in text[start:end].splitlines(keepends=True):
        level = _level(line.strip(), headings)
        if level:
            if text[body:at].strip():
                yield TextBlock(body, at)
            yield TextBlock(at, at + len(line), level)
            body = at + len(line)
        at += len(line)
    if text[body:end].strip():
        yield TextBlock(body, end)


def _level(line: str, headings: list[tuple[int, str]]) -> int:
    if marked := _MARKDOWN.match(line):
        return len(marked[1])
    if headings and len(line) <= max(len(title) for _, title in headings[:_MISSING]) + 2:
        words = flat(line)
        for at, (level, title) in enumerate(headings[:_MISSING]):
            if title == words:
                del headings[: at + 1]
                return level
    return 0
