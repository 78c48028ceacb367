"""Features of the block model: one row of numbers per block, from the flat reading of a page.

The blocks of a box are contiguous, so a sum over any box, group of like siblings or neighbourhood is a difference of
running sums. Which columns are kept was decided by their weight in a model of 280 of them (three folds by site, wcxb
and readability pages): dropping the rest moved the score by less than its noise (0.850 both ways).

A page has about 150 blocks, so the number of array operations is the cost, not their size: columns of one kind are
computed together, and values that are the same for all blocks of a page are stored once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from veille.core.extract.judge.announced import Announced, headline, leads
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.walk import TAGS, FlatTree
from veille.core.extract.tree.words import HINTS

Array = NDArray[Any]

_PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|USD|EUR|GBP)")
_ENDS: Final = {**dict.fromkeys('.!?…。\uff01\uff1f」”"', 1), ":": 2, ",": 3, ";": 3}
_COMMA: Final = re.compile("[,、\uff0c]")
#: Chinese and Japanese are written without spaces: two of these characters count as a word.
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
#: Prices are searched in texts of at most this many words.
_SHORT: Final = 25
#: Paragraph-like: this many words, at most this share of them linked.
_GOOD_WORDS, _GOOD_LINK = 12, 0.35
_LONG_WORDS: Final = 25
#: This many siblings that look alike count as a list.
_LIST: Final = 3
#: How many boxes around a block are used.
_LEVELS: Final = 5
_H1, _H6, _ARTICLE = TAGS["h1"], TAGS["h6"], TAGS["article"]
_NOTHING_SAID: Final = Announced()
#: The distance to the headline where there is none.
_NO_TITLE: Final = -999.0
_ABOVE: Final = ("edge", "overlay", "control", "review", "media", "comment", "share", "side")
_NEAR: Final = ("nav", "meta", "signup", "review", "comment", "notice", "product", "media")
_INSIDE: Final = ("footer", "main", "article", "aside", "header", "form", "blockquote")
_SHARE: Final = ("forum", "comment", "item", "product")
_FACTS: Final = 9

#: The columns with one value per block, in the order they are computed.
VARYING: Final = (
    *("size", "words", "link", "links", "commas", "end", "tag", "at", "left", "offset"),
    *(f"up{up}_{name}" for name in ("words", "link", "good", "mean", "share") for up in range(_LEVELS)),
    *("up1_tag", "up4_tag"),
    *(f"above_{name}" for name in _ABOVE),
    *(f"near_{name}" for name in _NEAR),
    *(f"in_{name}" for name in _INSIDE),
    *(f"{kind}_{name}" for name in ("count", "item", "share", "good", "link", "price") for kind in ("inner", "outer")),
    *("inner_own", "outer_own"),
    *(f"{name}_{place}" for place in ("before", "after", "in") for name in ("core", "wide", "top")),
    *("top_up_in", "after_h1", "head_gap", "head_tag", "section_words", "section_good", "section_link"),
    *("before_tag", "after_tag", "after_words", "after_link"),
    *("around15_good", "around5_link", "around15_link", "copies"),
    *("title_up", "after_title", "lead", "depth", "article_number", "article_share", "article_good"),
    *("look_count", "look_share", "look_mean", "look_good"),
    *("frame_count", "frame_share", "frame_mass", "frame_good", "path_count", "path_mass"),
)
#: The columns with one value per page.
FIXED: Final = (
    *("page_list", "page_list_good"),
    *(f"{name}_{what}" for name in ("core", "wide") for what in ("share", "link", "size")),
    *("top_share", "h1s", "page_blocks", "page_words", "page_link", "page_good", "page_long", "page_best"),
    *("page_price", "page_heads", "page_hidden", "page_p", "page_li", "page_td", "page_article", "page_main"),
    *(f"page_{name}s" for name in _SHARE),
    *(f"fact_{number}" for number in range(_FACTS)),
    "has_summary",
)
#: The index of each column in VARYING.
_AT: Final = {name: number for number, name in enumerate(VARYING)}


def _shifts(names: tuple[str, ...], order: Sequence[str]) -> Array:
    return np.array([order.index(name) for name in names])[:, None]


_ABOVE_BITS, _NEAR_BITS, _SHARE_BITS = (_shifts(names, HINTS) for names in (_ABOVE, _NEAR, _SHARE))
_INSIDE_BITS: Final = _shifts(_INSIDE, ("", *TAGS))
#: Input of the compiled code: the bits of the hints and the numbers of the tags above, and of those `_page` counts.
_NUMBERS: Final = (
    *(HINTS.index(name) for name in (*_ABOVE, *_NEAR)),
    *(TAGS[name] for name in _INSIDE),
    *(HINTS.index(name) for name in _SHARE),
    *(TAGS[name] for name in ("h1", "h6", "p", "li", "td", "article", "main")),
)
_BIT: Final = [1 << number for number in range(len(TAGS) + 1)]


@dataclass(frozen=True, slots=True)
class FeatureColumns:
    """The input of the model for one page."""

    #: One row for each name of VARYING, one column for each block: the model reads whole rows.
    varying: Array
    #: One number for each name of FIXED.
    fixed: Array
    words: Array


class _Arrays:
    """The arrays that every group of columns is computed from."""

    def __init__(self, page: FlatTree) -> None:
        boxes, texts, linked, links, _images, _pre = zip(*page.blocks, strict=True)
        self.texts: tuple[str, ...] = texts
        self.total = total = len(texts)
        self.index = np.arange(total)
        counts = [text.count(" ") + 1 + len(_WIDE.findall(text)) // 2 for text in texts]
        sizes, commas = [len(text) for text in texts], [len(_COMMA.findall(text)) for text in texts]
        ends = [_ENDS.get(text[-1], 0) for text in texts]
        #: Characters, words, share of linked text, links, commas, last character.
        self.own = np.fromiter(chain(sizes, counts, linked, links, commas, ends), float, 6 * total).reshape(6, total)
        self.size, self.words, self.link = self.own[:3]
        np.minimum(self.link / self.size, 1.0, out=self.link)
        self.box = np.array(boxes)
        rows = np.fromiter(chain.from_iterable(page.boxes), np.int64).reshape(-1, 5)
        parent, self.tag, self.hint, self.group, self.first = np.ascontiguousarray(rows.T)
        self.parent = np.maximum(parent, 0)
        self.last = np.array(page.ends)
        self.count = len(self.tag)
        self.block_tag = self.tag[self.box]
        self.is_head = (self.block_tag >= _H1) & (self.block_tag <= _H6)
        self.linked = self.size * self.link
        self.good = np.where((self.words >= _GOOD_WORDS) & (self.link < _GOOD_LINK), self.words, 0.0)
        #: Running sums of words, good words, linked and all characters, prices; `sums` has the same per box.
        self.running = np.zeros((5, total + 1))
        values = np.array((self.words, self.good, self.linked, self.size, _prices(texts, counts)))
        np.cumsum(values, axis=1, out=self.running[:, 1:])
        self.sums = self.running[:, self.last] - self.running[:, self.first]
        self.box_words, self.box_good = self.sums[:2]
        self.box_link = self.sums[2] / np.maximum(self.sums[3], 1)
        self.all_words, self.all_good, _, self.all_size, _ = np.maximum(self.running[:, -1], 1.0).tolist()


def _prices(texts: tuple[str, ...], counts: list[int]) -> list[float]:
    """1 for each short text with a price in it."""
    pairs = zip(texts, counts, strict=True)
    return [float(count <= _SHORT and _PRICE.search(text) is not None) for text, count in pairs]


def features(page: FlatTree, facts: tuple[float, ...], said: Announced = _NOTHING_SAID) -> FeatureColumns:
    """The columns for a page with at least one block; `facts` are numbers from its head and address."""
    if page.compiled is None:
        return plain_features(page, facts, said)
    out, words = np.empty((len(VARYING), page.count), dtype=np.float32), np.empty(page.count)
    fixed = native.columns(page.compiled, headline(said, page), _NUMBERS, _PRICE.search, out, words)
    return _columns(page, said, out, words, [*fixed, *facts])


def plain_features(page: FlatTree, facts: tuple[float, ...], said: Announced = _NOTHING_SAID) -> FeatureColumns:
    """The columns computed with numpy: the reference for the compiled code."""
    r = _Arrays(page)
    out = np.empty((len(VARYING), r.total), dtype=np.float32)
    out[:6] = r.own
    out[6:10] = r.block_tag, r.index / r.total, r.total - r.index, r.running[3, 1:] / r.all_size
    _boxes(r, out)
    fixed = [*_lists(page, r, out), *_centre(r, out), _headings(r, out), *_page(page, r), *facts]
    _neighbours(r, out)
    _places(r, out, headline(said, page))
    _looks(page, r, out)
    return _columns(page, said, out, r.words, fixed)


def _columns(page: FlatTree, said: Announced, out: Array, words: Array, fixed: list[float]) -> FeatureColumns:
    for number, likeness in leads(said, page).items():
        out[_AT["lead"], number] = likeness
    return FeatureColumns(out, np.array([*fixed, bool(said.summaries)], dtype=np.float32), words)


def _boxes(r: _Arrays, out: Array) -> None:
    table = np.empty((5, r.count), dtype=np.float32)
    table[0] = r.box_words
    table[1] = r.box_link
    np.divide(r.box_good, np.maximum(r.box_words, 1), out=table[2], casting="same_kind")
    np.divide(r.box_words, np.maximum(r.last - r.first, 1), out=table[3], casting="same_kind")
    np.divide(r.box_words, r.all_words, out=table[4], casting="same_kind")
    levels = np.empty((_LEVELS, r.total), dtype=np.int64)
    levels[0] = r.box
    for up in range(1, _LEVELS):
        levels[up] = r.parent[levels[up - 1]]
    at = _AT["up0_words"]
    out[at : at + 25] = table[:, levels].reshape(25, r.total)
    out[at + 25] = r.tag[levels[1]]
    out[at + 26] = r.tag[levels[4]]


def _lists(page: FlatTree, r: _Arrays, out: Array) -> tuple[float, float]:
    """Columns of the names above a block and of the lists it is in; returns the share of the page's longest lists."""
    size = np.bincount(r.group).astype(float)
    words, good, linked, chars, price = (np.bincount(r.group, weights=values) for values in r.sums)
    repeated = size >= _LIST
    above, inside, *chosen = _inherited(page, repeated[r.group].tolist())[:, r.box]
    at = _AT["above_edge"]
    out[at : at + 8] = above >> _ABOVE_BITS & 1
    out[at + 8 : at + 16] = (r.hint[r.box] | r.hint[r.parent[r.box]]) >> _NEAR_BITS & 1
    out[at + 16 : at + 23] = inside >> _INSIDE_BITS & 1
    table = np.empty((6, len(size)))
    table[0] = size
    table[1] = words / size
    table[2] = words / r.all_words
    table[3] = good / np.maximum(words, 1)
    table[4] = linked / np.maximum(chars, 1)
    table[5] = price / size
    box = np.array(chosen)
    within = box >= 0
    at = _AT["inner_count"]
    out[at : at + 12] = (table[:, r.group[box]] * within).reshape(12, r.total)
    out[at + 12 : at + 14] = r.box_words[box] * within
    return float((words * repeated).max()) / r.all_words, float((good * repeated).max()) / r.all_good


