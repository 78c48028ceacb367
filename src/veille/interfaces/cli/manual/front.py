"""What is answered before anything else is loaded: help, the version, and completion."""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size

from veille.interfaces.cli.manual.catalogue import Spot, follow, program
from veille.interfaces.cli.manual.completion import ASKED, answer
from veille.interfaces.cli.manual.page import help_page
from veille.version import VERSION

#: Exit status of a command that was not named.
_USAGE = 2
#: Groups of commands have names of at most this many words.
_FEW = 2


def answered(name: str, words: list[str]) -> int | None:
    """Print the version or help if the words ask for it, or name no command; returns the exit status, or None."""
    if words[:1] == [ASKED]:
        sys.stdout.write(answer(name, words[1] if len(words) > 1 else "", words[2:]))
        return 0
    if words == ["--version"]:
        sys.stdout.write(f"veille {VERSION}\n")
        return 0
    # What a program is told mostly is no question: it is not looked at here.
    if "--help" not in words and len(words) > _FEW:
        return None
    spot = follow(name, program(name), words)
    if spot is None:
        return None
    if spot.wants_help:
        _print(spot)
        return 0
    is_bare = spot.node.get("asks") and (not words or words[-1] == spot.path[-1])
    if is_bare:
        _print(spot)
    return _USAGE if is_bare else None


def _print(spot: Spot) -> None:
    is_bold = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    sys.stdout.write(help_page(spot.path, spot.node, get_terminal_size().columns, bold=is_bold))
    sys.stdout.flush()
