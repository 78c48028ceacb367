"""`veille crawler` and `meri crawler`: an intranet, crawled."""

from __future__ import annotations

import getpass
import os
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawler.config import CrawlConfig, check_config, parse_config
from veille.core.crawler.events import Level
from veille.core.crawler.runs import Choice
from veille.core.crawler.views import config_view
from veille.core.dates import parse_date
from veille.core.models import Dossier
from veille.core.schedule import duration_ms
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.cli import _crawler_show as show
from veille.interfaces.cli._options import DataOption, JsonOption, opened, pairs, wants_json
from veille.interfaces.cli._output import talk
from veille.interfaces.cli._signals import until_signal
from veille.services.crawl import Wanted

NAME = "crawler"
SOME_FAILED = 1
FOLLOW_EVERY_S = 1.0

crawler = typer.Typer(no_args_is_help=True, help="Crawl an intranet: pages and documents, kept up to date.")
config_app = typer.Typer(no_args_is_help=True, help="What is crawled.")
schedule_app = typer.Typer(no_args_is_help=True, help="When the crawler runs by itself.")
crawler.add_typer(config_app, name="config")
crawler.add_typer(schedule_app, name="schedule")

WhereOption = Annotated[str, typer.Option("--dossier", help="The dossier of the crawler.")]
ByOption = Annotated[
    str,
    typer.Option("--by", help="Who asks, for the audit (default: MERI_USER or the login name).", show_default=False),
]
FileArgument = Annotated[Path | None, typer.Argument(help="YAML or JSON; - reads standard input.", allow_dash=True)]
SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="One key of it: key=value.")]


class IfActive(StrEnum):
    """What to do while another run is under way."""

    REFUSE = "refuse"
    QUEUE = "queue"


