"""`veille analyse`, `veille digest` and `veille brands`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.analyse.records import RULES, StoredAnalysis
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, listing
from veille.interfaces.cli._output import console, plain, print_table, printable, progress, say
from veille.interfaces.cli._read import DocumentArgument
from veille.interfaces.cli._shared import SHARED, SOME_FAILED
from veille.interfaces.cli.terminal.listing import Row, remember
from veille.interfaces.cli.terminal.text import plural
from veille.services.analyse.analysing import AnalyseRun, AnalyseWish
from veille.services.analyse.popular import Digest, DigestWish, since_of
from veille.signals import until_signal

SourceOption = Annotated[
    str, typer.Option("--source", "-s", help="Only this source, by its name, id, address or row."), Named("sources")
]


@command
def analyse(
    app: App,
    dossiers: Dossiers,
    document: Annotated[str, DocumentArgument.__metadata__[0], DocumentArgument.__metadata__[1]] = "",
    *,
    source: SourceOption = "",
    limit: Annotated[int, typer.Option("--limit", min=0, help="How many documents at most; 0: all that wait.")] = 0,
    always: Annotated[
        bool | None,
        typer.Option("--always/--on-request", help="Have new documents analysed as they come from now on; or not."),
    ] = None,
) -> Answer:
    """Say what documents are about: summary, tone, keywords, topics, names and tags.

    Only documents that are new or changed are read: by the model of the settings, within its budget; else by rules.
    With a document, its analysis is shown.

    Exit status: 0 success, 1 rules had to take the place of the model, 2 it could not run.

    Examples:
        veille analyse

        veille analyse --source "The Herald" --limit 100

        veille analyse https://example.org/story --json

        veille analyse --dossier press --always

    """
    if document:
        return _one(app, dossiers, document)
    runs: list[tuple[str, AnalyseRun]] = []
    with analysing_line() as note, until_signal() as stop:
        for where in app.local.having(dossiers, source):
            if always is not None:
                app.analyses.switch(where.id, is_on=always)
            wish = AnalyseWish(source_id=app.sources.find(where.id, source).id if source else "", limit=limit)
            runs.append((where.name, app.analyses.run(where.id, wish, stop=stop.is_set, progress=note)))

    def show() -> None:
        for name, run in runs:
            console().print(f"{printable(name)}:", style="bold")
            show_analysed(run)

    value = [{"dossier": name, **plain(run)} for name, run in runs]
    return Answer(value, show=show, status=SOME_FAILED if any(run.instead for _, run in runs) else 0)


def _one(app: App, dossiers: Dossiers, document: str) -> Answer:
    dossier_id, document_id = app.local.document(dossiers, document)
    app.analyses.run(dossier_id, AnalyseWish(only=(document_id,)))
    with app.reading(dossier_id) as reading:
        found = reading.analyses.of([document_id])
    if document_id not in found:
        raise ConfigError(
            "This document repeats another's text, or was removed: it is not analysed.", code="not_analysed"
        )
    made = found[document_id]
    why = app.popular.of(dossier_id, [document_id]).get(document_id)
    value = {**analysis_json(made), "popularity": why.score if why else 0, "why": why.why if why else ""}
    return Answer(value, show=lambda: print_table(("What", "Found"), _lines(value)))


def _lines(value: dict[str, Any]) -> list[tuple[str, object]]:
    shown = {**value, "names": [one["text"] for one in value["names"]]}
    return [
        (name, ", ".join(one) if isinstance(one, list) else one) for name, one in shown.items() if one not in ("", [])
    ]


def analysis_json(made: StoredAnalysis) -> dict[str, Any]:
    """An analysis as JSON, with where it is from."""
    record: dict[str, Any] = plain(made)
    return {**record.pop("analysis"), "tone_label": made.analysis.tone_word, **record}


def show_analysed(run: AnalyseRun) -> None:
    """Print what was analysed."""
    by = f", {run.by_model} by the model" if run.by_model else ""
    console().print(f"{plural(run.analysed, 'document')} analysed{by} ({run.version}).")
    for code, count in run.instead.items():
        say(f"{plural(count, 'document')} by rules instead of the model [{code}]")


@contextmanager
def analysing_line() -> Iterator[Callable[[AnalyseRun], None]]:
    """A progress line with the number of documents."""
    with progress("Analysing ...") as update:
        yield lambda run: update(f"{run.analysed} analysed")


@command
def digest(
    app: App,
    dossiers: Dossiers,
    *,
    since: Annotated[str, typer.Option("--since", help="From when on: 1d, 7d, 4w or a date.")] = "7d",
    source: SourceOption = "",
    tag: Annotated[str, typer.Option("--tag", help="Only what has this tag.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many stories of each dossier.")] = 10,
) -> Answer:
    """Tell what happened: the most popular stories of a time, each with a summary and why it stands where it does.

    Examples:
        veille digest

        veille digest --since 1d --limit 5

        veille digest --dossier press --json

    """
    found: dict[str, Digest] = {}
    dossiers = app.local.having(dossiers, source)
    for where in dossiers:
        source_id = app.sources.find(where.id, source).id if source else ""
        wish = DigestWish(since=since_of(since, app.clock()), source_id=source_id, tag=tag, limit=limit)
        found[where.name] = app.popular.digest(where.id, wish)
    keys = [Row(where.id, entry.document_id, entry.title) for where in dossiers for entry in found[where.name].entries]
    return Answer(
        [{"dossier": name, **plain(one)} for name, one in found.items()],
        message="" if keys else "Nothing happened.",
        show=lambda: _show_digests(found, keys),
    )


def _show_digests(found: dict[str, Digest], keys: list[Row]) -> None:
    out = console()
    if SHARED.folder is not None:
        remember(SHARED.folder, "documents", keys)
    number = 0
    for name, one in found.items():
        told = f"{plural(one.documents, 'document')}, {one.stories} {'story' if one.stories == 1 else 'stories'}"
        out.print(f"{printable(name)}: {told}\n", style="bold")
        for entry in one.entries:
            number += 1
            out.print(f"{number}. {printable(entry.title or entry.url)}", style="bold")
            out.print(printable(entry.summary))
            by = f" · summary by {entry.summary_by}" if entry.summary_by not in {"", RULES} else ""
            out.print(f"{entry.source_name} · {entry.url}{by}", style="dim")
            out.print(f"{'; '.join(entry.why)}\n", style="dim")


@listing
def brands(
    app: App,
    where: OneDossier,
    names: Annotated[list[str] | None, typer.Argument(help="All of them; without any, they are only listed.")] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Have none.")] = False,
) -> Answer:
    """List or set the names that make a document more popular: yours, and your competitors'.

    Examples:
        veille brands "Acme" "Example Motors"

        veille brands --clear

    """
    if names or clear:
        app.popular.set_brands(where.id, names or [])
    found = app.popular.brands(where.id)
    return Answer(list(found), ("Brand",), [(one,) for one in found], "" if found else "There are none.")
