"""What surrounds the text of a manual: navigation, bars of links, menus and footers.

Generators of manuals put it around every page, often around a few words of text, and some of them between the sections
of a page that was made of many.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from veille.core.extract.judge.features import VARYING, Array, FeatureColumns
from veille.core.extract.judge.parts import named
from veille.core.extract.judge.sections import core, link_lists
from veille.core.extract.tree.walk import TAGS, FlatTree
from veille.core.extract.tree.words import HINTS

_TAG, _LINK = VARYING.index("tag"), VARYING.index("link")
_H1, _H6, _ROW, _NAV = (TAGS[name] for name in ("h1", "h6", "tr", "nav"))
_APART, _EDGE, _MENU = (1 << HINTS.index(name) for name in ("apart", "edge", "nav"))
#: Elements that continue the sentence before them, and are too unlike one to be judged alone.
GOES_ON: Final = frozenset(TAGS[name] for name in ("pre", "ul", "ol", "dl"))
#: A block with a higher share of linked text than this is links, not a sentence.
LINKED: Final = 0.8
#: The maximum number of words of links to the previous and the next page.
MOST_PAGER: Final = 30
#: A text has at least this many words.
_WORDS: Final = 5
#: A menu is left out beside a text of at least so many words.
_PART: Final = 20
#: A list of links has at least so many blocks, and a higher share of linked text than this.
_LIST, _LINKS = 3, 0.7
#: Footers are at most this share of what is kept, if they do not say that they are footers.
_HALF: Final = 0.5
#: The first link of a menu above the text is within so many blocks.
_MENU_BLOCKS: Final = 5
#: A bar of links has at least this many.
_BAR: Final = 3
#: The same page in other languages, by their codes: "Available Languages: en | fr", or the only one.
_CODE: Final = r"[a-z]{2}(?:-[A-Za-z]{2,4})?"
_LANGUAGES: Final = re.compile(
    rf"(?:[^:]{{1,30}}:\s*)?{_CODE}(?:\s*\|\s*{_CODE})+|[^:]{{0,20}}\b(?:[Ll]ang\w+|[Ss]prachen|[Ii]diomas)[^:]{{0,20}}:\s*{_CODE}"
)
#: What only footers say.
_RIGHTS: Final = re.compile(r"©|\(c\)|\bcopyright\b|\blast (?:updated|modified|changed)\b", re.IGNORECASE)
#: A footer that is a line: who holds the rights, when it was changed, and what it was made with.
_FOOT_LINE: Final = re.compile(
    r"(?:©|\(c\)\s|copyright\s*(?:©|\(c\)|[12]\d{3}\b)|(?:page )?last (?:updated|modified|changed)\b"
    r"|(?:generated|created|made|built) (?:by|with|using|on)\b|powered by\b)",
    re.IGNORECASE,
)
_MOST_FOOT: Final = 40
#: Where a section about rights has its lines.
_ITEMS: Final = frozenset({TAGS["li"], TAGS["pre"]})
#: Where a page says that it is from: "From example.org", 'Retrieved from "https://example.org/page"'.
_FROM: Final = re.compile(
    r"(?:retrieved )?from\s+(?:[\"“]?https?://\S+[\"”]?|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,12})", re.IGNORECASE
)
#: The labels of a bar, as GNU's generator writes them in the languages of manuals: "Next: Arrays, Up: Features".
_LABEL: Final = (
    r"(?:next|previous|prev|up|nächste[rs]?|weiter|vorige[rs]?|zurück|nach oben|hoch|suivante?|précédente?|monter"
    r"|siguiente|anterior|subir|arriba|próxim[oa]|acima|successiv[oa]|precedente|volgende|vorige|omhoog|następny|poprzedni"
    r"|w górę|nästa|föregående|upp|вперёд|далее|назад|вверх|次|前)"
)
_LABELLED: Final = re.compile(rf"(?:\[?\s*)?{_LABEL}\s*:\s", re.IGNORECASE)
_LABELS: Final = re.compile(rf"(?<!\w){_LABEL}\s*:\s", re.IGNORECASE)
_MOST_LABELLED: Final = 100
#: A bar in brackets: "[ Up ] [Top] [Contents]"; one of its names or arrows tells it from a list of notes.
_BRACKETS: Final = re.compile(r"(?:\[[^\[\]]{1,120}\][\s|]*)+")
_BAR_NAMES: Final = re.compile(
    r"\[\s*(?:(?:top|contents|table of contents|index|up|home|next|prev(?:ious)?|back|forward|\?)\s*[\]:]"
    r"|[<«\u2039]{1,2})|[>»\u203a]{1,2}\s*\]",
    re.IGNORECASE,
)


def without_navigation(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Drop what the page sets apart as navigation, which is read only on pages with little text, if there is any text.

    Else take all beside it. Lists of links that are named after menus go if there is more than a line of text.
    """
    words = columns.words
    outside = ~named(reading, _APART, _NAV)
    if not outside.all():
        rest = keep & outside if float(words @ (keep & outside)) >= _WORDS else outside
        keep = rest if float(words @ rest) >= _WORDS else keep
    return _without_menus(reading, columns, keep)


