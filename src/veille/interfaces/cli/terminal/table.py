"""Tables. On a terminal they fit it; in a pipe or with `--wide` they have all columns, and nothing is cut."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import NamedTuple

from veille.core.dates import iso
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.text import Text, cells, is_coloured, is_terminal, printable

_GAP = "  "
#: A column is not made narrower than this.
_NARROWEST = 6
#: From how long on a span is told in which unit.
_SPANS = (
    (730 * DAY, 365 * DAY, "y"),
    (60 * DAY, 30 * DAY, "mo"),
    (14 * DAY, 7 * DAY, "w"),
    (DAY, DAY, "d"),
    (HOUR, HOUR, "h"),
    (0, MINUTE, "m"),
)
#: Shown only where the rows differ in it.
_DOSSIER = "Dossier"


class Wide(str):
    """The name of a column that is left out where a table must fit."""

    __slots__ = ()


class At(NamedTuple):
    """A moment in a cell: how long ago on a terminal, in ISO 8601 elsewhere."""

    at: int | None
    otherwise: str = ""

    def shown(self, now: int, *, relative: bool) -> str:
        """The moment in words."""
        if self.at is None:
            return self.otherwise
        return ago(self.at, now) if relative else iso(self.at)


def ago(at: int, now: int) -> str:
    """How long ago something was, or when it will be.

    >>> ago(0, 90_000), ago(86_400_000, 0), ago(0, 0)
    ('1m ago', 'in 1d', 'now')
    """
    span = abs(now - at)
    if span < MINUTE:
        return "now"
    size, unit = next((size, unit) for least, size, unit in _SPANS if span >= least)
    return f"in {span // size}{unit}" if at > now else f"{span // size}{unit} ago"


def when(at: int) -> str:
    """A moment outside of a table: how long ago for people, exact for programs and with `--wide`."""
    return At(at).shown(time.time_ns() // 1_000_000, relative=is_terminal() and not SHARED.wide)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], below: Sequence[Text | None] = ()) -> None:
    """Print a table; where it must fit, with a line `below` each row that has one. Text is printed verbatim."""
    is_narrow = is_terminal() and not SHARED.wide
    now = time.time_ns() // 1_000_000
    made = [[_cell(cell, now, relative=is_narrow) for cell in row] for row in rows]
    kept = [at for at, name in enumerate(columns) if not is_narrow or _is_shown(name, at, made)]
    heads = [Text([(columns[at], "bold")]) for at in kept]
    lines = [[row[at] for at in kept] for row in made]
    room = get_terminal_size().columns if is_narrow else None
    widths = _widths([heads, *lines], room)
    for number, line in enumerate([heads, *lines]):
        _print(line, widths)
        if room is not None and number and number <= len(below) and (more := below[number - 1]) is not None:
            _write("   ", more.cut(room - 3))


def _cell(cell: object, now: int, *, relative: bool) -> Text:
    if isinstance(cell, Text):
        return cell
    if isinstance(cell, At):
        return Text([(cell.shown(now, relative=relative), "")])
    text = printable(cell if isinstance(cell, str) else "" if cell is None else str(cell))
    return Text([(" ".join(text.split()) if relative else text, "")])


def _is_shown(name: str, at: int, rows: list[list[Text]]) -> bool:
    """Whether a column says something: one that is empty, or a dossier that is the same everywhere, does not."""
    if isinstance(name, Wide):
        return False
    found = {row[at].plain for row in rows}
    return not rows or not (found == {""} or (name == _DOSSIER and len(found) == 1))


def _widths(lines: list[list[Text]], room: int | None) -> list[int]:
    """The width of each column; the widest give way until all fit."""
    widths = [max(cells(line[at].plain) for line in lines) for at in range(len(lines[0]))]
    if room is None:
        return widths
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - room
    while over > 0 and max(widths, default=0) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
        over -= 1
    return widths


def _print(line: list[Text], widths: list[int]) -> None:
    parts: list[tuple[str, str]] = []
    for cell, width in zip(line, widths, strict=True):
        fitting = cell.cut(width)
        parts += [*fitting.parts, (" " * (width - cells(fitting.plain)) + _GAP, "")]
    while parts and not parts[-1][0].strip():
        parts.pop()
    _write("", Text(parts))


def _write(before: str, text: Text) -> None:
    shown = text.shown(coloured=is_coloured(sys.stdout))
    sys.stdout.write(f"{before}{shown}".rstrip() + "\n")
