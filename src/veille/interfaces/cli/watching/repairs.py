"""`veille repairs`, `veille probe`, `veille reset` and `veille sweep`: for failing sources."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.models import Dossier, Json
from veille.core.records import RepairRecord
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done, listing
from veille.interfaces.cli._output import plain
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.text import Text
from veille.interfaces.cli.watching.sources import SourceArgument, shown_source

#: Digits of an id that are shown: the last ones, which differ most.
_SHOWN_DIGITS = 12

repairs = typer.Typer(invoke_without_command=True)

RepairArgument = Annotated[
    str, typer.Argument(help="Id of the repair, or its row in `veille repairs`."), Named("repairs")
]


@repairs.callback()
@listing
def list_repairs(
    app: App,
    dossiers: Dossiers,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many of each dossier, the newest.")] = 50,
) -> Answer:
    """List applied and proposed repairs of sources, with the values before and after, and why.

    Examples:
        veille repairs

        veille repairs --dossier competitors --json

    """
    found = [(where, repair) for where in dossiers for repair in app.repairs.all(where.id, limit)]
    rows = [
        (
            repair.id[-_SHOWN_DIGITS:],
            At(repair.at),
            where.name,
            repair.source_name,
            repair.rule,
            repair.status,
            _in_words(repair.before),
            _in_words(repair.after),
            repair.proof,
        )
        for where, repair in found
    ]
    return Answer(
        [_shown(where, repair) for where, repair in found],
        (Wide("Id"), "When", "Dossier", "Source", "Rule", "Status", Wide("Before"), Wide("After"), Wide("Why")),
        rows,
        "" if rows else "Nothing had to be repaired.",
        noun="repairs",
        keys=[Row(where.id, repair.id, repair.source_name) for where, repair in found],
        below=[Text().add(repair.proof, "dim") for _, repair in found],
    )


@repairs.command()
@command
def undo(app: App, dossiers: Dossiers, repair: RepairArgument) -> Answer:
    """Undo a repair, or drop one that is only proposed; the same repair is not made again automatically.

    Example:
        veille repairs undo 8f0c2f31a7d4

    """
    where, found = app.repairs.find(dossiers, repair)
    return _answer(where, app.repairs.undo(where.id, found.id), "is undone")


@repairs.command()
@command
def apply(app: App, dossiers: Dossiers, repair: RepairArgument) -> Answer:
    """Apply a proposed repair.

    Example:
        veille repairs apply 8f0c2f31a7d4

    """
    where, found = app.repairs.find(dossiers, repair)
    return _answer(where, app.repairs.apply(where.id, found.id), "is applied")


@command
def probe(app: App, url: Annotated[str, typer.Argument(help="The address.")]) -> Answer:
    """Check whether an address answers within 10 seconds. Exit status 1 when it does not.

    Example:
        veille probe https://example.org/news.rss

    """
    with app.sweeper() as sweeper:
        found = sweeper.probe(url)
    return Answer(
        found,
        ("Address", "Status", "Code", "Why"),
        [(found.url, found.status_code or "", found.code, found.error)],
        status=0 if found.ok else SOME_FAILED,
    )


@command
def reset(app: App, where: OneDossier, source: SourceArgument) -> Answer:
    """Forget the failures of a source: its original interval is restored, and it is due at once.

    Example:
        veille reset "Example News"

    """
    changed = app.repairs.reset(where.id, source)
    return done(shown_source(where, changed), f"{changed.name} is reset.")


@command
def sweep(app: App, dossiers: Dossiers) -> Answer:
    """Probe all sources that are broken or in error; those that answer are reset.

    `veille work` does this automatically every 6 hours.

    Example:
        veille sweep

    """
    names = {where.id: where.name for where in dossiers}
    with app.sweeper() as sweeper:
        found = sweeper.sweep(names)
    rows = [
        (names[one.dossier_id], one.source_name, one.status_code or "", one.state, one.error or "answers", one.url)
        for one in found
    ]
    message = f"{sum(one.recovered for one in found)} of {len(found)} are reset."
    return Answer(found, ("Dossier", "Source", "Status", "State", "What", "Address"), rows, message)


def _answer(where: Dossier, repair: RepairRecord, what: str) -> Answer:
    return done(_shown(where, repair), f"The repair {repair.rule} of {repair.source_name} {what}.")


def _shown(where: Dossier, repair: RepairRecord) -> dict[str, object]:
    return {"dossier": where.name, "status": repair.status, **plain(repair)}


def _in_words(values: Json) -> str:
    """The values in one line."""
    flat = {**values, **values.get("config", {})}
    return ", ".join(f"{name}={_value_in_words(name, value)}" for name, value in flat.items() if name != "config")


def _value_in_words(name: str, value: object) -> object:
    if name.endswith("interval_ms") and isinstance(value, int):
        return f"{value / 60_000:g} min"
    return "unset" if value is None else value
