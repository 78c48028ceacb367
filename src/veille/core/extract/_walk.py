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
    ["script", "style", "svg", "template", "iframe", "object", "embed", "canvas", "select", "option", "datalist", "textarea", "input", "head", "audio", "video", "map", "area", "link", "meta", "param", "source", "track", "progress", "meter", "-comment", "-doctype", "title"]
)
INLINE: Final = frozenset(
    ["a", "span", "b", "i", "em", "strong", "u", "s", "small", "sup", "sub", "font", "code", "kbd", "samp", "var", "tt", "abbr", "acronym", "cite", "q", "mark", "time", "label", "bdi", "bdo", "big", "del", "ins", "dfn", "data", "wbr", "nobr", "strike", "ruby", "rt", "rp", "rb", "math", "mi", "mo", "mn", "mrow", "msup", "msub", "picture", "img", "output", "br"]
)
#: The elements that mean something to the block model; all others are 0.
TAGS: Final = {
    name: number
    for number, name in enumerate(
        ["div", "p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "pre", "blockquote", "figcaption", "article", "main", "section", "nav", "header", "footer", "aside", "form", "table", "ul", "ol", "button", "figure", "summary", "details", "address", "body", "tr", "fieldset", "dl", "center", "caption", "noscript"],
        1,
    )
}
PRE: Final = TAGS["pre"]
# A quarter of all boxes, and of what people kept 0.4 % (wcxb sample): not worth reading. A footer inside an article is.
FURNITURE: Final = SKIPPED | {"nav", "footer"}
_BODIES: Final = frozenset({TAGS["article"], TAGS["main"]})
_IN_LINK, _IN_BODY = 1, 2
#: Stands for `<br>` until a block is finished; cannot occur in parsed text.
BREAK: Final = "\x00"
HIDERS: Final = frozenset({"style", "hidden", "aria-hidden"})
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
class Page:
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
        return "transform" in style or len(node.text_content or "") > _VEIL_CHARS
    if "font-size" in style or "-9" in style:
        return False
    return _FOLDED.search(f"{attributes.get('class') or ''} {name}") is not None


def clean(text: str) -> str:
    """One line of text without the invisible characters that hide or reorder words."""
    line = " ".join(text.split())
    return line if line.isascii() else _TRICKS.sub("", line)


def _line(text: str) -> str:
    if BREAK in text:
        return "\n".join(clean(part) for part in text.split(BREAK)).strip()
    return clean(text)


def _code(text: str) -> str:
    rows = [row.rstrip() for row in _TRICKS.sub("", text.replace(BREAK, "\n")).split("\n")]
    return "\n".join(rows).strip("\n")


def walk(  # noqa: C901, PLR0912, PLR0915 - see below
    root: LexborNode, *, everything: bool = False, seen: list[tuple[int, int]] | None = None
) -> Page:
    """Read a tree once, from `root` down; `everything` leaves in what is hidden, navigation and page footers.

    `seen` is filled with the block number and memory id of every text and image, to find them again in the tree.
    """
    # The one loop that touches every node: split into methods it took twice as long (wcxb sample).
    page = Page()
    rows, blocks = page.boxes, page.blocks
    groups: dict[tuple[int, str, str], int] = {}
    named: dict[str, int] = {}
    parts: list[str] = []
    stack: list[tuple[LexborNode | None, int, int, int]] = [(None, -1, 0, -1)]
    linked = links = images = count = state = 0
    skipped = SKIPPED if everything else FURNITURE
    pre = -1
    box = 0
    rows.append((-1, 0, 0, 0, 0))
    ends = page.ends
    ends.append(0)
    node = root.first_child
    while True:
        if node is None:
            node, back, state, pre = stack.pop()
            if back == box:
                continue
            tag = ""
        else:
            tag = node.tag
            if tag == "-text":
                value = node.text_content
                parts.append(value)
                if state & _IN_LINK:
                    linked += len(value)
                if seen is not None:
                    seen.append((count, node.mem_id))
                node = node.next
                continue
            if tag in skipped and (tag != "footer" or not state & _IN_BODY):
                node = node.next
                continue
            attributes = node.attributes
            if (
                attributes
                and not HIDERS.isdisjoint(attributes)
                and not everything
                and not (visible(attributes) or revealed(node, attributes))
            ):
                page.hidden += 1
                node = node.next
                continue
            if tag in INLINE:
                if tag == "br":
                    parts.append(BREAK)
                elif tag == "img":
                    images += 1
                    if seen is not None:
                        seen.append((-1 - count, node.mem_id))
                else:
                    inner = node.first_child
                    if inner is not None and tag != "a" and pre < 0 and inner.tag == "-text" and inner.next is None:
                        # Most inline elements hold one text: taken at once, the loop is spared two turns.
                        value = inner.text_content
                        parts.append(value)
                        if state & _IN_LINK:
                            linked += len(value)
                        if seen is not None:
                            seen.append((count, inner.mem_id))
                        node = node.next
                        continue
                    stack.append((node.next, box, state, pre))
                    if tag == "a":
                        state |= _IN_LINK
                        links += 1
                    elif pre >= 0 and parts and _LINED.search(attributes.get("class") or "") and parts[-1][-1:] != "\n":
                        parts.append("\n")
                    node = inner
                    continue
                node = node.next
                continue
        if parts:
            raw = "".join(parts)
            if not raw.isspace():
                text = _code(raw) if pre >= 0 else _line(raw)
                if text:
                    blocks.append((box, text, linked, links, images, pre))
                    count += 1
                    links = images = 0
            parts = []
            linked = 0
        if not tag:
            ends[box] = count
            box = back
            if box < 0:
                return page
            continue
        found = 0
        name = ""
        if attributes:
            name = attributes.get("class") or ""
            if name:
                found = named.get(name, -1)
                if found < 0:
                    found = named[name] = hints(name)
            ident = attributes.get("id")
            if ident:
                found |= hint(ident)
        stack.append((node.next, box, state, pre))
        number = TAGS.get(tag, 0)
        rows.append((box, number, found, groups.setdefault((box, tag, name), len(groups)), count))
        box = len(ends)
        ends.append(0)
        if number == PRE:
            pre = box
        elif number in _BODIES:
            state |= _IN_BODY
        node = node.first_child
