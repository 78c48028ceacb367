"""`veille news`: from feeds to a spreadsheet, as described in NewsPipeline's manual."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.records import Delivery
from veille.errors import ConfigError
from veille.interfaces.cli._analyse import analysing_line, show_analysed
from veille.interfaces.cli._command import Answer, By, command
from veille.interfaces.cli._output import console, plain, print_table, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.engine.work import progress_line, show_deliveries
from veille.interfaces.cli.terminal.text import plural
from veille.services.news.news import NewsDesk, NewsRun
from veille.services.news.newsbook import Synced
from veille.signals import until_signal

NEWS_DOSSIER = "news"

news = typer.Typer(no_args_is_help=True, help="News from feeds, article by article, in a spreadsheet.")

NewsDossierOption = Annotated[
    str, typer.Option("--dossier", help="Name or id of the dossier; the default one is made when first needed.")
]


def _desk(app: App, dossier: str) -> NewsDesk:
    if dossier == NEWS_DOSSIER and dossier not in {known.name for known in app.local.all()}:
        with suppress(ConfigError):  # another command may create it at the same time
            app.create_dossier(dossier)
    return app.news(app.dossier(dossier).id)


Desk = Annotated[NewsDesk, By(NewsDossierOption, _desk, NEWS_DOSSIER)]


@news.command()
@command
def ensure(desk: Desk) -> Answer:
    """Create the workbook with its sheets, or check it, and bring it up to date.

    Exit status: 0 success, 2 the workbook could not be opened or written.

    Examples:
        veille news ensure

        SPREADSHEET_TITLE="My News" veille news ensure

    """
    synced = desk.ensure()
    return Answer(synced, show=lambda: _show_synced(synced))


@news.command()
@command
def discovery(
    desk: Desk,
    *,
    feed: Annotated[list[str], typer.Option("--feed", help="The address of a feed, or of a page that names one.")],
) -> Answer:
    """Register feeds that are fresh (FRESH_DAYS_LIMIT) and in English; the others are reported and left out.

    Exit status: 0 all were registered, 1 some were not or the workbook could not be written, 2 it could not run.

    Examples:
        veille news discovery --feed https://feeds.bbci.co.uk/news/rss.xml

        veille news discovery --feed https://example.org/a.xml --feed https://example.org/b.xml

    """
    found, run = desk.discover(list(dict.fromkeys(feed)))
    return Answer(
        {"feeds": found, "run": run},
        ("Status", "Feed", "Finding", "Why"),
        [("active" if one.accepted else "refused", one.feed_url or one.url, one.finding, one.reason) for one in found],
        show=lambda: _show_end(run),
        status=SOME_FAILED if run.code or not all(one.accepted for one in found) else 0,
    )


@news.command()
@command
def poll(desk: Desk) -> Answer:
    """Check every active feed once; new articles become `pending` rows.

    Exit status: 0 success, 1 a feed failed or the workbook could not be written, 2 it could not run.

    Examples:
        veille news poll

        veille news poll --json

    """
    with progress_line() as progress, until_signal() as stop:
        return _reported(desk.poll(progress, stop.is_set), ())


@news.command()
@command
def work(
    app: App,
    desk: Desk,
    *,
    worker_id: Annotated[str, typer.Option("--worker-id", help="The name of this worker in the column `lock_owner`.")],
    drain: Annotated[bool, typer.Option("--drain", help="Until nothing waits, instead of one batch.")] = False,
) -> Answer:
    """Fetch the pending articles: PENDING_BATCH_SIZE of them, or all. You can start any number of workers.

    Exit status: 0 success, 1 an article failed or the workbook could not be written, 2 it could not run.

    Examples:
        veille news work --worker-id my-worker

        veille news work --worker-id night --drain

    """
    with progress_line() as progress, until_signal() as stop:
        run = desk.work(worker_id, progress, stop.is_set, drain=drain)
        # The other sinks do not wait for the workbook, nor it for them.
        return _reported(run, app.deliver([desk.dossier_id]))


@news.command()
@command
def analyse(
    desk: Desk,
    *,
    limit: Annotated[int, typer.Option("--limit", min=0, help="How many articles at most; 0: all that wait.")] = 0,
) -> Answer:
    """Say what the stored articles are about, in the sheet `Analyses`: only those that are new or changed.

    Summary, sentiment, keywords, topics, names and popularity; by the model of the settings, else by rules.

    Exit status: 0 success, 1 rules replaced the model or the workbook could not be written, 2 it could not run.

    Examples:
        veille news analyse

        veille news analyse --limit 100 --json

    """
    with analysing_line() as progress, until_signal() as stop:
        done = desk.analyse(progress, stop.is_set, limit)

    def show() -> None:
        show_analysed(done.run)
        _show_synced(done.synced) if done.synced is not None else say(f"{done.error} [{done.code}]")

    return Answer(done, show=show, status=SOME_FAILED if done.code or done.run.instead else 0)


def _reported(run: NewsRun, deliveries: Sequence[Delivery]) -> Answer:
    def show() -> None:
        shown = [name for name in run.figures if name not in {"ts", "run_id", "command", "worker"}]
        print_table(("Figure", "Count"), [(name, run.figures[name]) for name in shown])
        show_deliveries([delivery for delivery in deliveries if delivery.delivered or delivery.code])
        _show_end(run)

    failed = run.code or run.figures["errors"] or any(delivery.code for delivery in deliveries)
    return Answer({**plain(run), "deliveries": deliveries}, show=show, status=SOME_FAILED if failed else 0)


def _show_end(run: NewsRun) -> None:
    if run.synced is not None:
        _show_synced(run.synced)
    else:
        say(f"{run.error} [{run.code}]")


def _show_synced(synced: Synced) -> None:
    console().print(
        f"{synced.workbook}: {plural(synced.articles, 'article')}, {plural(synced.written, 'row')} written."
    )
