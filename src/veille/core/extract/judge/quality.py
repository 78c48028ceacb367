"""Quality: the share of the main container's words that a reading kept.

The main container is what the page itself calls so (`main`, `article`, `role="main"`), if it holds most of the kept
text; else the smallest box that holds nearly all of it. Lists of links, and comments and reviews of readers, count only
if they are kept: most pages have some of them in their main container.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from veille.core.extract.judge.features import VARYING, Array, FeatureColumns
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.walk import TAGS, FlatTree
from veille.core.extract.tree.words import HINTS

_LINK, _COMMENT, _REVIEW = (VARYING.index(name) for name in ("link", "above_comment", "above_review"))
_MARKED: Final = frozenset({TAGS["main"], TAGS["article"]})
_ROLE: Final = 1 << HINTS.index("main")
#: The page's own main container holds at least this share of the kept words, any other at least _NEARLY_ALL.
_MOST, _NEARLY_ALL = 0.5, 0.9
#: A block with a higher share of linked text is links, not text.
_LINKED: Final = 0.5
#: A share of fewer words says nothing.
_LEAST: Final = 50


def kept_share(reading: FlatTree, columns: FeatureColumns, kept: Array) -> float | None:
    """The share of the main container's words that is kept, 0 to 1; None if it has too few words."""
    total, found = in_container(reading, columns, kept)
    return round(found / total, 4) if total >= _LEAST else None


def text_share(reading: FlatTree, count: int) -> float | None:
    """The same for a text of so many words that was not made of the blocks."""
    if not reading.count:
        return None
    words = [(text.count(" ") + 1) * (linked <= _LINKED * len(text)) for _, text, linked, *_ in reading.blocks]
    total, _ = _words_in_container(reading, np.array(words, dtype=float), np.ones(len(words), dtype=bool))
    return round(min(count / total, 1.0), 4) if total >= _LEAST else None


def in_container(reading: FlatTree, columns: FeatureColumns, kept: Array) -> tuple[float, float]:
    """How many words of text the main container has, and how many of them are kept."""
    if reading.compiled is not None:
        return native.in_container(reading.compiled, columns.words, kept, columns.varying, (_LINK, _COMMENT, _REVIEW))
    return plain_in_container(reading, columns, kept)


def plain_in_container(reading: FlatTree, columns: FeatureColumns, kept: Array) -> tuple[float, float]:
    """The same in Python: the reference for the compiled code."""
    rows = columns.varying
    is_text = (rows[_LINK] <= _LINKED) & (rows[_COMMENT] + rows[_REVIEW] == 0)
    return _words_in_container(reading, columns.words * (kept | is_text), kept)


def _words_in_container(reading: FlatTree, words: Array, kept: Array) -> tuple[float, float]:
    running = np.zeros((2, len(words) + 1))
    np.cumsum((words, words * kept), axis=1, out=running[:, 1:])
    box = _container(reading, running[1])
    total, found = (running[:, reading.ends[box]] - running[:, reading.boxes[box][4]]).tolist()
    return total, found


def _container(reading: FlatTree, kept: Array) -> int:
    """The main container, by running sums of kept words."""
    # A box with more than half of the words holds the one in the middle, so it is one of the boxes around that.
    middle = int(np.searchsorted(kept, kept[-1] / 2, side="right")) - 1
    box = reading.blocks[min(middle, len(reading.blocks) - 1)][0]
    smallest = -1
    while True:
        above, tag, hint, _, first = reading.boxes[box]
        holds = float(kept[reading.ends[box]] - kept[first])
        if (tag in _MARKED or hint & _ROLE) and holds >= _MOST * kept[-1]:
            return box
        if smallest < 0 and (holds >= _NEARLY_ALL * kept[-1] or above < 0):
            smallest = box
        if above < 0:
            return smallest
        box = above
