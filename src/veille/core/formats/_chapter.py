"""A chapter of a book as sections."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element

from veille.core.formats._paper import Section
from veille.core.formats._sections import ListLines, SectionReader
from veille.core.formats._tables import Cell, spanned
from veille.core.formats.office.xml import local
from veille.core.text import clean, flat

_SILENT = frozenset("head script style template nav iframe object".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub "
    "sup time tt u var wbr".split()
)
_MAX_SPAN = 64


class Chapters(SectionReader):
    """Collects the sections of consecutive chapters."""

    def __init__(self) -> None:
        super().__init__()
        self.has_images = False
        self._words: list[str] = []

    def read(self, node: _Element) -> None:
        self._walk(node)
        self._flush()

    def _walk(self, node: _Element) -> None:
        name = local(node)
        if not name or name in _SILENT or _is_hidden(node):
            return
        is_block = name not in _INLINE
        if is_block:
            self._flush()
            if self._block(name, node):
                return
        self._words.append(node.text or "")
        for child in node:
            self._walk(child)
            self._words.append(child.tail or "")
        if is_block:
            self._flush()

    def _block(self, name: str, node: _Element) -> bool:
        """Whether the element becomes a section as a whole."""
        if name in _HEADINGS:
            self.add_text(_words(node), _HEADINGS[name])
        elif name in {"ul", "ol"}:
            lines = ListLines()
            _items(node, lines, 0)
            self.add("list", lines.taken())
        elif name == "table":
            caption = next((_words(child) for child in node if local(child) == "caption"), "")
            rows = spanned(_cells(row) for row in node.iter() if local(row) == "tr")
            self.sections.append(Section(kind="table", title=caption, rows=rows))
        elif name == "pre":
            self.add("code", clean("".join(map(str, node.itertext()))))
        elif name in {"img", "image"}:
            self.has_images = True
        else:
            return False
        return True

    def _flush(self) -> None:
        text = flat("".join(self._words))
        self._words.clear()
        self.add("paragraph", text)


def _items(node: _Element, lines: ListLines, depth: int) -> None:
    numbered = str(id(node)) if local(node) == "ol" else ""
    for item in node:
        if local(item) in {"ul", "ol"}:
            _items(item, lines, depth + 1)
        elif local(item):
            inner = [child for child in item.iter() if local(child) in {"ul", "ol"}]
            lines.add(_words(item, without=inner), depth, numbered)
            for child in item:
                if child in inner:
                    _items(child, lines, depth + 1)


def _cells(row: _Element) -> Iterator[Cell]:
    for cell in row:
        if local(cell) in {"td", "th"}:
            span = str(cell.get("colspan") or "1")
            yield Cell(_words(cell), min(int(span) if span.isdecimal() else 1, _MAX_SPAN))


def _words(node: _Element, without: list[_Element] | None = None) -> str:
    pieces: list[str] = []
    _collect(node, pieces, without or [])
    return flat("".join(pieces))


def _collect(node: _Element, pieces: list[str], without: list[_Element]) -> None:
    pieces.append(node.text or "")
    for child in node:
        name = local(child)
        if name and name not in _SILENT and child not in without and not _is_hidden(child):
            space = "" if name in _INLINE else " "
            pieces.append(space)
            _collect(child, pieces, without)
            pieces.append(space)
        pieces.append(child.tail or "")


def _is_hidden(node: _Element) -> bool:
    style = str(node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style
