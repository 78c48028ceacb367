"""Furniture: blocks around a text that are no part of it, though each may read like content.

The model judges blocks one by one. Seen together, a thread of comments below an article, its headline, captions or a
box of related links are not content; but if they are most of what was found, they are. Every rule here
gained on articles of sites the model had not seen and on Readability's pages (docs/evaluation.md).
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from veille.core.extract.judge.announced import Announced
from veille.core.extract.judge.features import VARYING, Array, FeatureColumns, features
from veille.core.extract.judge.parts import captions, named
from veille.core.extract.judge.sections import with_sections
from veille.core.extract.judge.surroundings import (
    GOES_ON,
    LINKED,
    MOST_PAGER,
    bars,
    beside_pager,
    is_linked,
    without_footer,
    without_navigation,
)
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.walk import TAGS, FlatTree
from veille.core.extract.tree.words import HINTS

_TAG, _LINK, _COMMENT, _COPIES = (VARYING.index(name) for name in ("tag", "link", "above_comment", "copies"))
_ASIDE, _CORE = VARYING.index("in_aside"), VARYING.index("core_in")
#: The rows that the compiled code reads.
_ROWS: Final = (_LINK, _COMMENT, _COPIES, _ASIDE, _CORE)
_P, _H1, _H6, _NOSCRIPT, _ROW = (TAGS[name] for name in ("p", "h1", "h6", "noscript", "tr"))
_APART, _MENU, _EDGE = (1 << HINTS.index(name) for name in ("apart", "menu", "edge"))
_NAMES: Final = sum(1 << HINTS.index(name) for name in ("related", "share", "signup"))
#: An article has at least this many words besides its comments, and besides its headline.
_ARTICLE, _LONG = 150, 200
#: Comments and the like are furniture if the rest is at least this share of everything.
_REST: Final = 0.1
#: Captions are furniture unless they are most of the text.
_HALF: Final = 0.5
#: Of a part that is kept, at least this share is kept.
_MOST: Final = 0.8
#: Documentation of which more than this share is kept is completed only if many words are missing.
_NEARLY_ALL: Final = 0.9
#: A menu has more linked text than this.
_FEW_LINKS: Final = 0.3
_TABLE, _PRE, _NAV = TAGS["table"], TAGS["pre"], TAGS["nav"]
_MANUALS: Final = frozenset({"documentation", ""})
#: Code and tables may continue the last block but one.
_NEAR: Final = 2
_NO_MENU: Final = frozenset({_TABLE, _PRE})
#: How links to the previous and the next page begin.
_BEFORE_BEHIND: Final = re.compile(
    r"[\s|[(]*(?:(?:prev(?:ious)?|next|zurück|weiter|vorige[rs]?|nächste[rs]?|précédente?|suivante?|anterior|siguiente|"
    r"próxim[oa]|seguinte|precedente|successiv[oa]|volgende|poprzedni[ae]?|następn[ya]|föregående|nästa|назад|далее)\b|"
    r"(?:前|次)(?:へ|の)|上一|下一|이전|다음|[«»\u2039\u203a←→⟵⟶<>]{1,2}\s(?!https?:))",
    re.IGNORECASE,
)
#: A part of a page has more words than this; code with more words than _LITTLE_CODE is more than an example.
_PART: Final = 20
_LITTLE_CODE: Final = 25
#: Shorter texts may be repeated.
_SENTENCE: Final = 8


def without_furniture(
    reading: FlatTree, columns: FeatureColumns, keep: Array, kind: str, *, is_manual: bool = False
) -> Array:
    """The kept blocks of a page without furniture; `kind` is the guessed type of page, or empty."""
    if is_manual:
        keep = without_navigation(reading, columns, keep)
    chosen = keep
    keep, pager = judged(reading, columns, keep, kind)
    if is_manual:
        keep = with_sections(reading, columns, keep, chosen, _NEARLY_ALL if kind else 1.0)
        keep = without_footer(reading, columns, keep)
        pager |= bars(reading, columns, keep, pager) | beside_pager(reading, columns, pager)
    return _rest(keep, pager, columns.words, 0, _REST if is_manual else _HALF)


def all_but_furniture(reading: FlatTree, facts: tuple[float, ...], said: Announced, kind: str) -> list[bool]:
    """For each block of a manual whether it would be kept if the model kept everything."""
    columns = features(reading, facts, said)
    everything = np.ones(reading.count, dtype=bool)
    kept: list[bool] = without_furniture(reading, columns, everything, kind, is_manual=True).tolist()
    return kept


def judged(reading: FlatTree, columns: FeatureColumns, keep: Array, kind: str) -> tuple[Array, Array]:
    """The kept blocks after the rules for every page, and those that link to the previous and the next page."""
    if reading.compiled is None:
        return plain_judged(reading, columns, keep, kind)
    keep, pager = keep.copy(), np.empty(len(keep), dtype=bool)
    native.furniture(reading.compiled, columns.varying, _ROWS, columns.words, kind, keep)
    native.pager(reading.compiled, columns.varying[_LINK], columns.words, _BEFORE_BEHIND.match, pager)
    return keep, pager


def plain_judged(reading: FlatTree, columns: FeatureColumns, keep: Array, kind: str) -> tuple[Array, Array]:
    """The same in Python: the reference for the compiled code."""
    keep = _without_furniture(reading, columns, keep, kind)
    return _without_gaps(reading, columns, keep, kind), _pager(reading, columns)


def _without_furniture(reading: FlatTree, columns: FeatureColumns, keep: Array, kind: str) -> Array:
    rows, words = columns.varying, columns.words
    tag = rows[_TAG]
    keep = _whole_rows(reading, _whole_code(reading, keep), words) & ~_escaped(reading, tag)
    keep = _rest(keep, named(reading, _APART), words, 0, _REST)
    if kind in _MANUALS:
        keep = _rest(keep, _menus(reading, columns), words, 0, _REST)
    if kind == "documentation":
        # Asides, notes and examples that repeat each other are part of documentation.
        return keep
    if kind != "forum":
        keep = _rest(keep, rows[_COMMENT] > 0, words, _ARTICLE, _REST)
    if kind != "product":
        keep = _without_headline(keep, tag, words)
    keep = _rest(keep, captions(columns), words, 0, _HALF)
    keep = _rest(keep, rows[_ASIDE] > 0, words, _LONG, _REST)
    if kind == "article":
        # Links beside the text, and paragraphs in it that only link to another text.
        elsewhere = (rows[_LINK] > LINKED) & ((rows[_CORE] == 0) | (tag == _P))
        keep = _rest(keep, elsewhere, words, _ARTICLE, _HALF)
    return _once(reading, keep, (rows[_COPIES] > 1) & (words >= _SENTENCE))


def _rest(keep: Array, furniture: Array, words: Array, least: int, share: float) -> Array:
    """The kept blocks without the furniture, if enough remains; else all."""
    if not furniture.any():
        return keep
    rest = keep & ~furniture
    found = float(words @ rest)
    return rest if found >= least and found >= share * float(words @ keep) else keep


def _without_headline(keep: Array, tag: Array, words: Array) -> Array:
    """Drop the headline of a long text: it is the title, which the metadata has."""
    heads = np.flatnonzero(tag == _H1)
    if len(heads) and keep[heads[0]] and float(words[heads[0] :] @ keep[heads[0] :]) >= _LONG:
        keep = keep.copy()
        keep[heads[0]] = False
    return keep


def _whole_code(reading: FlatTree, keep: Array) -> Array:
    """Keep all lines of a code block of which some are kept."""
    begun = {block[5] for block, taken in zip(reading.blocks, keep.tolist(), strict=True) if taken} - {-1}
    return keep | np.array([block[5] in begun for block in reading.blocks]) if begun else keep


def _whole_rows(reading: FlatTree, keep: Array, words: Array) -> Array:
    """Keep or drop a table row with all of its cells: a single cell is too short to judge."""
    keep = keep.copy()
    for _, tag, _, first, end in reading.telling:
        if tag == _ROW and 0 < (kept := keep[first:end]).sum() < end - first:
            keep[first:end] |= float(words[first:end] @ kept) >= _HALF * float(words[first:end].sum())
    return keep


def _without_gaps(reading: FlatTree, columns: FeatureColumns, keep: Array, kind: str) -> Array:
    """Add the code and lists, in manuals also the tables, that continue a kept block in a part that is kept."""
    keep, words = keep.copy(), columns.words.copy()
    apart = named(reading, _APART | _NAMES, _NAV)
    # Between the paragraphs of an article, a list is more often one of other articles.
    tags = GOES_ON | {_TABLE} if kind in _MANUALS else GOES_ON if kind != "article" else {_PRE}
    found = [
        (parent, tag, first, end)
        for parent, tag, _, first, end in reading.telling
        if tag in tags and 0 < first < end and (tag != _PRE or not kind or words[first:end].sum() <= _LITTLE_CODE)
    ]
    for _, _, first, end in found if not kind else ():
        # On a page of unknown type, a part is judged by its sentences.
        words[first:end] = 0
    for parent, tag, first, end in found:
        near = _NEAR if not kind and tag in _NO_MENU else 1
        if not keep[max(0, first - near) : first].any() or keep[first:end].all() or apart[first:end].any():
            continue
        start, stop = _part(reading, words, parent, first - 1, 0 if kind else _PART)
        beside = words[start:stop].copy()
        beside[first - start : end - start] = 0
        total = float(beside.sum())
        keep[first:end] |= total > _PART and float(beside @ keep[start:stop]) >= _MOST * total
    return keep


def _pager(reading: FlatTree, columns: FeatureColumns) -> Array:
    """Blocks that link to the previous and the next page: they change whenever other pages are reordered."""
    found = np.zeros(len(reading.blocks), dtype=bool)
    for number in np.flatnonzero((columns.varying[_LINK] > _HALF) & (columns.words <= MOST_PAGER)):
        block = reading.blocks[number]
        found[number] = _BEFORE_BEHIND.match(block[1]) is not None and is_linked(block)
    return found


def _part(reading: FlatTree, words: Array, box: int, block: int, least: int) -> tuple[int, int]:
    """The blocks of the smallest box around `box` that also holds `block` and enough words; never the whole page."""
    while box > 0:
        start, stop = reading.boxes[box][4], reading.ends[box]
        if start <= block and float(words[start:stop].sum()) > least:
            return start, stop
        box = reading.boxes[box][0]
    return block, block + 1


def _escaped(reading: FlatTree, tag: Array) -> Array:
    """Blocks of `noscript` that hold markup as text, as saved by a browser that runs scripts."""
    found = np.zeros(len(tag), dtype=bool)
    for number in np.flatnonzero(tag == _NOSCRIPT):
        text = reading.blocks[number][1]
        found[number] = text.startswith("<") and text.endswith(">")
    return found


def _menus(reading: FlatTree, columns: FeatureColumns) -> Array:
    """Blocks in a box named after menus, unless it is a text: some manuals call their notes sidebars."""
    found = np.zeros(len(reading.blocks), dtype=bool)
    words, linked = columns.words, columns.words * columns.varying[_LINK]
    for _, tag, hint, first, end in reading.telling:
        if hint & _MENU and not _H1 <= tag <= _H6:
            found[first:end] |= linked[first:end].sum() > _FEW_LINKS * words[first:end].sum()
    return found


def _once(reading: FlatTree, keep: Array, repeated: Array) -> Array:
    """Keep each text once: pages repeat it for small screens, for no scripts or as a quotation; code may repeat."""
    keep = keep.copy()
    first: dict[str, int] = {}
    for number in np.flatnonzero(keep & repeated):
        box, text, _, _, _, pre = reading.blocks[number]
        parent = reading.boxes[box][0]
        if pre < 0 and first.setdefault(text, parent) != parent:
            keep[number] = False
    return keep
