"""`veille run`, `veille work` and `veille deliver`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.bootstrap.checks import check_start
from veille.bootstrap.processes import tie, watched
from veille.core.models import Change, Plan, Scope
from veille.core.outgoing.cursors import Cursor
from veille.core.records import Delivery, Run, RunItem
from veille.core.workload import Limit
from veille.interfaces.cli._command import Answer, Dossiers, Named, command, listing
from veille.interfaces.cli._dossiers import DossierOption, chosen
from veille.interfaces.cli._options import opened
from veille.interfaces.cli._output import Text, change_text, console, print_table, progress, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.told import told_text
from veille.services.engine.loop import Loop
from veille.signals import end_with_input, until_signal, when_set

#: Changes of a dossier that a report tells; of more, the last ones show their documents alone.
_SAID = 1000
#: What was found of these says something.
_TOLD = frozenset({Change.NEW, Change.CHANGED})


@listing
def run(
    app: App,
    dossiers: Dossiers,
    source: Annotated[
        list[str] | None, typer.Argument(help="Only these sources, by name, id, address or row."), Named("sources")
    ] = None,
    *,
    due: Annotated[bool, typer.Option("--due", help="Only what is due, instead of everything now.")] = False,
) -> Answer:
    """Check the sources now, deliver what is new, and report.

    Exit status: 0 success, 1 some items failed (the report says which), 2 it could not run.

    Examples:
        veille run

        veille run "Example News" --json

        veille run --due        # for cron

    """
    named = [(where.id, name) for name in source or [] for where in app.local.having(dossiers, name)]
    wanted = [app.sources.find(*one).id for one in named]
    if not due:
        for where in dossiers:
            app.queue.arm(where.id, app.clock(), wanted or None)
    ids = frozenset(where.id for where in dossiers)
    scope = Scope(dossiers=ids, sources=frozenset(wanted) if wanted else None)
    since = app.exports.end(ids)
    with progress_line() as count, until_signal() as stop:
        runs = app.run(scope, count, stop.is_set)
        deliveries = app.deliver(sorted(ids))
    _tell_exhausted(app, scope)
    failed = any(run.counts[Change.ERROR] for run in runs) or any(delivery.code for delivery in deliveries)
    others = _others_at_work(app, ids)
    return report(runs, deliveries, others, said_since(app, ids, since), status=SOME_FAILED if failed else 0)


@command
def work(
    *,
    drain: Annotated[bool, typer.Option("--drain", help="End when nothing is due and nobody is at work.")] = False,
    attached: Annotated[str, typer.Option("--attached", help="The service that it is part of.", hidden=True)] = "",
    nursery: Annotated[int, typer.Option("--nursery", help="Where its children come from.", hidden=True)] = -1,
    dossier: DossierOption = None,
) -> Answer | None:
    """Check what is due, and deliver what is new, until stopped. You can start any number of workers.

    Examples:
        veille work

        veille work --drain     # catch up, then end

    """
    lifeline = tie(attached, nursery) if attached else None
    with opened(None) as app, until_signal() as stop, progress_line() as count:
        if lifeline:
            end_with_input(stop)
        # Nobody waits then for a database that does not answer.
        when_set(stop, app.dossiers.part)
        check_start(app.settings, app.store)
        ids = sorted(where.id for where in chosen(app, dossier))
        scope = Scope(dossiers=frozenset(ids) if dossier else None)
        loop = Loop(program=app, scope=scope, stop=stop, drain=drain, progress=count, say=say)
        since = app.exports.end(ids)
        with watched(app, lifeline, for_good=not drain):
            runs, deliveries = loop.run(ids)
        if not drain:
            return None
        _tell_exhausted(app, scope)
        said = said_since(app, ids, since)
    return report(runs, deliveries, {}, said)


def _others_at_work(app: App, dossier_ids: Iterable[str]) -> dict[str, int]:
    """Number of requests that other live workers have leased in these dossiers; their reports have the results."""
    found: Counter[str] = Counter()
    for dossier_id in dossier_ids:
        with app.dossiers.open(dossier_id) as store:
            found.update(store.waiting.holders(app.clock()))
    for worker, number in found.items():
        say(f"{number} more are being checked by the worker {worker}; its report has them.")
    return dict(found)


def said_since(app: App, dossier_ids: Iterable[str], since: Cursor) -> dict[str, Text]:
    """What the changes after a cursor say at first sight, by document."""
    found = (app.exports.events([dossier_id], since, _SAID)[0] for dossier_id in dossier_ids)
    return {one.document_id: told_text(one.told) for events in found for one in events}


def _tell_exhausted(app: App, scope: Scope) -> None:
    names = {where.id: where.name for where in app.dossiers.all()}
    quotas = app.settings.quotas
    told = {
        Limit.REQUESTS: f"has used up its {quotas.requests_per_day} requests of today (quotas.requests_per_day); "
        "the rest waits for tomorrow.",
        Limit.BYTES: f"has used up its {quotas.bytes_per_day} bytes of today (quotas.bytes_per_day); "
        "the rest waits for tomorrow.",
        Limit.STORED: f"keeps as much as it may, {quotas.stored_mb:g} MB (quotas.stored_mb); nothing more is fetched "
        "until something is deleted.",
    }
    for dossier_id, limit in app.queue.exhausted(app.clock(), scope).items():
        say(f"{names[dossier_id]} {told[limit]} [{limit}]")


@command
def deliver(
    app: App,
    dossiers: Dossiers,
    *,
    now: Annotated[bool, typer.Option("--now", help="Also to those that failed and are to be left alone yet.")] = False,
) -> Answer:
    """Deliver waiting changes to the sinks and alerts to the channels; those that failed wait, unless with --now.

    Examples:
        veille deliver

        veille deliver --now    # after a sink was repaired

    """
    deliveries = app.deliver([where.id for where in dossiers], at_once=now)
    if not app.sinks and not deliveries:
        say("No sink is set: give one in the settings, or VEILLE_BUFFER_DIR.")
    failed = any(delivery.code for delivery in deliveries)
    return Answer(deliveries, show=lambda: show_deliveries(deliveries), status=SOME_FAILED if failed else 0)


def report(
    runs: Sequence[Run],
    deliveries: Sequence[Delivery],
    others: Mapping[str, int],
    said: Mapping[str, Text],
    *,
    status: int = 0,
) -> Answer:
    """The results; `others`: number of requests leased by other workers; `said`: see `said_since`."""
    value = {"runs": runs, "deliveries": deliveries, "others_at_work": others}
    return Answer(value, show=lambda: _show_report(runs, deliveries, said), status=status)


def _show_report(runs: Sequence[Run], deliveries: Sequence[Delivery], said: Mapping[str, Text]) -> None:
    """Print the results, item by item, and the totals."""
    lines = [item for run in runs for item in run.items if item.change is not Change.SAME]
    if lines:
        rows = [
            (
                change_text(item.change),
                item.source_name,
                item.title or item.url,
                said.get(item.document_id, "") if item.change in _TOLD else "",
                item.code,
                item.message,
            )
            for item in lines
        ]
        columns = ("Change", "Source", "Document", Wide("What"), Wide("Code"), Wide("Why"))
        print_table(columns, rows, [_below(item, said) for item in lines])
    totals: Counter[Change] = Counter()
    for run in runs:
        totals.update(run.counts)
    console().print(", ".join(f"{totals[change]} {change_text(change).plain}" for change in Change))
    show_deliveries([delivery for delivery in deliveries if delivery.delivered or delivery.code])


def _below(item: RunItem, said: Mapping[str, Text]) -> Text | None:
    """The line below an item where the table is narrow: why, or what changed; new documents need none."""
    if item.code:
        return Text().add(f"{item.message} [{item.code}]", "dim")
    return said.get(item.document_id) if item.change is Change.CHANGED else None


def show_deliveries(deliveries: Sequence[Delivery]) -> None:
    """Print the result of every delivery."""
    rows = [(d.sink, d.delivered, d.pending, d.code, d.error, At(d.retry_at)) for d in deliveries]
    if rows:
        print_table(("Sink", "Delivered", "Waiting", "Code", "Why", "Next try"), rows)


@contextmanager
def progress_line() -> Iterator[Callable[[Plan], None]]:
    """A progress line with the number of checks and their results."""
    counts: Counter[str] = Counter()
    with progress("Checking ...") as update:

        def count(plan: Plan) -> None:
            counts.update(item.change.value for item in plan.items)
            told = ", ".join(f"{number} {change}" for change, number in counts.items())
            update(f"{counts.total()} checked: {told}")

        yield count
