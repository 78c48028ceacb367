"""Excel workbooks from before 2007, through calamine."""

from __future__ import annotations

from veille.core.formats import Format, Options, Paper
from veille.core.formats._quality import judge
from veille.core.formats._sniff import is_old_book
from veille.core.formats.office.office import Properties, office_paper
from veille.core.formats.office.sheets import sheet_sections


class XlsFormat(Format):
    """As for newer workbooks: a table for each visible sheet. The file's properties are not read."""

    media_types = ("application/vnd.ms-excel",)
    extensions = ("xls", "xlt")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_old_book(data)

    def read(self, data: bytes, options: Options) -> Paper:
        sections = sheet_sections(data, options)
        raw = " ".join(cell for section in sections for row in section.rows[:500] for cell in row)
        first = next((section.title for section in sections), "")
        return office_paper(Properties(title=first), sections, judge(raw, pages=0, has_images=False))
