"""`veille reread`: kept answers are read again with today's extractor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.bootstrap._bulk import bulk_rereading
from veille.core.dates import wanted_date
from veille.core.models import Dossier
from veille.core.reread.judged import RereadOutcome, RereadRevision
from veille.interfaces.cli._command import Answer, Dossiers, OnlySource, command
from veille.interfaces.cli._output import progress
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.engine.sharing import PROGRAM, RayOption
from veille.services.reading.reread import RereadReport, RereadWish
from veille.signals import until_signal

_OUTCOMES = tuple(RereadOutcome)


@command
def reread(
    app: App,
    dossiers: Dossiers,
    *,
    source: OnlySource = "",
    since: Annotated[str, typer.Option("--since", help="Only what was fetched since this moment (ISO 8601).")] = "",
    again: Annotated[bool, typer.Option("--again", help="Also what this version has read already.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, max=256, help="How many processes share the work, for very many answers."),
    ] = 1,
    ray: RayOption = "",
) -> Answer:
    """Read kept answers again with today's extractor and options; stored texts, search and chunks follow.

    Answers are kept by sources and dossiers with the option `keep_raw` (last or all). The world did not change, only
    our reading of it: revisions are replaced in place, and no sink is told. If it is stopped or killed, run it again:
    it goes on where it was.

    Exit status: 0 success, 1 something could not be read (its content stays), 2 it could not run.

    Examples:
        veille reread --dry-run

        veille reread --dossier competitors --source "Example News"

        veille reread --since 2026-05-01T00:00:00Z --json

        veille reread --processes 8

        veille reread --ray head.example.org:6379

    """
    wish = RereadWish(source=source, since=wanted_date(since) or 0, again=again, dry_run=dry_run)
    is_large = processes > 1 or ray
    rereading = bulk_rereading(app, PROGRAM, processes, ray) if is_large else app.rereading()
    reports: list[tuple[Dossier, RereadReport]] = []
    with until_signal() as stop, progress("Reading ...") as update:
        for where in app.local.having(dossiers, source):
            if not dry_run:
                app.accounts.local().log("reread", where.id, source=source, since=since, again=again)
            reports.append((where, rereading.reread(where.id, wish, _told(where, update), stop.is_set)))
    counts = sum((report.counts for _, report in reports), Counter[str]())
    waiting = sum(report.progress.get("waiting", 0) for _, report in reports)
    return Answer(
        {
            "dry_run": dry_run,
            "reader": reports[0][1].reader if reports else "",
            **_counted(counts),
            "dossiers": [_shown(where, report) for where, report in reports],
        },
        ("Dossier", "Document", "Outcome", "What", "Words"),
        _rows(reports),
        _message(counts, waiting, dry_run=dry_run),
        status=SOME_FAILED if counts[RereadOutcome.FAILED] else 0,
    )


def _told(where: Dossier, update: Callable[[str], None]) -> Callable[[RereadReport], None]:
    return lambda report: update(f"{where.name}: {_in_words(report.counts)}")


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in _OUTCOMES)


def _message(counts: Counter[str], waiting: int, *, dry_run: bool) -> str:
    if not counts:
        return "Nothing to read again: this version has read all kept answers, or none are kept."
    left = f" {waiting} are waiting: run it again." if waiting and not dry_run else ""
    return f"{'It would be: ' if dry_run else ''}{_in_words(counts)}.{left}"


def _counted(counts: Counter[str]) -> dict[str, int]:
    return {name.value: counts[name] for name in _OUTCOMES}


def _shown(where: Dossier, report: RereadReport) -> dict[str, Any]:
    return {
        "dossier": where.name,
        **_counted(report.counts),
        "documents": [_line(one) for one in report.lines],
        "so_far": {name: report.progress.get(name, 0) for name in (*_OUTCOMES, "waiting")},
    }


def _line(one: RereadRevision) -> dict[str, Any]:
    return {
        "document_id": one.kept.document_id,
        "rev_n": one.kept.n,
        "url": one.url,
        "title": one.title,
        "outcome": one.outcome,
        "code": one.code,
        "message": one.message,
        "fields": one.fields,
        "words_added": one.words_added,
        "words_removed": one.words_removed,
    }


def _rows(reports: Iterable[tuple[Dossier, RereadReport]]) -> list[tuple[object, ...]]:
    return [
        (
            where.name,
            one.title or one.url,
            one.outcome,
            one.code or ", ".join(one.fields),
            f"+{one.words_added} -{one.words_removed}" if "text" in one.fields else "",
        )
        for where, report in reports
        for one in report.lines
    ]
