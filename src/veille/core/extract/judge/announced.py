"""What a page announces in its head, found among its blocks: the headline, and what begins as the summary does.

The summary of an article is often its first paragraph, which may stand apart from the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.walk import TAGS, FlatTree

#: What belongs to a text and is not in it, in the order it usually has on a page.
Apart = Literal["headline", "byline", "captions", "related", "comments"]
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
    if reading.compiled is not None:
        return native.headline(reading.compiled, said.titles)
    return plain_headline(said, reading)


def plain_headline(said: Announced, reading: FlatTree) -> int:
    """The same in Python: the reference for the compiled code."""
    titles = [(title, _SHORTEST * len(title), _LONGEST * len(title)) for title in said.titles]
    # Most blocks are shorter than any title, or longer.
    shortest = max(_LEAST_TITLE, min((least for _, least, _ in titles), default=0))
    longest = max((most for _, _, most in titles), default=0)
    best, found = 3, -1
    for number, block in enumerate(reading.blocks):
        text = block[1]
        if not shortest <= (size := len(text)) < longest:
            continue
        for title, least, most in titles:
            if least < size < most and (text in title or title in text):
                tag = reading.boxes[block[0]][1]
                rank = 0 if tag == _H1 else 1 if _H1 < tag <= _H6 else 2
                if rank < best:
                    best, found = rank, number
    return found


def leads(said: Announced, reading: FlatTree) -> dict[int, float]:
    """The blocks that begin as a summary of the page does, and how alike their lengths are, 0 to 1."""
    if reading.compiled is not None:
        return dict(native.leads(reading.compiled, said.summaries) if said.summaries else ())
    return plain_leads(said, reading)


def plain_leads(said: Announced, reading: FlatTree) -> dict[int, float]:
    """The same in Python: the reference for the compiled code."""
    firsts = {summary[0] for summary in said.summaries}
    found: dict[int, float] = {}
    for number, block in enumerate(reading.blocks) if firsts else ():
        text = block[1]
        if text[0] not in firsts or (size := len(text)) < _LEAST_LEAD:
            continue
        for summary in said.summaries:
            begin = summary[:_ALIKE]
            if text.startswith(begin) or (size < _ALIKE and begin.startswith(text)):
                likeness = min(size, len(summary)) / max(size, len(summary))
                found[number] = max(found.get(number, 0.0), likeness)
    return found


def announced_of(titles: Iterable[str], summaries: Iterable[str]) -> Announced:
    """What a page says with these titles and summaries, without empty, short and repeated ones."""
    return Announced(_distinct(titles, _LEAST_TITLE), _distinct(summaries, _LEAST_SUMMARY))


def _distinct(texts: Iterable[str], least: int) -> tuple[str, ...]:
    lines = dict.fromkeys(" ".join(text.split()) for text in texts)
    return tuple(line for line in lines if len(line) >= least)
