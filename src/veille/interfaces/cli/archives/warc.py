"""`veille warc`: histories as WARC files, from and for other tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.bootstrap._bulk import bulk_import
from veille.core.dates import wanted_date
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, Dossiers, DossierToFill, OnlySource, command
from veille.interfaces.cli._output import printable, progress, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.engine.sharing import PROGRAM, RayOption
from veille.interfaces.cli.terminal.text import plural
from veille.services.archives.importing import WarcImportReport
from veille.signals import until_signal

warc = typer.Typer(help="Read and write WARC files, the format of web archives.", no_args_is_help=True)

_MB = 1_000_000
_EXPORTED = ("revisions", "answers", "removals", "without_content", "without_answer")
#: What became of documents and records, in the order in which it is told.
_OUTCOMES = tuple("new changed same removed duplicate skipped older watched left_out failed problems".split())


@warc.command("import")
@command
def import_files(
    app: App,
    dossier: DossierToFill,
    files: Annotated[list[Path], typer.Argument(help="WARC files, compressed or not.", show_default=False)],
    name: Annotated[
        str, typer.Option("--source", help="The name of the source that gets the pages (default: Archive).")
    ] = "",
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, max=256, help="How many processes share the work, for very large files."),
    ] = 1,
    ray: RayOption = "",
) -> Answer:
    """Make revisions of the pages in WARC files, each with the date of its record.

    Give the files of one crawl together: they are read in the order of their dates. A record that is not newer than
    what is stored of its page is left out, so an import that was stopped or killed is simply run again.

    Exit status: 0 success, 1 something could not be read (the rest was imported), 2 it could not run.

    Examples:
        veille warc import crawl.warc.gz

        veille warc import --dossier history --source "City archive" 2019/*.warc.gz --json

        veille warc import --processes 8 --dossier history 2019/*.warc.gz

    """
    most = round(app.settings.quotas.stored_mb * _MB)
    imports = bulk_import(app, PROGRAM, processes, ray) if processes > 1 or ray else app.warc.imports
    with until_signal() as stop, progress("Importing ...") as update:
        app.accounts.local().log("warc.import", dossier.id, files=[path.name for path in files])
        report = imports.run(
            dossier.id,
            files,
            name,
            most_bytes=most,
            progress=lambda found: update(f"{dossier.name}: {_in_words(found.counts)}"),
            stop=stop.is_set,
        )
    return Answer(
        {
            "dossier": dossier.name,
            **{outcome: report.counts[outcome] for outcome in _OUTCOMES},
            "stopped": report.is_stopped,
            "problem_list": report.problems,
        },
        ("File", "Offset", "Code", "What"),
        [(one.file, one.offset, one.code, one.message) for one in report.problems],
        _message(report),
        status=SOME_FAILED if report.counts["problems"] or report.is_stopped else 0,
    )


@warc.command("export")
@command
def export_file(
    app: App,
    dossiers: Dossiers,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file, such as news.warc.gz.", dir_okay=False)],
    source: OnlySource = "",
    since: Annotated[str, typer.Option("--since", help="Only revisions since this moment (ISO 8601).")] = "",
) -> Answer:
    """Write every revision of a dossier to a WARC file, with its date; and the answers that are kept (`keep_raw`).

    The file appears only when it is complete. `veille warc import` makes the same history of it.

    Exit status: 0 success, 1 old texts or answers could not be read (the rest was written), 2 there is no file.

    Examples:
        veille warc export --dossier news --out news.warc.gz

        veille warc export --dossier news --source "Example News" --since 2026-01-01T00:00:00Z --out news.warc.gz --json

    """
    if len(dossiers) != 1:
        names = ", ".join(one.name for one in dossiers)
        raise ConfigError(f"A file has the history of one dossier; name it with --dossier: {names}.", code="bad_option")
    (dossier,) = dossiers
    with progress("Exporting ...") as update:
        report = app.warc.exports.run(
            dossier.id,
            out,
            source,
            wanted_date(since) or 0,
            lambda found: update(f"{dossier.name}: {found.counts['revisions']} revisions"),
        )
    counts = {name: report.counts[name] for name in _EXPORTED}
    said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    for code, count in report.unread.items():
        what = plural(count, "text or answer", "texts and answers")
        say(printable(f"{what} could not be read. {report.messages[code]} [{code}]"))
    return Answer(
        {"dossier": dossier.name, "file": str(out), **counts, "unread": dict(report.unread)},
        message=f"{out}: {said}.",
        status=SOME_FAILED if report.unread else 0,
    )


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in _OUTCOMES if counts[name]) or "nothing yet"


def _message(report: WarcImportReport) -> str:
    said = _in_words(report.counts) if report.counts else "nothing to import"
    return f"{said.capitalize()}.{' It was stopped: run it again.' if report.is_stopped else ''}"
