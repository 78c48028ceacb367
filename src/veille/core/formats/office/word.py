"""WordprocessingML as sections: styles and numbering first, then the body in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.etree import _Element

from veille.core.formats._paper import Section
from veille.core.formats._sections import SectionReader
from veille.core.formats._tables import Cell, Rows, spanned
from veille.core.formats.office.xml import number, parse_xml
from veille.core.text import flat

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{W}val"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_WORDS = frozenset({f"{W}t", _MATH_TEXT})
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"

# Word writes the English name of a built-in style in every language; other programs write only their own id.
_HEADING = re.compile(r"(?:heading|titre|überschrift|berschrift|título|titolo|заголовок)\s*([1-9])", re.IGNORECASE)
_TITLES = {"title": 1, "subtitle": 2}
_MAX_LEVEL = 6
_OFF = frozenset({"0", "false", "off"})

#: Read elsewhere, or not visible to a reader: deleted text, field codes, properties.
_SILENT = frozenset(
    f"{W}{name}"
    for name in (
        "del moveFrom instrText delText delInstrText pPr rPr sdtPr sdtEndPr tblPr tblGrid trPr tcPr ffData"
    ).split()
)
_BREAKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}
_BOX = f"{W}txbxContent"
_NOTES = {f"{W}footnoteReference": f"{W}footnote", f"{W}endnoteReference": f"{W}endnote"}


class Styles:
    """The meaning of a document's styles: heading levels, list membership, entries of a table of contents."""

    def __init__(self, styles: bytes | None, numbering: bytes | None) -> None:
        self.levels: dict[str, int] = {}
        self.contents: set[str] = set()
        self.lists: dict[str, tuple[str, int]] = {}
        self.language = ""
        self._based: dict[str, str] = {}
        self._bullets: dict[str, frozenset[int]] = {}
        if styles is not None:
            self._read_styles(parse_xml(styles))
        if numbering is not None:
            self._read_numbering(parse_xml(numbering))

    def level(self, style: str) -> int:
        """The heading level of a style or of the nearest style it is based on; 0 if none."""
        seen: set[str] = set()
        while style and style not in seen:
            seen.add(style)
            if style in self.levels:
                return self.levels[style]
            style = self._based.get(style, "")
        return 0

    def is_numbered(self, list_id: str, depth: int) -> bool:
        return depth not in self._bullets.get(list_id, frozenset({depth}))

    def _read_styles(self, root: _Element) -> None:
        lang = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang")
        self.language = str(lang.get(_VAL) or "").partition("-")[0].lower() if lang is not None else ""
        for style in root.iterfind(f"{W}style"):
            key = str(style.get(f"{W}styleId") or "")
            name = _val(style.find(f"{W}name")).lower()
            self._based[key] = _val(style.find(f"{W}basedOn"))
            outline = _val(style.find(f"{W}pPr/{W}outlineLvl"))
            level = _TITLES.get(name) or _heading(name) or _heading(key) or _outline(outline)
            if level:
                self.levels[key] = level
            if name.startswith("toc "):
                self.contents.add(key)
            listed = style.find(f"{W}pPr/{W}numPr")
            if listed is not None and not level:
                self.lists[key] = _place(listed)

    def _read_numbering(self, root: _Element) -> None:
        kinds: dict[str, frozenset[int]] = {}
        for abstract in root.iterfind(f"{W}abstractNum"):
            key = str(abstract.get(f"{W}abstractNumId") or "")
            kinds[key] = frozenset(
                number(level.get(f"{W}ilvl"))
                for level in abstract.iterfind(f"{W}lvl")
                if _val(level.find(f"{W}numFmt")) in {"bullet", "none", ""}
            )
        for listed in root.iterfind(f"{W}num"):
            key = str(listed.get(f"{W}numId") or "")
            self._bullets[key] = kinds.get(_val(listed.find(f"{W}abstractNumId")), frozenset())


