"""`veille offers engines`: the search engines offered to all dossiers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from veille.core.discover.catalogue import Offer
from veille.core.discover.engines import as_it_was
from veille.interfaces.cli._options import DataOption, JsonOption, opened, tell, wants_json
from veille.interfaces.cli._output import print_json, print_table
from veille.interfaces.cli.watching.engines import EngineArgument, engine_record, shown_engine, tell_engine

engines = typer.Typer(invoke_without_command=True)


@engines.callback()
def list_engines(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the search engines offered to all dossiers.

    Example:
        veille offers engines

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.offers.engines(app.accounts.local())
    if wants_json(as_json):
        print_json([shown_engine(engine) | times(offer) for engine, offer in found])
        return
    rows = [
        (engine.id, engine.name, engine.strategy, state(enabled=engine.enabled), origin(offer), engine.url_template)
        for engine, offer in found
    ]
    print_table(("Engine", "Name", "Strategy", "State", "From", "Address"), rows)


@engines.command("add")
def add_engine(
    file: Annotated[str, typer.Argument(help="A JSON file with its record; `-` reads it from a pipe.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Offer a search engine to all dossiers, or change one; values that are hidden in a shown record are kept.

    Example:
        veille offers engines add my-engine.json

    """
    record = {name: value for name, value in engine_record(file).items() if name not in times(None)}
    with opened(data) as app:
        access = app.accounts.local()
        known = {engine.id: engine for engine, _ in app.offers.engines(access)}
        engine = app.offers.put_engine(access, as_it_was(record, known.get(str(record.get("id")))))
    tell_engine(engine, "is offered to all dossiers", as_json=as_json)


@engines.command("enable")
def enable_engine(engine: EngineArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Enable an engine for all dossiers; a dossier's own setting takes precedence.

    Example:
        veille offers engines enable ddg_html

    """
    with opened(data) as app:
        changed = app.offers.set_engine_enabled(app.accounts.local(), engine, enabled=True)
    tell_engine(changed, "is on", as_json=as_json)


@engines.command("disable")
def disable_engine(engine: EngineArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Disable an engine for all dossiers; a dossier's own setting takes precedence.

    Example:
        veille offers engines disable scholar

    """
    with opened(data) as app:
        changed = app.offers.set_engine_enabled(app.accounts.local(), engine, enabled=False)
    tell_engine(changed, "is off", as_json=as_json)


@engines.command("delete")
def delete_engine(engine: EngineArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Stop offering an engine; questions that ask it continue. A built-in one can be added again.

    Example:
        veille offers engines delete my-engine

    """
    with opened(data) as app:
        app.offers.delete_engine(app.accounts.local(), engine)
    tell_deleted(engine, engine, as_json=as_json)


def times(offer: Offer | None) -> dict[str, Any]:
    """When an administrator added and changed it; None for a built-in one."""
    return {"created_at": offer and offer.created_at, "updated_at": offer and offer.updated_at}


def state(*, enabled: bool) -> str:
    """The state as text."""
    return "on" if enabled else "off"


def origin(offer: Offer | None) -> str:
    """Whether it was added here or is built in."""
    return "here" if offer else "the program"


def tell_deleted(offer_id: str, name: str, *, as_json: bool) -> None:
    """Report that it is no longer offered."""
    tell({"id": offer_id, "status": "deleted"}, f"{name} is offered no longer.", as_json=as_json)
