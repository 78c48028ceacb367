"""`veille sources`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.http.credentials import shown_options
from veille.core.models import AILING, Dossier, Source
from veille.core.schedule import MINUTE, duration_ms, duration_text
from veille.errors import NotFoundError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done, listing
from veille.interfaces.cli._options import SetOption, YesOption, pairs
from veille.interfaces.cli._output import plain
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.watching.lists import export_list
from veille.services.watching.sources import SourceEdit

sources = typer.Typer(invoke_without_command=True)
sources.command("export")(export_list)

CronOption = Annotated[
    str,
    typer.Option("--cron", help="When to check instead, in UTC: '0 6 * * *'; or 'CRON_TZ=Europe/Madrid 0 6 * * *'."),
]
AdaptiveOption = Annotated[
    bool, typer.Option("--adaptive", help="Check up to 8 times as often while it changes, and less often while not.")
]
UnsetOption = Annotated[list[str] | None, typer.Option("--unset", help="An option to go back to its default.")]
SourceArgument = Annotated[
    str, typer.Argument(help="Name, id or address of the source, or the number of its row."), Named("sources")
]


@sources.callback()
@listing
def list_sources(
    app: App,
    dossiers: Dossiers,
    *,
    failing: Annotated[bool, typer.Option("--failing", help="Only those in error, broken or suspect.")] = False,
) -> Answer:
    """List the sources and their state.

    Examples:
        veille sources

        veille sources --dossier competitors --json

        veille sources --failing

    """
    found = [(where, source) for where in dossiers for source in app.sources.all(where.id)]
    if failing:
        found = [(where, source) for where, source in found if source.state in AILING and source.enabled]
    rows = [
        (
            where.name,
            source.name,
            source.kind,
            _state(source),
            schedule_text(source),
            At(source.checked_at, "never"),
            At(source.changed_at, "never"),
            source.url,
        )
        for where, source in found
    ]
    return Answer(
        [shown_source(where, source) for where, source in found],
        ("Dossier", "Source", "Kind", "State", Wide("Schedule"), "Checked", "Changed", Wide("Address")),
        rows,
        "" if rows else "Nothing is watched yet: veille add https://example.org/news",
        noun="sources",
        keys=[Row(where.id, source.id, source.name) for where, source in found],
    )


@sources.command()
@command
def edit(
    app: App,
    where: OneDossier,
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
    unset: UnsetOption = None,
) -> Answer:
    """Change a source. Options that are not given stay as they are.

    Examples:
        veille sources edit "Example News" --every 2h --set follow_links=true

        veille sources edit "Example News" --cron "0 6 * * *"

        veille sources edit "Tea price" --unset selectors --unset mode

    """
    wanted = SourceEdit(
        name=name,
        url=url,
        interval_ms=duration_ms(every) if every else None,
        cron=cron or None,
        adaptive=adaptive,
        options=pairs(option),
        unset=tuple(unset or ()),
    )
    changed = app.sources.edit(where.id, source, wanted)
    return _answer(where, changed, f"is watched {schedule_text(changed)}")


@sources.command()
@command
def pause(app: App, where: OneDossier, source: SourceArgument) -> Answer:
    """Stop checking a source until it is resumed; nothing is lost.

    Example:
        veille sources pause "Example News"

    """
    return _answer(where, app.sources.set_enabled(where.id, source, enabled=False), "is paused")


@sources.command()
@command
def resume(app: App, where: OneDossier, source: SourceArgument) -> Answer:
    """Check a paused source again.

    Example:
        veille sources resume "Example News"

    """
    return _answer(where, app.sources.set_enabled(where.id, source, enabled=True), "is watched again")


@sources.command()
@command
def delete(
    app: App,
    where: OneDossier,
    source: SourceArgument,
    *,
    yes: YesOption = False,
    for_good: Annotated[bool, typer.Option("--for-good", help="At once and for good: this frees its space.")] = False,
) -> Answer:
    """Delete a source and the documents that only it has. Until seven days later, `veille sources restore` undoes it.

    Example:
        veille sources delete "Example News" --yes

    """
    found = app.sources.find(where.id, source)
    if not yes:
        typer.confirm(f"Delete {found.name} with its documents?", abort=True, err=True)
    app.sources.delete(where.id, found.id, for_good=for_good)
    undone = "is deleted; `veille sources restore` undoes it"
    return _answer(where, found, "is deleted for good" if for_good else undone)


@sources.command("restore")
@command
def _restore(
    app: App, where: OneDossier, source: Annotated[str, typer.Argument(help="Its name, id or address.")]
) -> Answer:
    """Undo the deletion of a source, by its name, address or id.

    Example:
        veille sources restore "Example News"

    """
    named = [one for one in app.trash.all(where.id) if source in {one.id, one.name, one.url}]
    if not named:
        raise NotFoundError(f"No source called {source!r} was deleted in the last days.", code="no_source")
    return _answer(where, app.trash.restore(where.id, named[0].id), "is back")


@sources.command("move")
@command
def _move(
    app: App,
    where: OneDossier,
    source: SourceArgument,
    *,
    to: Annotated[str, typer.Option("--to", help="Name or id of the other dossier.")],
) -> Answer:
    """Move a source to another dossier, with everything that it brought.

    Its documents, revisions, values, pictures and tags move, and what people have read and keep. Links by which its
    documents were shared end.

    Example:
        veille sources move "Example News" --to archive

    """
    found = app.sources.find(where.id, source)
    return _answer(where, app.moving.move(where.id, found.id, to), f"is in {app.dossiers.find(to).name} now")


@sources.command("mute")
@command
def _mute(
    app: App,
    where: OneDossier,
    source: SourceArgument,
    how_long: Annotated[
        str, typer.Option("--for", help="day, week or good; off: it is no longer muted.", metavar="SPAN")
    ] = "good",
) -> Answer:
    """Mute a source: it is checked as before, but its changes count as read, and no rule fires on them.

    Examples:
        veille sources mute "Example News" --for week

        veille sources mute "Example News" --for off

    """
    found, _ = app.sources.mute(where.id, source, how_long)
    words = {
        "day": "is muted for a day",
        "week": "is muted for a week",
        "good": "is muted",
        "off": "is no longer muted",
    }
    return _answer(where, found, words[how_long])


def _answer(where: Dossier, source: Source, what: str) -> Answer:
    return done(shown_source(where, source), f"{source.name} {what}.")


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
