"""`veille catalogue`: ready-made sources."""

from __future__ import annotations

from typing import Annotated

import typer

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
    """Watch every source of a category; those that are already watched stay as they are.

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
