"""Rows of cells as text: each value with the label of its column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from veille.core.text import flat

Rows = tuple[tuple[str, ...], ...]

_NUMBER = re.compile(r"[-+(]?[\d\s.,'%€$£¥]+\)?")


class Cell(NamedTuple):
    """A cell as a document states it."""

    #: None if it continues the cell above it.
    text: str | None
    columns: int = 1
    #: Whether the cell below may continue it.
    goes_down: bool = True


def spanned(rows: Iterable[Iterable[Cell]]) -> Rows:
    """The texts of cells: one that spans rows is repeated in each row, one that spans columns is written once."""
    above: dict[int, str] = {}
    out = []
    for row in rows:
        cells: list[str] = []
        for cell in row:
            text = above.get(len(cells), "") if cell.text is None else cell.text
            above[len(cells)] = text if cell.goes_down else ""
            cells += [text, *[""] * (cell.columns - 1)]
        out.append(tuple(cells))
    return tuple(out)


def labelled(rows: Rows, caption: str = "") -> str:
    """A line per row, `Label: value | Label: value`, after the caption and the line of labels.

    >>> print(labelled((("Tea", "Price"), ("Assam", "3"), ("Sencha", "4"))))
    Tea | Price
    Tea: Assam | Price: 3
    Tea: Sencha | Price: 4
    """
    lines = [flat(caption)] if caption else []
    start = _header(rows)
    lines += _plain(rows[:start])
    if start == len(rows):
        return "\n".join(lines)
    labels = [f"{label}: " if label else "" for label in rows[start]]
    lines += _plain(rows[start : start + 1])
    padded = labels + [""] * max(0, max(map(len, rows)) - len(labels))
    for row in rows[start + 1 :]:
        line = " | ".join([label + cell for label, cell in zip(padded, row, strict=False) if cell])
        if line:
            lines.append(line)
    return "\n".join(lines)


def _header(rows: Rows) -> int:
    """The index of the row of labels: the first row with more than one cell, if all are words; else past the end."""
    width = max((len([cell for cell in row if cell]) for row in rows[:50]), default=0)
    for index, row in enumerate(rows[:50]):
        cells = [cell for cell in row if cell]
        if len(cells) < min(2, width):
            continue
        is_labels = len(set(cells)) == len(cells) and not any(map(_NUMBER.fullmatch, cells)) and index + 1 < len(rows)
        return index if is_labels else len(rows)
    return len(rows)


def _plain(rows: Rows) -> list[str]:
    return [" | ".join(filter(None, row)) for row in rows if any(row)]
