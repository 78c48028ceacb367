"""The body of an OpenDocument text or slide: headings, paragraphs, lists, tables and notes, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml.etree import _Element

from veille.core.formats import Paper, Section, with_sections
from veille.core.formats._sections import ListLines, SectionReader
from veille.core.formats._tables import Cell, Rows, spanned
from veille.core.formats.office import odf
from veille.core.formats.office.odf import SILENT, STYLE, TABLE, TEXT
from veille.core.formats.office.xml import local
from veille.core.text import flat

_TITLES = {"Title": 1, "Subtitle": 2}
_MAX_LEVEL = 6
_MAX_REPEAT = 64
#: Generated from the headings, which are read already.
_INDEXES = frozenset(
    f"{TEXT}{name}"
    for name in "table-of-content alphabetical-index illustration-index table-index user-index object-index".split()
)


class OdfBody(SectionReader):
    """The body of a text, or the slides of a presentation, read into sections."""

    def __init__(self, file: odf.OdfFile) -> None:
        super().__init__()
        self._file = file
        self._styles = styles = file.styles()
        self._parents = {
            str(style.get(f"{STYLE}name")): str(style.get(f"{STYLE}parent-style-name") or "")
            for root in styles
            for style in root.iter(f"{STYLE}style")
        }
        self._numbered = {
            (str(lists.get(f"{STYLE}name")), odf.count(level, f"{TEXT}level"))
            for root in styles
            for lists in root.iter(f"{TEXT}list-style")
            for level in lists.iterfind(f"{TEXT}list-level-style-number")
        }
        self._notes: list[str] = []
        hidden = odf.styles_with(styles, "text-properties", f"{TEXT}display", "none")
        self._inline = odf.Inline(self._note, self.boxes.append, hidden)

    def read(self, node: _Element) -> None:
        for child in node:
            tag = child.tag
            if tag in (f"{TEXT}h", f"{TEXT}p"):
                self._paragraph(child)
            elif tag == f"{TEXT}list":
                self._read_list(child, 0, "")
                self.close_list()
            elif tag == f"{TABLE}table":
                self.sections.append(Section(kind="table", rows=self._rows(child)))
            elif tag not in SILENT and tag not in _INDEXES:
                self.read(child)

    def begin_slide(self) -> None:
        """Restart the numbering of lists; in a text it continues after an interruption."""
        self.items = ListLines()

    def finished(self, *, pages: int = 0) -> Paper:
        """The paper, with the notes at its end."""
        self.add("list", "\n".join(self._notes))
        about = self._file.properties()
        about = replace(about, language=about.language or _language(self._styles))
        return with_sections(about, self.sections, pages=pages, has_images=self._file.has_images)

    def _paragraph(self, node: _Element) -> None:
        self.add_text(self.text(node), self._level(node))
        self.read_boxes()

    def _level(self, node: _Element) -> int:
        if node.tag == f"{TEXT}h":
            return min(odf.count(node, f"{TEXT}outline-level"), _MAX_LEVEL)
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
            self.items.add(text, depth, number)

    def text(self, node: _Element) -> str:
        """The text of a paragraph."""
        return odf.paragraph(node, self._inline)

    def _note(self, node: _Element) -> str:
        body = node.find(f"{TEXT}note-body")
        if body is None:
            return ""
        mark = f"[{len(self._notes) + 1}]"
        self._notes.append(f"{mark} {flat(' '.join(map(self.text, body)))}")
        return mark

    def _rows(self, table: _Element) -> Rows:
        return spanned(map(self._cells, odf.table_rows(table)))

    def _cells(self, row: _Element) -> Iterator[Cell]:
        for cell in row:
            kind = local(cell)
            times = min(odf.count(cell, f"{TABLE}number-columns-repeated"), _MAX_REPEAT)
            for _ in range(times if kind.endswith("table-cell") else 0):
                is_covered = kind == "covered-table-cell"
                goes_down = is_covered or odf.count(cell, f"{TABLE}number-rows-spanned") > 1
                yield Cell(None if is_covered else self._cell(cell), goes_down=goes_down)

    def _cell(self, cell: _Element) -> str:
        pieces = []
        for child in cell:
            if child.tag == f"{TABLE}table":
                pieces += [" ".join(filter(None, row)) for row in self._rows(child)]
            elif child.tag not in SILENT:
                pieces += [self.text(line) for line in child.iter(f"{TEXT}p", f"{TEXT}h")]
        return flat(" ".join(pieces))


def _language(styles: list[_Element]) -> str:
    """The language that the styles declare."""
    for root in reversed(styles):
        for node in root.iter(f"{STYLE}text-properties"):
            for name, value in node.attrib.items():
                if str(name).endswith("}language") and "fo:1.0" not in str(value) and str(value) not in {"none", "zxx"}:
                    return str(value).lower()
    return ""