@config_app.command("set")
def set_config(
    file: FileArgument = None,
    *,
    key: SetOption = None,
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a configuration and keep it as the next version. With --set alone, keys of the present one are changed.

    Examples:
        veille crawler config set crawler.yaml

        veille crawler config set --set max_depth=5 --set 'exclude=["*/archive/*"]'

        meri crawler config set crawler.json --by ana

    """
    with opened(data) as app:
        given = _given(app, dossier, file, key)
        where = _where(app, dossier, make=True)
        version = app.crawler.configure(where.id, given, _who(by))
    show.config(config_view(version), as_json=wants_json(as_json))


@config_app.command("get")
def get_config(*, dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the present configuration: what was set, as YAML; every other key has its default.

    Examples:
        veille crawler config get > crawler.yaml

        meri crawler config get --json

    """
    with opened(data) as app:
        version = app.crawler.config(_where(app, dossier).id)
    show.config(config_view(version), as_json=wants_json(as_json), whole=True)


@config_app.command("test")
def try_config(
    file: FileArgument = None,
    *,
    key: SetOption = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not try to reach the seeds.")] = False,
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a configuration (the present one without a file) and whether its seeds can be reached. Nothing is kept.

    Exit status: 0 all is well, 1 a seed cannot be reached, 2 the configuration is not right.

    Examples:
        veille crawler config test crawler.yaml

        meri crawler config test --offline --json

    """
    with opened(data) as app:
        found = app.crawler.test(_given(app, dossier, file, key), offline=offline)
    show.test(found, as_json=wants_json(as_json))
    if not all(seed.reached for seed in found.seeds):
        raise typer.Exit(SOME_FAILED)


@crawler.command()
def run(  # noqa: PLR0913 - the command line's own options
    *,
    full: Annotated[bool, typer.Option("--full", help="Read everything anew, whatever the servers say.")] = False,
    since: Annotated[
        str, typer.Option("--since", help="Only what was not looked at since this moment (ISO 8601).")
    ] = "",
    url: Annotated[str, typer.Option("--url", help="Only this address, and what is newly found from it.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it on a few addresses; nothing is kept.")] = False,
    pages: Annotated[int, typer.Option("--pages", help="Addresses of a dry run.", min=1)] = 50,
    due: Annotated[bool, typer.Option("--due", help="Only if its scheduled time has come (for cron).")] = False,
    if_active: Annotated[
        IfActive, typer.Option("--if-active", help="While another run is under way.")
    ] = IfActive.REFUSE,
    log: Annotated[show.Log, typer.Option("--log", help="Show the log on standard error.")] = show.Log.NONE,
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Crawl now, hand on what changed, and report.

    Exit status: 0 without errors, 1 with warnings or partial errors, 2 it was not completed.

    Examples:
        veille crawler run

        veille crawler run --dry-run --pages 100

        veille crawler run --since 2026-05-01T00:00:00Z

        veille crawler run --url https://wiki.example.org/policies/travel

        meri crawler run --full --if-active queue --json

    """
    choice = _choice(full=full, since=since, url=url, alone=dry_run or due)
    with opened(data) as app:
        where = _where(app, dossier)
        if dry_run:
            show.dry_run(app.crawler.dry_run(where.id, pages), as_json=wants_json(as_json))
            return
        wanted = Wanted(choice=choice, by=_who(by), queue=if_active is IfActive.QUEUE)
        _crawl(app, where, wanted, log, due=due, as_json=wants_json(as_json))


@crawler.command("retry-failures")
def retry_failures(  # noqa: PLR0913 - likewise
    *,
    window: Annotated[str, typer.Option("--window", help="What failed within this time: 90m, 24h, 7d.")] = "24h",
    if_active: Annotated[
        IfActive, typer.Option("--if-active", help="While another run is under way.")
    ] = IfActive.REFUSE,
    log: Annotated[show.Log, typer.Option("--log", help="Show the log on standard error.")] = show.Log.NONE,
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look again at what failed lately, and at nothing else; report as `run` does.

    Examples:
        veille crawler retry-failures

        meri crawler retry-failures --window 7d --json

    """
    span = duration_ms(window)
    with opened(data) as app:
        where = _where(app, dossier)
        choice = Choice(mode="retry", since_at=app.clock() - span)
        wanted = Wanted(choice=choice, by=_who(by), queue=if_active is IfActive.QUEUE)
        _crawl(app, where, wanted, log, as_json=wants_json(as_json))


@crawler.command()
def status(
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Once a second, until the run ends.")] = False,
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how things stand, also in the middle of a run that somebody else started.

    Examples:
        veille crawler status

        meri crawler status --follow

    """
    with opened(data) as app, until_signal() as stop:
        where = _where(app, dossier)
        found = app.crawler.status(where.id)
        while follow and found.state in {"running", "queued"} and not stop.is_set():
            show.status(found, as_json=wants_json(as_json), brief=True)
            time.sleep(FOLLOW_EVERY_S)
            found = app.crawler.status(where.id)
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
    """Show what a run came to: new, updated, unchanged and failed items, with subtotals per type of document.

    Examples:
        veille crawler report

        meri crawler report --format=json

    """
    with opened(data) as app:
        found = app.crawler.report(_where(app, dossier).id, run_id)
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
    """Show what was logged, oldest first; with --json one object per line.

    Examples:
        veille crawler logs --level warn

        meri crawler logs --level error --since 2026-05-01T00:00:00Z --json

    """
    with opened(data) as app:
        for event in app.crawler.logs(_where(app, dossier).id, level, _moment(since), run_id):
            show.event(event, sys.stdout, as_json=wants_json(as_json))


@schedule_app.command("set")
def set_schedule(
    cron: Annotated[str, typer.Argument(help="Minute, hour, day, month, weekday; or @weekly, @daily.")] = "@weekly",
    *,
    time_zone: Annotated[
        str, typer.Option("--time-zone", help="Where the clock hangs, such as Europe/Madrid.")
    ] = "UTC",
    by: ByOption = "",
    dossier: WhereOption = NAME,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let the crawler run by itself, and confirm when next. `veille work` does it, or `crawler run --due` from cron.

    Examples:
        veille crawler schedule set @weekly

        meri crawler schedule set "30 3 * * 0" --time-zone Europe/Madrid

    """
    with opened(data) as app:
        found = app.crawler.set_schedule(_where(app, dossier).id, cron, time_zone, _who(by))
    show.schedule(found, as_json=wants_json(as_json))


@schedule_app.command("get")
def get_schedule(*, dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show when the crawler runs by itself.

    Examples:
        veille crawler schedule get

        meri crawler schedule get --json

    """
    with opened(data) as app:
        found = app.crawler.schedule(_where(app, dossier).id)
    show.schedule(found, as_json=wants_json(as_json))


@schedule_app.command("remove")
def remove_schedule(
    *, by: ByOption = "", dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Let the crawler run only when somebody asks.

    Examples:
        veille crawler schedule remove

        meri crawler schedule remove --json

    """
    with opened(data) as app:
        found = app.crawler.remove_schedule(_where(app, dossier).id, _who(by))
    show.schedule(found, as_json=wants_json(as_json))


def _crawl(app: App, where: Dossier, wanted: Wanted, log: show.Log, *, due: bool = False, as_json: bool) -> None:
    """Run, and end with the exit status of the run."""
    with show.progress(log) as app.echo, until_signal() as stop:
        if due:
            runs = app.crawler.run_due(stop.is_set, only=where.id)
        else:
            runs = [app.crawler.run(where.id, wanted, stop.is_set)]
    if not runs:
        talk().print("It is not time yet: see `crawler schedule get`.", markup=False)
        return
    found = app.crawler.report(where.id, runs[-1].id)
    show.report(found, as_json=as_json)
    raise typer.Exit(found.exit_code)


def _given(app: App, dossier: str, file: Path | None, keys: list[str] | None) -> CrawlConfig:
    """The configuration that the file and the keys make; without a file, the present one is what keys change."""
    changes = pairs(keys or [])
    if file is None:
        base = app.crawler.config(_where(app, dossier).id).config
    elif not changes:
        return parse_config(_text(file), str(file))
    else:
        base = parse_config(_text(file), str(file)).model_dump(mode="json", exclude_defaults=True)
    return check_config(base | changes)


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", code="bad_crawl_config") from error


def _where(app: App, name: str, *, make: bool = False) -> Dossier:
    try:
        return app.dossier(name)
    except NotFoundError:
        if make:
            return app.create_dossier(name)
        raise NotFoundError(
            f"There is no crawler in a dossier called {name!r} yet: `crawler config set FILE` makes one.",
            code="no_crawl_config",
        ) from None


def _who(by: str) -> str:
    try:
        return by or os.environ.get("MERI_USER") or getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _choice(*, full: bool, since: str, url: str, alone: bool) -> Choice:
    """What to look at; the ways to say so exclude each other."""
    if full + bool(since) + bool(url) + alone > 1:
        raise ConfigError(
            "Of --full, --since, --url, --dry-run and --due only one makes sense at a time.", code="bad_combination"
        )
    if url:
        return Choice(mode="url", url=url)
    if since:
        return Choice(mode="since", since_at=_moment(since))
    return Choice(mode="full" if full else "normal")


def _moment(text: str) -> int | None:
    if not text:
        return None
    found = parse_date(text)
    if found is None:
        raise ConfigError(f"{text!r} is no moment; write it as 2026-05-01T00:00:00Z.", code="bad_date")
    return found
