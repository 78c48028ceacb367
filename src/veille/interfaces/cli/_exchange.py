"""`veille changes`, `veille export` and `veille deliveries`."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.outgoing.cursors import Cursor, parse_cursor
from veille.core.outgoing.export_record import event_id
from veille.core.records import Event
from veille.core.schedule import duration_ms
from veille.errors import ConfigError, NotFoundError, did_you_mean
from veille.interfaces.cli._command import Answer, Dossiers, command, listing
from veille.interfaces.cli._output import Text, change_text, console, plain, talk
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.text import is_terminal
from veille.interfaces.cli.terminal.told import told_text

#: A span of time: numbers, each with a unit.
_SPAN = re.compile(r"(?:\d+\s*[a-z]+[\s,]*)+", re.IGNORECASE)


class ChangeOrder(StrEnum):
    """The order of a list of changes."""

    TIME = "time"
    POPULAR = "popular"


@listing
def changes(
    app: App,
    dossiers: Dossiers,
    *,
    since: Annotated[
        str,
        typer.Option("--since", help="Only what came after this cursor (or number), or in this time: 15min, 1 day."),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=10_000, help="How many.")] = 100,
    order: Annotated[
        ChangeOrder, typer.Option("--order", help="By time; or the most popular of the last changes first, and why.")
    ] = ChangeOrder.TIME,
) -> Answer:
    """Show what is new, changed or removed, in order, and the cursor to continue from.

    Without `--since`, a terminal shows the newest ones; elsewhere the list begins with the oldest, so that a program
    that goes on from the cursor misses nothing. The number of a row names its document to other commands:
    `veille show 3`, `veille diff 3`.

    Examples:
        veille changes

        veille changes --order popular --limit 10

        veille changes --dossier competitors

        veille changes --since 2h

        veille changes --since 120 --json

    """
    names = {where.id: where.name for where in dossiers}
    if order is ChangeOrder.POPULAR:
        return popular_changes(app, dossiers, _begun(app, names, since), limit)
    events, cursor, older = _found(app, names, since, limit)
    found = [(names[event.dossier_id], event) for event in events]
    return Answer(
        {"changes": [_record(name, event) for name, event in found], "cursor": str(cursor)},
        ("Dossier", Wide("Number"), "When", "Change", "Document", "Source", Wide("What"), Wide("Id")),
        [_row(name, one) for name, one in found],
        f"{older}Continue with --since {cursor}" if found else _nothing(since, cursor),
        below=[told_text(one.told) for _, one in found],
        noun="documents",
        keys=[Row(one.dossier_id, one.document_id, one.title or one.url) for _, one in found],
    )


def _row(name: str, one: Event) -> tuple[object, ...]:
    at, title = At(one.at), one.title or one.url
    return name, one.seq, at, _change(one), title, one.source_name, told_text(one.told), one.document_id


def _found(app: App, dossier_ids: Collection[str], since: str, limit: int) -> tuple[list[Event], Cursor, str]:
    """The changes to show, the cursor to go on from, and what is said of older ones."""
    if since or not is_terminal() or SHARED.json:
        return *app.exports.events(dossier_ids, _begun(app, dossier_ids, since), limit), ""
    events, cursor, has_older = app.exports.newest(dossier_ids, limit)
    return events, cursor, "Older ones: --limit NUMBER. " if has_older else ""


def _begun(app: App, dossier_ids: Collection[str], since: str) -> Cursor:
    """The cursor that was given, or that of so long ago."""
    if not _SPAN.fullmatch(since.strip()):
        return parse_cursor(since)
    return app.exports.at_time(dossier_ids, app.clock() - duration_ms(since))


def popular_changes(app: App, dossiers: Dossiers, since: Cursor, limit: int) -> Answer:
    """The most popular of the last changes, each with the reasons for its place."""
    found = [
        (where.name, event, standing, why)
        for where in dossiers
        for event, (standing, why) in app.popular.changes(where.id, since.of(where.id), limit)
    ]
    found.sort(key=lambda one: -one[2])
    found = found[:limit]
    return Answer(
        {
            "changes": [
                {**_record(name, event), "standing": round(standing, 2), "why": why}
                for name, event, standing, why in found
            ],
            "cursor": str(app.exports.end([where.id for where in dossiers])),
        },
        ("Dossier", "When", "Change", "Document", "Source", Wide("Why"), Wide("Id")),
        [
            (name, At(one.at), _change(one), one.title or one.url, one.source_name, "; ".join(why), one.document_id)
            for name, one, _, why in found
        ],
        "" if found else "Nothing changed.",
        below=[Text().add("; ".join(why), "dim") for _, _, _, why in found],
        noun="documents",
        keys=[Row(one.dossier_id, one.document_id, one.title or one.url) for _, one, _, _ in found],
    )


def _record(dossier: str, event: Event) -> dict[str, Any]:
    """A change as JSON, with what it says at first sight among its fields."""
    record = plain(event)
    told = record.pop("told")
    return {"dossier": dossier, "id": event_id(event), **record, **told}


def _nothing(since: str, cursor: object) -> str:
    """What is said where there is no change: what to do, or from where to go on."""
    if since:
        return f"Nothing is new. Continue with --since {cursor}"
    return "Nothing has changed yet: veille add https://example.org/news, then veille run"


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
        "" if found else "Nothing was delivered yet: `veille deliver` hands changes to the sinks of the settings.",
    )