def _without_menus(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Drop lists of links that are named after menus and stand outside the box of the text."""
    words, linked = columns.words, columns.words * columns.varying[_LINK]
    menus = [
        (first, end)
        for _, tag, hint, first, end in reading.telling
        if hint & _MENU and end - first >= _LIST and not _H1 <= tag <= _H6
        if float(linked[first:end].sum()) > _LINKS * float(words[first:end].sum())
    ]
    rest = _outside(keep, menus)
    if not menus or float(words @ rest) < _PART:
        return keep
    start, stop = core(reading, words, rest)[0]
    return _outside(keep, [(first, end) for first, end in menus if end <= start or first >= stop])


def _outside(keep: Array, boxes: list[tuple[int, int]]) -> Array:
    keep = keep.copy()
    for first, end in boxes:
        keep[first:end] = False
    return keep


def is_linked(block: tuple[int, str, int, int, int, int], labels: int = 0) -> bool:
    """Whether a block is links, but for what separates them and so many letters of labels."""
    _, text, linked, *_ = block
    return linked > LINKED * (sum(map(str.isalnum, text)) - labels)


def bars(reading: FlatTree, columns: FeatureColumns, keep: Array, pager: Array) -> Array:
    """What surrounds the text of a manual: bars of links, headings that only link, links to other languages."""
    found = pager.copy()
    tag, linked = columns.varying[_TAG], columns.varying[_LINK]
    heads = np.flatnonzero(tag == _H1)
    found[heads[:-1]] |= linked[heads[:-1]] > LINKED
    short = np.flatnonzero((linked > 0) & (columns.words <= MOST_PAGER)).tolist()
    barred = [number for number in short if "|" in reading.blocks[number][1]]
    for number in barred:
        block = reading.blocks[number]
        found[number] |= block[3] >= _BAR and is_linked(block)
    # Within the text they are part of it.
    text = np.flatnonzero(keep & ~found)
    if len(text):
        found[text[0] : text[-1]] = False
    for number in text[:_MENU_BLOCKS].tolist():
        found[number] = _FROM.fullmatch(reading.blocks[number][1]) is not None
    found |= _menu_above(reading, columns, keep & ~found)
    for number in short:
        line = reading.blocks[number][1]
        # Most have neither, and the pattern takes its time.
        if "|" in line or ":" in line:
            found[number] |= _LANGUAGES.fullmatch(line) is not None
    return found | _between_sections(reading, columns)


def _between_sections(reading: FlatTree, columns: FeatureColumns) -> Array:
    """Bars that are so by their whole text: wherever they stand, they are no part of it."""
    found = np.zeros(reading.count, dtype=bool)
    bracketed = False
    for number in np.flatnonzero((columns.varying[_LINK] > 0) & (columns.words <= _MOST_LABELLED)).tolist():
        block = reading.blocks[number]
        text = block[1]
        if text[0] == "[":
            bracketed |= (is_bar := _is_bracketed([text]))
            found[number] = is_bar
        elif ":" in text and _LABELLED.match(text):
            found[number] = is_linked(block, sum(len(label) for label in _LABELS.findall(text)))
        else:
            found[number] = _FROM.fullmatch(text.rstrip('"”')) is not None
    for _, tag, _, first, end in reading.telling if bracketed else ():
        if tag == _ROW and found[first:end].any():
            found[first:end] |= _is_bracketed([block[1] for block in reading.blocks[first:end]])
    return found


def _is_bracketed(texts: list[str]) -> bool:
    return all(map(_BRACKETS.fullmatch, texts)) and any(map(_BAR_NAMES.search, texts))


def _menu_above(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Lists of links above the text; those below it may be the pages that an index lists."""
    found = np.zeros(len(keep), dtype=bool)
    first = np.flatnonzero(keep)[:_MENU_BLOCKS]
    if np.count_nonzero(columns.varying[_LINK][first] > LINKED):
        found = link_lists(reading, columns, keep)
        text = np.flatnonzero(keep & ~found)
        found[text[0] if len(text) else 0 :] = False
    return found


def beside_pager(reading: FlatTree, columns: FeatureColumns, pager: Array) -> Array:
    """All blocks of a short list with links to the previous and the next page: also the name of the manual."""
    found = np.zeros(len(pager), dtype=bool)
    for number in np.flatnonzero(pager):
        around = reading.boxes[reading.blocks[number][0]][0]
        first, end = reading.boxes[around][4], reading.ends[around]
        is_named = reading.blocks[number][1][0].isalpha()
        if is_named and reading.boxes[around][1] in GOES_ON and columns.words[first:end].sum() <= MOST_PAGER:
            found[first:end] = True
    return found


def without_footer(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Drop what follows the text: boxes named after footers or menus, and lines that only footers have.

    Within the text, a box with a heading is a section of that name.
    """
    return _without_foot_lines(reading, columns, _without_edges(reading, columns, keep))


def _without_edges(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    kept = np.flatnonzero(keep)
    last = int(kept[-1]) if len(kept) else -1
    edges = [box for box in reading.telling if box[2] & (_EDGE | _MENU) and not _H1 <= box[1] <= _H6]
    if not any(first <= last < end for *_, first, end in edges):
        return keep
    tag, words = columns.varying[_TAG], columns.words
    heads = np.concatenate(([0], np.cumsum((tag >= _H1) & (tag <= _H6))))
    main_end = core(reading, words, keep)[0][1]
    footer = np.zeros(len(keep), dtype=bool)
    for _, _, hint, first, end in edges:
        if first >= main_end or (hint & _EDGE and first > kept[0] and heads[end] == heads[first]):
            footer[first:end] = True
    text = np.flatnonzero(keep & ~footer)
    if not len(text):
        return keep
    footer[: text[-1] + 1] = False
    is_sure = any(_RIGHTS.search(reading.blocks[number][1]) for number in np.flatnonzero(keep & footer))
    rest = keep & ~footer
    return rest if is_sure or float(words @ rest) >= _HALF * float(words @ keep) else keep


def _without_foot_lines(reading: FlatTree, columns: FeatureColumns, keep: Array) -> Array:
    """Without the last lines, if they are a footer, and not all there is below a heading."""
    kept = np.flatnonzero(keep).tolist()
    count = len(kept)
    tag = columns.varying[_TAG]
    while count > 1 and tag[kept[count - 1]] not in _ITEMS and _is_foot_line(reading.blocks[kept[count - 1]][1]):
        count -= 1
    if count == len(kept) or _H1 <= tag[kept[count - 1]] <= _H6:
        return keep
    keep = keep.copy()
    keep[kept[count:]] = False
    return keep


def _is_foot_line(text: str) -> bool:
    return text.count(" ") < _MOST_FOOT and (_FOOT_LINE.match(text) or _FROM.fullmatch(text)) is not None
