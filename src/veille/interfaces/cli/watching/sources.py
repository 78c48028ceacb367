"""`veille sources`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from veille.core.dates import iso
from veille.core.http.credentials import shown_options
from veille.core.models import AILING, Dossier, Source
from veille.core.schedule import MINUTE, duration_ms, duration_text
from veille.interfaces.cli._options import (
    DataOption,
    DossierOption,
    InDossierOption,
    JsonOption,
    chosen,
    chosen_for_adding,
    opened,
    pairs,
    tell,
    wants_json,
)
from veille.interfaces.cli._output import plain, print_json, print_table, talk
from veille.interfaces.cli.watching.lists import export_list
from veille.services.watching.sources import Edit

sources = typer.Typer(invoke_without_command=True)
sources.command("export")(export_list)

CronOption = Annotated[
    str,
    typer.Option("--cron", help="When to check instead, in UTC: '0 6 * * *'; or 'CRON_TZ=Europe/Madrid 0 6 * * *'."),
]
AdaptiveOption = Annotated[
    bool, typer.Option("--adaptive", help="Check up to 8 times as often while it changes, and less often while not.")
]
SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="An option of the kind: key=value.")]
SourceArgument = Annotated[str, typer.Argument(help="Name, id or address of the source.")]


@sources.callback()
def list_sources(
    context: typer.Context,
    *,
    failing: Annotated[bool, typer.Option("--failing", help="Only those in error, broken or suspect.")] = False,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the sources and their state.

    Examples:
        veille sources

        veille sources --dossier competitors --json

        veille sources --failing

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = [(where, source) for where in chosen(app, dossier) for source in app.sources.all(where.id)]
    if failing:
        found = [(where, source) for where, source in found if source.state in AILING and source.enabled]
    if wants_json(as_json):
        print_json([shown_source(where, source) for where, source in found])
        return
    rows = [
        (
            where.name,
            source.name,
            source.kind,
            _state(source),
            schedule_text(source),
            _when(source.checked_at),
            _when(source.changed_at),
            source.url,
        )
        for where, source in found
    ]
    print_table(("Dossier", "Source", "Kind", "State", "Schedule", "Checked", "Changed", "Address"), rows)
    if not rows:
        talk().print("Nothing is watched yet: veille add https://example.org/news")


@sources.command()
def edit(
    source: SourceArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call it.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Another address.")] = None,
    every: Annotated[str, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d.")] = "",
    cron: CronOption = "",
    adaptive: Annotated[
        bool | None, typer.Option("--adaptive/--steady", help="Check as often as it changes, or not.")
    ] = None,
    option: SetOption = None,
    unset: Annotated[list[str] | None, typer.Option("--unset", help="An option to go back to its default.")] = None,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a source. Options that are not given stay as they are.

    Examples:
        veille sources edit "Example News" --every 2h --set follow_links=true

        veille sources edit "Example News" --cron "0 6 * * *"

        veille sources edit "Tea price" --unset selectors --unset mode

    """
    wanted = Edit(
        name=name,
        url=url,
        interval_ms=duration_ms(every) if every else None,
        cron=cron or None,
        adaptive=adaptive,
        options=pairs(option or []),
        unset=tuple(unset or ()),
    )
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        changed = app.sources.edit(where.id, source, wanted)
    _tell(where, changed, f"is watched {schedule_text(changed)}", as_json=as_json)


@sources.command()
def pause(
    source: SourceArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Stop checking a source until it is resumed; nothing is lost.

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
    """Check a paused source again.

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
    tell(shown_source(where, source), f"{source.name} {what}.", as_json=as_json)


def shown_source(where: Dossier, source: Source) -> dict[str, object]:
    """A source as data, with credentials hidden."""
    shown = plain(replace(source, config=shown_options(source.config)))
    # `veille engines` shows them, with keys hidden.
    shown["config"].pop("engines", None)
    return {"dossier": where.name, **shown}


def schedule_text(source: Source) -> str:
    """The schedule in words."""
    if source.cron:
        return f"at {source.cron}"
    span = duration_text((source.pace_ms or source.interval_ms) // MINUTE * MINUTE)
    kept = source.original_interval_ms
    slower = f" (before it failed: {duration_text(kept)})" if kept is not None else ""
    return f"every {span}" + (" for now, as often as it changes" if source.pace_ms is not None else "") + slower


def _state(source: Source) -> str:
    if not source.enabled:
        return "paused"
    return f"{source.state} ({source.error_code})" if source.error_code else str(source.state)


def _when(at: int | None) -> str:
    return iso(at) if at is not None else "never"
