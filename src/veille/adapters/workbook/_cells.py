"""What fits into a cell of any spreadsheet."""

from __future__ import annotations

import re

#: XML has no way to write these; half a pair cannot be sent as JSON either.
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def fitting(text: str, most: int) -> str:
    """The text without what no cell can hold, and no longer than so many units of UTF-16, which is how cells count."""
    text = _UNWRITABLE.sub("", text)
    if len(text) > most // 2:
        return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")
    return text
