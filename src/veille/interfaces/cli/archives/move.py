"""`veille move`: from one store to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap.checks import check_settings
from veille.bootstrap.clock import system_clock
from veille.bootstrap.moves import StoreMove
from veille.bootstrap.moves import move as take_over
from veille.interfaces.cli._backup import left_beside
from veille.interfaces.cli._command import Answer, command
from veille.interfaces.cli._output import console, progress
from veille.interfaces.cli._shared import SHARED, SOME_FAILED
from veille.interfaces.cli.terminal.text import plural
from veille.settings import Settings, load_settings


@command
def move(
    to: Annotated[
        str, typer.Option("--to", help="An empty folder, or the address of an empty database (postgresql://…).")
    ],
) -> Answer:
    """Copy everything to another store: from the data folder to PostgreSQL, and back.

    All dossiers, users, tokens and settings keep their ids and numbers, so links and cursors hold. Stop all programs
    first. The source is only read and stays as it is; every table is compared by its rows and a hash at the end. If it
    is killed, run it again: it goes on where it was. What is there can be used when the command has ended, not before.

    Exit status: 0 both stores are equal, 1 their rows are, but files of old texts or bodies were not there, 2 nothing
    can be used in the target.

    Examples:
        veille move --to postgresql://veille@db.example.org/veille

        VEILLE_STORE=postgresql://veille@db.example.org/veille veille move --to /var/lib/veille-files --json

    """
    settings = load_settings(data=SHARED.data)
    check_settings(settings, system_clock)
    with progress("Moving ...") as update:
        done = take_over(settings, to, lambda at, total: update(f"Moving: {at} of {total} dossiers"))
    size = f"{plural(done.dossiers, 'dossier')}, {plural(done.rows, 'row')} in {len(done.tables)} tables"
    is_database = _is_database(done)
    use = "set `store` to it (or VEILLE_STORE)" if is_database else "name it with --data, without `store`"
    equal = f"{done.target}: {size}, equal to {done.source}.\n{_missing(done, settings.data)}{_beside(done, settings)}"
    return Answer(
        done,
        show=lambda: console().print(f"{equal}To use it, {use}; the source is as it was."),
        status=SOME_FAILED if done.missing_files else 0,
    )


def _is_database(done: StoreMove) -> bool:
    return done.target.startswith("postgresql:")


def _missing(done: StoreMove, data: Path) -> str:
    """A line about files that were not there; empty if there is none."""
    if not done.missing_files:
        return ""
    return (
        f"Not in {data}: {plural(len(done.missing_files), 'file')} with archived revisions, kept answers or pictures, "
        f"such as {done.missing_files[0]}. Bring them into {data if _is_database(done) else done.target} from the "
        "machine that wrote them, or move again with `bodies.place` set to where they are.\n"
    )


def _beside(done: StoreMove, settings: Settings) -> str:
    """A line about files that stay in the data folder while the rows are in a database; empty if there is none."""
    there = done.files - len(done.missing_files)
    return (
        f"{left_beside(there, settings.data)}\n" if there and _is_database(done) and not settings.bodies.place else ""
    )
