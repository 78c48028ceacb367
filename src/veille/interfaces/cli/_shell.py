"""`veille completion` and `veille man`: what shells and manuals want."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from veille.interfaces.cli.manual.catalogue import load
from veille.interfaces.cli.manual.completion import script
from veille.interfaces.cli.manual.roff import man_page


class KnownShell(StrEnum):
    """The shells that can be told."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[KnownShell, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print a script that lets a shell complete commands, options, and the names that were listed last.

    Examples:
        veille completion bash > ~/.local/share/bash-completion/completions/veille

        veille completion zsh > "${fpath[1]}/_veille"

        veille completion fish > ~/.config/fish/completions/veille.fish

    """
    sys.stdout.write(script(shell.value))


def man() -> None:
    """Print the man page of all commands.

    Examples:
        veille man | man -l -

        veille man > ~/.local/share/man/man1/veille.1

    """
    sys.stdout.write(man_page(load()))
