"""`veille offers`, and `veille offers sources`: the ready-made sources offered to all dossiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.discover.catalogue import CatalogueEntry
from veille.core.http.credentials import shown_options
from veille.interfaces.cli._command import Answer, command, done, listing
from veille.interfaces.cli._options import SetOption, pairs
from veille.interfaces.cli._output import plain
from veille.interfaces.cli.offers.engines import deleted_answer, engines, state, times
from veille.interfaces.cli.offers.registries import pull, registries, undo
from veille.interfaces.cli.offers.services import services
from veille.interfaces.cli.terminal.table import Wide
from veille.interfaces.cli.watching.sources import UnsetOption
from veille.interfaces.operations._limits import placed

sources = typer.Typer(invoke_without_command=True)
offers = typer.Typer(no_args_is_help=True)
offers.add_typer(engines, name="engines")
offers.add_typer(sources, name="sources")
offers.command("services")(services)
offers.command("pull")(pull)
offers.command("undo")(undo)
offers.command("registries")(registries)

EntryArgument = Annotated[str, typer.Argument(help="Its id, address or name.")]


@offers.callback()
def about() -> None:
    """Manage what all dossiers are offered: search engines, ready-made sources, and outside services.

    Examples:
        veille offers engines

        veille offers sources add https://example.org/feed --name "Example" --category tech

    """


@sources.callback()
@listing
def list_sources(app: App) -> Answer:
    """List the ready-made sources, including disabled ones.

    Example:
        veille offers sources

    """
    found = app.offers.entries(app.accounts.local())
    return Answer(
        [_shown(entry) | times(offer) for entry, offer in found],
        ("Category", "Name", "Kind", "Every", "State", Wide("From"), Wide("Address")),
        [(one.category, one.name, one.kind, one.every, *state(one.enabled, offer), one.url) for one, offer in found],
    )


@sources.command("add")
@command
def add_source(
    app: App,
    url: Annotated[str, typer.Argument(help="Its address.")],
    *,
    name: Annotated[str, typer.Option("--name", "-n", help="What to call it (default: its address).")] = "",
    category: Annotated[str, typer.Option("--category", "-c", help="Where it stands in the catalogue.")] = "",
    kind: Annotated[str, typer.Option("--kind", "-k", help="page, feed, site, api …")] = "feed",
    every: Annotated[str, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d.")] = "1h",
    description: Annotated[str, typer.Option("--description", help="What it is about.")] = "",
    option: SetOption = None,
) -> Answer:
    """Offer a ready-made source to all dossiers; `veille catalogue` lists it.

    Example:
        veille offers sources add https://example.org/feed --name "Example" --category tech --every 2h

    """
    kind, url = placed(app, kind, url)
    entry = CatalogueEntry(
        id="",
        category=category,
        name=name or url,
        url=url,
        kind=kind,
        every=every,
        config=pairs(option),
        description=description,
    )
    return _answer(app.offers.add_entry(app.accounts.local(), entry), "is offered to all dossiers")


@sources.command("edit")
@command
def edit_source(
    app: App,
    source: EntryArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call it.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Another address.")] = None,
    category: Annotated[str | None, typer.Option("--category", "-c", help="Another category.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="Another kind.")] = None,
    every: Annotated[str | None, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d.")] = None,
    description: Annotated[str | None, typer.Option("--description", help="What it is about.")] = None,
    option: SetOption = None,
    unset: UnsetOption = None,
) -> Answer:
    """Change a ready-made source; what is not named stays, and dossiers that already watch it are not changed.

    Example:
        veille offers sources edit "Example" --every 6h --set follow_links=true

    """
    given = {"name": name, "category": category, "every": every, "description": description}
    access = app.accounts.local()
    before = app.offers.find_entry(access, source)
    kind, url = placed(app, kind or before.kind, url or before.url)
    config = {key: value for key, value in before.config.items() if key not in (unset or ())}
    wanted: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    entry = replace(before, kind=kind, url=url, config=config | pairs(option), **wanted)
    return _answer(app.offers.edit_entry(access, entry), "is changed")


@sources.command("enable")
@command
def enable_source(app: App, source: EntryArgument) -> Answer:
    """Enable a ready-made source.

    Example:
        veille offers sources enable "Example"

    """
    return _answer(_switched(app, source, enabled=True), "is on")


@sources.command("disable")
@command
def disable_source(app: App, source: EntryArgument) -> Answer:
    """Disable a ready-made source.

    Example:
        veille offers sources disable "Example"

    """
    return _answer(_switched(app, source, enabled=False), "is off")


@sources.command("delete")
@command
def delete_source(app: App, source: EntryArgument) -> Answer:
    """Stop offering a ready-made source; dossiers that watch it continue.

    Example:
        veille offers sources delete "Example"

    """
    access = app.accounts.local()
    entry = app.offers.find_entry(access, source)
    app.offers.delete_entry(access, entry.id)
    return deleted_answer(entry.id, entry.name)


def _switched(app: App, source: str, *, enabled: bool) -> CatalogueEntry:
    access = app.accounts.local()
    return app.offers.edit_entry(access, replace(app.offers.find_entry(access, source), enabled=enabled))


def _shown(entry: CatalogueEntry) -> dict[str, Any]:
    shown: dict[str, Any] = plain(replace(entry, config=shown_options(entry.config)))
    return shown


def _answer(entry: CatalogueEntry, what: str) -> Answer:
    return done(_shown(entry), f"{entry.name} {what}.")
