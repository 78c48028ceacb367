"""`veille engines`: the search engines that the questions of a dossier ask."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.core.discover.engines import SearchEngine, as_it_was
from veille.core.http.credentials import hidden
from veille.errors import ConfigError
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    tell,
    wants_json,
)
from veille.interfaces.cli._output import print_json, print_table

engines = typer.Typer(invoke_without_command=True)

EngineArgument = Annotated[str, typer.Argument(help="Its id, such as brave_api.")]


@engines.callback()
def list_engines(
    context: typer.Context, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List the search engines that a dossier can ask, with the secrets they need.

    Example:
        veille engines --dossier competitors

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.catalogue.engines(chosen_for_adding(app, dossier).id)
    if wants_json(as_json):
        print_json([shown_engine(engine) for engine in found.values()])
        return
    rows = [
        (engine.id, engine.name, engine.strategy, "on" if engine.enabled else "off", engine.url_template)
        for engine in found.values()
    ]
    print_table(("Engine", "Name", "Strategy", "State", "Address"), rows)


@engines.command("add")
def add_engine(
    file: Annotated[str, typer.Argument(help="A JSON file with its record; `-` reads it from a pipe.")],
    *,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a search engine to a dossier, or change one; `veille engines --json` shows what a record looks like.

    Values that are hidden in a shown record are kept.

    Example:
        veille engines add my-engine.json --dossier competitors

    """
    record = engine_record(file)
    with opened(data) as app:
        where = chosen_for_adding(app, dossier).id
        engine = app.catalogue.put_engine(
            where, as_it_was(record, app.catalogue.engines(where).get(str(record.get("id"))))
        )
    tell_engine(engine, "can be asked", as_json=as_json)


@engines.command("enable")
def enable_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Enable an engine: questions can ask it.

    Example:
        veille engines enable ddg_html

    """
    with opened(data) as app:
        changed = app.catalogue.set_engine_enabled(chosen_for_adding(app, dossier).id, engine, enabled=True)
    tell_engine(changed, "is on", as_json=as_json)


@engines.command("disable")
def disable_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Disable an engine; questions continue with their other engines.

    Example:
        veille engines disable scholar

    """
    with opened(data) as app:
        changed = app.catalogue.set_engine_enabled(chosen_for_adding(app, dossier).id, engine, enabled=False)
    tell_engine(changed, "is off", as_json=as_json)


@engines.command("delete")
def delete_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Delete a dossier's own engine; a built-in one that it replaced is back.

    Example:
        veille engines delete my-engine

    """
    with opened(data) as app:
        app.catalogue.delete_engine(chosen_for_adding(app, dossier).id, engine)
    tell({"id": engine, "status": "deleted"}, f"{engine} is forgotten.", as_json=as_json)


def engine_record(file: str) -> dict[str, Any]:
    """Read the record of an engine from a JSON file, or from a pipe."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        record = json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read as JSON: {error}.", code="bad_engine") from error
    if not isinstance(record, dict):
        raise ConfigError(f"{file} must hold one engine as a JSON object.", code="bad_engine")
    return record


def shown_engine(engine: SearchEngine) -> dict[str, Any]:
    """The record of an engine, with secrets hidden."""
    return engine.record | {"headers": hidden(engine.headers), "enabled": engine.enabled}


def tell_engine(engine: SearchEngine, what: str, *, as_json: bool) -> None:
    """Report what was done with an engine."""
    tell(shown_engine(engine), f"{engine.id} {what}.", as_json=as_json)
