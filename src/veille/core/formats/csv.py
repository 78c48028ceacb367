"""Comma-separated values, with any common separator."""

from __future__ import annotations

import csv
from io import StringIO

from veille.core.formats import Format, FormatOptions, Paper, Section, judge, text_in
from veille.core.text import flat
from veille.errors import ReadError

_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 20


class CsvFormat(Format):
    """One table; the first row is used as labels if it looks like labels."""

    media_types = ("text/csv", "text/tab-separated-values", "application/csv", "text/x-csv")
    extensions = ("csv", "tsv", "tab")
    is_text = True

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        raw = text_in(data, options.charset)
        rows: list[tuple[str, ...]] = []
        cells = 0
        try:
            for row in csv.reader(StringIO(raw, newline=""), delimiter=_separator(raw)):
                cells += len(row)
                if any(row):
                    rows.append(tuple([flat(cell) for cell in row]))
                if cells > options.max_cells or len(rows) > options.max_rows:
                    raise ReadError("The table has more cells than are read.", code="too_large")
        except csv.Error as error:
            raise ReadError(f"The table is broken: {error}.", code="corrupt") from error
        title = rows[0][0] if rows and len([cell for cell in rows[0] if cell]) == 1 else ""
        shown = " ".join(" ".join(row) for row in rows[:1000])
        section = Section(kind="table", rows=tuple(rows))
        return Paper(title=title, sections=(section,), quality=judge(shown))


def _separator(raw: str) -> str:
    """The separator that gives the most columns in all of the first lines; a comma if none does."""
    lines = [line for line in raw[:100_000].splitlines()[:_SAMPLE_LINES] if line.strip()]
    outside_quotes = ["".join(line.split('"')[::2]) for line in lines]
    return max(_SEPARATORS, key=lambda sign: min((line.count(sign) for line in outside_quotes), default=0))