def _inherited(page: FlatTree, likes: list[bool]) -> Array:
    """For each box: hints and tags of all boxes around it, and the innermost and outermost list item it is in."""
    above, inside, inner, outer = [0], [1], [-1], [-1]
    for number, (parent, tag, hint, _, _) in enumerate(page.boxes[1:], 1):
        above.append(above[parent] | hint)
        inside.append(inside[parent] | _BIT[tag])
        around = outer[parent]
        if likes[number]:
            inner.append(number)
            outer.append(number if around < 0 else around)
        else:
            inner.append(inner[parent])
            outer.append(around)
    count = len(likes)
    return np.fromiter(chain(above, inside, inner, outer), np.int64, 4 * count).reshape(4, count)


def _centre(r: _Arrays, out: Array) -> list[float]:
    """The smallest boxes that hold most of the good text, and the best parent of paragraphs."""
    places, fixed = [], []
    for part in (0.6, 0.9):
        holding = np.flatnonzero(r.box_good >= part * r.all_good)
        box = int(holding[-1]) if len(holding) else 0
        places.append(box)
        fixed += [r.box_words[box] / r.all_words, r.box_link[box], r.last[box] - r.first[box]]
    direct = np.bincount(r.parent[r.box], weights=r.good, minlength=r.count)
    direct += np.bincount(r.box, weights=r.good, minlength=r.count)
    top = int((direct + 0.5 * np.bincount(r.parent, weights=direct, minlength=r.count)).argmax())
    places += [top, r.parent[top]]
    first, last = r.first[places][:, None], r.last[places][:, None]
    at = _AT["core_before"]
    out[at : at + 3] = (first[:3] - r.index) / r.total
    out[at + 3 : at + 6] = (r.index - last[:3]) / r.total
    out[at + 6 : at + 10] = (r.index >= first) & (r.index < last)
    return [*fixed, r.box_good[top] / r.all_good]


