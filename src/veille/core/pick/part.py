"""A part of a page that was pointed at, as it is stored."""

from __future__ import annotations

from typing import Final
from zlib import crc32

from pydantic import Field

from veille.core.pick.marks import Mark

#: Lookalikes, words and texts that are remembered.
MOST_RIVALS: Final = 6
MOST_SAMPLES: Final = 40
MOST_OTHERS: Final = 600


class PagePart(Mark):
    """What is remembered of it, of its page, and of what was like it."""

    #: A selector that finds it on the page as it was; for people.
    selector: str = Field("", max_length=2000)
    #: Whether its text stood nowhere else on the page.
    alone: bool = False
    #: Elements like it that are not it.
    rivals: tuple[Mark, ...] = Field((), max_length=MOST_RIVALS)
    #: Words and names from all over the page: how many are left says how much the page was changed.
    page_words: tuple[str, ...] = Field((), max_length=MOST_SAMPLES)
    #: Short hashes of texts that stood once on the page: an element that still has one is not the part.
    others: str = Field("", max_length=MOST_OTHERS * 8)
    page_names: tuple[str, ...] = Field((), max_length=MOST_SAMPLES)
    #: How often its text, and those before and after it, stood on the page; empty if nobody counted.
    times: tuple[int, ...] = Field((), max_length=3)


def hashed(text: str) -> str:
    """A short hash of a text."""
    return f"{crc32(text.encode()):07x}"[-7:]
