"""The sheets of a workbook as tables, through calamine."""

from __future__ import annotations

from datetime import date, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from veille.core.formats import FormatOptions, Section
from veille.core.formats._tables import Rows
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook


def sheet_sections(data: bytes, options: FormatOptions) -> list[Section]:
    """Each visible sheet that is not empty: its name and its table."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum  # noqa: PLC0415 - lazy

    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
        shown = [sheet.name for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
        return [section for name in shown for section in _sheet(book, name, options)]
    except PasswordError as error:
        raise ReadError("The document is protected by a password.", code="needs_password") from error
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise ReadError(f"The spreadsheet is broken: {error}.", code="corrupt") from error


def _sheet(book: CalamineWorkbook, name: str, options: FormatOptions) -> list[Section]:
    found = book.get_sheet_by_name(name)
    if found.height > options.max_rows:
        raise ReadError(f"The sheet {name!r} has more than {options.max_rows:,} rows.", code="too_large")
    rows = [tuple([_shown(cell) for cell in row]) for row in found.iter_rows()]
    return sheet(name, tuple(row for row in rows if any(row)))


def sheet(name: str, rows: Rows) -> list[Section]:
    """The name of a sheet and its table; nothing if it is empty."""
    if not rows:
        return []
    return [Section(kind="sheet", title=name), Section(kind="table", rows=rows)]


def _shown(value: Any) -> str:
    """A value as people would write it."""
    if isinstance(value, str):
        return flat(value) if value else ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else str(value)
