"""Blocks to plain text: blank lines between paragraphs, list items and table rows as lines, code verbatim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.permalinks import without_permalinks
from veille.core.extract.tree.walk import TAGS, FlatTree, walk
from veille.core.markup_bounds import parsed

_ITEM, _ROW = TAGS["li"], TAGS["tr"]
_HOLDERS: Final = frozenset({_ITEM, _ROW})
_STOPS: Final = _HOLDERS | frozenset(
    {TAGS["table"], TAGS["ul"], TAGS["ol"], TAGS["article"], TAGS["main"], TAGS["section"]}
)


def _holder(reading: FlatTree, box: int) -> tuple[int, int]:
    """The list item or table row a box is in, as tag and number; (0, -1) if in neither."""
    boxes = reading.boxes
    while box >= 0:
        parent, tag, _, _, _ = boxes[box]
        if tag in _STOPS:
            return (tag, box) if tag in _HOLDERS else (0, -1)
        box = parent
    return 0, -1


def render(reading: FlatTree, keep: Iterable[bool], *, plain: bool = False) -> str:
    """The text of the kept blocks; `plain`: without the signs that we add to list items and between cells."""
    bullet, cell = ("", "\t") if plain else ("- ", " | ")
    if reading.compiled is not None:
        return native.render(reading.compiled, bytes(keep), bullet, cell)
    return plain_render(reading, keep, bullet, cell)


def plain_render(reading: FlatTree, keep: Iterable[bool], bullet: str, cell: str) -> str:
    """The same in Python: the reference for the compiled code."""
    out: list[str] = []
    boxes, held = reading.boxes, {-1: (0, -1)}
    last_kind, last_holder, last_pre = 0, -1, -1
    for block, kept in zip(reading.blocks, keep, strict=True):
        if not kept:
            continue
        box, text, _, _, _, pre = block
        # Paragraphs have a box each, and the one around it in common.
        around = box if boxes[box][1] in _STOPS else boxes[box][0]
        if around not in held:
            held[around] = _holder(reading, around)
        kind, holder = held[around]
        if pre >= 0 and pre == last_pre:
            out.append("\n")
        elif holder >= 0 and holder == last_holder:
            out.append(cell if kind == _ROW else "\n")
        else:
            out.append("\n" if kind and kind == last_kind else "\n\n")
            if kind == _ITEM:
                out.append(bullet)
        out.append(text)
        last_kind, last_holder, last_pre = kind, holder, pre
    return "".join(out).strip("\n")


def signs(text: str) -> int:
    """How many of the words of a rendered text are signs that we added."""
    # Looking for one sign is ten times as fast as counting three.
    return text.startswith("- ") + text.count("\n- ") + (text.count(" | ") if "|" in text else 0)


def fragment_text(html: str, *, plain: bool = False) -> str:
    """The text of an HTML fragment that is all content, such as a feed entry; `plain` as for `render`."""
    body = parsed(without_permalinks(html.encode("utf-8", "replace")).decode()).body
    if body is None:
        return ""
    reading = walk(body, everything=True)
    return render(reading, [True] * reading.count, plain=plain)
