"""The command line: parse, call the services, print. Data goes to stdout, messages to stderr."""

from __future__ import annotations

import gc

# Loading makes very many objects and frees hardly any: collecting meanwhile takes a quarter of the start.
gc.disable()

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from veille import __version__
from veille.interfaces.cli._failures import fail
from veille.interfaces.cli._lazy import group_of
from veille.interfaces.cli._limits import keep_private
from veille.interfaces.cli._options import SHARED
from veille.interfaces.cli._output import SOME_FAILED
from veille.settings import CONFIG_VARIABLE

# What is loaded stays until the end: it is not looked at again, nor when the process ends.
gc.freeze()
gc.enable()

#: Every command with its `module:name`.
_PLACES = {
    "add": "watching.add:add",
    "import": "watching.lists:import_list",
    "discover": "watching.discover:discover",
    "sources": "watching.sources:sources",
    "preview": "watching.discover:preview",
    "repairs": "watching.repairs:repairs",
    "probe": "watching.repairs:probe",
    "reset": "watching.repairs:reset",
    "sweep": "watching.repairs:sweep",
    "values": "watching.values:values",
    "questions": "watching.questions:questions",
    "catalogue": "watching.discover:catalogue",
    "engines": "watching.engines:engines",
    "offers": "offers.sources:offers",
    "rules": "alerts.rules:rules",
    "channels": "alerts.channels:channels",
    "alerts": "alerts.alerts:alerts",
    "run": "engine.work:run",
    "work": "engine.work:work",
    "deliver": "engine.work:deliver",
    "serve": "engine.serve:serve",
    "deliveries": "_exchange:deliveries",
    "search": "_read:search",
    "show": "_read:show",
    "changes": "_exchange:changes",
    "export": "_exchange:export",
    "diff": "_stories:diff",
    "quirks": "_read:quirks",
    "stories": "_stories:stories",
    "chunks": "_stories:chunks_command",
    "read": "_read:read",
    "crawler": "crawler.commands:crawler",
    "news": "_news:news",
    "dossiers": "people.admin:dossiers",
    "secrets": "people.admin:secrets",
    "users": "people.people:users",
    "members": "people.people:members",
    "tokens": "people.tokens:tokens",
    "audit": "people.people:audit",
    "reread": "_reread:reread",
    "backup": "_backup:backup",
    "restore": "_backup:restore",
    "doctor": "_doctor:doctor",
    "hosts": "_doctor:hosts",
    "mcp": "_mcp:mcp",
    "demo": "demo.commands:demo",
}

app = typer.Typer(
    name="veille",
    cls=group_of(_PLACES, dashed=("search",)),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _tell_version(wanted: bool) -> None:  # noqa: FBT001 - called by Typer
    if wanted:
        typer.echo(f"veille {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    data: Annotated[
        Path | None, typer.Option("--data", help="The data folder (or VEILLE_DATA).", file_okay=False)
    ] = None,
    config: Annotated[Path | None, typer.Option("--config", help="The settings file (or VEILLE_CONFIG).")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program a failure comes from.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Watch anything on the web or on disk, keep every version, find it again.

    Start with `veille demo`, or `veille add https://example.org/news` and `veille run`.
    """
    SHARED.data, SHARED.json, SHARED.left_out, SHARED.debug = data, as_json, False, debug
    if config is not None:
        # In the environment, so that the worker processes of a service find it, too.
        os.environ[CONFIG_VARIABLE] = str(config.absolute())


#: Only the crawler, under the name that its administrators know.
meri_app = typer.Typer(
    name="meri",
    cls=group_of({"crawler": _PLACES["crawler"]}),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
meri_app.callback()(root)


def main() -> None:
    """Run the command line. Exit status: 0 ok, 1 some items failed, 2 could not run, 70 a bug, 78 configuration."""
    start(partial(app, standalone_mode=False))


def meri() -> None:
    """Run `meri`, which has the crawler only."""
    start(partial(meri_app, standalone_mode=False))


def start(command: Callable[[], int | None]) -> None:
    """Run a command and exit with its status; an error becomes one line and a status."""
    keep_private()
    try:
        status = command()
    except typer.Abort:
        typer.echo("Aborted.", err=True)
        status = SOME_FAILED
    except BrokenPipeError:
        # The reader has closed the pipe (`veille search x | head`): no error, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:  # noqa: BLE001 - top level: every error becomes one line
        status = fail(error)
    sys.exit(status or (SOME_FAILED if SHARED.left_out else 0))