class WordBody(SectionReader):
    """The body of a document, read into sections."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._styles = styles
        self._marks: dict[tuple[str, str], int] = {}

    def read(self, node: _Element) -> None:
        for child in node:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self.close_list()
                self.sections.append(Section(kind="table", rows=self._rows(child)))
            elif child.tag == _ALTERNATIVE:
                for choice in child.iterfind(_CHOICE):
                    self.read(choice)
                    break
            elif child.tag not in _SILENT:
                self.read(child)
        if node.getparent() is None or node.tag == _BOX:
            self.close_list()

    def notes(self, root: _Element) -> None:
        """Add footnotes or endnotes as a separate list."""
        lines = []
        for note in root:
            mark = self._marks.get((str(note.tag), str(note.get(f"{W}id"))))
            if mark is not None:
                text = flat(" ".join(self._text(paragraph) for paragraph in note.iter(f"{W}p")))
                lines.append(f"[{mark}] {text}")
        self.add("list", "\n".join(lines))

    def _paragraph(self, node: _Element) -> None:
        style, level, place = self._manner(node)
        text = self._text(node)
        if text.strip() and style not in self._styles.contents:
            if level or place is None:
                self.close_list()
                self.add_text(text, level)
            else:
                self.items.add(flat(text), place[1], place[0] if self._styles.is_numbered(*place) else "")
        self.read_boxes()

    def _manner(self, node: _Element) -> tuple[str, int, tuple[str, int] | None]:
        """A paragraph's style, its heading level, and the list and depth it belongs to."""
        looks = node.find(f"{W}pPr")
        if looks is None:
            return "", 0, None
        style = _val(looks.find(f"{W}pStyle"))
        level = self._styles.level(style) or _heading(style) or _outline(_val(looks.find(f"{W}outlineLvl")))
        direct = looks.find(f"{W}numPr")
        place = _place(direct) if direct is not None else self._styles.lists.get(style)
        # List 0 removes a paragraph from the list that its style puts it in.
        return style, level, place if place is not None and place[0] not in {"", "0"} else None

    def _text(self, node: _Element) -> str:
        return "".join(self._pieces(node))

    def _pieces(self, node: _Element) -> Iterator[str]:  # noqa: C901 - one case per kind of node
        for child in node:
            tag = child.tag
            if tag == f"{W}r":
                if not _is_hidden(child):
                    yield from self._pieces(child)
            elif tag in _WORDS:
                yield child.text or ""
            elif tag in _BREAKS:
                yield _BREAKS[tag]
            elif tag in _NOTES:
                note = (_NOTES[tag], str(child.get(f"{W}id")))
                yield f"[{self._marks.setdefault(note, len(self._marks) + 1)}]"
            elif tag == _BOX:
                self.boxes.append(child)
            elif tag == _ALTERNATIVE:
                for choice in child.iterfind(_CHOICE):
                    yield from self._pieces(choice)
                    break
            elif tag not in _SILENT:
                yield from self._pieces(child)

    def _rows(self, table: _Element) -> Rows:
        return spanned((self._cell(cell) for cell in _inside(row, f"{W}tc")) for row in _inside(table, f"{W}tr"))

    def _cell(self, cell: _Element) -> Cell:
        span, continues = _merge(cell)
        if continues:
            return Cell(None, span)
        pieces = []
        for child in cell:
            if child.tag == f"{W}tbl":
                pieces += [" ".join(filter(None, row)) for row in self._rows(child)]
            elif child.tag not in _SILENT:
                pieces.append(self._text(child))
        return Cell(flat(" ".join(pieces)), span)


def _inside(node: _Element, tag: str) -> Iterator[_Element]:
    """Rows of a table or cells of a row, including those wrapped by content controls or insertions."""
    for child in node:
        if child.tag == tag:
            yield child
        elif child.tag not in _SILENT and child.tag not in {f"{W}tbl", f"{W}tc"}:
            yield from _inside(child, tag)


def _merge(cell: _Element) -> tuple[int, bool]:
    """How many columns a cell spans (at most 63, Word's own limit), and whether it continues the cell above."""
    looks = cell.find(f"{W}tcPr")
    if looks is None:
        return 1, False
    down = looks.find(f"{W}vMerge")
    span = min(max(number(_val(looks.find(f"{W}gridSpan")) or "1"), 1), 63)
    return span, down is not None and _val(down) != "restart"


def _is_hidden(run: _Element) -> bool:
    hidden = run.find(f"{W}rPr/{W}vanish")
    return hidden is not None and _val(hidden) not in _OFF


def _place(node: _Element) -> tuple[str, int]:
    """The list that a paragraph is in, and its depth."""
    return _val(node.find(f"{W}numId")), min(number(_val(node.find(f"{W}ilvl"))), 8)


def _heading(name: str) -> int:
    match = _HEADING.match(name)
    return min(int(match[1]), _MAX_LEVEL) if match else 0


def _outline(level: str) -> int:
    # Level 9 is body text.
    return min(number(level) + 1, _MAX_LEVEL) if level and number(level) < 9 else 0  # noqa: PLR2004


def _val(node: _Element | None) -> str:
    return str(node.get(_VAL) or "") if node is not None else ""
