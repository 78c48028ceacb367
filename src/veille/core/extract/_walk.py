"""One pass over the parsed tree: blocks of text in reading order, and the boxes (block-level elements) that hold them.

Everything later works on these flat lists. Boxes are in document order, so the blocks of a box are one contiguous
range; sums over a subtree are then differences of running sums, and no later step has to touch the tree again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from veille.core.extract._words import hint, hints

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

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
#: The elements that mean something to the block model; all others are 0.
TAGS: Final = {
    name: number
    for number, name in enumerate(
        "div p li h1 h2 h3 h4 h5 h6 td th dt dd pre blockquote figcaption article main section nav header footer aside "
        "form table ul ol button figure summary details address body tr fieldset dl center caption noscript".split(),
        1,
    )
}
_PRE: Final = TAGS["pre"]
# A quarter of all boxes, and of what people kept 0.4 % (wcxb sample): not worth reading. A footer inside an article is.
_FURNITURE: Final = SKIPPED | {"nav", "footer"}
_BODIES: Final = frozenset({TAGS["article"], TAGS["main"]})
_IN_LINK, _IN_BODY = 1, 2
#: Stands for `<br>` until a block is finished; cannot occur in parsed text.
_BREAK: Final = "\x00"
_HIDERS: Final = frozenset({"style", "hidden", "aria-hidden"})
_LINED: Final = re.compile(r"(?:^|[-_\s])line(?:$|\s)|code-?line|view-line|^L\d+$")
_TRICKS: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_GONE: Final = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0(?![.\d]*[1-9])|(?:left|top|text-indent)\s*:\s*-\d{4,}", re.IGNORECASE
)
_VEILED: Final = re.compile(r"visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
# What a click shows is content, not a trick: closed tabs and accordions. Of the hidden boxes in the wcxb sample that
# people counted as content, these names and the two rules of `revealed` cover all but a handful.
_FOLDED: Final = re.compile(
    r"accordion|collaps|(?:^|[-_\s])(?:tabs?|tab-?panel|panel|pane|toggle|faq|answer|expand\w*|content|disclosure|read-?more)(?:[-_\s]|$)",
    re.IGNORECASE,
)
_STREAMED: Final = re.compile(r"S:[0-9a-f]+")
#: A veil (opacity, visibility) over more than this many characters is a page waiting for its script, not a trick.
_VEIL_CHARS: Final = 1000


@dataclass(slots=True)
class Reading:
    """The flat reading of a tree."""

    #: Per box: parent, tag number, hints, group of like siblings, first block.
    boxes: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    #: Per box: the block after its last.
    ends: list[int] = field(default_factory=list)
    #: Per block: box, text, linked characters, links, images before it, the box of its `pre` or -1.
    blocks: list[tuple[int, str, int, int, int, int]] = field(default_factory=list)
    #: How many elements were left out because they are hidden.
    hidden: int = 0


def visible(attributes: dict[str, str | None]) -> bool:
    """Whether the element's own attributes leave it visible."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    style = attributes.get("style")
    return not (style and (_GONE.search(style) or _VEILED.search(style)))


