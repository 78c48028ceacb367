"""Recognised pieces of text in reading order: columns of running text first, then rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Final

from veille.core.formats._lines import SOFT_HYPHEN, Line

#: Pieces this many times as wide as high are running text. Columns of shorter ones are a table, which is read by rows.
_RUNNING: Final = 10
#: The least gap between two columns, in line heights.
_GUTTER: Final = 0.5
#: The least pieces of a column.
_LEAST_PIECES: Final = 3
#: A piece this much higher than most on its page is larger print; the height of others varies with their letters.
_LARGER: Final = 1.3
#: Heights of rectangles around lines, in font sizes.
_HEIGHT: Final = 1.4
_POINTS: Final = 72
_CUT_WORD = re.compile(r"[^\W\d_]-\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A piece of text with its place: the centre and the sides of its rectangle, in pixels."""

    text: str
    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def lines_in(pieces: list[Words], dpi: float) -> list[Line]:
    """The pieces as lines, with their sizes and heights on the page in points."""
    if not pieces:
        return []
    normal = median(piece.height for piece in pieces)
    lines: list[Line] = []
    for row in _ordered(pieces, normal):
        height = max(piece.height for piece in row)
        size = height if height > normal * _LARGER else normal
        text = " ".join(piece.text for piece in row)
        if lines and text[:1].islower() and _CUT_WORD.search(lines[-1].text):
            lines[-1] = lines[-1]._replace(text=lines[-1].text[:-1] + SOFT_HYPHEN)
        points = _POINTS / dpi
        lines.append(Line(text=text, size=round(size * points / _HEIGHT, 1), y=-row[0].y * points))
    return lines


def _ordered(pieces: list[Words], normal: float) -> list[list[Words]]:
    """Rows in reading order. Between rows that span the page, the left column comes before the right one."""
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    ordered: list[list[Words]] = []
    for is_wide, rows in groupby(_rows(pieces), lambda row: _spans(row, left, right)):
        band = list(rows)
        columns = None if is_wide else _columns([piece for row in band for piece in row], normal)
        if columns is None:
            ordered += band
        else:
            ordered += [row for column in columns for row in _ordered(column, normal)]
    return ordered


def _rows(pieces: list[Words]) -> list[list[Words]]:
    """Pieces at the same height are one row, from left to right."""
    rows: list[list[Words]] = []
    for piece in sorted(pieces, key=lambda piece: piece.y):
        if rows and abs(rows[-1][0].y - piece.y) < min(rows[-1][0].height, piece.height) / 2:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.x) for row in rows]


def _spans(row: list[Words], left: float, right: float) -> bool:
    """Whether a row is one piece across the middle of the page."""
    (first, *more), middle = row, (left + right) / 2
    return not more and first.left < middle < first.right and first.width > (right - left) / 2


def _columns(pieces: list[Words], normal: float) -> tuple[list[Words], list[Words]] | None:
    """The pieces to the left and right of the widest gap that divides running text; None if there is none."""
    pieces = sorted(pieces, key=lambda piece: piece.left)
    reach, gaps = pieces[0].right, []
    for at, piece in enumerate(pieces):
        if piece.left - reach > normal * _GUTTER:
            gaps.append((piece.left - reach, at))
        reach = max(reach, piece.right)
    for _, at in sorted(gaps, reverse=True):
        if _is_running(pieces[:at]) and _is_running(pieces[at:]):
            return pieces[:at], pieces[at:]
    return None


def _is_running(pieces: list[Words]) -> bool:
    """Whether this is a column of running text, and not of a table."""
    return len(pieces) >= _LEAST_PIECES and median(piece.width / piece.height for piece in pieces) >= _RUNNING
