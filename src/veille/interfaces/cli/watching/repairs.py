"""`veille repairs`, `veille probe`, `veille reset` and `veille sweep`: for failing sources."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.dates import iso
from veille.core.models import Dossier, Json
from veille.core.records import RepairRecord
from veille.errors import AmbiguousError, NotFoundError
from veille.interfaces.cli._options import (
    DataOption,
    DossierOption,
    InDossierOption,
    JsonOption,
    chosen,
    chosen_for_adding,
    opened,
    tell,
    wants_json,
)
from veille.interfaces.cli._output import SOME_FAILED, plain, print_json, print_table, talk
from veille.interfaces.cli.watching.sources import SourceArgument, shown_source

#: Digits of an id that are shown: the last ones, which differ most.
_SHOWN_DIGITS = 12

repairs = typer.Typer(invoke_without_command=True)

RepairArgument = Annotated[str, typer.Argument(help="Id of the repair, as `veille repairs` shows it.")]


@repairs.callback()
def list_repairs(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many of each dossier, the newest.")] = 50,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List applied and proposed repairs of sources, with the values before and after, and why.

    Examples:
        veille repairs

        veille repairs --dossier competitors --json

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = [(where, repair) for where in chosen(app, dossier) for repair in app.repairs.all(where.id, limit)]
    if wants_json(as_json):
        print_json([_shown(where, repair) for where, repair in found])
        return
    rows = [
        (
            repair.id[-_SHOWN_DIGITS:],
            iso(repair.at),
            where.name,
            repair.source_name,
            repair.rule,
            repair.status,
            _told(repair.before),
            _told(repair.after),
            repair.proof,
        )
        for where, repair in found
    ]
    print_table(("Id", "At", "Dossier", "Source", "Rule", "Status", "Before", "After", "Why"), rows)
    if not rows:
        talk().print("Nothing had to be repaired.")


@repairs.command()
def undo(
    repair: RepairArgument, *, dossier: DossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Undo a repair, or drop one that is only proposed; the same repair is not made again automatically.

    Example:
        veille repairs undo 8f0c2f31a7d4

    """
    with opened(data) as app:
        where, found = _find(app, dossier, repair)
        done = app.repairs.undo(where.id, found.id)
    _tell(where, done, "is undone", as_json=as_json)


@repairs.command()
def apply(
    repair: RepairArgument, *, dossier: DossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Apply a proposed repair.

    Example:
        veille repairs apply 8f0c2f31a7d4

    """
    with opened(data) as app:
        where, found = _find(app, dossier, repair)
        done = app.repairs.apply(where.id, found.id)
    _tell(where, done, "is applied", as_json=as_json)


def probe(
    url: Annotated[str, typer.Argument(help="The address.")], *, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Check whether an address answers within 10 seconds. Exit status 1 when it does not.

    Example:
        veille probe https://example.org/news.rss

    """
    with opened(data) as app, app.sweeper() as sweeper:
        found = sweeper.probe(url)
    if wants_json(as_json):
        print_json(found)
    else:
        print_table(
            ("Address", "Status", "Code", "Why"), [(found.url, found.status_code or "", found.code, found.error)]
        )
    if not found.ok:
        raise typer.Exit(SOME_FAILED)


def reset(
    source: SourceArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Forget the failures of a source: its original interval is restored, and it is due at once.

    Example:
        veille reset "Example News"

    """
    with opened(data) as app:
        where = chosen_for_adding(app, dossier)
        changed = app.repairs.reset(where.id, source)
    tell(shown_source(where, changed), f"{changed.name} begins anew.", as_json=as_json)


def sweep(*, dossier: DossierOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Probe all sources that are broken or in error; those that answer are reset.

    `veille work` does this automatically every 6 hours.

    Example:
        veille sweep

    """
    with opened(data) as app, app.sweeper() as sweeper:
        names = {where.id: where.name for where in chosen(app, dossier)}
        found = sweeper.sweep(names)
    if wants_json(as_json):
        print_json(found)
        return
    rows = [
        (
            names[one.dossier_id],
            one.source_name,
            one.status_code or "",
            one.state,
            one.error or "answers again",
            one.url,
        )
        for one in found
    ]
    print_table(("Dossier", "Source", "Status", "State", "What", "Address"), rows)
    talk().print(f"{sum(one.recovered for one in found)} of {len(found)} begin anew.")


def _find(app: App, dossier: str | None, repair_id: str) -> tuple[Dossier, RepairRecord]:
    found = []
    for where in chosen(app, dossier):
        with suppress(NotFoundError):
            found.append((where, app.repairs.find(where.id, repair_id)))
    if not found:
        raise NotFoundError(f"There is no repair {repair_id!r}; `veille repairs` lists them.", code="no_repair")
    if len(found) > 1:
        raise AmbiguousError(
            f"The ids of several repairs end with {repair_id!r}",
            [f"{repair.id} (in {where.name})" for where, repair in found],
            code="ambiguous_repair",
        )
    return found[0]


def _tell(where: Dossier, repair: RepairRecord, what: str, *, as_json: bool) -> None:
    tell(_shown(where, repair), f"The repair {repair.rule} of {repair.source_name} {what}.", as_json=as_json)


def _shown(where: Dossier, repair: RepairRecord) -> dict[str, object]:
    return {"dossier": where.name, "status": repair.status, **plain(repair)}


def _told(values: Json) -> str:
    """The values in one line."""
    flat = {**values, **values.get("config", {})}
    return ", ".join(f"{name}={_worth(name, value)}" for name, value in flat.items() if name != "config")


def _worth(name: str, value: object) -> object:
    if name.endswith("interval_ms") and isinstance(value, int):
        return f"{value / 60_000:g} min"
    return "unset" if value is None else value
