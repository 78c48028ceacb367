"""The body of an OpenDocument text or slide: headings, paragraphs, lists, tables and notes, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.formats import Section
from veille.core.formats._lists import Outline
from veille.core.formats.office.odf import SILENT, STYLE, TABLE, TEXT, Inline, count, hidden_styles, paragraph
from veille.core.formats.office.xml import local
from veille.core.text import flat

if TYPE_CHECKING:
    from lxml.etree import _Element

_TITLES = {"Title": 1, "Subtitle": 2}
_MAX_LEVEL = 6
_MAX_REPEAT = 64
#: Generated from the headings, which are read already.
_INDEXES = frozenset(
    f"{TEXT}{name}"
    for name in "table-of-content alphabetical-index illustration-index table-index user-index object-index".split()
)


class Story:
    """Reads into `sections`, which holds everything read so far."""

    def __init__(self, styles: list[_Element]) -> None:
        self.sections: list[Section] = []
        self._parents = {
            str(style.get(f"{STYLE}name")): str(style.get(f"{STYLE}parent-style-name") or "")
            for root in styles
            for style in root.iter(f"{STYLE}style")
        }
        self._numbered = {
            (str(lists.get(f"{STYLE}name")), count(level, f"{TEXT}level"))
            for root in styles
            for lists in root.iter(f"{TEXT}list-style")
            for level in lists.iterfind(f"{TEXT}list-level-style-number")
        }
        self._list = Outline()
        self._notes: list[str] = []
        self._boxes: list[_Element] = []
        self._inline = Inline(self._note, self._take_box, hidden_styles(styles))

    def read(self, node: _Element) -> None:
        for child in node:
            tag = child.tag
            if tag in (f"{TEXT}h", f"{TEXT}p"):
                self._paragraph(child)
            elif tag == f"{TEXT}list":
                self._read_list(child, 0, "")
                self._close_list()
            elif tag == f"{TABLE}table":
                self.sections.append(Section(kind="table", rows=self._rows(child)))
            elif tag not in SILENT and tag not in _INDEXES:
                self.read(child)

    def begin_slide(self) -> None:
        """Restart the numbering of lists; in a text it continues after an interruption."""
        self._list = Outline()

    def finish(self) -> None:
        if self._notes:
            self.sections.append(Section(kind="list", text="\n".join(self._notes)))

    def _paragraph(self, node: _Element) -> None:
        text = self.text(node)
        if text.strip():
            level = self._level(node)
            if level:
                self.sections.append(Section(kind="heading", title=flat(text), level=level))
            else:
                self.sections.append(Section(kind="paragraph", text=text.strip("\n")))
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.read(box)

    def _level(self, node: _Element) -> int:
        if node.tag == f"{TEXT}h":
            return min(count(node, f"{TEXT}outline-level"), _MAX_LEVEL)
        style = str(node.get(f"{TEXT}style-name") or "")
        return _TITLES.get(style) or _TITLES.get(self._parents.get(style, ""), 0)

    def _read_list(self, node: _Element, depth: int, style: str) -> None:
        style = str(node.get(f"{TEXT}style-name") or style)
        number = style if (style, depth + 1) in self._numbered else ""
        for item in node:
            words: list[str] = []
            for child in item:
                if child.tag == f"{TEXT}list":
                    self._add_item(words, depth, number)
                    words = []
                    self._read_list(child, depth + 1, style)
                elif child.tag in (f"{TEXT}p", f"{TEXT}h"):
                    words.append(self.text(child))
            self._add_item(words, depth, number)

    def _add_item(self, words: list[str], depth: int, number: str) -> None:
        text = flat(" ".join(words))
        if text:
            self._list.add(text, depth, number)

    def _close_list(self) -> None:
        text = self._list.taken()
        if text:
            self.sections.append(Section(kind="list", text=text))

    def text(self, node: _Element) -> str:
        """The text of a paragraph."""
        return paragraph(node, self._inline)

    def _note(self, node: _Element) -> str:
        body = node.find(f"{TEXT}note-body")
        if body is None:
            return ""
        mark = f"[{len(self._notes) + 1}]"
        self._notes.append(f"{mark} {flat(' '.join(map(self.text, body)))}")
        return mark

    def _take_box(self, box: _Element) -> None:
        self._boxes.append(box)

    def _rows(self, table: _Element) -> tuple[tuple[str, ...], ...]:
        above: dict[int, str] = {}
        rows = []
        for row in _rows_of(table):
            cells: list[str] = []
            for cell in row:
                kind = local(cell)
                times = min(count(cell, f"{TABLE}number-columns-repeated"), _MAX_REPEAT)
                covered = kind == "covered-table-cell"
                for _ in range(times if kind.endswith("table-cell") else 0):
                    text = above.get(len(cells), "") if covered else self._cell(cell)
                    # A cell that spans rows is repeated in each row; one that spans columns is written once.
                    if not covered:
                        above[len(cells)] = text if count(cell, f"{TABLE}number-rows-spanned") > 1 else ""
                    cells.append(text)
            rows.append(tuple(cells))
        return tuple(rows)

    def _cell(self, cell: _Element) -> str:
        pieces = []
        for child in cell:
            if child.tag == f"{TABLE}table":
                pieces += [" ".join(filter(None, row)) for row in self._rows(child)]
            elif child.tag not in SILENT:
                pieces += [self.text(line) for line in child.iter(f"{TEXT}p", f"{TEXT}h")]
        return flat(" ".join(pieces))


def _rows_of(table: _Element) -> list[_Element]:
    found = []
    for child in table:
        if child.tag == f"{TABLE}table-row":
            found.append(child)
        elif local(child) in {"table-header-rows", "table-rows", "table-row-group"}:
            found += _rows_of(child)
    return found


def language_of(styles: list[_Element]) -> str:
    """The language that the styles declare."""
    for root in reversed(styles):
        for node in root.iter(f"{STYLE}text-properties"):
            for name, value in node.attrib.items():
                if str(name).endswith("}language") and "fo:1.0" not in str(value) and str(value) not in {"none", "zxx"}:
                    return str(value).lower()
    return ""
