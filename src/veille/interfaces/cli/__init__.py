"""The command line: parse, call the services, print. Data goes to stdout, messages to stderr."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from veille.interfaces.cli.manual.front import answered

if TYPE_CHECKING:
    from veille.interfaces.cli._app import app, meri_app, start

__all__ = ["app", "main", "meri", "meri_app", "start"]


def main() -> None:
    """Run the command line. Exit status: 0 ok, 1 some items failed, 2 could not run, 70 a bug, 78 configuration."""
    _run("veille")


def meri() -> None:
    """Run `meri`, which has the crawler only."""
    _run("meri")


def _run(name: str) -> None:
    status = answered(name, sys.argv[1:])
    if status is not None:
        sys.exit(status)
    # Loaded now: help needs nothing of it.
    import_module(f"{__name__}._app").run(name)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}._app"), name)
