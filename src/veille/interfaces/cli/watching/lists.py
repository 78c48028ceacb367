"""`veille import` and `veille sources export`: lists of feeds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.report.imports import Taken
from veille.core.schedule import duration_ms
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, DossierToFill, command, done
from veille.interfaces.cli._dossiers import DossierOption, chosen
from veille.interfaces.cli._output import console, plain, progress, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.text import Text, plural


@command
def import_list(
    app: App,
    where: DossierToFill,
    file: Annotated[
        Path,
        typer.Argument(help="OPML, CSV, bookmarks, a changedetection.io backup, or lines; - for stdin."),
    ],
    *,
    every: Annotated[str, typer.Option("--every", "-e", help="How often to check each: 15m, 2h, 1d.")] = "1h",
    by_folder: Annotated[bool, typer.Option("--by-folder", help="A dossier for each outermost folder.")] = False,
) -> Answer:
    """Watch every entry of a list. Names, folders and tags are kept; what is already watched stays as it is.

    Exit status: 0 success, 1 some entries cannot be watched (each is listed with its code), 2 it is not a list.

    Examples:
        veille import subscriptions.opml --every 2h

        veille import subscriptions.opml --by-folder

        veille import changedetection-backup.zip

    """
    content = read_list(file)
    interval = duration_ms(every)
    number = count(1)
    with progress("Reading the list …") as update:
        taken = app.lists.take_in(
            content,
            where.id,
            interval_ms=interval,
            by_folder=by_folder,
            progress=lambda _: update(f"{next(number)} feeds …"),
        )
    return imported(shown_entries(app, taken), taken)


@command
def export_list(
    app: App,
    *,
    opml: Annotated[Path, typer.Option("--opml", help="The file to write; - for stdout.")],
    dossier: DossierOption = None,
) -> Answer | None:
    """Write the watched feeds as a list (OPML) that any feed reader understands.

    Example:
        veille sources export --opml feeds.opml --dossier competitors

    """
    from veille.services.watching.lists import as_opml  # noqa: PLC0415 - slow to import

    groups = [(where.name, app.sources.all(where.id)) for where in chosen(app, dossier)]
    content, feeds = as_opml(groups, dossier or "veille")
    left_out = sum(len(sources) for _, sources in groups) - feeds
    said = f"Wrote {plural(feeds, 'feed')}; {plural(left_out, 'source')} of other kinds left out."
    if str(opml) == "-":
        sys.stdout.buffer.write(content)
        say(said)
        return None
    try:
        opml.write_bytes(content)
    except OSError as error:
        raise ConfigError(f"{opml} cannot be written: {error.strerror}.", code="bad_file") from error
    return done({"file": str(opml), "feeds": feeds, "left_out": left_out}, said)


def read_list(file: Path) -> bytes:
    """Read a file named on the command line; `-` for stdin."""
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.", code="bad_file") from error


def shown_entries(app: App, taken: Iterable[Taken]) -> list[dict[str, Any]]:
    """The result of each entry, as data."""
    names = {dossier.id: dossier.name for dossier in app.local.all()}
    return [{"dossier": names[one.dossier_id], "added": not one.code, **plain(one)} for one in taken]


def imported(value: object, taken: Sequence[Taken]) -> Answer:
    """The answer about a list: each entry of which something or all was left out, and counts of the others."""
    bad = [one for one in taken if one.is_bad]
    less = [one for one in taken if not one.code and one.message]
    added = sum(not one.code for one in taken)
    duplicates = len(taken) - added - len(bad)
    return Answer(
        value,
        message=f"Watching {plural(added, 'more source')}, {duplicates} watched already, {len(bad)} cannot be.",
        show=lambda: _show((*bad, *less)),
        status=SOME_FAILED if bad else 0,
    )


def _show(taken: Iterable[Taken]) -> None:
    """What was left out of each, in full: of a table the terminal would cut it."""
    out = console()
    for one in taken:
        how = f"Not watched ({one.code})" if one.is_bad else "In part"
        what = " ".join(filter(None, (one.name, one.url)))
        out.print(Text().add(how, "red" if one.is_bad else "yellow").add(f"  {what}"))
        out.print(one.message, "dim", indent=3)
