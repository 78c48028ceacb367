"""OpenDocument spreadsheets, read from their own XML; repeated cells are limited, as bombs use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.formats import Format, Options, Paper, Section
from veille.core.formats._inside import ODS, is_zip_of
from veille.core.formats._quality import judge
from veille.core.formats.office.odf import (
    OFFICE,
    STYLE,
    TABLE,
    TEXT,
    Inline,
    count,
    odf_parts,
    odf_properties,
    paragraph,
)
from veille.core.formats.office.office import office_paper
from veille.core.formats.office.xml import local, parse_xml
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

_CELLS = frozenset({f"{TABLE}table-cell", f"{TABLE}covered-table-cell"})
#: Text boxes drawn over cells are skipped, and cells have no notes.
_INLINE = Inline(lambda _: "", lambda _: None)
_VALUES = {"boolean": f"{OFFICE}boolean-value", "date": f"{OFFICE}date-value", "float": f"{OFFICE}value"}


class OdsFormat(Format):
    """Each visible sheet is a section, with its displayed cells as a table."""

    media_types = (
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    )
    extensions = ("ods", "ots")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_zip_of(data, inside=ODS)

    def read(self, data: bytes, options: Options) -> Paper:
        parts, pictures = odf_parts(data)
        root = parse_xml(parts["content.xml"])
        body = root.find(f"{OFFICE}body/{OFFICE}spreadsheet")
        if body is None:
            raise ReadError("The document has no sheets; it is no OpenDocument spreadsheet.", code="corrupt")
        hidden = {str(style.get(f"{STYLE}name")) for style in root.iter(f"{STYLE}style") if _hides(style)}
        sections: list[Section] = []
        budget = options.max_cells
        for table in body.iterfind(f"{TABLE}table"):
            if table.get(f"{TABLE}style-name") in hidden:
                continue
            name = str(table.get(f"{TABLE}name") or "")
            rows, budget = _rows(table, budget, options.max_rows)
            if rows:
                sections.append(Section(kind="sheet", title=name, place=name))
                sections.append(Section(kind="table", rows=rows, place=name))
        said = odf_properties(parts)
        raw = " ".join(cell for section in sections for row in section.rows[:500] for cell in row)
        first = next((section.title for section in sections), "")
        said = said._replace(title=said.title or first)
        return office_paper(said, sections, judge(raw, pages=0, has_images=pictures))


def _rows(table: _Element, budget: int, max_rows: int) -> tuple[tuple[tuple[str, ...], ...], int]:
    rows: list[tuple[str, ...]] = []
    for row in _rows_of(table):
        cells = _cells(row, budget)
        if not cells:
            continue
        times = count(row, f"{TABLE}number-rows-repeated")
        budget -= len(cells) * times
        if budget < 0 or len(rows) + times > max_rows:
            raise ReadError("The spreadsheet has more cells than are read.", code="too_large")
        rows += [cells] * times
    return tuple(rows), budget


def _rows_of(table: _Element) -> Iterator[_Element]:
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif local(child) in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _rows_of(child)


def _cells(row: _Element, budget: int) -> tuple[str, ...]:
    """The cells up to the last one with text; empty for an empty row."""
    cells: list[str] = []
    blanks = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        times = count(cell, f"{TABLE}number-columns-repeated")
        text = _shown(cell) if len(cell) or cell.get(f"{OFFICE}value-type") else ""
        if not text:
            blanks += times
            continue
        if len(cells) + blanks + times > budget:
            raise ReadError("The spreadsheet has more cells than are read.", code="too_large")
        cells += [""] * blanks + [text] * times
        blanks = 0
    return tuple(cells)


def _shown(cell: _Element) -> str:
    lines = [paragraph(line, _INLINE) for line in cell if line.tag == f"{TEXT}p"]
    if lines:
        return flat(lines[0] if len(lines) == 1 else " ".join(lines))
    kind = str(cell.get(f"{OFFICE}value-type") or "")
    return str(cell.get(_VALUES.get(kind, f"{OFFICE}value")) or cell.get(f"{OFFICE}string-value") or "")


def _hides(style: _Element) -> bool:
    return any(looks.get(f"{TABLE}display") == "false" for looks in style.iterfind(f"{STYLE}table-properties"))
