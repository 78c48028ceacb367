"""Tables as Markdown: spans are expanded into the cells they cover, so that every row has every column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from veille.core.extract.tree.dom import Element

#: A larger span is a mistake or an attack.
_MAX_SPAN: Final = 50


def table(element: Element, read: Callable[[Element], str]) -> list[str]:
    """The caption and the table; the first row is the header."""
    out = [read(inner) for inner in element.elements() if inner.tag == "caption"]
    grid = _grid(element, read)
    width = max((len(row) for row in grid), default=0)
    if not width:
        return [text for text in out if text]
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in grid]
    lines.insert(1, "|" + " --- |" * width)
    return [*(text for text in out if text), "\n".join(lines)]


def _rows(element: Element) -> list[Element]:
    rows = []
    for child in element.elements():
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows.extend(inner for inner in child.elements() if inner.tag == "tr")
    return rows


def _grid(element: Element, read: Callable[[Element], str]) -> list[list[str]]:
    grid: list[list[str]] = []
    #: Columns still covered by a cell from above, and for how many rows.
    covered: dict[int, int] = {}
    for row in _rows(element):
        cells: list[str] = []
        for cell in row.elements():
            if cell.tag not in ("td", "th"):
                continue
            _skip(cells, covered)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            for column in range(across):
                if down > 1:
                    covered[len(cells)] = down
                cells.append(_cell(read(cell)) if column == 0 else "")
        _skip(cells, covered)
        covered = {column: left - 1 for column, left in covered.items() if left > 1}
        if any(cells):
            grid.append(cells)
    return grid


def _skip(cells: list[str], covered: dict[int, int]) -> None:
    while len(cells) in covered:
        cells.append("")


def _span(cell: Element, name: str) -> int:
    value = cell.attributes.get(name, "")
    return min(max(int(value), 1), _MAX_SPAN) if value.isdecimal() and len(value) < 5 else 1  # noqa: PLR2004


def _cell(text: str) -> str:
    return text.replace("\\\n", "<br>").replace("\n", " ").replace("|", "\\|")
