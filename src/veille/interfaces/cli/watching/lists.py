"""`veille import` and `veille sources export`: lists of feeds."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.report.imports import Taken
from veille.core.schedule import duration_ms
from veille.errors import ConfigError
from veille.interfaces.cli._options import (
    DataOption,
    DossierOption,
    InDossierOption,
    JsonOption,
    chosen,
    chosen_for_adding,
    opened,
    wants_json,
)
from veille.interfaces.cli._output import SOME_FAILED, plain, print_json, print_table, talk
from veille.services.watching.lists import as_opml


def import_list(
    file: Annotated[Path, typer.Argument(help="A list of feeds in OPML, as any feed reader exports it; - for stdin.")],
    *,
    every: Annotated[str, typer.Option("--every", "-e", help="How often to check each: 15m, 2h, 1d.")] = "1h",
    by_folder: Annotated[bool, typer.Option("--by-folder", help="A dossier for each outermost folder.")] = False,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Watch every feed of a list (OPML). Names and folders are kept; feeds that are already watched stay as they are.

    Exit status: 0 success, 1 some entries cannot be watched (each is listed with its code), 2 it is not a list.

    Examples:
        veille import subscriptions.opml --every 2h

        veille import subscriptions.opml --by-folder

    """
    content = read_list(file)
    interval = duration_ms(every)
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        with talk().status("Reading the list …") as status:
            count = 0

            def progress(_: Taken) -> None:
                nonlocal count
                count += 1
                status.update(f"{count} feeds …")

            taken = app.lists.take_in(content, where.id, interval_ms=interval, by_folder=by_folder, progress=progress)
        entries = shown_entries(app, taken)
    if wants_json(as_json):
        print_json(entries)
    else:
        tell_entries(taken)
    if any(one.is_bad for one in taken):
        raise typer.Exit(SOME_FAILED)


def export_list(
    *,
    opml: Annotated[Path, typer.Option("--opml", help="The file to write; - for stdout.")],
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the watched feeds as a list (OPML) that any feed reader understands.

    Example:
        veille sources export --opml feeds.opml --dossier competitors

    """
    with opened(data) as app:
        groups = [(where.name, app.sources.all(where.id)) for where in chosen(app, dossier)]
    content, count = as_opml(groups, dossier or "veille")
    left_out = sum(len(sources) for _, sources in groups) - count
    if str(opml) == "-":
        sys.stdout.buffer.write(content)
    else:
        try:
            opml.write_bytes(content)
        except OSError as error:
            raise ConfigError(f"{opml} cannot be written: {error.strerror}.", code="bad_file") from error
    if wants_json(as_json) and str(opml) != "-":
        print_json({"file": str(opml), "feeds": count, "left_out": left_out})
    else:
        talk().print(
            f"Wrote {count} feeds; {left_out} sources of other kinds are not in a list of feeds.", markup=False
        )


def read_list(file: Path) -> bytes:
    """Read a file named on the command line; `-` for stdin."""
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.", code="bad_file") from error


def shown_entries(app: App, taken: Iterable[Taken]) -> list[dict[str, Any]]:
    """The result of each entry, as data."""
    names = {dossier.id: dossier.name for dossier in app.dossiers.all()}
    return [{"dossier": names[one.dossier_id], "added": not one.code, **plain(one)} for one in taken]


def tell_entries(taken: Iterable[Taken]) -> None:
    """Print the results: each entry that cannot be watched, and counts of the others."""
    entries = list(taken)
    bad = [one for one in entries if one.is_bad]
    added = sum(not one.code for one in entries)
    if bad:
        print_table(
            ("Not watched", "Address", "Code", "Why"), [(one.name, one.url, one.code, one.message) for one in bad]
        )
    duplicates = len(entries) - added - len(bad)
    talk().print(f"Watching {added} more feeds, {duplicates} were watched already, {len(bad)} cannot be.", markup=False)
