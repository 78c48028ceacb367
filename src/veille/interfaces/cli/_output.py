"""Output: data on stdout as tables or JSON, messages on stderr."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veille.core.dates import iso
from veille.core.models import Change

#: Colours of changes, the same everywhere.
_STYLES = {
    Change.NEW: "green",
    Change.CHANGED: "yellow",
    Change.REMOVED: "magenta",
    Change.DUPLICATE: "cyan",
    Change.SKIPPED: "blue",
    Change.ERROR: "red",
    Change.SAME: "dim",
}
#: Names of changes for people: an error is an item that failed.
_LABELS = {change: "failed" if change is Change.ERROR else change.value for change in Change}
_BEYOND = re.compile("[\x7f-\x9f]")
#: Exit status of a command that failed for some items only.
SOME_FAILED = 1
#: Wide enough that nothing is cut when the output goes to a file or a pipe.
_PIPE_WIDTH = 200


class _Plain(Console):
    """A console for untrusted text: control characters in it never reach the terminal."""

    def render_str(self, text: str, **given: Any) -> Text:
        return super().render_str(printable_lines(text), **given)


def console() -> Console:
    """The console for data: stdout."""
    return _Plain(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def talk() -> Console:
    """The console for progress, hints and errors: stderr."""
    return _Plain(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print a message on stderr."""
    talk().print(text, markup=False)


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A progress line on a terminal, and the function that replaces its text; nothing elsewhere."""
    out = talk()
    if not out.is_terminal:
        yield lambda _: None
        return
    with out.status(text) as status:
        yield status.update


def print_json(value: Any) -> None:
    """Print one JSON value on stdout; times as ISO 8601."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    # JSON need not escape control characters beyond ASCII, but a terminal may interpret them.
    sys.stdout.write(_BEYOND.sub(lambda odd: f"\\u{ord(odd[0]):04x}", text) + "\n")


def plain(value: Any, name: str = "") -> Any:
    """The value as JSON types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), field.name) for field in dataclasses.fields(value)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and (name == "at" or name.endswith("_at")):
        return iso(value)
    return value


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; untrusted text is printed verbatim, never as markup."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(printable(str(cell))) for cell in row))
    console().print(table)


def change_text(change: Change) -> Text:
    """The name of a change, in its colour."""
    return Text(_LABELS[change], style=_STYLES[change])


def highlighted(snippet: str) -> Text:
    """A search snippet with its matches highlighted, for the terminal."""
    # Without colours (a pipe, a log), matches are in quotation marks.
    left, right = ("", "") if sys.stdout.isatty() else ("«", "»")
    text = Text()
    for part in snippet.split("<mark>"):
        marked, closed, rest = part.partition("</mark>")
        if closed:
            text.append(left + printable(html.unescape(marked)) + right, style="bold black on yellow")
        else:
            text.append(printable(html.unescape(marked)))
        text.append(printable(html.unescape(rest)))
    return text


def printable(text: str) -> str:
    """The text without control characters, which could manipulate a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def printable_lines(text: str) -> str:
    """The same for several lines."""
    return "\n".join(map(printable, text.split("\n")))