def _headings(r: _Arrays, out: Array) -> float:
    """Columns of the section a block is in; returns the number of main headings."""
    h1 = np.flatnonzero(r.block_tag == _H1)
    at = np.maximum.accumulate(np.where(r.is_head, r.index, -1))
    section = np.cumsum(r.is_head)
    words, good, linked, size = (np.bincount(section, weights=v) for v in (r.words, r.good, r.linked, r.size))
    row = _AT["after_h1"]
    out[row] = (r.index - (h1[0] if len(h1) else 0)) / r.total
    out[row + 1] = r.index - at
    out[row + 2] = r.block_tag[at] * (at >= 0)
    out[row + 3] = words[section]
    out[row + 4] = good[section]
    out[row + 5] = (linked / np.maximum(size, 1))[section]
    return len(h1)


def _neighbours(r: _Arrays, out: Array) -> None:
    row = _AT["before_tag"]
    # The first block has itself as predecessor, the last has itself as successor.
    for number, values in enumerate((r.block_tag, r.words, r.link), row + 1):
        out[number, :-1] = values[1:]
        out[number, -1] = values[-1]
    out[row, 1:] = r.block_tag[:-1]
    out[row, 0] = r.block_tag[0]
    _, good, linked, size, _ = r.running
    for width, number in ((5, row + 5), (15, row + 6)):
        low, high = np.maximum(r.index - width, 0), np.minimum(r.index + width + 1, r.total)
        out[number] = (linked[high] - linked[low]) / (size[high] - size[low])
    out[row + 4] = (good[high] - good[low]) / (high - low)
    seen = Counter(r.texts)
    out[row + 7] = [seen[text] for text in r.texts]


