"""PresentationML as sections: the content of a slide in order, its title first."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element

from veille.core.formats._paper import Section
from veille.core.formats._sections import ListLines, SectionReader
from veille.core.formats._tables import Cell, spanned
from veille.core.text import flat

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

#: Heading levels by the placeholder type of a shape.
_TITLES = {"ctrTitle": 1, "title": 2}
#: Placeholders repeated on every slide by the layout, and the image of the slide on a notes page.
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
#: Placeholders whose paragraphs are list items by default.
_LISTS = frozenset({"body", "obj", ""})
_BULLETS = frozenset({f"{A}buChar", f"{A}buBlip"})


class Slide(SectionReader):
    """One slide, read into sections."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[Section] = []

    def read(self, node: _Element) -> None:
        for child in node:
            if child.tag == f"{P}sp":
                self._shape(child)
            elif child.tag == f"{P}graphicFrame":
                for table in child.iter(f"{A}tbl"):
                    rows = spanned(map(_cell, row.iterfind(f"{A}tc")) for row in table.iterfind(f"{A}tr"))
                    self.sections.append(Section(kind="table", rows=rows))
            elif child.tag == f"{_COMPATIBLE}AlternateContent":
                # The first choice is the one that current programs show.
                for choice in list(child)[:1]:
                    self.read(choice)
            elif child.tag == f"{P}grpSp":
                self.read(child)

    def read_diagram(self, root: _Element) -> None:
        """Add the text of a diagram (SmartArt), one list item for each of its parts."""
        for point in root.iter(f"{_DIAGRAM}t"):
            text = flat(" ".join(map(_text, point.iter(f"{A}p"))))
            if text:
                self.items.add(text, 0)
        self.close_list()

    def _shape(self, shape: _Element) -> None:
        place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        kind = None if place is None else str(place.get("type") or "")
        body = shape.find(f"{P}txBody")
        if body is None or kind in _FURNITURE:
            return
        if kind in _TITLES:
            title = flat(" ".join(map(_text, body.iterfind(f"{A}p"))))
            if title:
                self.titles.append(Section(kind="heading", title=title, level=_TITLES[kind]))
            return
        for paragraph in body.iterfind(f"{A}p"):
            self._paragraph(paragraph, is_list=kind in _LISTS)
        self.close_list()

    def _paragraph(self, node: _Element, *, is_list: bool) -> None:
        text = _text(node)
        if not text.strip():
            return
        looks = node.find(f"{A}pPr")
        marks = frozenset(str(mark.tag) for mark in looks) if looks is not None else frozenset()
        is_numbered = f"{A}buAutoNum" in marks
        if is_numbered or marks & _BULLETS or (is_list and f"{A}buNone" not in marks):
            self.items.add(flat(text), _depth(looks), "numbered" if is_numbered else "")
        else:
            self.close_list()
            self.add_text(text)

    def close_list(self) -> None:
        """Add the list items collected so far; in every shape, numbers start again."""
        super().close_list()
        self.items = ListLines()


def notes(root: _Element) -> str:
    """The speaker's notes on a notes page."""
    lines: list[str] = []
    for shape in root.iter(f"{P}sp"):
        place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
        body = shape.find(f"{P}txBody")
        if body is not None and place is not None and place.get("type") == "body":
            lines += map(_text, body.iterfind(f"{A}p"))
    return "\n".join(lines).strip()


def _text(paragraph: _Element) -> str:
    return "".join(_pieces(paragraph))


def _pieces(node: _Element) -> Iterator[str]:
    for child in node:
        if child.tag == f"{A}t":
            yield child.text or ""
        elif child.tag == f"{A}br":
            yield "\n"
        elif child.tag in (f"{A}r", f"{A}fld"):
            yield from _pieces(child)
        elif child.tag == f"{_COMPATIBLE}AlternateContent":
            for choice in list(child)[:1]:
                yield from _pieces(choice)


def _cell(cell: _Element) -> Cell:
    if cell.get("vMerge") in {"1", "true"}:
        return Cell(None)
    is_covered = cell.get("hMerge") in {"1", "true"}
    return Cell("" if is_covered else flat(" ".join(map(_text, cell.iterfind(f"{A}txBody/{A}p")))))


def _depth(looks: _Element | None) -> int:
    level = "" if looks is None else str(looks.get("lvl") or "")
    return int(level) if level.isdecimal() and len(level) == 1 else 0
