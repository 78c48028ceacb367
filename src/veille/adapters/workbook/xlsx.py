"""A workbook in one local file (.xlsx). What people add to it (sheets, columns at the end, formats, order) stays.

The file is edited as a copy and replaced atomically, under a lock that ends with its process. While a spreadsheet
program has it open it is not touched: that program would overwrite our changes, or we its.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from veille.adapters.workbook._book import check_columns, exclusive, fitting
from veille.core.news.sheets import CONFIG, Cell, Row, Sheet
from veille.errors import SinkError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

#: Excel's limit of characters in a cell.
MAX_CELL = 32_767
#: Prefixes of what a spreadsheet program would take for a formula if it were typed.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class XlsxWorkbook:
    """The port `Workbook`."""

    def __init__(self, path: Path, *, patience_s: float = 60) -> None:
        self._path = path.absolute()
        self._patience_s = patience_s

    @property
    def name(self) -> str:
        return str(self._path)

    @contextmanager
    def editing(self, sheets: Sequence[Sheet], *, patient: bool = True) -> Iterator[XlsxPage]:
        patience_s = self._patience_s if patient else 0
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with exclusive(self._path.with_name(f".{self._path.name}.lock"), patience_s, self.name):
                self._refuse_if_open()
                before = self._state()
                page = XlsxPage(self._load(), sheets, self._path)
                yield page
                if page.changed:
                    self._save(page.book, before)
        except OSError as error:
            raise SinkError(
                f"The workbook {self._path} cannot be written ({error.strerror}); make room or check its rights. "
                "Nothing is lost: the next `veille news` command writes what is missing.",
                code="workbook.write",
            ) from error

    def _load(self) -> Workbook:
        import openpyxl  # noqa: PLC0415 - slow to import

        if not self._path.exists():
            book = openpyxl.Workbook()
            book.remove(book.worksheets[0])
            return book
        try:
            return openpyxl.load_workbook(self._path)
        except (BadZipFile, KeyError, ValueError, TypeError, SyntaxError) as error:
            raise SinkError(
                f"{self._path} is no workbook, or is damaged. Move it away: `veille news ensure` makes a new one with "
                "everything in it.",
                code="workbook.corrupt",
            ) from error

    def _save(self, book: Workbook, before: tuple[int, int] | None) -> None:
        draft = self._path.with_name(f".{self._path.name}.tmp")
        book.save(draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        failpoint("during_file_write")
        self._refuse_if_open()
        if self._state() != before:
            raise SinkError(
                f"{self._path} was saved by another program at this moment; run the command again to add what is "
                "missing.",
                code="workbook.busy",
            )
        draft.replace(self._path)

    def _state(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size

    def _refuse_if_open(self) -> None:
        name = self._path.name
        # The lock files that LibreOffice and Excel put beside an open file.
        for mark in (f".~lock.{name}#", f"~${name}"):
            if self._path.with_name(mark).exists():
                raise SinkError(
                    f"{self._path} is open in a spreadsheet program. Close it there, then run the command again: "
                    f"nothing is lost. If it is not open, delete the file {mark} beside it.",
                    code="workbook.open",
                )


class XlsxPage:
    """The port `Page`."""

    def __init__(self, book: Workbook, sheets: Sequence[Sheet], path: Path) -> None:
        self.book = book
        #: Whether there is anything to save.
        self.changed = False
        self._places: dict[str, dict[str, int]] = {}
        #: The line after the last, counted here: the library checks every cell to find it.
        self._end: dict[str, int] = {}
        for sheet in sheets:
            if sheet.name not in book.sheetnames or _is_blank(book[sheet.name]):
                _make(book, sheet)
                self.changed = True
            check_columns(str(path), sheet, [str(cell.value or "") for cell in book[sheet.name][1]])

    def config(self) -> dict[str, str]:
        rows = self.book[CONFIG.name].iter_rows(min_row=2, max_col=2, values_only=True)
        return {str(key): "" if value is None else str(value) for key, value in rows if key is not None}

    def put(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        self.changed = self.changed or bool(rows)
        worksheet = self.book[sheet.name]
        places = self._places.get(sheet.name)
        if places is None:
            places = self._places[sheet.name] = _places(worksheet, sheet)
            self._end[sheet.name] = worksheet.max_row + 1
        for row in rows:
            key = str(row[sheet.key])
            place = places.get(key)
            if place is None:
                place = places[key] = self._end[sheet.name]
                self._end[sheet.name] += 1
            for column, name in enumerate(sheet.columns, 1):
                _set(worksheet.cell(place, column), row[name])


def _make(book: Workbook, sheet: Sheet) -> None:
    from openpyxl.styles import Font  # noqa: PLC0415 - slow to import
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - likewise

    worksheet = book[sheet.name] if sheet.name in book.sheetnames else book.create_sheet(sheet.name)
    for column, name in enumerate(sheet.columns, 1):
        worksheet.cell(1, column, name).font = Font(bold=True)
    # So that people can sort and filter, with the names of the columns in view.
    worksheet.freeze_panes = "A2"
    worksheet.auto_filter.ref = f"A1:{get_column_letter(len(sheet.columns))}1"


def _is_blank(worksheet: Worksheet) -> bool:
    """Whether somebody created the sheet and left it empty for us."""
    return worksheet.max_row == 1 and all(cell.value is None for cell in worksheet[1])


def _places(worksheet: Worksheet, sheet: Sheet) -> dict[str, int]:
    """The line of every key; people may have sorted the lines."""
    column = sheet.columns.index(sheet.key) + 1
    cells = worksheet.iter_rows(min_row=2, min_col=column, max_col=column, values_only=True)
    return {str(value): line for line, (value,) in enumerate(cells, 2) if value is not None}


def _set(cell: Any, value: Cell) -> None:
    if not isinstance(value, str):
        cell.value = value
        return
    text = fitting(value, MAX_CELL)
    cell.value = text or None
    if text.startswith(_FORMULA):
        # It must stay text even if somebody edits the cell.
        cell.data_type = "s"
        cell.quotePrefix = True