def _places(r: _Arrays, out: Array, title: int) -> None:
    """Columns of where a block stands: seen from the headline, how deep, and in which article of the page."""
    row = _AT["title_up"]
    out[row], out[row + 1], out[row + 2] = -1, _NO_TITLE, 0
    if title >= 0:
        around, box = [int(r.box[title])], int(r.box[title])
        while box:
            box = int(r.parent[box])
            around.append(box)
        for up in range(len(around) - 1, -1, -1):
            out[row, r.first[around[up]] : r.last[around[up]]] = up
        out[row + 1] = r.index - title
    depth, inner, outer, number = [0], [-1], [-1], [-1]
    for box, (parent, tag) in enumerate(zip(r.parent[1:].tolist(), r.tag[1:].tolist(), strict=True), 1):
        is_article = tag == _ARTICLE
        depth.append(depth[parent] + 1)
        inner.append(box if is_article else inner[parent])
        outer.append(box if is_article and outer[parent] < 0 else outer[parent])
        number.append(number[-1] + is_article)
    own_depth = np.array(depth)[r.box]
    out[row + 3] = own_depth - float(r.good @ own_depth) / r.all_good
    article, outermost = np.array(inner)[r.box], np.array(outer)[r.box]
    out[row + 4] = np.where(article >= 0, np.array(number)[article], -1)
    out[row + 5] = np.where(article >= 0, r.box_words[article] / r.all_words, -1)
    out[row + 6] = np.where(article >= 0, r.box_good[outermost] / r.all_good, -1)


def _looks(page: FlatTree, r: _Arrays, out: Array) -> None:
    """Columns of all blocks whose box, the box around it, or both, look the same."""
    looks = np.array(page.looks)
    own, frame = looks[r.box], looks[r.parent[r.box]]
    _, path = np.unique(own * len(looks) + frame, return_inverse=True)
    (count, words, good), (count_, words_, good_), (count__, _, good__) = (
        [np.bincount(kind, weights=values)[kind] for values in (None, r.words, r.good)] for kind in (own, frame, path)
    )
    row = _AT["look_count"]
    out[row : row + 4] = count, words / r.all_words, words / count, good / words
    out[row + 4 : row + 8] = count_, words_ / r.all_words, good_ / r.all_good, good_ / words_
    out[row + 8 : row + 10] = count__, good__ / r.all_good


def _page(page: FlatTree, r: _Arrays) -> list[float]:
    blocks = (np.bincount(r.block_tag, minlength=len(TAGS) + 1) / r.total).tolist()
    boxes = np.bincount(r.tag, minlength=len(TAGS) + 1).tolist()
    return [
        r.total,
        r.all_words,
        r.running[2, -1] / r.all_size,
        r.all_good / r.all_words,
        r.words[r.words >= _LONG_WORDS].sum() / r.all_words,
        r.good.max(),
        r.running[4, -1],
        np.count_nonzero(r.is_head),
        page.hidden,
        *(blocks[TAGS[name]] for name in ("p", "li", "td")),
        *(boxes[TAGS[name]] for name in ("article", "main")),
        *(np.count_nonzero(r.hint >> _SHARE_BITS & 1, axis=1) / r.count),
    ]
