"""`veille retention`: how long revisions are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.models import Dossier
from veille.interfaces.cli._command import Answer, Dossiers, OneDossier, OnlySource, command, done, listing
from veille.interfaces.cli._output import progress
from veille.services.reading.retention import RetentionReport
from veille.signals import until_signal

retention = typer.Typer()


@retention.callback(invoke_without_command=True)
@listing
def list_rules(app: App, dossiers: Dossiers) -> Answer:
    """How long revisions are kept: show the rule of each dossier.

    A source may have a rule of its own: `veille sources edit NAME --set retention="last 20"`.

    Examples:
        veille retention

        veille retention set "daily after 30d, archive after 1y" --dossier prices

        veille retention run --dry-run

    """
    rules = [(where, app.retention.rule(where.id)) for where in dossiers]
    return Answer(
        [{"dossier": where.name, "rule": rule} for where, rule in rules],
        ("Dossier", "Rule"),
        [(where.name, rule) for where, rule in rules],
    )


@retention.command("set")
@command
def set_rule(
    app: App,
    where: OneDossier,
    rule: Annotated[str, typer.Argument(help="The rule: `all`, or clauses separated by commas.")],
) -> Answer:
    """Set the rule of a dossier. The current revision of a document is always kept.

    Clauses: `all` · `last 20` · `daily after 30d` (also weekly, monthly, yearly) · `archive after 90d` · `delete after
    5y` · `delete gone after 1y` (documents that are no longer there). A service carries rules out every six hours;
    `veille retention run` does it at once.

    Examples:
        veille retention set "last 50"

        veille retention set "weekly after 90d, archive after 1y, delete gone after 2y" --dossier prices

    """
    kept = app.retention.set_rule(where.id, rule)
    app.accounts.local().log("dossier.options", where.id, retention=kept)
    report = app.retention.run(where.id, dry_run=True)
    return done(
        {"dossier": where.name, "rule": kept, "would": dict(report.counts)},
        f"{where.name}: {kept}. A run would now {report.in_words()}.",
    )


@retention.command("run")
@command
def run_rules(
    app: App,
    dossiers: Dossiers,
    *,
    source: OnlySource = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
) -> Answer:
    """Carry out the rules: archive and remove revisions, delete documents that are long gone.

    Archived revisions can still be read: their contents are in compressed JSON lines beside the dossier's file. Removed
    ones leave their date and title in the history. If it is stopped or killed, run it again.

    Examples:
        veille retention run --dry-run

        veille retention run --dossier prices --source tea --json

    """
    reports: list[tuple[Dossier, RetentionReport]] = []
    with until_signal() as stop, progress("Looking ...") as update:
        for where in app.local.having(dossiers, source):
            if not dry_run:
                app.accounts.local().log("retention.run", where.id, source=source)
            report = app.retention.run(
                where.id, source, dry_run=dry_run, progress=_told(where, update), stop=stop.is_set
            )
            reports.append((where, report))
    return Answer(
        {"dry_run": dry_run, "dossiers": [_shown(where, report) for where, report in reports]},
        ("Dossier", "Document", "Archive", "Remove"),
        _rows(reports),
        _message(reports, dry_run=dry_run),
    )


def _told(where: Dossier, update: Callable[[str], None]) -> Callable[[RetentionReport], None]:
    return lambda report: update(f"{where.name}: {_counted(report.counts)}")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("archived", "removed", "deleted"))


def _message(reports: list[tuple[Dossier, RetentionReport]], *, dry_run: bool) -> str:
    total = RetentionReport(counts=sum((report.counts for _, report in reports), Counter[str]()))
    return f"A run would {total.in_words()}." if dry_run else f"Done: {_counted(total.counts)}{total.left()}."


def _shown(where: Dossier, report: RetentionReport) -> dict[str, Any]:
    counts = {name: report.counts[name] for name in ("archived", "removed", "deleted", "unarchived")}
    documents = [
        {
            "document_id": one.document_id,
            "title": one.title,
            "url": one.url,
            "rule": one.rule,
            "archived": one.archived,
            "removed": one.removed,
            "deleted": one.is_deleted,
        }
        for one in report.documents
    ]
    return {"dossier": where.name, **counts, "stopped": report.is_stopped, "documents": documents}


def _rows(reports: list[tuple[Dossier, RetentionReport]]) -> list[tuple[object, ...]]:
    return [
        (
            where.name,
            one.title or one.url,
            _numbers(one.archived),
            "all of it" if one.is_deleted else _numbers(one.removed),
        )
        for where, report in reports
        for one in report.documents
    ]


def _numbers(numbers: tuple[int, ...]) -> str:
    """Numbers with ranges: 1-4, 7."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][-1] + 1:
            parts[-1][1:] = [n]
        else:
            parts.append([n])
    return ", ".join("-".join(map(str, part)) for part in parts)
