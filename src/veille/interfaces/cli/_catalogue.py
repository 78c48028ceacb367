"""`veille catalogue` and `veille engines`: ready-made sources, and the search engines that questions ask."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.core.engines import Engine
from veille.core.secrets import hidden
from veille.errors import ConfigError
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    wants_json,
)
from veille.interfaces.cli._output import print_json, print_table, talk

catalogue = typer.Typer(invoke_without_command=True)
engines = typer.Typer(invoke_without_command=True)

EngineArgument = Annotated[str, typer.Argument(help="Its id, such as brave_api.")]


@catalogue.callback()
def list_catalogue(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the ready-made sources by category.

    Example:
        veille catalogue

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.catalogue.entries()
    if wants_json(as_json):
        print_json(found)
    else:
        rows = [(entry.category, entry.name, entry.kind, entry.every, entry.url) for entry in found]
        print_table(("Category", "Name", "Kind", "Every", "Address"), rows)


@catalogue.command("add")
def add_category(
    category: Annotated[str, typer.Argument(help="A category of the catalogue, such as tech.")],
    *,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Watch every source of a category; those that are watched already stay as they are.

    Example:
        veille catalogue add legal-fr --dossier regulation

    """
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        poured = app.catalogue.pour(where.id, category)
    if wants_json(as_json):
        print_json([{"name": one.entry.name, "url": one.entry.url, "added": one.added} for one in poured])
    else:
        added = sum(one.added for one in poured)
        talk().print(f"Watching {added} more, {len(poured) - added} were watched already.", markup=False)


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
        print_json([_shown(engine) for engine in found.values()])
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

    Example:
        veille engines add my-engine.json --dossier competitors

    """
    record = _record(file)
    with opened(data) as app:
        engine = app.catalogue.put_engine(chosen_for_adding(app, dossier).id, record)
    _tell(engine, "can be asked", as_json=as_json)


@engines.command("enable")
def enable_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Let questions ask an engine.

    Example:
        veille engines enable ddg_html

    """
    with opened(data) as app:
        changed = app.catalogue.set_engine_enabled(chosen_for_adding(app, dossier).id, engine, enabled=True)
    _tell(changed, "is on", as_json=as_json)


@engines.command("disable")
def disable_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Ask an engine no more; questions go on with their others.

    Example:
        veille engines disable scholar

    """
    with opened(data) as app:
        changed = app.catalogue.set_engine_enabled(chosen_for_adding(app, dossier).id, engine, enabled=False)
    _tell(changed, "is off", as_json=as_json)


@engines.command("delete")
def delete_engine(
    engine: EngineArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Forget an engine of a dossier's own; a built-in one it replaced is back.

    Example:
        veille engines delete my-engine

    """
    with opened(data) as app:
        app.catalogue.delete_engine(chosen_for_adding(app, dossier).id, engine)
    if wants_json(as_json):
        print_json({"id": engine, "status": "deleted"})
    else:
        talk().print(f"{engine} is forgotten.", markup=False)


def _record(file: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        record = json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read as JSON: {error}.", code="bad_engine") from error
    if not isinstance(record, dict):
        raise ConfigError(f"{file} must hold one engine as a JSON object.", code="bad_engine")
    return record


def _shown(engine: Engine) -> dict[str, Any]:
    record = engine.model_dump(mode="json", exclude_unset=True)
    return record | {"headers": hidden(engine.headers), "enabled": engine.enabled}


def _tell(engine: Engine, what: str, *, as_json: bool) -> None:
    if wants_json(as_json):
        print_json(_shown(engine))
    else:
        talk().print(f"{engine.id} {what}.", markup=False)
