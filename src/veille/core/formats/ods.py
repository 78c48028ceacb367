"""OpenDocument spreadsheets, read from their own XML; repeated cells are limited, as bombs use them."""

from __future__ import annotations

from lxml.etree import _Element

from veille.core.formats import Format, FormatOptions, Paper, Section, with_sheets
from veille.core.formats._tables import Rows
from veille.core.formats.office import odf
from veille.core.formats.office.odf import OFFICE, TABLE, TEXT
from veille.core.formats.office.sheets import sheet
from veille.core.text import flat
from veille.errors import ReadError

_CELLS = frozenset({f"{TABLE}table-cell", f"{TABLE}covered-table-cell"})
#: Text boxes drawn over cells are skipped, and cells have no notes.
_INLINE = odf.Inline(lambda _: "", lambda _: None)
_VALUES = {"boolean": f"{OFFICE}boolean-value", "date": f"{OFFICE}date-value", "float": f"{OFFICE}value"}


class OdsFormat(Format):
    """Each visible sheet is a section, with its displayed cells as a table."""

    media_types = (
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    )
    extensions = ("ods", "ots")
    zip_member = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        file = odf.odf_file(data, "spreadsheet", "sheets")
        hidden = odf.styles_with([file.root], "table-properties", f"{TABLE}display", "false")
        sections: list[Section] = []
        budget = options.max_cells
        for table in file.body.iterfind(f"{TABLE}table"):
            if table.get(f"{TABLE}style-name") in hidden:
                continue
            name = str(table.get(f"{TABLE}name") or "")
            rows, budget = _rows(table, budget, options.max_rows)
            sections += sheet(name, rows)
        return with_sheets(file.properties(), sections, has_images=file.has_images)


def _rows(table: _Element, budget: int, max_rows: int) -> tuple[Rows, int]:
    rows: list[tuple[str, ...]] = []
    for row in odf.table_rows(table):
        cells = _cells(row, budget)
        if not cells:
            continue
        times = odf.count(row, f"{TABLE}number-rows-repeated")
        budget -= len(cells) * times
        if budget < 0 or len(rows) + times > max_rows:
            raise ReadError("The spreadsheet has more cells than are read.", code="too_large")
        rows += [cells] * times
    return tuple(rows), budget


def _cells(row: _Element, budget: int) -> tuple[str, ...]:
    """The cells up to the last one with text; empty for an empty row."""
    cells: list[str] = []
    blanks = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        times = odf.count(cell, f"{TABLE}number-columns-repeated")
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
    lines = [odf.paragraph(line, _INLINE) for line in cell if line.tag == f"{TEXT}p"]
    if lines:
        return flat(lines[0] if len(lines) == 1 else " ".join(lines))
    kind = str(cell.get(f"{OFFICE}value-type") or "")
    return str(cell.get(_VALUES.get(kind, f"{OFFICE}value")) or cell.get(f"{OFFICE}string-value") or "")
