"""`veille crawler` and `meri crawler`: crawling an intranet."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Literal

import typer

from veille.bootstrap import App
from veille.core.crawler.events import Level
from veille.core.crawler.runs import CrawlChoice
from veille.core.dates import wanted_date
from veille.core.models import Dossier
from veille.core.schedule import duration_ms
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, command
from veille.interfaces.cli._output import say
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.crawler import show
from veille.interfaces.cli.crawler.setup import ByOption, Where, config_app, schedule_app, who
from veille.services.crawler.crawl_run import CrawlRequest
from veille.signals import until_signal

FOLLOW_EVERY_S = 1.0

crawler = typer.Typer(no_args_is_help=True)
crawler.add_typer(config_app, name="config")
crawler.add_typer(schedule_app, name="schedule")


@crawler.callback()
def about() -> None:
    """Crawl an intranet: pages and documents, kept up to date.

    Examples:
        meri crawler config set crawler.yaml

        meri crawler config get

        meri crawler config test --offline

        meri crawler run --dry-run

        meri crawler schedule set "30 3 * * 0" --time-zone Europe/Madrid

        meri crawler schedule get

        meri crawler schedule remove

        meri crawler status --follow

        meri crawler report --format=json

        meri crawler logs --level=error --since=2026-05-01T00:00:00Z

        meri crawler retry-failures --window=24h

    """


IfActiveOption = Annotated[
    Literal["refuse", "queue"], typer.Option("--if-active", help="What to do while another run is in progress.")
]
LogOption = Annotated[show.Log, typer.Option("--log", help="Show the log on standard error.")]


@crawler.command()
@command
def run(
    app: App,
    where: Where,
    *,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, changed or not.")] = False,
    since: Annotated[str, typer.Option("--since", help="Only what was not checked since this moment (ISO 8601).")] = "",
    url: Annotated[str, typer.Option("--url", help="Only this address, and what is newly found from it.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it on a few addresses; nothing is kept.")] = False,
    pages: Annotated[int, typer.Option("--pages", help="Addresses of a dry run.", min=1)] = 50,
    due: Annotated[bool, typer.Option("--due", help="Only if its scheduled time has come (for cron).")] = False,
    if_active: IfActiveOption = "refuse",
    log: LogOption = "none",
    by: ByOption = "",
) -> Answer | None:
    """Crawl now, deliver what changed, and report.

    Exit status: 0 without errors, 1 with warnings or partial errors, 2 not completed.

    Examples:
        veille crawler run

        veille crawler run --dry-run --pages 100

        veille crawler run --since 2026-05-01T00:00:00Z

        veille crawler run --url https://wiki.example.org/policies/travel

        meri crawler run --full --if-active queue --json

    """
    choice = _choice(full=full, since=since, url=url, others=dry_run + due)
    if dry_run:
        return show.dry_run(app.crawler.dry_run(where.id, pages))
    return _crawl(app, where, CrawlRequest(choice=choice, by=who(by), queue=if_active == "queue"), log, due=due)


@crawler.command("retry-failures")
@command
def retry_failures(
    app: App,
    where: Where,
    *,
    window: Annotated[str, typer.Option("--window", help="What failed within this time: 90m, 24h, 7d.")] = "24h",
    if_active: IfActiveOption = "refuse",
    log: LogOption = "none",
    by: ByOption = "",
) -> Answer | None:
    """Check again only what failed recently; report as `run` does.

    Examples:
        veille crawler retry-failures

        meri crawler retry-failures --window 7d --json

    """
    choice = CrawlChoice(mode="retry", since_at=app.clock() - duration_ms(window))
    return _crawl(app, where, CrawlRequest(choice=choice, by=who(by), queue=if_active == "queue"), log)


@crawler.command()
@command
def status(
    app: App,
    where: Where,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Once a second, until the run ends.")] = False,
) -> Answer:
    """Show the current status, also of a run that another process started.

    Examples:
        veille crawler status

        meri crawler status --follow

    """
    with until_signal() as stop:
        found = app.crawler.status(where.id)
        while follow and found.state in {"running", "queued"} and not stop.is_set():
            show.brief_status(found).print()
            time.sleep(FOLLOW_EVERY_S)
            found = app.crawler.status(where.id)
    return show.status(found)


@crawler.command()
@command
def report(
    app: App,
    where: Where,
    *,
    run_id: Annotated[str, typer.Option("--run", help="Which run (default: the last); the start of its id.")] = "",
    form: Annotated[Literal["table", "json"], typer.Option("--format", help="How to show it.")] = "table",
) -> Answer:
    """Show the results of a run: new, updated, unchanged and failed items, with subtotals per type of document.

    Examples:
        veille crawler report

        meri crawler report --format=json

    """
    SHARED.json = SHARED.json or form == "json"
    return show.report(app.crawler.report(where.id, run_id))


@crawler.command()
@command
def logs(
    app: App,
    where: Where,
    *,
    level: Annotated[Level, typer.Option("--level", help="This level and above.")] = Level.INFO,
    since: Annotated[str, typer.Option("--since", help="From this moment on (ISO 8601).")] = "",
    run_id: Annotated[str, typer.Option("--run", help="Of one run; the start of its id.")] = "",
) -> None:
    """Show the log, oldest first; with --json one object per line.

    Examples:
        veille crawler logs --level warn

        meri crawler logs --level error --since 2026-05-01T00:00:00Z --json

    """
    for event in app.crawler.logs(where.id, level, wanted_date(since), run_id):
        show.event(event, sys.stdout, as_json=SHARED.json)


def _crawl(app: App, where: Dossier, wanted: CrawlRequest, log: show.Log, *, due: bool = False) -> Answer | None:
    """Run, and end with the exit status of the run."""
    with show.watching(log) as app.echo, until_signal() as stop:
        if due:
            runs = app.crawler.run_due(stop.is_set, only={where.id})
        else:
            runs = [app.crawler.run(where.id, wanted, stop.is_set)]
    if not runs:
        say("It is not due yet: see `crawler schedule get`.")
        return None
    found = app.crawler.report(where.id, runs[-1].id)
    return show.report(found, status=found.exit_code)


def _choice(*, full: bool, since: str, url: str, others: int) -> CrawlChoice:
    """What to check; the options exclude each other."""
    if full + bool(since) + bool(url) + others > 1:
        raise ConfigError(
            "Of --full, --since, --url, --dry-run and --due only one makes sense at a time.", code="bad_combination"
        )
    if url:
        return CrawlChoice(mode="url", url=url)
    if since:
        return CrawlChoice(mode="since", since_at=wanted_date(since))
    return CrawlChoice(mode="full" if full else "normal")
