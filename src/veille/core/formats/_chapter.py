"""A chapter of a book as sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.formats._lists import Outline
from veille.core.formats.office.xml import local
from veille.core.formats.paper.paper import Section
from veille.core.text import clean, flat

if TYPE_CHECKING:
    from lxml.etree import _Element

_SILENT = frozenset("head script style template nav iframe object".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub "
    "sup time tt u var wbr".split()
)
_MAX_SPAN = 64


class Chapter:
    """Collects the sections of consecutive chapters."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.has_images = False
        self._words: list[str] = []

    def read(self, root: _Element) -> None:
        self._walk(root)
        self._flush()

    def _walk(self, node: _Element) -> None:
        name = local(node)
        if name in _SILENT or _is_hidden(node):
            return
        if name in _INLINE or not name:
            self._inline(node)
            return
        self._flush()
        if not self._block(name, node):
            self._words.append(node.text or "")
            for child in node:
                self._walk(child)
                self._words.append(child.tail or "")
            self._flush()

    def _block(self, name: str, node: _Element) -> bool:
        """Whether the element becomes a section as a whole."""
        if name in _HEADINGS:
            self._add(Section(kind="heading", title=_words(node), level=_HEADINGS[name]))
        elif name in {"ul", "ol"}:
            outline = Outline()
            _items(node, outline, 0)
            self._add(Section(kind="list", text=outline.taken()))
        elif name == "table":
            caption = next((_words(child) for child in node if local(child) == "caption"), "")
            self.sections.append(Section(kind="table", title=caption, rows=_rows(node)))
        elif name == "pre":
            self._add(Section(kind="code", text=clean("".join(map(str, node.itertext())))))
        elif name in {"img", "image"}:
            self.has_images = True
        else:
            return False
        return True

    def _inline(self, node: _Element) -> None:
        if local(node):
            self._words.append(node.text or "")
            for child in node:
                self._walk(child)
                self._words.append(child.tail or "")

    def _flush(self) -> None:
        text = flat("".join(self._words))
        self._words.clear()
        self._add(Section(kind="paragraph", text=text))

    def _add(self, section: Section) -> None:
        if section.text or section.title:
            self.sections.append(section)


def _items(node: _Element, outline: Outline, depth: int) -> None:
    numbered = str(id(node)) if local(node) == "ol" else ""
    for item in node:
        if local(item) in {"ul", "ol"}:
            _items(item, outline, depth + 1)
        elif local(item):
            inner = [child for child in item.iter() if local(child) in {"ul", "ol"}]
            outline.add(_words(item, without=inner), depth, numbered)
            for child in item:
                if child in inner:
                    _items(child, outline, depth + 1)


def _rows(table: _Element) -> tuple[tuple[str, ...], ...]:
    rows = []
    for row in table.iter():
        if local(row) == "tr":
            cells: list[str] = []
            for cell in row:
                if local(cell) in {"td", "th"}:
                    span = str(cell.get("colspan") or "1")
                    cells += [_words(cell), *[""] * (min(int(span) if span.isdecimal() else 1, _MAX_SPAN) - 1)]
            rows.append(tuple(cells))
    return tuple(rows)


def _words(node: _Element, without: list[_Element] | None = None) -> str:
    pieces: list[str] = []
    _collect(node, pieces, without or [])
    return flat("".join(pieces))


def _collect(node: _Element, pieces: list[str], without: list[_Element]) -> None:
    pieces.append(node.text or "")
    for child in node:
        name = local(child)
        if name and name not in _SILENT and child not in without and not _is_hidden(child):
            if name not in _INLINE:
                pieces.append(" ")
            _collect(child, pieces, without)
            if name not in _INLINE:
                pieces.append(" ")
        pieces.append(child.tail or "")


def _is_hidden(node: _Element) -> bool:
    style = str(node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style
