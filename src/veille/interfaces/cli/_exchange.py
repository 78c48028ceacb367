"""`veille changes`, `veille export` and `veille deliveries`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.outgoing.cursors import parse_cursor
from veille.core.outgoing.export_record import event_id
from veille.core.records import Event
from veille.errors import ConfigError, NotFoundError, did_you_mean
from veille.interfaces.cli._command import Answer, Dossiers, command, listing
from veille.interfaces.cli._output import Text, change_text, console, plain, talk
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide


@listing
def changes(
    app: App,
    dossiers: Dossiers,
    *,
    since: Annotated[str, typer.Option("--since", help="Only what came after this cursor (or number).")] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-l", min=1, max=10_000, help="How many of each dossier, from the oldest on.")
    ] = 100,
) -> Answer:
    """Show what is new, changed or removed, in order, and the cursor to continue from.

    The number of a row names its document to other commands: `veille show 3`, `veille diff 3`.

    Examples:
        veille changes

        veille changes --dossier competitors

        veille changes --since 120 --json

    """
    names = {where.id: where.name for where in dossiers}
    events, cursor = app.exports.events(names, parse_cursor(since), limit)
    found = [(names[event.dossier_id], event) for event in events]
    return Answer(
        {
            "changes": [{"dossier": name, "id": event_id(event), **plain(event)} for name, event in found],
            "cursor": str(cursor),
        },
        ("Dossier", Wide("Number"), "When", "Change", "Document", "Source", Wide("Id")),
        [
            (name, one.seq, At(one.at), _change(one), one.title or one.url, one.source_name, one.document_id)
            for name, one in found
        ],
        f"Continue with --since {cursor}",
        noun="documents",
        keys=[Row(one.dossier_id, one.document_id, one.title or one.url) for _, one in found],
    )


def _change(event: Event) -> Text:
    """The change, with the metadata that changed if the text did not."""
    text = change_text(event.change)
    return text.add(f" ({', '.join(event.changed_metadata)})") if event.changed_metadata else text


@command
def export(
    app: App,
    dossiers: Dossiers,
    *,
    form: Annotated[str, typer.Option("--format", "-f", help="jsonl, csv, parquet or chunks.")] = "jsonl",
    since: Annotated[
        str | None, typer.Option("--since", help="What changed after this cursor, instead of all documents.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file (default: standard output).", dir_okay=False)
    ] = None,
) -> Answer:
    """Write all current documents, or what changed since a cursor, to a file; prints the cursor to continue from.

    The file appears only when it is complete, and replaces the previous one. Columns: docs/reference/exchange.md.

    Examples:
        veille export --format csv --out news.csv

        veille export --format parquet --since "$CURSOR" --out today.parquet --json

        veille export | jq .title

    """
    if SHARED.json and out is None:
        raise ConfigError("With --json, say where the documents go: --out FILE.", code="bad_option")
    cursor = None if since is None else parse_cursor(since)
    written, end = app.export([where.id for where in dossiers], form, out or sys.stdout.buffer, cursor)
    place = console() if out else talk()
    return Answer(
        {"file": str(out), "format": form, "written": written, "cursor": str(end)},
        show=lambda: place.print(f"{written} written. Continue with --since {end}"),
    )


@listing
def deliveries(
    app: App,
    dossiers: Dossiers,
    *,
    sink: Annotated[str | None, typer.Option("--sink", help="Only of this sink.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=1000, help="How many of each dossier.")] = 50,
) -> Answer:
    """List the deliveries to the sinks and their results, newest first.

    Examples:
        veille deliveries

        veille deliveries --sink audit --json

    """
    found = [(where.name, one) for where in dossiers for one in app.exports.deliveries(where.id, sink, limit)]
    if sink is not None and not found and sink not in app.sinks:
        known = ", ".join(app.sinks) or "none"
        raise NotFoundError(
            f"There is no sink called {sink!r}; the settings have: {known}.{did_you_mean(sink, app.sinks)}",
            code="no_sink",
        )
    rows = [
        (
            name,
            one.sink,
            At(one.at),
            f"{one.first}-{one.last}" if one.last > one.first else one.first,
            one.delivered,
            one.attempt,
            one.code,
            one.error,
            At(one.retry_at),
        )
        for name, one in found
    ]
    return Answer(
        [{"dossier": name, **plain(one)} for name, one in found],
        ("Dossier", "Sink", "When", "Changes", "Taken", Wide("Try"), "Code", "Why", "Next try"),
        rows,
    )
