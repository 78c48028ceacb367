"""Completion of command lines in bash, zsh and fish."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from veille.interfaces.cli.manual.catalogue import Spot, follow, program
from veille.interfaces.cli.manual.page import first_sentence

#: The word by which the scripts ask for what could come next.
ASKED = "__complete"

_BASH = """\
_veille() {
    local IFS=$'\\n'
    COMPREPLY=($(NAME __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _veille NAME
"""
_ZSH = """\
#compdef NAME
_veille() {
    local -a found
    found=("${(@f)$(NAME __complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then _describe NAME found; else _files; fi
}
compdef _veille NAME
"""
_FISH = """\
complete -c NAME -f -a '(NAME __complete fish (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c NAME -F -n 'test (count (NAME __complete fish (commandline -opc)[2..-1] (commandline -ct))) -eq 0'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

#: Arguments and options that name something, and the lists where those are.
_NOUNS = {
    "dossier": "dossiers",
    "source": "sources",
    "question": "sources",
    "rule": "rules",
    "channel": "channels",
    "tell": "channels",
}


def script(shell: str, name: str = "veille") -> str:
    """What the shell must read so that it completes our commands."""
    return SCRIPTS[shell].replace("NAME", name)


def answer(name: str, shell: str, words: Sequence[str]) -> str:
    """What could be the last word, one a line, as the shell wants it."""
    *before, begun = words or [""]
    spot = follow(name, program(name), before)
    if spot is None:
        return ""
    found = sorted({word: said for word, said in _candidates(spot, begun, before) if word.startswith(begun)}.items())
    if shell == "fish":
        lines = [f"{word}\t{said}" for word, said in found]
    elif shell == "zsh":
        lines = [f"{word.replace(':', chr(92) + ':')}:{said}" for word, said in found]
    else:
        lines = [shlex.quote(word) for word, _ in found]
    return "".join(f"{line}\n" for line in lines)


def _candidates(spot: Spot, begun: str, before: Sequence[str]) -> Iterator[tuple[str, str]]:
    node = spot.node
    if spot.open_option is not None:
        yield from _values(spot.open_option, before)
    elif begun.startswith("-") and not spot.is_closed:
        yield from ((name, one["help"]) for one in node["options"] for name in one["names"])
        yield "--help", "Show this help."
    elif "commands" in node:
        yield from ((name, first_sentence(one["help"])) for name, one in node["commands"].items())
    elif node["arguments"]:
        place = min(len(spot.given), len(node["arguments"]) - 1)
        if place == len(spot.given) or node["arguments"][place]["many"]:
            yield from _values(node["arguments"][place], before)


def _values(one: dict[str, Any], before: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What a value can be: one of few words, or a name that was listed last."""
    yield from ((choice, "") for choice in one["choices"])
    path = before[:1]
    noun = _NOUNS.get(one["name"]) or ("dossiers" if one["name"] == "name" and path == ["dossiers"] else "")
    if noun and (data := _data(before)) is not None:
        from veille.interfaces.cli.terminal.listing import recall  # noqa: PLC0415 - only where names are completed

        yield from ((row.name, "") for row in recall(data, noun))


def _data(words: Sequence[str]) -> Path | None:
    """The data folder, as far as it is known without reading the settings."""
    for place, word in enumerate(words):
        if word.startswith("--data="):
            return Path(word.removeprefix("--data="))
        if word == "--data" and place + 1 < len(words):
            return Path(words[place + 1])
    if named := os.environ.get("VEILLE_DATA"):
        return Path(named)
    from platformdirs import user_data_path  # noqa: PLC0415 - only where names are completed

    return user_data_path("veille", appauthor=False)
