"""The command line: parse, call the services, show. Data goes to stdout, talk to stderr."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from veille.errors import VeilleError
from veille.interfaces.cli import (
    _add,
    _admin,
    _catalogue,
    _crawler,
    _demo,
    _doctor,
    _exchange,
    _lists,
    _mcp,
    _members,
    _news,
    _people,
    _preview,
    _questions,
    _quirks,
    _read,
    _reader,
    _repairs,
    _serve,
    _sources,
    _stories,
    _tokens,
    _work,
)
from veille.interfaces.cli._options import SHARED

SOME_FAILED = 1
COULD_NOT_RUN = 2

app = typer.Typer(
    name="veille",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def root(
    *,
    data: Annotated[Path | None, typer.Option("--data", help="The data folder (or VEILLE_DATA).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Watch anything on the web or on disk, keep every version, find it again.

    Start with `veille demo`, or `veille add https://example.org/news` and `veille run`.
    """
    SHARED.data, SHARED.json, SHARED.left_out = data, as_json, False


app.command()(_add.add)
app.command("import")(_lists.import_list)
app.command()(_lists.discover)
_sources.sources.command("export")(_lists.export_list)
app.add_typer(_sources.sources, name="sources")
app.command()(_preview.preview)
app.add_typer(_repairs.repairs, name="repairs")
app.command()(_repairs.probe)
app.command()(_repairs.reset)
app.command()(_repairs.sweep)
app.add_typer(_questions.questions, name="questions")
app.add_typer(_catalogue.catalogue, name="catalogue")
app.add_typer(_catalogue.engines, name="engines")
app.command()(_work.run)
app.command()(_work.work)
app.command()(_work.deliver)
app.command()(_serve.serve)
app.command()(_exchange.deliveries)
app.command(context_settings={"ignore_unknown_options": True})(_read.search)
app.command()(_read.show)
app.command()(_exchange.changes)
app.command()(_exchange.export)
app.command()(_stories.diff)
app.command()(_quirks.quirks)
app.command()(_stories.stories)
app.command("chunks")(_stories.chunks_command)
app.command("read")(_reader.read)
app.add_typer(_crawler.crawler, name="crawler")
app.add_typer(_news.news, name="news")
app.add_typer(_admin.dossiers, name="dossiers")
app.add_typer(_admin.secrets, name="secrets")
app.add_typer(_people.users, name="users")
app.add_typer(_members.members, name="members")
app.add_typer(_tokens.tokens, name="tokens")
app.command()(_people.audit)
app.add_typer(_doctor.doctor, name="doctor")
app.command()(_doctor.hosts)
app.command()(_mcp.mcp)
app.command()(_demo.demo)

#: The crawler alone, under the name its administrators know.
meri_app = typer.Typer(name="meri", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
meri_app.callback()(root)
meri_app.add_typer(_crawler.crawler, name="crawler")


def main() -> None:
    """Run the command line. Exit status: 0 fine, 1 some items failed, 2 could not run."""
    _start(app)


def meri() -> None:
    """The same for `meri`, which has the crawler only."""
    _start(meri_app)


def _start(commands: typer.Typer) -> None:
    try:
        commands()
    except SystemExit as end:
        if not end.code and SHARED.left_out:
            sys.exit(SOME_FAILED)
        raise
    except VeilleError as error:
        _complain(error)
        sys.exit(COULD_NOT_RUN)
    except BrokenPipeError:
        # The reader went away (`veille search x | head`): nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _complain(error: VeilleError) -> None:
    if "--json" in sys.argv:
        typer.echo(json.dumps({"error": str(error), "code": error.code}, ensure_ascii=False), err=True)
    else:
        typer.echo(f"veille: {error} [{error.code}]", err=True)
