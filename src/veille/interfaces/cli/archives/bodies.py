"""`veille bodies`: where kept answers, pictures and archive files are."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.models import Dossier
from veille.interfaces.cli._command import Answer, Dossiers, command, listing
from veille.interfaces.cli._output import progress
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.text import plural

bodies = typer.Typer()
_MB = 1_000_000


@bodies.callback(invoke_without_command=True)
@listing
def list_bodies(app: App, dossiers: Dossiers) -> Answer:
    """Show where kept answers and pictures are: in the store, or outside it, at the place of the settings.

    Examples:
        veille bodies

        veille bodies --json

    """
    return _answer(app, dossiers, "")


@bodies.command("move")
@command
def move_bodies(
    app: App,
    dossiers: Dossiers,
    former: Annotated[
        str, typer.Option("--from", help="The place of before, which is given up: a folder, or s3://bucket/prefix.")
    ] = "",
) -> Answer:
    """Move kept answers, pictures and archive files to where the settings say (`[bodies] place`), at once.

    Without it a worker does this little by little. After the place was changed, name the one of before with `--from`:
    everything is brought over, or back into the store if there is no place now. If it is killed, run it again.

    Exit status: 0 everything is there, 1 files are missing, 2 it could not be done.

    Examples:
        veille bodies move

        veille bodies move --from s3://old-bucket/veille --json

    """
    if app.bodies.place is not None:
        app.bodies.place.check()
    moved = 0
    with progress("Moving ...") as update:
        for where in dossiers:
            for count in app.bodies.move(where.id, former):
                moved += count
                update(f"{where.name}: {moved} moved")
    return _answer(app, dossiers, f"{plural(moved, 'body or file', 'bodies and files')} moved.", moved=moved)


def _answer(app: App, dossiers: Dossiers, message: str, **more: object) -> Answer:
    place = app.bodies.place.name if app.bodies.place is not None else ""
    rows = [_row(app, where) for where in dossiers]
    missing = sum(row["missing"] for row in rows)
    if missing:
        message = f"{message} {plural(missing, 'file')} missing: see `veille doctor`.".strip()
    return Answer(
        {"place": place, **more, "dossiers": rows},
        ("Dossier", "In the store", "MB", "Outside", "MB", "Missing"),
        [
            (
                row["dossier"],
                row["here"],
                f"{row['here_bytes'] / _MB:.1f}",
                row["away"],
                f"{row['away_bytes'] / _MB:.1f}",
                row["missing"],
            )
            for row in rows
        ],
        message or f"Outside the store: {place or 'nothing, there is no place in the settings'}.",
        status=SOME_FAILED if missing and more else 0,
    )


def _row(app: App, where: Dossier) -> dict[str, Any]:
    return {"dossier": where.name, **asdict(app.bodies.figures(where.id)), "missing": app.bodies.missing(where.id)}
