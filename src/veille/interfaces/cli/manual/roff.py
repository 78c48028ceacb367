"""The man page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veille.interfaces.cli.manual.catalogue import walk
from veille.interfaces.cli.manual.page import option_help, option_names, usage

_STATUSES = {
    "0": "Success.",
    "1": "Some items failed; the others are done.",
    "2": "The command could not run: a mistyped command, something that does not exist, a refusal.",
    "70": "A bug in veille.",
    "78": "The settings or the data folder cannot be used as they are.",
}
_VARIABLES = {
    "VEILLE_DATA": "The data folder.",
    "VEILLE_CONFIG": "The settings file.",
    "VEILLE_\\fISETTING\\fR": "Any setting, such as VEILLE_FETCH__TIMEOUT_S.",
    "NO_COLOR": "Print without colours.",
}


def man_page(root: dict[str, Any]) -> str:
    """All commands as a page for `man`."""
    lines = [
        '.TH VEILLE 1 "" veille "User Commands"',
        ".SH NAME",
        f"veille \\- {_text(root['help'].splitlines()[0])}",
        ".SH SYNOPSIS",
        f".B {_text(usage(('veille',), root))}",
        ".SH DESCRIPTION",
        *_paragraphs(root["help"]),
        ".SH OPTIONS",
        *_options(root),
    ]
    for title, names in root["groups"].items():
        lines.append(f'.SH "{title.upper()}"')
        for name in names:
            for path, node in walk(("veille", name), root["commands"][name]):
                lines += _command(path, node)
    lines += [".SH EXIT STATUS", *_terms(_STATUSES), ".SH ENVIRONMENT", *_terms(_VARIABLES)]
    return "\n".join(lines) + "\n"


def _command(path: tuple[str, ...], node: dict[str, Any]) -> Iterator[str]:
    yield f'.SS "{_text(usage(path, node))}"'
    yield from _paragraphs(node["help"])
    for one in node["arguments"]:
        yield from (".TP", f"\\fI{_text(one['shown'])}\\fR", _text(one["help"]))
    yield from _options(node)
    if node["examples"]:
        yield from (".PP", "Examples:", ".nf", ".RS", *map(_text, node["examples"]), ".RE", ".fi")


def _options(node: dict[str, Any]) -> Iterator[str]:
    for one in node["options"]:
        yield from (".TP", f"\\fB{_text(option_names(one).strip())}\\fR", _text(option_help(one)))


def _terms(terms: dict[str, str]) -> Iterator[str]:
    for name, said in terms.items():
        yield from (".TP", f"\\fB{name}\\fR", _text(said))


def _paragraphs(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        yield from (".PP", _text(" ".join(part.split())))


def _text(text: str) -> str:
    """Text that means nothing to troff; a dash stays the one that is typed."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe
