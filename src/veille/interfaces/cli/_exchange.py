"""`veille changes`, `veille export` and `veille deliveries`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from veille.core.dates import iso
from veille.core.outgoing.cursors import parse_cursor
from veille.core.outgoing.delivery_attempts import Handover
from veille.core.outgoing.export_record import event_id
from veille.errors import ConfigError, NotFoundError, did_you_mean
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, chosen, opened, wants_json
from veille.interfaces.cli._output import change_text, console, plain, print_json, print_table, talk


def changes(
    *,
    since: Annotated[str, typer.Option("--since", help="Only what came after this cursor (or number).")] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-l", min=1, max=10_000, help="How many of each dossier, from the oldest on.")
    ] = 100,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what is new, changed or removed, in order, and the cursor to continue from.

    Examples:
        veille changes --dossier competitors

        veille changes --since 120 --json

    """
    with opened(data) as app:
        names = {where.id: where.name for where in chosen(app, dossier)}
        events, cursor = app.exports.events(names, parse_cursor(since), limit)
    if wants_json(as_json):
        told = [{"dossier": names[event.dossier_id], "id": event_id(event), **plain(event)} for event in events]
        print_json({"changes": told, "cursor": str(cursor)})
        return
    rows = [
        (
            names[event.dossier_id],
            event.seq,
            iso(event.at),
            change_text(event.change),
            event.source_name,
            event.title or event.url,
        )
        for event in events
    ]
    print_table(("Dossier", "Number", "When", "Change", "Source", "Document"), rows)
    talk().print(f"Go on with --since {cursor}", soft_wrap=True)


def export(
    *,
    form: Annotated[str, typer.Option("--format", "-f", help="jsonl, csv, parquet or chunks.")] = "jsonl",
    since: Annotated[
        str | None, typer.Option("--since", help="What changed after this cursor, instead of all documents.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file (default: standard output).", dir_okay=False)
    ] = None,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write all current documents, or what changed since a cursor, to a file; prints the cursor to continue from.

    The file appears only when it is complete, and replaces the previous one. Columns: docs/reference/exchange.md.

    Examples:
        veille export --format csv --out news.csv

        veille export --format parquet --since "$CURSOR" --out today.parquet --json

        veille export | jq .title

    """
    if wants_json(as_json) and out is None:
        raise ConfigError("--json needs a file for the documents: --out FILE.", code="bad_option")
    with opened(data) as app:
        ids = [where.id for where in chosen(app, dossier)]
        cursor = None if since is None else parse_cursor(since)
        written, end = app.export(ids, form, out or sys.stdout.buffer, cursor)
    if wants_json(as_json):
        print_json({"file": str(out), "format": form, "written": written, "cursor": str(end)})
    else:
        place = console() if out else talk()
        place.print(f"{written} written. Go on with --since {end}", soft_wrap=True)


def deliveries(
    *,
    sink: Annotated[str | None, typer.Option("--sink", help="Only of this sink.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=1000, help="How many of each dossier.")] = 50,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the deliveries to the sinks and their results, newest first.

    Examples:
        veille deliveries

        veille deliveries --sink audit --json

    """
    found: list[tuple[str, Handover]] = []
    with opened(data) as app:
        for where in chosen(app, dossier):
            found += [(where.name, handover) for handover in app.exports.deliveries(where.id, sink, limit)]
        if sink is not None and not found and sink not in app.sinks:
            known = ", ".join(app.sinks) or "none"
            raise NotFoundError(
                f"There is no sink called {sink!r}; the settings have: {known}.{did_you_mean(sink, app.sinks)}",
                code="no_sink",
            )
    if wants_json(as_json):
        print_json([{"dossier": name, **plain(handover)} for name, handover in found])
        return
    rows = [
        (
            name,
            one.sink,
            iso(one.at),
            f"{one.first}-{one.last}" if one.last > one.first else one.first,
            one.delivered,
            one.attempt,
            one.code,
            one.error,
            iso(one.retry_at) if one.retry_at else "",
        )
        for name, one in found
    ]
    print_table(("Dossier", "Sink", "When", "Changes", "Taken", "Try", "Code", "Why", "Next try"), rows)
