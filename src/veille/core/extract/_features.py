"""What the block model sees: one row of numbers per block, made from the flat reading of a page.

The blocks of a box are contiguous, so a sum over any box, group of like siblings or neighbourhood is a difference of
running sums. Which columns are kept was decided by their weight in a model of 280 of them (three folds by site, wcxb
and readability pages): dropping the rest moved the score by less than its noise (0.850 both ways).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from veille.core.extract._walk import TAGS
from veille.core.extract._words import HINTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from veille.core.extract._walk import Reading

    Array = NDArray[Any]

_PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|USD|EUR|GBP)")
_ENDS: Final = {**dict.fromkeys('.!?…。”"', 1), ":": 2, ",": 3, ";": 3}
#: Prices are looked for in texts of at most this many words.
_SHORT: Final = 25
#: Paragraph-like: this many words, at most this share of them linked.
_GOOD_WORDS, _GOOD_LINK = 12, 0.35
_LONG_WORDS: Final = 25
#: Siblings that look alike count as a list from here on.
_LIST: Final = 3
_H1, _H6 = TAGS["h1"], TAGS["h6"]
_ABOVE: Final = ("edge", "overlay", "control", "review", "media", "comment", "share", "side")
_NEAR: Final = ("nav", "meta", "signup", "review", "comment", "notice", "product", "media")
_INSIDE: Final = ("footer", "main", "article", "aside", "header", "form", "blockquote")
_SHARE: Final = ("forum", "comment", "item", "product")


class Rows:
    """The columns as they are made, each with its name."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: list[Any] = []

    def add(self, name: str, values: Any) -> None:
        self.names.append(name)
        self.values.append(values)

    def matrix(self, width: int) -> Array:
        """One row per column of the model, one column per block: the model reads whole rows at a time."""
        out = np.empty((len(self.values), width), dtype=np.float32)
        for number, values in enumerate(self.values):
            out[number] = values
        return out


def _running(values: Array) -> Array:
    out = np.zeros(len(values) + 1)
    np.cumsum(values, out=out[1:])
    return out


def _bits(mask: Array, names: tuple[str, ...], order: tuple[str, ...]) -> list[tuple[str, Array]]:
    return [(name, mask >> order.index(name) & 1) for name in names]


class _Reading:
    """The arrays every group of columns starts from."""

    def __init__(self, page: Reading) -> None:
        boxes, texts, linked, links, _images, _pre = zip(*page.blocks, strict=True)
        # One comprehension per column: rows of tuples took twice as long to become arrays.
        counts = [text.count(" ") + 1 for text in texts]
        self.size = np.array([len(text) for text in texts], dtype=float)
        self.words = np.array(counts, dtype=float)
        self.link = np.minimum(np.array(linked) / self.size, 1.0)
        self.links = np.array(links)
        self.commas = np.array([text.count(",") for text in texts])
        self.end = np.array([_ENDS.get(text[-1], 0) for text in texts])
        search = _PRICE.search
        self.price = np.array(
            [1.0 if count <= _SHORT and search(text) else 0.0 for text, count in zip(texts, counts, strict=True)]
        )
        self.total = len(self.size)
        self.index = np.arange(self.total)
        self.box = np.array(boxes)
        parent, self.tag, self.hint, self.group, self.first = (
            np.array(column) for column in zip(*page.boxes, strict=True)
        )
        self.parent = np.maximum(parent, 0)
        self.last = np.array(page.ends)
        self.count = len(self.tag)
        self.linked = self.size * self.link
        self.good = np.where((self.words >= _GOOD_WORDS) & (self.link < _GOOD_LINK), self.words, 0.0)
        self.block_tag = self.tag[self.box]
        self.is_head = (self.block_tag >= _H1) & (self.block_tag <= _H6)
        self.box_words, self.box_size, self.box_linked, self.box_good = (
            self.over(values) for values in (self.words, self.size, self.linked, self.good)
        )
        self.box_link = self.box_linked / np.maximum(self.box_size, 1)
        self.all_words = max(self.words.sum(), 1.0)
        self.all_good = max(self.good.sum(), 1.0)
        self.all_size = max(self.size.sum(), 1.0)

    def over(self, values: Array) -> Array:
        """The sum of a block value over each box."""
        running = _running(values)
        sums: Array = running[self.last] - running[self.first]
        return sums


