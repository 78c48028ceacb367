"""Text for terminals: colours, widths, and no character that could manipulate one."""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TextIO

#: The codes of the styles that are used.
_CODES = {
    "bold": "1",
    "dim": "2",
    "strike": "9",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "mark": "1;30;43",
}
_WIDE = frozenset("WF")


@dataclass(slots=True)
class Text:
    """Pieces of text, each with a style of its own; pieces are harmless when they are added."""

    parts: list[tuple[str, str]] = field(default_factory=list)

    def add(self, text: str, style: str = "") -> Text:
        """Add a piece; styles are words such as `bold red`."""
        self.parts.append((printable_lines(text), style))
        return self

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(text for text, _ in self.parts)

    def shown(self, *, coloured: bool) -> str:
        """The text with the codes of its styles, or without."""
        return "".join(painted(text, style) if coloured else text for text, style in self.parts)

    def cut(self, width: int) -> Text:
        """As much of it as fits."""
        cut, left = Text(), width
        if cells(self.plain) <= width:
            return self
        for text, style in self.parts:
            fitting = clipped(text, left) if cells(text) >= left else text
            cut.parts.append((fitting, style))
            left -= cells(fitting)
            if left <= 0 or fitting != text:
                break
        return cut

    def folded(self, width: int) -> Text:
        """The same, its lines broken between words, so that they fit."""
        broken, at, made = folded(self.plain, width), 0, Text()
        for text, style in self.parts:
            kept = ""
            for sign in text:
                # A line break stands in the place of a space; of several, only one is left.
                there = broken[at : at + 1]
                if there == sign or (there == "\n" and sign == " "):
                    kept += there
                    at += 1
            made.parts.append((kept, style))
        return made


def painted(text: str, style: str) -> str:
    """The text with the codes of a style around it."""
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def is_coloured(out: TextIO) -> bool:
    """Whether a stream is a terminal that wants colours."""
    return out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def printable(text: str) -> str:
    """The text without control characters, which could manipulate a terminal."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


def printable_lines(text: str) -> str:
    """The same for several lines."""
    return "\n".join(map(printable, text.split("\n")))


def cells(text: str) -> int:
    """How many columns of a terminal a line takes; letters of East Asia take two, accents none.

    >>> cells("tea"), cells("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(one) in _WIDE else not unicodedata.combining(one) for one in text)


def clipped(text: str, width: int) -> str:
    """As much of a line as fits, with an ellipsis if that is not all.

    >>> clipped("Smoked tea", 7)
    'Smoked…'
    """
    if cells(text) <= width:
        return text
    taken, used = 0, 1
    for one in text:
        used += cells(one)
        if used > width:
            break
        taken += 1
    return text[:taken].rstrip() + "…"


def folded(text: str, width: int) -> str:
    """Lines broken between words, so that they fit; words that are longer stay whole."""
    lines = text.split("\n")
    return "\n".join(
        line
        if cells(line) <= width
        else "\n".join(wrap(line, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True))
        for line in lines
    )


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> plural(1, "dossier"), plural(2, "dossier"), plural(1200, "entry", "entries")
    ('1 dossier', '2 dossiers', '1,200 entries')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_words(value: object) -> str:
    """A value as a person writes it.

    >>> in_words(["a", "b"]), in_words({}), in_words(False), in_words(30.0)
    ('a, b', 'none', 'no', '30')
    """
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(in_words, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)


def is_terminal() -> bool:
    """Whether data goes to a person who reads it on a terminal."""
    return sys.stdout.isatty()
