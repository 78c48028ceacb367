"""Output: data on stdout as tables or JSON, messages on stderr."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Any, TextIO

from veille.core.dates import iso
from veille.core.models import Change
from veille.interfaces.cli.terminal.table import print_table
from veille.interfaces.cli.terminal.text import Text, clipped, is_coloured, painted, printable, printable_lines

__all__ = [
    "Console",
    "Text",
    "change_text",
    "console",
    "highlighted",
    "plain",
    "print_json",
    "print_table",
    "printable",
    "printable_lines",
    "progress",
    "say",
    "talk",
]

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
#: Clears a line of the terminal.
_CLEAR = "\x1b[K"
_BEYOND = re.compile("[\x7f-\x9f]")


class Console:
    """A stream for untrusted text: control characters in it never reach the terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.is_terminal = out.isatty()

    def print(self, text: str | Text, style: str = "", *, end: str = "\n", indent: int = 0) -> None:
        """Print a text; on a terminal its lines are broken between words."""
        made = text if isinstance(text, Text) else Text().add(text, style)
        if self.is_terminal:
            made = made.folded(get_terminal_size().columns - indent)
        shown = made.shown(coloured=is_coloured(self._out))
        before = " " * indent
        self._out.write(before + shown.replace("\n", f"\n{before}") + end)


def console() -> Console:
    """The console for data: stdout."""
    return Console(sys.stdout)


def talk() -> Console:
    """The console for progress, hints and errors: stderr."""
    return Console(sys.stderr)


def say(text: str) -> None:
    """Print a message on stderr."""
    sys.stderr.write(printable_lines(text) + "\n")


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A progress line on a terminal, and the function that replaces its text; nothing elsewhere."""
    out = sys.stderr
    if not out.isatty():
        yield lambda _: None
        return

    def update(said: str) -> None:
        out.write(f"\r{_CLEAR}{painted(clipped(printable(said), get_terminal_size().columns - 1), 'dim')}")
        out.flush()

    update(text)
    try:
        yield update
    finally:
        out.write(f"\r{_CLEAR}")
        out.flush()


def print_json(value: Any) -> None:
    """Print one JSON value on stdout; times as ISO 8601."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    # JSON need not escape control characters beyond ASCII, but a terminal may interpret them.
    sys.stdout.write(_BEYOND.sub(lambda odd: f"\\u{ord(odd[0]):04x}", text) + "\n")


def plain(value: Any, name: str = "") -> Any:
    """The value as JSON types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):  # of Pydantic
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and (name == "at" or name.endswith("_at")):
        return iso(value)
    return value


def change_text(change: Change) -> Text:
    """The name of a change, in its colour."""
    return Text().add(_LABELS[change], _STYLES[change])


def highlighted(snippet: str) -> Text:
    """A search snippet with its matches highlighted, for the terminal."""
    # Without colours (a pipe, a log), matches are in quotation marks.
    left, right = ("", "") if sys.stdout.isatty() else ("«", "»")
    text = Text()
    for part in snippet.split("<mark>"):
        marked, closed, rest = part.partition("</mark>")
        if closed:
            text.add(left + printable(html.unescape(marked)) + right, "mark")
        else:
            text.add(printable(html.unescape(marked)))
        text.add(printable(html.unescape(rest)))
    return text
