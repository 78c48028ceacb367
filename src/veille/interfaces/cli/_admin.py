"""`veille dossiers` and `veille doctor`: the data folder itself."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.dates import iso
from veille.core.models import Dossier
from veille.errors import VeilleError
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, chosen, opened, wants_json
from veille.interfaces.cli._output import print_json, print_table, talk

dossiers = typer.Typer(invoke_without_command=True)

SICK = 1


@dossiers.callback()
def list_dossiers(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the dossiers of the data folder.

    Example:
        veille dossiers

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.dossiers.all()
    if wants_json(as_json):
        print_json(found)
    else:
        print_table(("Dossier", "Id", "Made"), [(one.name, one.id, iso(one.created_at)) for one in found])


@dossiers.command("add")
def add_dossiers(
    name: Annotated[list[str], typer.Argument(help="One or more names.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make dossiers: sealed workspaces with their own sources, documents and search.

    Example:
        veille dossiers add competitors regulation

    """
    with opened(data) as app:
        made = [app.create_dossier(one) for one in name]
    if wants_json(as_json):
        print_json(made)
    else:
        talk().print(f"Made {', '.join(name)}.", markup=False)


@dossiers.command("delete")
def delete_dossier(
    name: Annotated[str, typer.Argument(help="Name or id.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a dossier with everything in it.

    Example:
        veille dossiers delete competitors --yes

    """
    with opened(data) as app:
        found = app.dossier(name)
        if not yes:
            typer.confirm(f"Delete the dossier {found.name} with all its documents?", abort=True, err=True)
        app.dossiers.delete(found.id)
    if wants_json(as_json):
        print_json(found)
    else:
        talk().print(f"{found.name} is deleted.", markup=False)


def doctor(*, dossier: DossierOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Check the data folder: integrity, index, queue, sinks, and what repairs are proposed.

    Exit status: 0 healthy, 1 something needs attention, 2 it could not look.

    Examples:
        veille doctor

        veille doctor --json

    """
    with opened(data) as app:
        reports = [_examine(app, where) for where in chosen(app, dossier)]
        folder = str(app.settings.data)
    healthy = all(report["healthy"] for report in reports)
    if wants_json(as_json):
        print_json({"data": folder, "healthy": healthy, "dossiers": reports})
    else:
        for report in reports:
            mark = "healthy" if report["healthy"] else "NEEDS ATTENTION"
            facts = [(key, value) for key, value in report.items() if key not in {"dossier", "healthy"}]
            print_table((str(report["dossier"]), mark), facts)
        talk().print(f"{folder}: {len(reports)} dossiers, {'healthy' if healthy else 'something needs attention'}.")
    if not healthy:
        raise typer.Exit(SICK)


def _examine(app: App, where: Dossier) -> dict[str, object]:
    try:
        with app.dossiers.open(where.id) as store:
            health = store.records.health(app.clock())
            waiting = {name: store.outbox.pending(name) for name in app.sinks}
        repairs = [repair.proof for repair in app.sources.repairs(where.id)]
    except VeilleError as error:
        return {"dossier": where.name, "healthy": False, "code": error.code, "error": str(error)}
    sound = health["integrity"] == "ok" and not health["foreign_keys"] and health["documents"] == health["indexed"]
    return {
        "dossier": where.name,
        "healthy": sound and not health["stale_leases"] and not repairs,
        **health,
        "undelivered": waiting,
        "repairs": repairs,
    }
