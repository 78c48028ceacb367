"""A long page keeps all its sections: what stands between kept blocks of a manual is kept unless it is furniture.

The model judges blocks one by one, and a threshold for the page cuts off the blocks about which it is less sure: in
a reference of a hundred functions those are whole sections. In the box that holds the text every block counts as text
unless it shows signs of its own that it is not: it is navigation, or nearly all of it is links.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from veille.core.extract.judge.features import FIXED, VARYING, Array, FeatureColumns
from veille.core.extract.judge.parts import named
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.walk import TAGS, FlatTree, has_code
from veille.core.extract.tree.words import HINTS

_LINK, _TAG = VARYING.index("link"), VARYING.index("tag")
_PRODUCTS: Final = FIXED.index("page_products")
_H1, _H6, _NAV, _BUTTON = (TAGS[name] for name in ("h1", "h6", "nav", "button"))
_SET_APART: Final = frozenset(TAGS[name] for name in ("aside", "footer", "form"))
_TELLING: Final = _SET_APART | {_NAV}
_APART, _NOTICE = (1 << HINTS.index(name) for name in ("apart", "notice"))
_EDGE: Final = 1 << HINTS.index("edge")
_NAMES: Final = sum(1 << HINTS.index(name) for name in ("menu", "overlay", "ad", "share"))
#: Shorter texts have no sections to lose.
_LONG: Final = 100
#: The main box holds at least this share of the kept words.
_HOLDS: Final = 0.9
#: If less of the main box is kept, it is not a text with gaps. A page without code may be no manual.
_LEAST, _LEAST_PLAIN = 0.3, 0.75
#: So many kept words show that a box with code is a manual, however small their share: of 39,000 pages of 47 manuals
#: nine had more words than this and a smaller share than _LEAST, all of them long references; of other sets none.
_ENOUGH: Final = 1000
#: A box with a higher share of linked text is a list of links; one named as furniture is with less.
_LINKS, _FEW_LINKS = 0.7, 0.3
#: More text around the main box has at most this share of linked text.
_HALF_LINKS: Final = 0.5
#: A section at the end of a page has at least this many words.
_SECTION: Final = 25
#: Documentation that misses this many words is completed, however much of it is kept.
_MUCH: Final = 1000
#: A page with a larger share of boxes named after products is a shop.
_SHOP: Final = 0.05
#: Fewer blocks than this are judged by the model alone, however much of them is linked.
_LIST: Final = 3


def with_sections(reading: FlatTree, columns: FeatureColumns, keep: Array, chosen: Array, most: float) -> Array:
    """The kept blocks of a manual, and all others of the main box that are not furniture.

    They begin with its title, or with the first block of the box that the model has chosen. Nothing is added if more
    than the share `most` of the main box is kept, and not much is left.
    """
    words = columns.words
    if float(words @ keep) < _LONG or columns.fixed[_PRODUCTS] > _SHOP:
        return keep
    text = _text_around(reading, columns, keep)
    total, kept = float(words @ text), float(words @ (keep & text))
    if kept < (min(_LEAST * total, _ENOUGH) if has_code(reading) else _LEAST_PLAIN * total):
        return keep
    if kept > most * total and total - kept < _MUCH:
        return keep
    begins = keep | (text & (chosen | (columns.varying[_TAG] == _H1)))
    text[: np.flatnonzero(begins)[0]] = False
    ends = int(np.flatnonzero(keep)[-1]) + 1
    if float(words[ends:] @ text[ends:]) < _SECTION:
        # Too short for a section: the date of the last change, a licence. Notes are part of the text.
        text[ends:] &= named(reading, _NOTICE)[ends:]
    return keep | text


def core(reading: FlatTree, words: Array, keep: Array) -> list[tuple[int, int]]:
    """The blocks of the smallest box that holds nearly all kept words, and of each box around it: first and end."""
    if reading.compiled is not None:
        return native.core(reading.compiled, words, keep, _HOLDS)
    return plain_core(reading, words, keep)


def plain_core(reading: FlatTree, words: Array, keep: Array) -> list[tuple[int, int]]:
    """The same in Python: the reference for the compiled code."""
    kept = np.concatenate(([0.0], np.cumsum(words * keep)))
    first = np.array([box[4] for box in reading.boxes])
    box = int(np.flatnonzero(kept[np.array(reading.ends)] - kept[first] >= _HOLDS * kept[-1])[-1])
    found = []
    while box >= 0:
        found.append((reading.boxes[box][4], reading.ends[box]))
        box = reading.boxes[box][0]
    return found


def _text_around(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """The text of the main box: the core, or the largest box around it that adds more text than links."""
    furniture = link_lists(reading, columns, keep)
    words, linked = columns.words, columns.words * columns.varying[_LINK]
    inner, *outer = core(reading, words, keep)
    text = _inside(reading, *inner) & ~furniture
    for first, end in outer:
        more = _inside(reading, first, end) & ~furniture
        if float(linked @ (more & ~text)) > _HALF_LINKS * float(words @ (more & ~text)):
            break
        text = more
    return text


def _inside(reading: FlatTree, first: int, end: int) -> Array:
    found = np.zeros(reading.count, dtype=bool)
    found[first:end] = True
    return found


def link_lists(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Blocks of navigation and of lists of links, and headers and footers around the kept blocks."""
    if reading.compiled is None:
        return plain_link_lists(reading, columns, keep)
    found = np.empty(reading.count, dtype=bool)
    native.link_lists(reading.compiled, columns.varying[_LINK], columns.words, keep, found)
    return found


def plain_link_lists(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """The same in Python: the reference for the compiled code."""
    found: Array = columns.varying[_TAG] == _BUTTON
    kept = np.flatnonzero(keep)
    start, stop = int(kept[0]), int(kept[-1]) + 1
    running = np.cumsum((columns.words, columns.words * columns.varying[_LINK]), axis=1)
    all_words, linked_words = np.concatenate((np.zeros((2, 1)), running), axis=1).tolist()
    for (_, tag, hint, _, first), end in zip(reading.boxes, reading.ends, strict=True):
        # Most boxes are short and have no name that tells anything.
        if first >= end or (end - first < _LIST and not hint and tag not in _TELLING):
            continue
        if (first <= start and stop <= end) or _H1 <= tag <= _H6:
            continue
        is_outside = end <= start or first >= stop
        linked = (linked_words[end] - linked_words[first]) / max(all_words[end] - all_words[first], 1)
        if (
            tag == _NAV
            or hint & _APART
            or (hint & _EDGE and is_outside)
            or ((tag in _SET_APART or hint & _NAMES) and linked > _FEW_LINKS)
            or (end - first >= _LIST and linked > _LINKS)
        ):
            found[first:end] = True
    return found
