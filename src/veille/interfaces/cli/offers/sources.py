"""`veille offers sources`: the ready-made sources offered to all dossiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from veille.core.discover.catalogue import CatalogueEntry
from veille.core.http.credentials import shown_options
from veille.interfaces.cli._options import DataOption, JsonOption, opened, pairs, tell, wants_json
from veille.interfaces.cli._output import plain, print_json, print_table
from veille.interfaces.cli.offers.engines import origin, state, tell_deleted, times
from veille.interfaces.cli.watching.sources import SetOption
from veille.interfaces.operations._limits import placed

sources = typer.Typer(invoke_without_command=True)

EntryArgument = Annotated[str, typer.Argument(help="Its id, address or name.")]


@sources.callback()
def list_sources(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the ready-made sources, including disabled ones.

    Example:
        veille offers sources

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.offers.entries(app.accounts.local())
    if wants_json(as_json):
        print_json([_shown(entry) | times(offer) for entry, offer in found])
        return
    rows = [
        (one.category, one.name, one.kind, one.every, state(enabled=one.enabled), origin(offer), one.url)
        for one, offer in found
    ]
    print_table(("Category", "Name", "Kind", "Every", "State", "From", "Address"), rows)


@sources.command("add")
def add_source(
    url: Annotated[str, typer.Argument(help="Its address.")],
    *,
    name: Annotated[str, typer.Option("--name", "-n", help="What to call it (default: its address).")] = "",
    category: Annotated[str, typer.Option("--category", "-c", help="Where it stands in the catalogue.")] = "",
    kind: Annotated[str, typer.Option("--kind", "-k", help="page, feed, site, api …")] = "feed",
    every: Annotated[str, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d.")] = "1h",
    description: Annotated[str, typer.Option("--description", help="What it is about.")] = "",
    option: SetOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Offer a ready-made source to all dossiers; `veille catalogue` lists it.

    Example:
        veille offers sources add https://example.org/feed --name "Example" --category tech --every 2h

    """
    with opened(data) as app:
        kind, url = placed(app, kind, url)
        entry = CatalogueEntry(
            id="",
            category=category,
            name=name or url,
            url=url,
            kind=kind,
            every=every,
            config=pairs(option or []),
            description=description,
        )
        made = app.offers.add_entry(app.accounts.local(), entry)
    _tell(made, "is offered to all dossiers", as_json=as_json)


@sources.command("edit")
def edit_source(
    source: EntryArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call it.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Another address.")] = None,
    category: Annotated[str | None, typer.Option("--category", "-c", help="Another category.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="Another kind.")] = None,
    every: Annotated[str | None, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d.")] = None,
    description: Annotated[str | None, typer.Option("--description", help="What it is about.")] = None,
    option: SetOption = None,
    unset: Annotated[list[str] | None, typer.Option("--unset", help="An option to go back to its default.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a ready-made source; what is not named stays, and dossiers that already watch it are not changed.

    Example:
        veille offers sources edit "Example" --every 6h --set follow_links=true

    """
    given = {"name": name, "category": category, "every": every, "description": description}
    with opened(data) as app:
        access = app.accounts.local()
        before = app.offers.find_entry(access, source)
        kind, url = placed(app, kind or before.kind, url or before.url)
        config = {key: value for key, value in before.config.items() if key not in (unset or ())}
        wanted: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        entry = replace(before, kind=kind, url=url, config=config | pairs(option or []), **wanted)
        changed = app.offers.edit_entry(access, entry)
    _tell(changed, "is offered as it is now", as_json=as_json)


@sources.command("enable")
def enable_source(source: EntryArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Enable a ready-made source.

    Example:
        veille offers sources enable "Example"

    """
    _tell(_switched(source, data, enabled=True), "can be picked", as_json=as_json)


@sources.command("disable")
def disable_source(source: EntryArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Disable a ready-made source.

    Example:
        veille offers sources disable "Example"

    """
    _tell(_switched(source, data, enabled=False), "cannot be picked for now", as_json=as_json)


@sources.command("delete")
def delete_source(source: EntryArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Stop offering a ready-made source; dossiers that watch it continue.

    Example:
        veille offers sources delete "Example"

    """
    with opened(data) as app:
        access = app.accounts.local()
        entry = app.offers.find_entry(access, source)
        app.offers.delete_entry(access, entry.id)
    tell_deleted(entry.id, entry.name, as_json=as_json)


def _switched(source: str, data: DataOption, *, enabled: bool) -> CatalogueEntry:
    with opened(data) as app:
        access = app.accounts.local()
        entry = app.offers.find_entry(access, source)
        return app.offers.edit_entry(access, replace(entry, enabled=enabled))


def _shown(entry: CatalogueEntry) -> dict[str, Any]:
    shown: dict[str, Any] = plain(replace(entry, config=shown_options(entry.config)))
    return shown


def _tell(entry: CatalogueEntry, what: str, *, as_json: bool) -> None:
    tell(_shown(entry), f"{entry.name} {what}.", as_json=as_json)
