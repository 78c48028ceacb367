"""`veille offers engines`: the search engines offered to all dossiers."""

from __future__ import annotations

from typing import Any

import typer

from veille.bootstrap import App
from veille.core.discover.catalogue import Offer
from veille.core.discover.engines import as_it_was
from veille.interfaces.cli._command import Answer, command, done, listing
from veille.interfaces.cli.terminal.table import Wide
from veille.interfaces.cli.watching.engines import (
    EngineArgument,
    RecordArgument,
    engine_answer,
    engine_record,
    shown_engine,
)

engines = typer.Typer(invoke_without_command=True)


@engines.callback()
@listing
def list_engines(app: App) -> Answer:
    """List the search engines offered to all dossiers.

    Example:
        veille offers engines

    """
    found = app.offers.engines(app.accounts.local())
    return Answer(
        [shown_engine(engine) | times(offer) for engine, offer in found],
        ("Engine", "Name", "Strategy", "State", Wide("From"), Wide("Address")),
        [(one.id, one.name, one.strategy, *state(one.enabled, offer), one.url_template) for one, offer in found],
    )


@engines.command("add")
@command
def add_engine(app: App, file: RecordArgument) -> Answer:
    """Offer a search engine to all dossiers, or change one; values that are hidden in a shown record are kept.

    Example:
        veille offers engines add my-engine.json

    """
    record = {name: value for name, value in engine_record(file).items() if name not in times(None)}
    access = app.accounts.local()
    known = {engine.id: engine for engine, _ in app.offers.engines(access)}
    engine = app.offers.put_engine(access, as_it_was(record, known.get(str(record.get("id")))))
    return engine_answer(engine, "is offered to all dossiers")


@engines.command("enable")
@command
def enable_engine(app: App, engine: EngineArgument) -> Answer:
    """Enable an engine for all dossiers; a dossier's own setting takes precedence.

    Example:
        veille offers engines enable ddg_html

    """
    return engine_answer(app.offers.set_engine_enabled(app.accounts.local(), engine, enabled=True), "is on")


@engines.command("disable")
@command
def disable_engine(app: App, engine: EngineArgument) -> Answer:
    """Disable an engine for all dossiers; a dossier's own setting takes precedence.

    Example:
        veille offers engines disable scholar

    """
    return engine_answer(app.offers.set_engine_enabled(app.accounts.local(), engine, enabled=False), "is off")


@engines.command("delete")
@command
def delete_engine(app: App, engine: EngineArgument) -> Answer:
    """Stop offering an engine; questions that ask it continue. A built-in one can be added again.

    Example:
        veille offers engines delete my-engine

    """
    app.offers.delete_engine(app.accounts.local(), engine)
    return deleted_answer(engine, engine)


def times(offer: Offer | None) -> dict[str, Any]:
    """When an administrator added and changed it; None for a built-in one."""
    return {"created_at": offer and offer.created_at, "updated_at": offer and offer.updated_at}


def state(enabled: bool, offer: Offer | None) -> tuple[str, str]:  # noqa: FBT001 - cells of a table
    """The state, and whether it was added here or is built in, as text."""
    return "on" if enabled else "off", "here" if offer else "the program"


def deleted_answer(offer_id: str, name: str) -> Answer:
    """The answer about what is no longer offered."""
    return done({"id": offer_id, "status": "deleted"}, f"{name} is no longer offered.")
