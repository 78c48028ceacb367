"""Content as markup: the kept blocks in the elements they stood in, written from the trace of the one walk.

Every "<" and every attribute written here comes from the lists of `_html`, and every text is escaped. What is shown to
people goes through the sanitiser once more; what is stored need not.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from veille.core.extract._codelines import keep_lines
from veille.core.extract._dom import Element
from veille.core.extract._html import ANYWHERE, ATTRIBUTES, TAGS
from veille.core.extract._walk import BLOCK, CLOSE, INLINE, TRICKS, Mark, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

    from veille.core.extract._links import Base

    Attributes = dict[str, str | None]

_NOTHING: Final[frozenset[str]] = frozenset()
_ALLOWED: Final = {tag: ATTRIBUTES.get(tag, _NOTHING) | ANYWHERE for tag in TAGS}
#: Elements that are nothing but the attributes they carry.
_PLAIN: Final = frozenset({"span", "bdi", "bdo"})
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
        self.kept = kept
        self.base = base
        self.out: list[str] = []
        #: The closing tags of elements that were written, and after them the elements that are not yet.
        self.open: list[str] = []
        self.pending: list[tuple[str, Attributes]] = []
        #: For each open element, how many empty cells came before its first text.
        self.blanks: dict[int, int] = {}

    def write(self, trace: Sequence[Mark]) -> str:
        kept, pending, block = [*self.kept, False], self.pending, 0
        keeping = kept[0]
        at, end = 0, len(trace)
        while at < end:
            mark = trace[at]
            at += 1
            if mark.__class__ is str:
                if keeping:
                    self.text(mark)  # type: ignore[arg-type]
            elif mark == CLOSE:
                if pending:
                    self.leave_out(pending.pop()[0])
                else:
                    self.out.append(self.open.pop())
            elif mark == BLOCK:
                block += 1
                keeping = kept[block]
            else:
                tag, attributes = mark  # type: ignore[misc]
                if tag == "pre":
                    at, block = self.code(trace, at, block, kept)
                    keeping = kept[block]
                elif tag == "img":
                    if keeping or (block and kept[block - 1]):
                        self.image(attributes)
                    at += 1
                elif tag in ("br", "hr"):
                    if not pending and (self.open or self.out):
                        self.out.append(f"<{tag}>")
                    at += 1
                else:
                    pending.append(mark)  # type: ignore[arg-type]
        return "".join(self.out).strip()

    def text(self, value: str) -> None:
        if not value.isprintable():
            value = TRICKS.sub("", value)
        if self.pending and not value.isspace():
            self.enter()
        if not self.pending:
            self.out.append(escape(value, quote=False))

    def enter(self) -> None:
        """Write the elements that were waiting for something kept."""
        for tag, attributes in self.pending:
            name = tag if tag in TAGS else "span" if tag in INLINE else "div"
            start = self.start(name, attributes)
            if start == "<span>" or (tag in _PLAIN and start == f"<{tag}>"):
                self.open.append("")
                continue
            self.out.append(start)
            self.open.append(f"</{name}>")
            if self.blanks:
                self.out.append(_EMPTY_CELL * self.blanks.pop(len(self.open), 0))
        self.pending.clear()

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
            self.out.append(written)

    def code(self, trace: Sequence[Mark], at: int, block: int, kept: Sequence[bool]) -> tuple[int, int]:
        """A `pre` as a whole, its lines kept; gives where it ends and the block after it."""
        around = [Element(tag, _texts(attributes)) for tag, attributes in self.pending[-2:]]
        top = element = Element("pre", _texts(trace[at - 1][1]), around[-1] if around else None)  # type: ignore[index, arg-type]
        first, depth = block, 1
        while depth:
            mark = trace[at]
            at += 1
            if isinstance(mark, str):
                element.children.append(TRICKS.sub("", mark))
            elif isinstance(mark, tuple):
                child = Element(mark[0], _texts(mark[1]), element)
                element.children.append(child)
                element, depth = child, depth + 1
            elif mark == BLOCK:
                block += 1
            else:
                element, depth = element.parent or top, depth - 1
        if any(kept[first:block]):
            keep_lines(top)
            self.enter()
            self.out.append(top.html())
        return at, block


def _texts(attributes: Attributes) -> dict[str, str]:
    return {key: value or "" for key, value in attributes.items()}
