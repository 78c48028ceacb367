"""`veille crawler` and `meri crawler`: crawling an intranet."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawler.events import Level
from veille.core.crawler.runs import CrawlChoice
from veille.core.models import Dossier
from veille.core.schedule import duration_ms
from veille.errors import ConfigError
from veille.interfaces.cli._options import DataOption, JsonOption, opened, wants_json
from veille.interfaces.cli._output import talk
from veille.interfaces.cli.crawler import show
from veille.interfaces.cli.crawler.options import NAME, ByOption, WhereOption, moment, where, who
from veille.interfaces.cli.crawler.setup import config_app, schedule_app
from veille.services.crawler.crawl_run import Wanted
from veille.signals import until_signal

FOLLOW_EVERY_S = 1.0

HELP = """Crawl an intranet: pages and documents, kept up to date.

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

crawler = typer.Typer(no_args_is_help=True, help=HELP)
crawler.add_typer(config_app, name="config")
crawler.add_typer(schedule_app, name="schedule")


class IfActive(StrEnum):
    """What to do when another run is in progress."""

    REFUSE = "refuse"
    QUEUE = "queue"


IfActiveOption = Annotated[IfActive, typer.Option("--if-active", help="While another run is under way.")]
LogOption = Annotated[show.Log, typer.Option("--log", help="Show the log on standard error.")]


@crawler.command()
def run(
    *,
    full: Annotated[bool, typer.Option("--full", help="Read everything anew, whatever the servers say.")] = False,
    since: Annotated[str, typer.Option("--since", help="Only what was not checked since this moment (ISO 8601).")] = "",
    url: Annotated[str, typer.Option("--url", help="Only this address, and what is newly found from it.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it on a few addresses; nothing is kept.")] = False,
    pages: Annotated[int, typer.Option("--pages", help="Addresses of a dry run.", min=1)] = 50,
    due: Annotated[bool, typer.Option("--due", help="Only if its scheduled time has come (for cron).")] = False,
    if_active: IfActiveOption = IfActive.REFUSE,
    log: LogOption = show.Log.NONE,
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
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
    with opened(data) as app:
        place = where(app, dossier)
        if dry_run:
            show.dry_run(app.crawler.dry_run(place.id, pages), as_json=wants_json(as_json))
            return
        wanted = Wanted(choice=choice, by=who(by), queue=if_active is IfActive.QUEUE)
        _crawl(app, place, wanted, log, due=due, as_json=wants_json(as_json))


@crawler.command("retry-failures")
def retry_failures(
    *,
    window: Annotated[str, typer.Option("--window", help="What failed within this time: 90m, 24h, 7d.")] = "24h",
    if_active: IfActiveOption = IfActive.REFUSE,
    log: LogOption = show.Log.NONE,
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check again only what failed recently; report as `run` does.

    Examples:
        veille crawler retry-failures

        meri crawler retry-failures --window 7d --json

    """
    span = duration_ms(window)
    with opened(data) as app:
        place = where(app, dossier)
        choice = CrawlChoice(mode="retry", since_at=app.clock() - span)
        wanted = Wanted(choice=choice, by=who(by), queue=if_active is IfActive.QUEUE)
        _crawl(app, place, wanted, log, as_json=wants_json(as_json))


@crawler.command()
def status(
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Once a second, until the run ends.")] = False,
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the current status, including that of a run that somebody else started.

    Examples:
        veille crawler status

        meri crawler status --follow

    """
    with opened(data) as app, until_signal() as stop:
        place = where(app, dossier)
        found = app.crawler.status(place.id)
        while follow and found.state in {"running", "queued"} and not stop.is_set():
            show.status(found, as_json=wants_json(as_json), brief=True)
            time.sleep(FOLLOW_EVERY_S)
            found = app.crawler.status(place.id)
        show.status(found, as_json=wants_json(as_json))


@crawler.command()
def report(
    *,
    run_id: Annotated[str, typer.Option("--run", help="Which run (default: the last); the start of its id.")] = "",
    form: Annotated[show.Form, typer.Option("--format", help="How to show it.")] = show.Form.TABLE,
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the results of a run: new, updated, unchanged and failed items, with subtotals per type of document.

    Examples:
        veille crawler report

        meri crawler report --format=json

    """
    with opened(data) as app:
        found = app.crawler.report(where(app, dossier).id, run_id)
    show.report(found, as_json=form is show.Form.JSON or wants_json(as_json))


@crawler.command()
def logs(
    *,
    level: Annotated[Level, typer.Option("--level", help="This level and above.")] = Level.INFO,
    since: Annotated[str, typer.Option("--since", help="From this moment on (ISO 8601).")] = "",
    run_id: Annotated[str, typer.Option("--run", help="Of one run; the start of its id.")] = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the log, oldest first; with --json one object per line.

    Examples:
        veille crawler logs --level warn

        meri crawler logs --level error --since 2026-05-01T00:00:00Z --json

    """
    with opened(data) as app:
        for event in app.crawler.logs(where(app, dossier).id, level, moment(since), run_id):
            show.event(event, sys.stdout, as_json=wants_json(as_json))


def _crawl(app: App, place: Dossier, wanted: Wanted, log: show.Log, *, due: bool = False, as_json: bool) -> None:
    """Run, and end with the exit status of the run."""
    with show.progress(log) as app.echo, until_signal() as stop:
        if due:
            runs = app.crawler.run_due(stop.is_set, only={place.id})
        else:
            runs = [app.crawler.run(place.id, wanted, stop.is_set)]
    if not runs:
        talk().print("It is not time yet: see `crawler schedule get`.", markup=False)
        return
    found = app.crawler.report(place.id, runs[-1].id)
    show.report(found, as_json=as_json)
    raise typer.Exit(found.exit_code)


def _choice(*, full: bool, since: str, url: str, others: int) -> CrawlChoice:
    """What to check; the options exclude each other."""
    if full + bool(since) + bool(url) + others > 1:
        raise ConfigError(
            "Of --full, --since, --url, --dry-run and --due only one makes sense at a time.", code="bad_combination"
        )
    if url:
        return CrawlChoice(mode="url", url=url)
    if since:
        return CrawlChoice(mode="since", since_at=moment(since))
    return CrawlChoice(mode="full" if full else "normal")
