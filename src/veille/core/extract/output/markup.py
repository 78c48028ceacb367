"""Content as markup: the kept blocks in their original elements, written from the trace of a walk.

Every "<" and every attribute written here comes from the lists of `html`, and every text is escaped. Markup is
sanitised once more before display; before storage it need not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from selectolax.lexbor import LexborNode

from veille.core.extract.output.codelines import LINE_BLOCKS, CodeLines, is_lined, named_language
from veille.core.extract.output.html import ANYWHERE, ATTRIBUTES, TAGS, Base
from veille.core.extract.tree.compiled import COMPILED, native
from veille.core.extract.tree.walk import BLOCK, CLOSE, INLINE, TRICKS, FlatTree, Mark, plain_walk, walk

Attributes = dict[str, str | None]

_NOTHING: Final[frozenset[str]] = frozenset()
_ALLOWED: Final = {tag: ATTRIBUTES.get(tag, _NOTHING) | ANYWHERE for tag in TAGS}
_LEAVES: Final = frozenset({"pre", "img", "br", "hr"})
#: Replacements for elements that mean nothing without attributes. Nested boxes are written only if they hold text
#: directly: pages are wrapped twenty deep.
_WRAPPER: Final = "\n"
_BARE: Final = {"<span>": "", **dict.fromkeys(("<div>", "<section>", "<article>"), _WRAPPER)}
_SPACES: Final = re.compile("[ \\t\\n\\r\\f]+")
_CELLS: Final = frozenset({"td", "th"})
_ADDRESSES: Final = frozenset({"href", "src"})
_OF_IMAGES: Final = _ALLOWED["img"]
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-hi-res-src", "data-image-src")
_EMPTY_CELL: Final = "<td></td>"


#: Configuration of the compiled writer: how to write an element (as it is, as a `span`, as a leaf), what to write for
#: one without attributes, and which attributes to write, verbatim or as an address.
_AS_IT_IS, _AS_SPAN, _LEAF, _PRE, _IMAGE = range(1, 6)
_WRITTEN, _ADDRESS = 1, 2
_WAYS: Final = {
    **dict.fromkeys(INLINE, _AS_SPAN),
    **dict.fromkeys(TAGS, _AS_IT_IS),
    **dict.fromkeys(_LEAVES, _LEAF),
    "pre": _PRE,
    "img": _IMAGE,
}
_NATIVE_BARE: Final = {"span": 1, "div": 2, "section": 2, "article": 2}
_PAIRS: Final = {
    f"{tag} {name}": _ADDRESS if name in _ADDRESSES else _WRITTEN for tag, names in _ALLOWED.items() for name in names
}


def markup_of_node(node: LexborNode, base: Base) -> str:
    """The content of one element of a page, without hidden parts."""
    return markup(node, [True] * walk(node).count, base)


def markup(
    root: LexborNode, kept: Sequence[bool], base: Base, *, everything: bool = False, reading: FlatTree | None = None
) -> str:
    """The kept blocks of a tree, with the images beside them; `everything` as for the walk that found the blocks.

    With the reading of that walk, what is not kept need not be read again.
    """
    if not COMPILED:
        return plain_markup(root, kept, base, everything=everything)
    known = reading.compiled if reading is not None else None
    return native.markup(root.mem_id, everything, bytes(kept), base.harmless, base.origin, base.candidates, known)


def plain_markup(root: LexborNode, kept: Sequence[bool], base: Base, *, everything: bool = False) -> str:
    """The same in Python: the reference for the compiled code."""
    trace: list[Mark] = []
    plain_walk(root, everything=everything, trace=trace)
    return _Writer(kept, base).write(trace)


class _Writer:
    """One pass over a trace. An element is written once something kept inside it is."""

    def __init__(self, kept: Sequence[bool], base: Base) -> None:
        #: Whether each block is kept; False after the last block.
        self.kept = [*kept, False]
        self.block = 0
        self.base = base
        self.out: list[str] = []
        #: The closing text of each entered element, then the elements that are not entered yet.
        self.open: list[str] = []
        self.pending: list[tuple[str, Attributes]] = []
        #: For each open element, how many empty cells precede its first text.
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
        """Enter the elements that were waiting for kept content."""
        for tag, attributes in self.pending:
            name = tag if tag in TAGS else "span" if tag in INLINE else "div"
            start = _start(name, attributes, self.base)
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
        """Write the wrapper around a text that was skipped so far; else the text would run into what follows it."""
        at = len(self.open) - 1
        while at >= 0 and not self.open[at]:
            at -= 1
        if at >= 0 and self.open[at] == _WRAPPER:
            self.out.append("<div>")
            self.open[at] = "</div>"

    def leave_out(self, tag: str) -> None:
        """Skip an element without kept content. Empty cells are written, or a table would lose its columns."""
        # Drop its empty cells too: they do not belong to the next row.
        self.blanks.pop(len(self.open) + len(self.pending) + 1, None)
        if tag not in _CELLS:
            return
        if self.pending:
            row = len(self.open) + len(self.pending)
            self.blanks[row] = self.blanks.get(row, 0) + 1
        else:
            self.out.append(_EMPTY_CELL)

    def leaf(self, mark: tuple[str, Attributes], marks: Iterator[Mark]) -> None:
        """Write an element as a whole, and consume the marks inside it."""
        tag, attributes = mark
        if tag == "pre":
            self.code(attributes, marks)
            return
        next(marks)  # its CLOSE
        if tag == "img":
            written = _image(attributes, self.base) if self.kept[self.block] or self.kept[self.block - 1] else ""
            if written:
                self.enter()
                self.hold()
                self.out.append(written)
        elif not self.pending and self.out:
            self.out.append(f"<{tag}>")

    def code(self, attributes: Attributes, marks: Iterator[Mark]) -> None:
        """A `pre` with its line breaks kept."""
        inside: list[Mark] = []
        kept, depth = False, 1
        while depth:
            mark = next(marks)
            inside.append(mark)
            if isinstance(mark, tuple):
                depth += 1
            elif mark == BLOCK:
                kept = kept or self.kept[self.block]
                self.block += 1
            elif mark == CLOSE:
                depth -= 1
        if kept:
            written = _code(self.pending[-2:], attributes, inside[:-1])
            self.enter()
            self.out.append(written)


def _start(tag: str, attributes: Attributes, base: Base) -> str:
    if not attributes:
        return f"<{tag}>"
    allowed, out = _ALLOWED[tag], f"<{tag}"
    for key, value in attributes.items():
        if key not in allowed or not value:
            continue
        said: str | None = value
        if key in _ADDRESSES:
            said = base.harmless(value)
        elif key == "srcset":
            said = base.candidates(value)
        if said:
            out += f' {key}="{escape(said)}"'
    return out + ">"


def _image(attributes: Attributes, base: Base) -> str:
    """An image with the address a script would have set; empty if it has none."""
    found = {key: value for key, value in attributes.items() if key in _OF_IMAGES}
    source = found.get("src") or ""
    if not source or source.startswith("data:"):
        found["src"] = next((value for key in _LAZY if (value := attributes.get(key))), source)
    found["srcset"] = found.get("srcset") or attributes.get("data-srcset")
    written = _start("img", found, base)
    return written if " src" in written else ""


def _code(around: Sequence[tuple[str, Attributes]], attributes: Attributes, marks: Sequence[Mark]) -> str:
    """A `pre` with the marks inside it. The boxes around it may name its language."""
    lines = CodeLines()
    inner: list[Attributes] = []
    depth = 0
    for mark in marks:
        if isinstance(mark, str):
            lines.add(mark if mark.isascii() else TRICKS.sub("", mark))
        elif isinstance(mark, tuple):
            tag, said = mark
            if not depth and tag == "code":
                inner.append(said)
            depth += 1
            lines.open(tag, said.get("class"))
        elif mark == CLOSE:
            depth -= 1
            lines.close()
    language = named_language([attributes, *inner, *(said for _, said in around[::-1])])
    start = f'<code class="language-{escape(language)}">' if language else "<code>"
    return f"<pre>{start}{escape(lines.text(), quote=False)}</code></pre>"


if COMPILED:
    inlines, line_blocks = dict.fromkeys(INLINE, 1), dict.fromkeys(LINE_BLOCKS, 1)
    native.markup_setup(_WAYS, _NATIVE_BARE, _PAIRS, inlines, line_blocks, named_language, is_lined)
