"""`veille sources`."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.core.dates import iso
from veille.core.models import Dossier, Source
from veille.core.secrets import hidden
from veille.interfaces.cli._options import (
    DataOption,
    DossierOption,
    InDossierOption,
    JsonOption,
    chosen,
    chosen_for_adding,
    opened,
    wants_json,
)
from veille.interfaces.cli._output import plain, print_json, print_table, talk

sources = typer.Typer(invoke_without_command=True)

SourceArgument = Annotated[str, typer.Argument(help="Name, id or address of the source.")]


@sources.callback()
def list_sources(
    context: typer.Context, *, dossier: DossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List what is watched and how it is doing.

    Examples:
        veille sources

        veille sources --dossier competitors --json

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = [(where, source) for where in chosen(app, dossier) for source in app.sources.all(where.id)]
    if wants_json(as_json):
        print_json([shown_source(where, source) for where, source in found])
        return
    rows = [
        (
            where.name,
            source.name,
            source.kind,
            _state(source),
            _when(source.checked_at),
            _when(source.changed_at),
            source.url,
        )
        for where, source in found
    ]
    print_table(("Dossier", "Source", "Kind", "State", "Checked", "Changed", "Address"), rows)
    if not rows:
        talk().print("Nothing is watched yet: veille add https://example.org/news")


@sources.command()
def pause(
    source: SourceArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Stop looking at a source until it is resumed; nothing is lost.

    Example:
        veille sources pause "Example News"

    """
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        changed = app.sources.set_enabled(where.id, source, enabled=False)
    _tell(where, changed, "is paused", as_json=as_json)


@sources.command()
def resume(
    source: SourceArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Look at a paused source again.

    Example:
        veille sources resume "Example News"

    """
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        changed = app.sources.set_enabled(where.id, source, enabled=True)
    _tell(where, changed, "is watched again", as_json=as_json)


@sources.command()
def delete(
    source: SourceArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a source and the documents that only it has.

    Example:
        veille sources delete "Example News" --yes

    """
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        found = app.sources.find(where.id, source)
        if not yes:
            typer.confirm(f"Delete {found.name} with its documents?", abort=True, err=True)
        app.sources.delete(where.id, found.id)
    _tell(where, found, "is deleted", as_json=as_json)


def _tell(where: Dossier, source: Source, what: str, *, as_json: bool) -> None:
    if wants_json(as_json):
        print_json(shown_source(where, source))
    else:
        talk().print(f"{source.name} {what}.", markup=False)


def shown_source(where: Dossier, source: Source) -> dict[str, object]:
    """A source as data, without what must not be shown."""
    shown = plain(source)
    if "headers" in shown["config"]:
        shown["config"]["headers"] = hidden(shown["config"]["headers"])
    # `veille engines` shows them, without what could be a key.
    shown["config"].pop("engines", None)
    return {"dossier": where.name, **shown}


def _state(source: Source) -> str:
    if not source.enabled:
        return "paused"
    return f"{source.state} ({source.error_code})" if source.error_code else str(source.state)


def _when(at: int | None) -> str:
    return iso(at) if at is not None else "never"
