"""Excel workbooks from before 2007, through calamine."""

from __future__ import annotations

from veille.core.formats import Format, FormatOptions, Paper, with_sheets
from veille.core.formats.office.sheets import sheet_sections
from veille.core.formats.office.zip import is_old_book


class XlsFormat(Format):
    """As for newer workbooks: a table for each visible sheet. The file's properties are not read."""

    media_types = ("application/vnd.ms-excel",)
    extensions = ("xls", "xlt")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_old_book(data)

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        return with_sheets(Paper(), sheet_sections(data, options))