def features(page: Reading, facts: tuple[float, ...]) -> Rows:
    """The columns for a page with at least one block; `facts` are numbers its head and address give."""
    reading = _Reading(page)
    rows = Rows()
    _own(reading, rows)
    _boxes(reading, rows)
    _names(page, reading, rows)
    _lists(page, reading, rows)
    _centre(reading, rows)
    _headings(reading, rows)
    _neighbours(page, reading, rows)
    _page(page, reading, rows)
    for number, value in enumerate(facts):
        rows.add(f"fact_{number}", value)
    return rows


def _own(r: _Reading, rows: Rows) -> None:
    for name in ("size", "words", "link", "links", "commas", "end"):
        rows.add(name, getattr(r, name))
    rows.add("tag", r.block_tag)
    rows.add("at", r.index / r.total)
    rows.add("left", r.total - r.index)
    rows.add("offset", np.cumsum(r.size) / r.all_size)


def _boxes(r: _Reading, rows: Rows) -> None:
    good = r.box_good / np.maximum(r.box_words, 1)
    mean = r.box_words / np.maximum(r.last - r.first, 1)
    share = r.box_words / r.all_words
    level = r.box
    for up in range(5):
        if up:
            level = r.parent[level]
        rows.add(f"up{up}_words", r.box_words[level])
        rows.add(f"up{up}_link", r.box_link[level])
        rows.add(f"up{up}_good", good[level])
        rows.add(f"up{up}_mean", mean[level])
        rows.add(f"up{up}_share", share[level])
        if up in (1, 4):
            rows.add(f"up{up}_tag", r.tag[level])


def _names(page: Reading, r: _Reading, rows: Rows) -> None:
    above = [0] * r.count
    inside = [0] * r.count
    for number, row in enumerate(page.boxes):
        parent = row[0]
        above[number] = above[parent] | row[2]
        inside[number] = inside[parent] | 1 << row[1]
    for name, bit in _bits(np.array(above)[r.box], _ABOVE, HINTS):
        rows.add(f"above_{name}", bit)
    for name, bit in _bits(r.hint[r.box] | r.hint[r.parent[r.box]], _NEAR, HINTS):
        rows.add(f"near_{name}", bit)
    tags = np.array(inside)[r.box]
    for name in _INSIDE:
        rows.add(f"in_{name}", tags >> TAGS[name] & 1)


def _lists(page: Reading, r: _Reading, rows: Rows) -> None:
    size = np.bincount(r.group).astype(float)
    words, good, linked, chars, price = (
        np.bincount(r.group, weights=values)
        for values in (r.box_words, r.box_good, r.box_linked, r.box_size, r.over(r.price))
    )
    table = np.stack(
        (
            size,
            words / size,
            words / r.all_words,
            good / np.maximum(words, 1),
            linked / np.maximum(chars, 1),
            price / size,
        )
    )
    inner = [-1] * r.count
    outer = [-1] * r.count
    likes = (size >= _LIST)[r.group].tolist()
    for number, row in enumerate(page.boxes):
        parent = row[0]
        if parent >= 0:
            inner[number] = number if likes[number] else inner[parent]
            outer[number] = outer[parent] if outer[parent] >= 0 else number if likes[number] else -1
    for kind, chosen in (("inner", inner), ("outer", outer)):
        at = np.array(chosen)[r.box]
        inside = at >= 0
        found = table[:, r.group[at]] * inside
        for name, values in zip(("count", "item", "share", "good", "link", "price"), found, strict=True):
            rows.add(f"{kind}_{name}", values)
        rows.add(f"{kind}_own", r.box_words[at] * inside)
    repeated = size >= _LIST
    rows.add("page_list", np.max(words * repeated) / r.all_words)
    rows.add("page_list_good", np.max(good * repeated) / r.all_good)


