"""The help of a command as text that fits the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

_BREAK = re.compile(r"[;:](?= )")
_PAUSE = re.compile(r",(?= )")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
#: Lists whose texts are shown in full.
_WHOLE = ("Arguments", "Options")
#: Beyond this width, lines are hard to read.
_WIDEST = 100
#: The names of options are at most this wide; explanations of longer ones begin below.
_NAMES = 28


def help_page(path: tuple[str, ...], node: dict[str, Any], width: int, *, bold: bool = False) -> str:
    """What `--help` prints."""
    width = max(40, min(width, _WIDEST))
    parts = [_heading("Usage:", bold=bold) + " " + usage(path, node), *_paragraphs(node["help"], width)]
    parts += [_section(title, rows, width, bold=bold) for title, rows in sections(node)]
    if node["examples"]:
        parts.append("\n".join([_heading("Examples", bold=bold), *(f"  {one}" for one in node["examples"])]))
    if "commands" in node:
        parts.append(f"`{' '.join(path)} COMMAND --help` shows how to use one.")
    return "\n\n".join(parts) + "\n"


def usage(path: tuple[str, ...], node: dict[str, Any]) -> str:
    """How a command is written."""
    words = [*path, "[OPTIONS]"]
    for one in node["arguments"]:
        shown = one["shown"] + ("…" if one["many"] else "")
        words.append(shown if one["required"] else f"[{shown}]")
    if "commands" in node:
        words.append("[COMMAND]" if node["alone"] else "COMMAND")
    return " ".join(words)


def sections(node: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The lists of a page: commands by their headings, arguments, options."""
    if node["arguments"]:
        yield "Arguments", [(one["shown"], one["help"]) for one in node["arguments"]]
    for title, names in node.get("groups", {}).items():
        yield title, [(name, first_sentence(node["commands"][name]["help"])) for name in names]
    rows = [(option_names(one), option_help(one)) for one in node["options"]]
    yield "Options", [*rows, ("    --help", "Show this help.")]


def option_names(one: dict[str, Any]) -> str:
    """`-n, --name TEXT`; options without a short name are in line with those that have one."""
    short = [name for name in one["names"] if not name.startswith("--")]
    long = [name for name in one["names"] if name.startswith("--")]
    names = (", ".join(short) + ", " if short else "    ") + " / ".join(long)
    return f"{names} {one['value']}".rstrip()


def option_help(one: dict[str, Any]) -> str:
    """What an option is for, and its default."""
    text = str(one["help"])
    return f"{text} (default: {one['default']})" if one["default"] and "default" not in text else text


def first_sentence(text: str) -> str:
    """What a command is for, in one sentence.

    >>> first_sentence("Search all. Or some.")
    'Search all.'
    """
    return _SENTENCE.split(" ".join(text.split("\n\n", maxsplit=1)[0].split()))[0]


def short(text: str, width: int) -> str:
    """A sentence in one line; a long one ends where it pauses.

    >>> short("List the stories: documents that report the same thing.", 40)
    'List the stories.'
    """
    if len(text) <= width:
        return text
    pause = _BREAK.search(text, 0, width) or _PAUSE.search(text, 0, width)
    return text[: pause.start()] + "." if pause else text[: width - 1].rstrip() + "…"


def _section(title: str, rows: list[tuple[str, str]], width: int, *, bold: bool) -> str:
    is_whole = title in _WHOLE
    left = min(_NAMES, max(len(name) for name, _ in rows)) + 4
    lines = [_heading(title, bold=bold)]
    for name, text in rows:
        said = wrap(text if is_whole else short(text, width - left), width - left) or [""]
        if len(name) + 4 > left:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name.ljust(left - 2)}{said.pop(0)}".rstrip())
        lines += [" " * left + one for one in said]
    return "\n".join(lines)


def _paragraphs(text: str, width: int) -> list[str]:
    return ["\n".join(wrap(" ".join(part.split()), width)) for part in text.split("\n\n") if part.strip()]


def _heading(text: str, *, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text
