"""Common code of workbooks: one editor at a time, the columns of a sheet, and the limits of a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import zip_longest
from pathlib import Path

from veille.adapters.files import locked
from veille.core.news.sheets import Sheet
from veille.errors import SinkError

#: XML cannot contain these; lone surrogates cannot be sent as JSON either.
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def exclusive(lock: Path, patience_s: float, what: str) -> AbstractContextManager[None]:
    """Keep other processes of this machine from editing; `what` names the workbook in messages."""
    busy = SinkError(
        f"Another process is writing {what} for very long; run the command again later.", code="workbook.busy"
    )
    return locked(lock, patience_s, busy)


def check_columns(where: str, sheet: Sheet, head: Sequence[str]) -> None:
    """Raise SinkError unless the first line of a sheet begins with the names of its columns."""
    pairs = enumerate(zip_longest(sheet.columns, head[: len(sheet.columns)]))
    wrong = next((index for index, (wanted, found) in pairs if wanted != found), None)
    if wrong is not None:
        raise SinkError(
            f"In {where}, sheet {sheet.name}, column {wrong + 1} must be called {sheet.columns[wrong]!r}. Put the "
            "columns back as they were (your own may follow them), or rename the sheet: a new one is then made.",
            code="workbook.columns",
        )


def fitting(text: str, most: int) -> str:
    """The text without characters no cell can hold, cut to this many units of UTF-16, which is how cells count."""
    text = _UNWRITABLE.sub("", text)
    if len(text) > most // 2:
        return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")
    return text
