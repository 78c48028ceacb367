"""The parts of a page that belong to its text and are not in it: headline, byline, captions, comments, related links.

The text of an article is what a reader would quote: its body. Who wants a part in it says so in `Options.with_parts`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from veille.core.extract.judge.announced import Announced, headline
from veille.core.extract.judge.features import VARYING, Array, FeatureColumns
from veille.core.extract.tree.walk import TAGS, FlatTree
from veille.core.extract.tree.words import HINTS

_TAG, _PARENT, _COMMENT, _META, _ASIDE, _LINK = (
    VARYING.index(name) for name in ("tag", "up1_tag", "above_comment", "near_meta", "in_aside", "link")
)
_H1, _H6, _CAPTION = TAGS["h1"], TAGS["h6"], TAGS["figcaption"]
_RELATED: Final = 1 << HINTS.index("related")
#: A byline is within so many blocks of the headline, and has at most so many words.
_NEAR, _SHORT = 12, 25
#: A sentence has at least so many words.
_SENTENCE: Final = 12
#: An `aside` with a higher share of linked text is links to other texts.
_LINKED: Final = 0.5


def named(reading: FlatTree, names: int, element: int = -1) -> Array:
    """Blocks in a box with one of the names, given as the bits of `HINTS`, or in that element.

    The names of headings do not count: their ids are made of their words.
    """
    found = np.zeros(reading.count, dtype=bool)
    for _, tag, hint, first, end in reading.telling:
        if tag == element or (hint & names and not _H1 <= tag <= _H6):
            found[first:end] = True
    return found


def captions(columns: FeatureColumns) -> Array:
    """The blocks that are the caption of a figure."""
    found: Array = (columns.varying[_TAG] == _CAPTION) | (columns.varying[_PARENT] == _CAPTION)
    return found


def parts_of(reading: FlatTree, columns: FeatureColumns, said: Announced) -> dict[str, Array]:
    """For each name of a part, which blocks are of it; a block is of the first that it could be of."""
    rows = columns.varying
    title = _headline(reading, columns, said)
    found = {
        "headline": np.arange(reading.count) == title,
        "byline": _byline(columns, title),
        "captions": captions(columns),
        "related": named(reading, _RELATED) | ((rows[_ASIDE] > 0) & (rows[_LINK] > _LINKED)),
        "comments": rows[_COMMENT] > 0,
    }
    taken = np.zeros(reading.count, dtype=bool)
    for name, blocks in found.items():
        found[name] = blocks & ~taken
        taken |= blocks
    return found


def without_byline(reading: FlatTree, columns: FeatureColumns, said: Announced, kept: Array) -> Array:
    """The kept blocks without the names and dates between the headline and the first sentence."""
    body = np.flatnonzero(kept & (columns.words >= _SENTENCE))
    if not len(body) or not kept[: body[0]].any():
        return kept
    kept = kept.copy()
    kept[: body[0]] &= ~_byline(columns, _headline(reading, columns, said))[: body[0]]
    return kept


def _headline(reading: FlatTree, columns: FeatureColumns, said: Announced) -> int:
    """The block of the headline: the one that says the title, else the first main heading; -1 if there is none."""
    title = headline(said, reading)
    heads = np.flatnonzero(columns.varying[_TAG] == _H1)
    return int(heads[0]) if title < 0 and len(heads) else title


def _byline(columns: FeatureColumns, title: int) -> Array:
    """Short blocks around the headline whose boxes are named after authors, dates and the like."""
    place = np.arange(len(columns.words))
    found: Array = (np.abs(place - title) <= _NEAR) & (columns.varying[_META] > 0) & (columns.words <= _SHORT)
    return found if title >= 0 else np.zeros(len(place), dtype=bool)
