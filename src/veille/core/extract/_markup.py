"""Content as markup: the kept blocks in the elements they stood in, written from the trace of the one walk.

Every "<" and every attribute written here comes from the lists of `_html`, and every text is escaped. What is shown to
people goes through the sanitiser once more; what is stored need not.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from veille.core.extract._codelines import keep_lines
from veille.core.extract._dom import Element
from veille.core.extract._html import ANYWHERE, ATTRIBUTES, TAGS
from veille.core.extract._walk import BLOCK, CLOSE, INLINE, TRICKS, Mark, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from selectolax.lexbor import LexborNode

    from veille.core.extract._links import Base

    Attributes = dict[str, str | None]

_NOTHING: Final[frozenset[str]] = frozenset()
_ALLOWED: Final = {tag: ATTRIBUTES.get(tag, _NOTHING) | ANYWHERE for tag in TAGS}
_LEAVES: Final = frozenset({"pre", "img", "br", "hr"})
#: What is left of elements that say nothing without attributes. Boxes in boxes are written only around a text of their
#: own: pages are wrapped twenty deep.
_WRAPPER: Final = "\n"
_BARE: Final = {"<span>": "", **dict.fromkeys(("<div>", "<section>", "<article>"), _WRAPPER)}
_SPACES: Final = re.compile("[ \\t\\n\\r\\f]+")
_CELLS: Final = frozenset({"td", "th"})
_ADDRESSES: Final = frozenset({"href", "src"})
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-hi-res-src", "data-image-src")
_EMPTY_CELL: Final = "<td></td>"


def markup_of_node(node: LexborNode, base: Base) -> str:
    """What one element of a page holds, without what is hidden in it."""
    trace: list[Mark] = []
    found = walk(node, trace=trace)
    return markup(trace, [True] * len(found.blocks), base)


def markup(trace: Sequence[Mark], kept: Sequence[bool], base: Base) -> str:
    """The kept blocks, with the images beside them."""
    return _Writer(kept, base).write(trace)


class _Writer:
    """One pass over a trace. An element is written when the first kept thing in it is."""

    def __init__(self, kept: Sequence[bool], base: Base) -> None:
        #: Whether each block is kept, and after the last of them nothing is.
        self.kept = [*kept, False]
        self.block = 0
        self.base = base
        self.out: list[str] = []
        #: How to close the elements that were entered, and after them the elements that were not yet.
        self.open: list[str] = []
        self.pending: list[tuple[str, Attributes]] = []
        #: For each open element, how many empty cells came before its first text.
        self.blanks: dict[int, int] = {}

    def write(self, trace: Sequence[Mark]) -> str:  # noqa: C901 - the loop over every mark
        pending, marks = self.pending, iter(trace)
        for mark in marks:
            if mark.__class__ is str:
                if self.kept[self.block]:
                    self.text(str(mark))
            elif mark == CLOSE:
                if pending:
                    self.leave_out(pending.pop()[0])
                else:
                    self.out.append(self.open.pop())
            elif mark == BLOCK:
                self.block += 1
            elif isinstance(mark, tuple):
                if mark[0] in _LEAVES:
                    self.leaf(mark, marks)
                else:
                    pending.append(mark)
        return "".join(self.out).strip()

    def text(self, value: str) -> None:
        if not value.isspace():
            if not value.isprintable():
                value = _SPACES.sub(" ", value if value.isascii() else TRICKS.sub("", value))
            if self.pending:
                self.enter()
            self.hold()
            self.out.append(escape(value, quote=False))
        elif not self.pending and self.out:
            self.out.append("\n" if self.open and self.open[-1] == _WRAPPER else " ")

    def enter(self) -> None:
        """Enter the elements that were waiting for something kept."""
        for tag, attributes in self.pending:
            name = tag if tag in TAGS else "span" if tag in INLINE else "div"
            start = self.start(name, attributes)
            if start in _BARE:
                self.open.append(_BARE[start])
                continue
            if name in INLINE:
                self.hold()
            self.out.append(start)
            self.open.append(f"</{name}>")
            if self.blanks:
                self.out.append(_EMPTY_CELL * self.blanks.pop(len(self.open), 0))
        self.pending.clear()

    def hold(self) -> None:
        """Before a text: a wrapper that holds it is needed after all, or it would run into the text after it."""
        at = len(self.open) - 1
        while at >= 0 and not self.open[at]:
            at -= 1
        if at >= 0 and self.open[at] == _WRAPPER:
            self.out.append("<div>")
            self.open[at] = "</div>"

    def leave_out(self, tag: str) -> None:
        """An element ends without anything kept. Without its empty cells a table would lose its columns."""
        if tag not in _CELLS:
            return
        if self.pending:
            row = len(self.open) + len(self.pending)
            self.blanks[row] = self.blanks.get(row, 0) + 1
        else:
            self.out.append(_EMPTY_CELL)

    def start(self, tag: str, attributes: Attributes) -> str:
        if not attributes:
            return f"<{tag}>"
        allowed, out = _ALLOWED[tag], f"<{tag}"
        for key, value in attributes.items():
            if key not in allowed or not value:
                continue
            said: str | None = value
            if key in _ADDRESSES:
                said = self.base.harmless(value)
            elif key == "srcset":
                said = self.base.candidates(value)
            if said:
                out += f' {key}="{escape(said)}"'
        return out + ">"

    def leaf(self, mark: tuple[str, Attributes], marks: Iterator[Mark]) -> None:
        """An element that is written as a whole, together with the marks inside it."""
        tag, attributes = mark
        if tag == "pre":
            self.code(attributes, marks)
            return
        next(marks)  # its end
        if tag == "img":
            if self.kept[self.block] or self.kept[self.block - 1]:
                self.image(attributes)
        elif not self.pending and self.out:
            self.out.append(f"<{tag}>")

    def image(self, attributes: Attributes) -> None:
        """An image with the address a script would have put in."""
        found = dict(attributes)
        source = found.get("src") or ""
        if not source or source.startswith("data:"):
            found["src"] = next((value for key in _LAZY if (value := found.get(key))), source)
        found["srcset"] = found.get("srcset") or found.get("data-srcset")
        written = self.start("img", found)
        if " src" in written:
            self.enter()
            self.hold()
            self.out.append(written)

    def code(self, attributes: Attributes, marks: Iterator[Mark]) -> None:
        """A `pre` with its lines kept. What it is written in may be said by the boxes around it."""
        around: Element | None = None
        for tag, said in self.pending[-2:]:
            around = Element(tag, _texts(said), around)
        top = element = Element("pre", _texts(attributes), around)
        kept, depth = False, 1
        while depth:
            mark = next(marks)
            if isinstance(mark, str):
                element.children.append(TRICKS.sub("", mark))
            elif isinstance(mark, tuple):
                child = Element(mark[0], _texts(mark[1]), element)
                element.children.append(child)
                element, depth = child, depth + 1
            elif mark == BLOCK:
                kept = kept or self.kept[self.block]
                self.block += 1
            else:
                element, depth = element.parent or top, depth - 1
        if kept:
            keep_lines(top)
            self.enter()
            self.out.append(top.html())


def _texts(attributes: Attributes) -> dict[str, str]:
    return {key: value or "" for key, value in attributes.items()}