def _centre(r: _Reading, rows: Rows) -> None:
    """The smallest boxes that hold most of the good text, and the best parent of paragraphs."""
    for name, part in (("core", 0.6), ("wide", 0.9)):
        holding = np.flatnonzero(r.box_good >= part * r.all_good)
        box = int(holding[-1]) if len(holding) else 0
        _place(r, rows, name, box)
        rows.add(f"{name}_share", r.box_words[box] / r.all_words)
        rows.add(f"{name}_link", r.box_link[box])
        rows.add(f"{name}_size", r.last[box] - r.first[box])
    direct = np.bincount(r.parent[r.box], weights=r.good, minlength=r.count)
    direct += np.bincount(r.box, weights=r.good, minlength=r.count)
    top = int((direct + 0.5 * np.bincount(r.parent, weights=direct, minlength=r.count)).argmax())
    _place(r, rows, "top", top)
    rows.add("top_share", r.box_good[top] / r.all_good)
    up = r.parent[top]
    rows.add("top_up_in", (r.index >= r.first[up]) & (r.index < r.last[up]))


def _place(r: _Reading, rows: Rows, name: str, box: int) -> None:
    first, last = r.first[box], r.last[box]
    rows.add(f"{name}_in", (r.index >= first) & (r.index < last))
    rows.add(f"{name}_before", (first - r.index) / r.total)
    rows.add(f"{name}_after", (r.index - last) / r.total)


def _headings(r: _Reading, rows: Rows) -> None:
    h1 = np.flatnonzero(r.block_tag == _H1)
    rows.add("after_h1", (r.index - (h1[0] if len(h1) else 0)) / r.total)
    rows.add("h1s", len(h1))
    at = np.maximum.accumulate(np.where(r.is_head, r.index, -1))
    under = at >= 0
    section = np.cumsum(r.is_head)
    words, good, linked, size = (np.bincount(section, weights=v)[section] for v in (r.words, r.good, r.linked, r.size))
    rows.add("head_gap", r.index - at)
    rows.add("head_tag", r.block_tag[at] * under)
    rows.add("section_words", words)
    rows.add("section_good", good)
    rows.add("section_link", linked / np.maximum(size, 1))


def _neighbours(page: Reading, r: _Reading, rows: Rows) -> None:
    before, after = np.maximum(r.index - 1, 0), np.minimum(r.index + 1, r.total - 1)
    rows.add("before_tag", r.block_tag[before])
    rows.add("after_tag", r.block_tag[after])
    rows.add("after_words", r.words[after])
    rows.add("after_link", r.link[after])
    good, linked, size = _running(r.good), _running(r.linked), _running(r.size)
    for width in (5, 15):
        low, high = np.maximum(r.index - width, 0), np.minimum(r.index + width + 1, r.total)
        if width > 5:  # noqa: PLR2004 - nearer, the neighbours say it
            rows.add(f"around{width}_good", (good[high] - good[low]) / (high - low))
        rows.add(f"around{width}_link", (linked[high] - linked[low]) / (size[high] - size[low]))
    seen = Counter(block[1] for block in page.blocks)
    rows.add("copies", [seen[block[1]] for block in page.blocks])


def _page(page: Reading, r: _Reading, rows: Rows) -> None:
    rows.add("page_blocks", r.total)
    rows.add("page_words", r.all_words)
    rows.add("page_link", r.linked.sum() / r.all_size)
    rows.add("page_good", r.all_good / r.all_words)
    rows.add("page_long", r.words[r.words >= _LONG_WORDS].sum() / r.all_words)
    rows.add("page_best", r.good.max())
    rows.add("page_price", r.price.sum())
    rows.add("page_heads", r.is_head.sum())
    rows.add("page_hidden", page.hidden)
    tags = np.bincount(r.block_tag, minlength=len(TAGS) + 1) / r.total
    for name in ("p", "li", "td"):
        rows.add(f"page_{name}", tags[TAGS[name]])
    boxes = np.bincount(r.tag, minlength=len(TAGS) + 1)
    for name in ("article", "main"):
        rows.add(f"page_{name}", boxes[TAGS[name]])
    for name, bit in _bits(r.hint, _SHARE, HINTS):
        rows.add(f"page_{name}s", bit.mean())
