"""One pass over the parsed tree: blocks of text in reading order, and the boxes (block-level elements) that hold them.

Everything later works on these flat lists. Boxes are in document order, so the blocks of a box are one contiguous
range; sums over a subtree are differences of running sums, and no later step needs the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import dropwhile
from typing import Final

from selectolax.lexbor import LexborNode

from veille.core.extract.tree.compiled import COMPILED, native
from veille.core.extract.tree.hidden import NEVER, least_text
from veille.core.extract.tree.words import HINT_WORDS, HINTS, hint, hints

SKIPPED: Final = frozenset(
    (
        "script style svg template iframe object embed canvas select option datalist textarea input head audio video "
        "map area link meta param source track progress meter -comment -doctype title"
    ).split()
)
INLINE: Final = frozenset(
    (
        "a span b i em strong u s small sup sub font code kbd samp var tt abbr acronym cite q mark time label bdi bdo "
        "big del ins dfn data wbr nobr strike ruby rt rp rb math mi mo mn mrow msup msub picture img output br"
    ).split()
)
#: The elements that the block model distinguishes; all others are 0.
TAGS: Final = {
    name: number
    for number, name in enumerate(
        "div p li h1 h2 h3 h4 h5 h6 td th dt dd pre blockquote figcaption article main section nav header footer aside "
        "form table ul ol button figure summary details address body tr fieldset dl center caption noscript".split(),
        1,
    )
}
_PRE: Final = TAGS["pre"]
_CODE: Final = frozenset(TAGS[name] for name in ("pre", "dt", "dd"))
#: A block of code with more characters is more than an example.
_PROGRAM: Final = 1000
#: Elements that rules ask for by their name alone.
_TELLING: Final = frozenset(TAGS[name] for name in ("tr", "nav", "pre", "ul", "ol", "dl", "table"))
_IN_LINK, _IN_BODY = 1, 2
#: Actions at a node; values of 0 and above are boxes.
_INLINE, _TEXT, _SKIP, _LINK, _IMAGE, _NEW_LINE = range(-1, -7, -1)
_FOOTER: Final = 1000
_ALL_KINDS: Final = TAGS | dict.fromkeys(INLINE, _INLINE) | dict.fromkeys(SKIPPED, _SKIP)
_ALL_KINDS.update({"a": _LINK, "img": _IMAGE, "br": _NEW_LINE, "-text": _TEXT, "": _SKIP})
# Navigation and footers are a quarter of all boxes, and 0.4 % of what people kept (wcxb sample): not worth reading.
# A footer inside an article is read.
_KINDS: Final = {**_ALL_KINDS, "nav": _SKIP, "footer": _FOOTER}
_STATES: Final = {_LINK: _IN_LINK, TAGS["article"]: _IN_BODY, TAGS["main"]: _IN_BODY}
#: Stands for `<br>` until a block is finished; cannot occur in parsed text.
_BREAK: Final = "\x00"
_HIDERS: Final = frozenset({"style", "hidden", "aria-hidden"})
LINED: Final = re.compile(r"(?:^|[-_\s])line(?:$|\s)|code-?line|view-line|^L\d+$")
TRICKS: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
#: The lists of a reading.
_LISTS: Final = frozenset({"boxes", "ends", "blocks", "looks"})
#: The items of a trace: an element opens, a text, CLOSE ends the last open element, BLOCK ends a block.
Mark = tuple[str, dict[str, str | None]] | str | int
CLOSE, BLOCK = 0, 1

if COMPILED:
    _HINT_BITS: Final = {name: bit for bit, name in enumerate(HINTS)}
    native.setup(_KINDS, _ALL_KINDS, HINT_WORDS, _HINT_BITS, least_text, LINED.search)


@dataclass(eq=False)
class FlatTree:
    """The flat reading of a tree."""

    #: Per box: parent, tag number, hints, group of like siblings, first block.
    boxes: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    #: Per box: the index after its last block.
    ends: list[int] = field(default_factory=list)
    #: Per block: box, text, linked characters, links, images before it, the box of its `pre` or -1.
    blocks: list[tuple[int, str, int, int, int, int]] = field(default_factory=list)
    #: How many elements were skipped because they are hidden.
    hidden: int = 0
    #: Per box: the number of its look. Boxes of one tag and class look alike, wherever they stand.
    looks: list[int] = field(default_factory=list)
    #: The same for the compiled code; None if the walk was not compiled.
    compiled: native.Reading | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlatTree) and self._lists() == other._lists()

    __hash__ = None  # type: ignore[assignment]

    def _lists(self) -> tuple[object, ...]:
        return self.boxes, self.ends, self.blocks, self.hidden, self.looks

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def chars(self) -> int:
        """How many characters they have."""
        return sum(len(block[1]) for block in self.blocks)

    def lines(self, most: int, tag: int, key: str) -> Iterator[tuple[str, int]]:
        """Of the first blocks, the one in a box of that element or with that text in it, and those after it.

        Each with the tag number of its box.
        """
        lines = ((block[1], self.boxes[block[0]][1]) for block in self.blocks[:most])
        return dropwhile(lambda line: line[1] != tag and key not in line[0], lines)

    def sizes(self, tags: frozenset[int]) -> list[int]:
        """How many characters each block in a box of these elements has."""
        return [len(text) for box, text, *_ in self.blocks if self.boxes[box][1] in tags]

    @cached_property
    def telling(self) -> list[tuple[int, int, int, int, int]]:
        """Parent, tag number, hints, first block and end of each box that a rule may be about: few, and in order."""
        return [
            (parent, tag, hint, first, end)
            for (parent, tag, hint, _, first), end in zip(self.boxes, self.ends, strict=True)
            if hint or tag in _TELLING
        ]


@cache
def _bits(tags: frozenset[int]) -> int:
    """A set of elements for the compiled code."""
    return sum(1 << tag for tag in tags)


class _CompiledTree(FlatTree):
    """A reading of the compiled walk: the lists are made when they are first asked for, and often nobody does."""

    compiled: native.Reading

    def __init__(self, compiled: native.Reading) -> None:  # the dataclass would make the lists
        self.compiled = compiled
        self.hidden = compiled.hidden

    def __getattr__(self, name: str) -> object:
        if name not in _LISTS:
            raise AttributeError(name)
        found = getattr(self.compiled, name)
        setattr(self, name, found)
        return found

    @property
    def count(self) -> int:
        return self.compiled.count

    @property
    def chars(self) -> int:
        return self.compiled.chars

    def lines(self, most: int, tag: int, key: str) -> Iterator[tuple[str, int]]:
        return map(self.compiled.line, range(self.compiled.first_line(most, tag, key), min(most, self.count)))

    def sizes(self, tags: frozenset[int]) -> list[int]:
        return self.compiled.sizes(_bits(tags))

    @cached_property
    def telling(self) -> list[tuple[int, int, int, int, int]]:
        return self.compiled.telling(_bits(_TELLING))


def clean(text: str) -> str:
    """One line of text without the invisible characters that hide or reorder words."""
    line = text.strip()
    # Any other white space and every invisible character is not printable: most texts return here.
    if line.isprintable() and "  " not in line:
        return line
    line = " ".join(line.split())
    return line if line.isprintable() else TRICKS.sub("", line)


def _line(text: str) -> str:
    if _BREAK in text:
        return "\n".join(clean(part) for part in text.split(_BREAK)).strip()
    return clean(text)


def _code(text: str) -> str:
    rows = [row.rstrip() for row in TRICKS.sub("", text.replace(_BREAK, "\n")).split("\n")]
    return "\n".join(rows).strip("\n")


def walk(root: LexborNode, *, everything: bool = False) -> FlatTree:
    """Read a tree once, from `root` down; `everything` includes hidden elements, navigation and page footers."""
    return _CompiledTree(native.walk(root.mem_id, everything)) if COMPILED else plain_walk(root, everything=everything)


def plain_walk(root: LexborNode, *, everything: bool = False, trace: list[Mark] | None = None) -> FlatTree:
    """The walk in Python: the reference for the compiled code.

    `trace` is filled with everything that was read, in order, for callers that need more than the text.
    """
    reader = _Reader(everything=everything, trace=trace)
    reader.read(root)
    return reader.out


def has_code(reading: FlatTree) -> bool:
    """Whether at least two blocks are code or definitions, or one is a whole program."""
    found = reading.sizes(_CODE)
    return len(found) > 1 or any(length > _PROGRAM for length in found)


def _leads(kind: int, attributes: dict[str, str | None]) -> bool:
    """Whether it has an address, if it is a link."""
    return kind != _LINK or "href" in attributes


class _Reader:
    """The state of one reading. The work at every node is one loop with local variables: calls are the cost."""

    __slots__ = ("everything", "groups", "images", "links", "looks", "out", "parts", "trace")

    def __init__(self, *, everything: bool, trace: list[Mark] | None) -> None:
        self.out = FlatTree(boxes=[(-1, 0, 0, 0, 0)], ends=[0], looks=[0])
        self.everything = everything
        self.trace = trace
        self.parts: list[str] = []
        self.links = self.images = 0
        self.groups: dict[tuple[int, str, str], int] = {}
        self.looks: dict[tuple[str, str], int] = {("", ""): 0}

    def read(self, root: LexborNode) -> None:  # noqa: C901, PLR0912, PLR0915 - the loop over every node
        parts, blocks, ends, trace = self.parts, self.out.blocks, self.out.ends, self.trace
        kinds, shown = _ALL_KINDS if self.everything else _KINDS, _HIDERS.isdisjoint
        # Where to continue after a level, and the box, state and `pre` to return to.
        stack: list[tuple[LexborNode | None, int, int, int]] = [(None, -1, 0, -1)]
        node, box, pre, state, linked = root.first_child, 0, -1, 0, 0
        while True:
            if node is None:
                node, back, state, before = stack.pop()
                if back != box:
                    linked = self.flush(box, linked, pre) if parts else 0
                    ends[box], box = len(blocks), back
                    if back < 0:
                        return
                if trace is not None:
                    trace.append(CLOSE)
                pre = before
                continue
            kind = kinds.get(tag := node.tag or "", 0)
            if kind == _TEXT:
                value = node.text_content or ""
                # White space before the first text of a block matters only in code.
                if parts or pre >= 0 or not value.isspace():
                    parts.append(value)
                linked += len(value) * (state & _IN_LINK)
                if trace is not None:
                    trace.append(value)
            elif kind != _SKIP and (kind != _FOOTER or state & _IN_BODY):
                attributes = node.attributes
                if shown(attributes) or self.shows(node, attributes):
                    stack.append((node.next, box, state, pre))
                    if kind < 0:
                        self.inline(kind, attributes, pre)
                    else:
                        linked = self.flush(box, linked, pre) if parts else 0
                        box = self.open(box, tag, attributes)
                        pre = box if kind == _PRE else pre
                    if trace is not None:
                        trace.append((tag, attributes))
                    # Without an address it is the target of a link; as `<a id="x"/>` it holds all up to the next one.
                    node, state = node.first_child, state | (_STATES.get(kind, 0) if _leads(kind, attributes) else 0)
                    continue
            node = node.next

    def shows(self, node: LexborNode, attributes: dict[str, str | None]) -> bool:
        """Whether an element with an attribute that may hide it is read anyway; counts those that are not."""
        least = 0 if self.everything else least_text(attributes)
        if least == 0 or (least != NEVER and len(node.text()) >= least):
            return True
        self.out.hidden += 1
        return False

    def inline(self, kind: int, attributes: dict[str, str | None], pre: int) -> None:
        """Record an inline element in the current block."""
        if kind == _LINK and _leads(kind, attributes):
            self.links += 1
        elif kind == _NEW_LINE:
            self.parts.append(_BREAK)
        elif kind == _IMAGE:
            self.images += 1
        elif pre >= 0 and self.parts and LINED.search(attributes.get("class") or ""):
            self.parts.append("" if self.parts[-1][-1:] == "\n" else "\n")

    def open(self, box: int, tag: str, attributes: dict[str, str | None]) -> int:
        """Add a new box inside `box`, without blocks yet; returns its number."""
        name = attributes.get("class") or ""
        role = f"role={attributes.get('role') or ''}"
        found = hints(name) | hint(attributes.get("id") or "") | HINT_WORDS.get(role, 0)
        groups, out = self.groups, self.out
        first = len(out.blocks)
        group = groups.setdefault((box, tag, name), len(groups))
        out.boxes.append((box, TAGS.get(tag, 0), found, group, first))
        out.ends.append(first)
        out.looks.append(self.looks.setdefault((tag, name), len(self.looks)))
        return len(out.ends) - 1

    def flush(self, box: int, linked: int, pre: int) -> int:
        """End the current block; returns 0, the linked characters of the next."""
        parts = self.parts
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        parts.clear()
        text = _code(raw) if pre >= 0 else _line(raw)
        # In code, white space is text, but white space alone is not a block.
        if text and (pre < 0 or not raw.isspace()):
            self.out.blocks.append((box, text, linked, self.links, self.images, pre))
            self.links = self.images = 0
            if self.trace is not None:
                self.trace.append(BLOCK)
        return 0
