"""A table by RFC 4180, UTF-8, with a header line; every text is quoted, numbers are not.

A text that a spreadsheet would run as a formula is prefixed with an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import IO

from veille.core.outgoing.export_record import FIELDS, Exported, flat_values, harmless
from veille.ports import Export


class Csv(Export):
    """CSV for spreadsheets."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__(out)
        # Lone surrogates cannot be written; nothing that we store has any.
        self._text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        self._rows = csv.writer(self._text, quoting=csv.QUOTE_NONNUMERIC)
        self._rows.writerow(FIELDS)

    def write(self, documents: Sequence[Exported]) -> None:
        for document in documents:
            values = flat_values(document.record)
            self._rows.writerow([harmless(value) if isinstance(value, str) else value for value in values])

    def finish(self) -> None:
        self._text.flush()
        # The caller closes the file.
        self._text.detach()
