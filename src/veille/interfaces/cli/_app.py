"""The program `veille`: all commands under their headings, and the options before them."""

from __future__ import annotations

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
from veille.interfaces.cli._shared import SHARED, SOME_FAILED
from veille.settings import CONFIG_VARIABLE

#: Every command with its `module:name`, under its heading in the help.
GROUPS = {
    "Watch": {
        "add": "watching.add:add",
        "import": "watching.lists:import_list",
        "discover": "watching.discover:discover",
        "preview": "watching.discover:preview",
        "sources": "watching.sources:sources",
        "questions": "watching.questions:questions",
        "values": "watching.values:values",
        "engines": "watching.engines:engines",
        "catalogue": "watching.discover:catalogue",
        "run": "engine.work:run",
    },
    "Read": {
        "changes": "_exchange:changes",
        "search": "_read:search",
        "ask": "reading.ask:ask",
        "show": "_read:show",
        "diff": "_stories:diff",
        "stories": "_stories:stories",
        "digest": "_analyse:digest",
        "analyse": "_analyse:analyse",
        "brands": "_analyse:brands",
        "read": "_read:read",
        "news": "_news:news",
        "export": "_exchange:export",
        "chunks": "_stories:chunks_command",
        "quirks": "_read:quirks",
        "vectors": "engine.vectors:vectors",
    },
    "Alerts": {
        "rules": "alerts.rules:rules",
        "channels": "alerts.channels:channels",
        "alerts": "alerts.alerts:alerts",
    },
    "Repair": {
        "repairs": "watching.repairs:repairs",
        "probe": "watching.repairs:probe",
        "reset": "watching.repairs:reset",
        "sweep": "watching.repairs:sweep",
        "reread": "_reread:reread",
        "doctor": "_doctor:doctor",
    },
    "Operate": {
        "demo": "demo.commands:demo",
        "config": "engine.config:config",
        "serve": "engine.serve:serve",
        "work": "engine.work:work",
        "deliver": "engine.work:deliver",
        "deliveries": "_exchange:deliveries",
        "hosts": "_doctor:hosts",
        "crawler": "crawler.commands:crawler",
        "mcp": "_mcp:mcp",
        "backup": "_backup:backup",
        "restore": "_backup:restore",
        "move": "archives.move:move",
        "warc": "archives.warc:warc",
        "bodies": "archives.bodies:bodies",
        "retention": "_retention:retention",
        "completion": "_shell:completion",
        "man": "_shell:man",
    },
    "People": {
        "dossiers": "people.admin:dossiers",
        "secrets": "people.admin:secrets",
        "users": "people.people:users",
        "members": "people.people:members",
        "tokens": "people.tokens:tokens",
        "offers": "offers.sources:offers",
        "audit": "people.people:audit",
    },
}
_PLACES = {name: place for group in GROUPS.values() for name, place in group.items()}

app = typer.Typer(
    name="veille",
    cls=group_of(_PLACES, dashed=("search",)),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
    SHARED.data, SHARED.json, SHARED.debug = data, as_json, debug
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
    rich_markup_mode=None,
)
meri_app.callback()(root)


def run(name: str) -> None:
    """Run `veille` or `meri`."""
    start(partial(meri_app if name == "meri" else app, prog_name=name, standalone_mode=False))


def start(command: Callable[[], int | None]) -> None:
    """Run a command and exit with its status; an error becomes one line and a status."""
    keep_private()
    SHARED.reset()
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
