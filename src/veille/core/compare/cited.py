"""A passage of a revision's text, located in the article that displays it, and the other way round.

Passages are given by their offsets in the text, which never changes; the article is rendered for each reader.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from veille.core.compare.alignment import aligned
from veille.core.compare.markup_words import Pieces, is_space
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

_UNSPACED: Final = UNSPACED_SIGNS + UNSPACED_LETTERS
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")

_Span = tuple[int, int]


def marked(html: str, text: str, start: int, end: int) -> str:
    """The article with the passage in `<mark>`; the first has the id `cited`. Unchanged if it is not found."""
    pieces = Pieces(html)
    wanted = {at for at, (first, last) in _places(pieces, text) if first < end and last > start}
    if not wanted:
        return html
    out: list[str] = []
    is_open, is_first = False, True
    for at, piece in enumerate(pieces.all):
        goes_on = at in wanted or (is_open and piece[0] != "<" and is_space(piece) and at + 1 in wanted)
        if is_open and not goes_on:
            out.append("</mark>")
        if goes_on and not is_open:
            out.append('<mark id="cited">' if is_first else "<mark>")
            is_first = False
        is_open = goes_on
        out.append(piece)
    return "".join(out) + ("</mark>" if is_open else "")


def passage(html: str, text: str, start: int, end: int) -> _Span | None:
    """The offsets in the text of what the article shows between two letters, white space not counted."""
    pieces = Pieces(html)
    counts = list(accumulate((len("".join(pieces.plain(at).split())) for at in range(len(pieces.all))), initial=0))
    inside = [span for at, span in _places(pieces, text) if counts[at] < end and counts[at + 1] > start]
    return (inside[0][0], inside[-1][1]) if inside else None


def _places(pieces: Pieces, text: str) -> list[tuple[int, _Span]]:
    """The words of the article that the text has, by piece number, each with its offsets in the text."""
    words = list(_WORD.finditer(text))
    shown = [at for at, piece in enumerate(pieces.all) if piece[0] != "<" and not is_space(piece)]
    found = []
    for i, _, j, j_end, same in aligned([word[0] for word in words], [pieces.plain(at) for at in shown]):
        if same:
            found += [(shown[at], words[at - j + i].span()) for at in range(j, j_end)]
    return found