def revealed(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Whether a hidden element is shown later by the page itself: streamed in, unfolded by a click, or faded in."""
    name = attributes.get("id") or ""
    if _STREAMED.fullmatch(name) or attributes.get("role") == "tabpanel":
        return True
    style = attributes.get("style") or ""
    if "hidden" not in attributes and _VEILED.search(style) and not _GONE.search(style):
        return "transform" in style or len(node.text()) > _VEIL_CHARS
    if "font-size" in style or "-9" in style:
        return False
    return _FOLDED.search(f"{attributes.get('class') or ''} {name}") is not None


def clean(text: str) -> str:
    """One line of text without the invisible characters that hide or reorder words."""
    line = " ".join(text.split())
    return line if line.isascii() else _TRICKS.sub("", line)


def _line(text: str) -> str:
    if _BREAK in text:
        return "\n".join(clean(part) for part in text.split(_BREAK)).strip()
    return clean(text)


def _code(text: str) -> str:
    rows = [row.rstrip() for row in _TRICKS.sub("", text.replace(_BREAK, "\n")).split("\n")]
    return "\n".join(rows).strip("\n")


def walk(root: LexborNode, *, everything: bool = False, seen: list[tuple[int, int]] | None = None) -> Reading:
    """Read a tree once, from `root` down; `everything` leaves in what is hidden, navigation and page footers.

    `seen` is filled with the block number and memory id of every text and image, to find them again in the tree.
    """
    return _Reader(seen).read(root, everything=everything)


class _Reader:
    """The state of one reading. Only what happens once per element is a method: calls are the cost here."""

    __slots__ = ("box", "groups", "images", "linked", "links", "named", "out", "parts", "pre", "seen", "stack", "state")

    def __init__(self, seen: list[tuple[int, int]] | None) -> None:
        self.out = Reading(boxes=[(-1, 0, 0, 0, 0)], ends=[0])
        self.seen = seen
        self.parts: list[str] = []
        self.linked = self.links = self.images = self.state = self.box = 0
        self.pre = -1
        self.groups: dict[tuple[int, str, str], int] = {}
        self.named: dict[str, int] = {"": 0}
        #: Where to go on when a level is done, and the box, state and `pre` to return to.
        self.stack: list[tuple[LexborNode | None, int, int, int]] = [(None, -1, 0, -1)]

    def read(self, root: LexborNode, *, everything: bool) -> Reading:  # noqa: C901 - the loop over every node
        skipped = SKIPPED if everything else _FURNITURE
        out, parts, stack, seen = self.out, self.parts, self.stack, self.seen
        node = root.first_child
        while True:
            if node is None:
                node, back, self.state, pre = stack.pop()
                if back != self.box:
                    self.flush()
                    out.ends[self.box] = len(out.blocks)
                    self.box = back
                    if back < 0:
                        return out
                self.pre = pre
                continue
            tag = node.tag
            if tag == "-text":
                value = node.text_content or ""
                parts.append(value)
                if self.state & _IN_LINK:
                    self.linked += len(value)
                if seen is not None:
                    seen.append((len(out.blocks), node.mem_id))
            elif tag is not None and (tag not in skipped or (tag == "footer" and self.state & _IN_BODY)):
                attributes = node.attributes
                if everything or _HIDERS.isdisjoint(attributes) or visible(attributes) or revealed(node, attributes):
                    node = self.inline(node, tag, attributes) if tag in INLINE else self.open(node, tag, attributes)
                    continue
                out.hidden += 1
            node = node.next

    def inline(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> LexborNode | None:
        """Enter an inline element; those without content are done at once."""
        if tag == "br":
            self.parts.append(_BREAK)
        elif tag == "img":
            self.images += 1
            if self.seen is not None:
                self.seen.append((-1 - len(self.out.blocks), node.mem_id))
        else:
            self.stack.append((node.next, self.box, self.state, self.pre))
            if tag == "a":
                self.state |= _IN_LINK
                self.links += 1
            elif self.pre >= 0 and self.parts and _LINED.search(attributes.get("class") or ""):
                self.parts.append("" if self.parts[-1][-1:] == "\n" else "\n")
            return node.first_child
        return node.next

    def open(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> LexborNode | None:
        """Finish the block before a box, and enter the box."""
        if self.parts:
            self.flush()
        name = attributes.get("class") or ""
        found = self.named.get(name, -1)
        if found < 0:
            found = self.named[name] = hints(name)
        ident = attributes.get("id")
        if ident:
            found |= hint(ident)
        self.stack.append((node.next, self.box, self.state, self.pre))
        number = TAGS.get(tag, 0)
        group = self.groups.setdefault((self.box, tag, name), len(self.groups))
        out = self.out
        out.boxes.append((self.box, number, found, group, len(out.blocks)))
        self.box = len(out.ends)
        out.ends.append(0)
        if number == _PRE:
            self.pre = self.box
        elif number in _BODIES:
            self.state |= _IN_BODY
        return node.first_child

    def flush(self) -> None:
        """End the block that was being collected."""
        raw = "".join(self.parts)
        if raw and not raw.isspace():
            text = _code(raw) if self.pre >= 0 else _line(raw)
            if text:
                self.out.blocks.append((self.box, text, self.linked, self.links, self.images, self.pre))
                self.links = self.images = 0
        self.parts.clear()
        self.linked = 0
