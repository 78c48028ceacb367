"""`veille news`: from feeds to a spreadsheet, as described in NewsPipeline's manual."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.records import Delivery
from veille.errors import ConfigError
from veille.interfaces.cli._options import DataOption, JsonOption, opened, wants_json
from veille.interfaces.cli._output import SOME_FAILED, console, plain, print_json, print_table, talk
from veille.interfaces.cli.engine.work import progress_line, show_deliveries
from veille.services.news.news import NewsDesk, NewsRun, Registered
from veille.services.news.newsbook import Synced
from veille.signals import until_signal

NEWS_DOSSIER = "news"

news = typer.Typer(no_args_is_help=True, help="News from feeds, article by article, in a spreadsheet.")

NewsDossierOption = Annotated[
    str, typer.Option("--dossier", help="Name or id of the dossier; the default one is made when first needed.")
]


@news.command()
def ensure(*, dossier: NewsDossierOption = NEWS_DOSSIER, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Create the workbook with its sheets, or check it, and bring it up to date.

    Exit status: 0 success, 2 the workbook could not be opened or written.

    Examples:
        veille news ensure

        SPREADSHEET_TITLE="My News" veille news ensure

    """
    with opened(data) as app:
        synced = _desk(app, dossier).ensure()
    if wants_json(as_json):
        print_json(synced)
    else:
        _show_synced(synced)


@news.command()
def discovery(
    *,
    feed: Annotated[list[str], typer.Option("--feed", help="The address of a feed, or of a page that names one.")],
    dossier: NewsDossierOption = NEWS_DOSSIER,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Register feeds that are fresh (FRESH_DAYS_LIMIT) and in English; the others are reported and left out.

    Exit status: 0 all were registered, 1 some were not or the workbook could not be written, 2 it could not run.

    Examples:
        veille news discovery --feed https://feeds.bbci.co.uk/news/rss.xml

        veille news discovery --feed https://example.org/a.xml --feed https://example.org/b.xml

    """
    with opened(data) as app:
        found, run = _desk(app, dossier).discover(list(dict.fromkeys(feed)))
    if wants_json(as_json):
        print_json({"feeds": found, "run": run})
    else:
        _show_feeds(found)
    _end(run, failed=not all(one.accepted for one in found), as_json=as_json)


@news.command()
def poll(*, dossier: NewsDossierOption = NEWS_DOSSIER, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Check every active feed once; new articles become `pending` rows.

    Exit status: 0 success, 1 a feed failed or the workbook could not be written, 2 it could not run.

    Examples:
        veille news poll

        veille news poll --json

    """
    with opened(data) as app, progress_line() as progress, until_signal() as stop:
        run = _desk(app, dossier).poll(progress, stop.is_set)
    _report(run, (), as_json=as_json)


@news.command()
def work(
    *,
    worker_id: Annotated[str, typer.Option("--worker-id", help="The name of this worker in the column `lock_owner`.")],
    drain: Annotated[bool, typer.Option("--drain", help="Until nothing waits, instead of one batch.")] = False,
    dossier: NewsDossierOption = NEWS_DOSSIER,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch the pending articles: PENDING_BATCH_SIZE of them, or all. You can start any number of workers.

    Exit status: 0 success, 1 an article failed or the workbook could not be written, 2 it could not run.

    Examples:
        veille news work --worker-id my-worker

        veille news work --worker-id night --drain

    """
    with opened(data) as app, progress_line() as progress, until_signal() as stop:
        desk = _desk(app, dossier)
        run = desk.work(worker_id, progress, stop.is_set, drain=drain)
        # The other sinks do not wait for the workbook, nor it for them.
        deliveries = app.deliver([desk.dossier_id])
    _report(run, deliveries, as_json=as_json)


def _desk(app: App, dossier: str) -> NewsDesk:
    try:
        found = app.dossier(dossier)
    except ConfigError:
        if dossier != NEWS_DOSSIER:
            raise
        with suppress(ConfigError):  # another command may create it at the same time
            app.create_dossier(dossier)
        found = app.dossier(dossier)
    return app.news(found.id)


def _show_synced(synced: Synced) -> None:
    console().print(f"{synced.workbook}: {synced.articles} articles, {synced.written} rows written.", markup=False)


def _show_feeds(found: list[Registered]) -> None:
    rows = [
        ("active" if one.accepted else "refused", one.feed_url or one.url, one.finding, one.reason) for one in found
    ]
    print_table(("Status", "Feed", "Finding", "Why"), rows)


def _report(run: NewsRun, deliveries: Sequence[Delivery], *, as_json: bool) -> None:
    if wants_json(as_json):
        print_json({**plain(run), "deliveries": deliveries})
    else:
        shown = [name for name in run.figures if name not in {"ts", "run_id", "command", "worker"}]
        print_table(("Figure", "Count"), [(name, run.figures[name]) for name in shown])
        show_deliveries([delivery for delivery in deliveries if delivery.delivered or delivery.code])
    failed = bool(run.figures["errors"]) or any(delivery.code for delivery in deliveries)
    _end(run, failed=failed, as_json=as_json)


def _end(run: NewsRun, *, failed: bool, as_json: bool) -> None:
    if not wants_json(as_json):
        if run.synced is not None:
            _show_synced(run.synced)
        else:
            talk().print(f"{run.error} [{run.code}]", markup=False)
    if failed or run.code:
        raise typer.Exit(SOME_FAILED)
