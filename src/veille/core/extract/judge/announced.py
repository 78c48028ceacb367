"""What a page announces in its head, found among its blocks: which one is the headline, and which begin as the summary does.

The summary of an article is often its first paragraph, which may stand apart from the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from veille.core.extract.tree.walk import TAGS, FlatTree

_H1, _H6 = TAGS["h1"], TAGS["h6"]
#: A headline is at least half as long as a title of the page, which may name the site too, and hardly longer.
_SHORTEST, _LONGEST = 0.5, 1.3
_LEAST_TITLE: Final = 8
#: Texts begin alike if so many of their first characters are the same, or all of the shorter one.
_ALIKE: Final = 40
_LEAST_SUMMARY, _LEAST_LEAD = 20, 15


@dataclass(frozen=True, slots=True)
class Announced:
    """The titles and summaries that a page gives itself."""

    titles: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()


def headline(said: Announced, reading: FlatTree) -> int:
    """The block that says the title: a main heading, else any heading, else any block; -1 if there is none."""
    best, found = 3, -1
    titles = [(title, _SHORTEST * len(title), _LONGEST * len(title)) for title in said.titles]
    # Most blocks are shorter than any title, or longer.
    shortest = max(min((least for _, least, _ in titles), default=0), _LEAST_TITLE - 1)
    longest = max((most for _, _, most in titles), default=0)
    for number, (box, text, _, _, _, _) in enumerate(reading.blocks):
        size = len(text)
        if shortest < size < longest and any(
            least < size < most and (text in title or title in text) for title, least, most in titles
        ):
            tag = reading.boxes[box][1]
            rank = 0 if tag == _H1 else 1 if _H1 < tag <= _H6 else 2
            if rank < best:
                best, found = rank, number
    return found


def leads(said: Announced, reading: FlatTree) -> dict[int, float]:
    """The blocks that begin as a summary of the page does, and how alike their lengths are, 0 to 1."""
    found: dict[int, float] = {}
    for summary in said.summaries:
        begin, first, length = summary[:_ALIKE], summary[0], len(summary)
        for number, (_, text, *_) in enumerate(reading.blocks):
            if text[0] != first or (size := len(text)) < _LEAST_LEAD:
                continue
            if text.startswith(begin) or (size < _ALIKE and begin.startswith(text)):
                found[number] = max(found.get(number, 0.0), min(size, length) / max(size, length))
    return found


def announced_of(titles: Iterable[str], summaries: Iterable[str]) -> Announced:
    """What a page says with these titles and summaries, without empty, short and repeated ones."""
    return Announced(_distinct(titles, _LEAST_TITLE), _distinct(summaries, _LEAST_SUMMARY))


def _distinct(texts: Iterable[str], least: int) -> tuple[str, ...]:
    lines = dict.fromkeys(" ".join(text.split()) for text in texts)
    return tuple(line for line in lines if len(line) >= least)
