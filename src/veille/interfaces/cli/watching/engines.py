"""`veille engines`: the search engines that the questions of a dossier ask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.discover.engines import SearchEngine, as_it_was
from veille.core.http.credentials import hidden
from veille.interfaces.cli._command import Answer, OneDossier, command, done, listing
from veille.interfaces.cli._options import read_text
from veille.interfaces.cli.terminal.table import Wide
from veille.interfaces.operations._limits import json_object

engines = typer.Typer(invoke_without_command=True)

EngineArgument = Annotated[str, typer.Argument(help="Its id, such as brave_api.")]
RecordArgument = Annotated[str, typer.Argument(help="A JSON file with its record; `-` reads it from a pipe.")]


@engines.callback()
@listing
def list_engines(app: App, where: OneDossier) -> Answer:
    """List the search engines that a dossier can ask, with the secrets they need.

    Example:
        veille engines --dossier competitors

    """
    found = app.catalogue.engines(where.id).values()
    return Answer(
        [shown_engine(engine) for engine in found],
        ("Engine", "Name", Wide("Strategy"), "State", "Address"),
        [(one.id, one.name, one.strategy, "on" if one.enabled else "off", one.url_template) for one in found],
    )


@engines.command("add")
@command
def add_engine(app: App, where: OneDossier, file: RecordArgument) -> Answer:
    """Add a search engine to a dossier, or change one; `veille engines --json` shows what a record looks like.

    Values that are hidden in a shown record are kept.

    Example:
        veille engines add my-engine.json --dossier competitors

    """
    record = engine_record(file)
    before = app.catalogue.engines(where.id).get(str(record.get("id")))
    return engine_answer(app.catalogue.put_engine(where.id, as_it_was(record, before)), "can be asked")


@engines.command("enable")
@command
def enable_engine(app: App, where: OneDossier, engine: EngineArgument) -> Answer:
    """Enable an engine: questions can ask it.

    Example:
        veille engines enable ddg_html

    """
    return engine_answer(app.catalogue.set_engine_enabled(where.id, engine, enabled=True), "is on")


@engines.command("disable")
@command
def disable_engine(app: App, where: OneDossier, engine: EngineArgument) -> Answer:
    """Disable an engine; questions continue with their other engines.

    Example:
        veille engines disable scholar

    """
    return engine_answer(app.catalogue.set_engine_enabled(where.id, engine, enabled=False), "is off")


@engines.command("delete")
@command
def delete_engine(app: App, where: OneDossier, engine: EngineArgument) -> Answer:
    """Delete a dossier's own engine; a built-in one that it replaced is back.

    Example:
        veille engines delete my-engine

    """
    app.catalogue.delete_engine(where.id, engine)
    return done({"id": engine, "status": "deleted"}, f"{engine} is deleted.")


def engine_record(file: str) -> dict[str, Any]:
    """Read the record of an engine from a JSON file, or from a pipe."""
    return json_object(read_text(Path(file), code="bad_engine"), file, "bad_engine")


def shown_engine(engine: SearchEngine) -> dict[str, Any]:
    """The record of an engine, with secrets hidden."""
    return engine.record | {"headers": hidden(engine.headers), "enabled": engine.enabled}


def engine_answer(engine: SearchEngine, what: str) -> Answer:
    """The answer about an engine."""
    return done(shown_engine(engine), f"{engine.id} {what}.")
