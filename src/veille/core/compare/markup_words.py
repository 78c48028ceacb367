"""Serialised HTML as a sequence of tags and words, and the blocks that the words are in.

For the output of a sanitiser or serialiser: every `<` begins a tag, every tag is closed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Final

from veille.core.extract.output.html import INLINE
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

_UNSPACED: Final = UNSPACED_SIGNS + UNSPACED_LETTERS
_PIECE: Final = re.compile(
    r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>"
    r"|(?:\s|&nbsp;)+"
    rf"|[{_UNSPACED}]"
    rf"|(?:(?!&nbsp;)[^\s<{_UNSPACED}])+"
    r"|<"
)
_NAME: Final = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_VALUE: Final = {name: re.compile(rf' {name}="([^"]*)"') for name in ("src", "alt", "href")}
_VOID: Final = frozenset({"br", "col", "hr", "img"})


@dataclass(slots=True)
class WordBlock:
    """Words between two block boundaries: a paragraph, a heading, the text of a cell or list item."""

    #: The element they are in, and its table row, or 0.
    tag: str
    row: int
    #: The range of pieces, including inline tags.
    start: int
    end: int = 0
    #: The pieces that are words, white space or images.
    words: list[int] = field(default_factory=list)
    #: Where another element could be inserted before or after this one; None if something else is in the way.
    before: int | None = None
    after: int | None = None
    before_row: int | None = None
    after_row: int | None = None


class Pieces:
    """The tags and words of some HTML, in order; joined they are the HTML again."""

    def __init__(self, html: str) -> None:
        self.all: list[str] = _PIECE.findall(html)
        self.blocks: list[WordBlock] = []
        #: For each linked word, by its place, where its link begins.
        self.links: dict[int, int] = {}
        #: The elements that are open, the innermost last; before all of them, none.
        self._stack = [""]
        self._rows = 0
        self._read()

    def keys(self, block: WordBlock, *, ignore_space: bool = False) -> list[str]:
        """The keys by which the words of a block are compared."""
        key = _exact if not ignore_space and block.tag in {"pre", "plain"} else _loose
        return [key(self.all[at]) for at in block.words]

    def shown(self, places: Sequence[int]) -> str:
        """The words at these places, as HTML without tags; images by their descriptions."""
        return "".join(self._told(self.all[at]) for at in places)

    def plain(self, at: int) -> str:
        """A word as text."""
        piece = self.all[at]
        if piece[0] == "<":
            return ""
        return unescape(piece) if "&" in piece else piece

    def target(self, link: int | None) -> str:
        """The target address of a link, as text; empty without one."""
        return "" if link is None else unescape(_value(self.all[link], "href"))

    def _told(self, piece: str) -> str:
        if piece[0] != "<":
            return piece
        return "\n" if is_tag(piece, "br") else f"[image {_value(piece, 'alt')}]".replace(" ]", "]")

    def _read(self) -> None:
        block: WordBlock | None = None
        link: int | None = None
        for at, piece in enumerate(self.all):
            name = name_of(piece) if piece[0] == "<" else ""
            if name == "a":
                link = None if piece.startswith("</") else at
            if name and name not in INLINE:
                self._close(block, at)
                self._enter(piece, name)
                block = None
                continue
            tag = self._stack[-1]
            block = block or WordBlock(tag, self._rows if tag in {"td", "th"} else 0, at)
            if not name or name in {"img", "br"}:
                block.words.append(at)
                if link is not None:
                    self.links[at] = link
        self._close(block, len(self.all))

    def _enter(self, piece: str, name: str) -> None:
        if piece.startswith("</"):
            if len(self._stack) > 1:
                self._stack.pop()
        elif name not in _VOID:
            self._rows += name == "tr"
            self._stack.append("plain" if 'class="plain"' in piece else name)

    def _close(self, block: WordBlock | None, end: int) -> None:
        """Keep a block that shows something, without white space at its ends."""
        if block is None:
            return
        shown = [number for number, at in enumerate(block.words) if not is_space(self.all[at])]
        if not shown:
            return
        block.words = block.words[shown[0] : shown[-1] + 1]
        block.end = end
        tag = "p" if block.tag == "plain" else block.tag
        if tag:
            block.before, block.before_row = self._openings(block.start, tag)
            block.after, block.after_row = self._closings(end, tag)
        self.blocks.append(block)

    def _openings(self, start: int, tag: str) -> tuple[int | None, int | None]:
        own = self._next(start - 1, -1)
        if own is None or not is_tag(self.all[own], tag):
            return None, None
        row = self._next(own - 1, -1)
        return own, row if row is not None and is_tag(self.all[row], "tr") else None

    def _closings(self, end: int, tag: str) -> tuple[int | None, int | None]:
        own = self._next(end, 1)
        if own is None or not self.all[own].startswith(f"</{tag}>"):
            return None, None
        row = self._next(own + 1, 1)
        return own + 1, row + 1 if row is not None and self.all[row].startswith("</tr>") else None

    def _next(self, at: int, step: int) -> int | None:
        """The next piece that is not white space."""
        while 0 <= at < len(self.all):
            if not _is_blank(self.all[at]):
                return at
            at += step
        return None


def name_of(piece: str) -> str:
    """The name of the element, if it is a tag."""
    found = _NAME.match(piece) if piece[0] == "<" else None
    return found[1].lower() if found else ""


def is_tag(piece: str, name: str) -> bool:
    """Whether this opens such an element."""
    return piece[0] == "<" and piece[1:2] != "/" and name_of(piece) == name


@lru_cache(maxsize=20_000)
def is_space(piece: str) -> bool:
    """Whether nothing of it is visible."""
    return is_tag(piece, "br") if piece[0] == "<" else _is_blank(piece)


def _is_blank(piece: str) -> bool:
    # A piece is either all white space or has none.
    return piece[0].isspace() or piece.startswith("&nbsp;")


# The words of two texts are much the same: most are looked up again and again.
@lru_cache(maxsize=20_000)
def _loose(piece: str) -> str:
    """The key of a word where the amount of white space does not matter."""
    return _exact(piece) if piece[0] == "<" or not _is_blank(piece) else " "


def _exact(piece: str) -> str:
    if piece[0] != "<":
        return piece
    return "\n" if is_tag(piece, "br") else f"<{_value(piece, 'src')}"


def _value(tag: str, name: str) -> str:
    found = _VALUE[name].search(tag)
    return found[1] if found else ""
