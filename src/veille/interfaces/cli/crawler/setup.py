"""`crawler config` and `crawler schedule`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawler.config import CrawlConfig, check_config, parse_config
from veille.core.crawler.views import config_view
from veille.errors import ConfigError
from veille.interfaces.cli._options import DataOption, JsonOption, opened, pairs, wants_json
from veille.interfaces.cli.crawler import show
from veille.interfaces.cli.crawler.options import NAME, ByOption, WhereOption, where, who

SEED_NOT_REACHED = 1

config_app = typer.Typer(no_args_is_help=True, help="What is crawled.")
schedule_app = typer.Typer(no_args_is_help=True, help="When the crawler runs by itself.")

FileArgument = Annotated[Path | None, typer.Argument(help="YAML or JSON; - reads standard input.", allow_dash=True)]
SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="One key of it: key=value.")]


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
    """Validate a configuration and save it as the next version. With --set alone, change keys of the current one.

    Examples:
        veille crawler config set crawler.yaml

        veille crawler config set --set max_depth=5 --set 'exclude=["*/archive/*"]'

        meri crawler config set crawler.json --by ana

    """
    if file is None and not key:
        raise ConfigError("There is nothing to set: name a file, or keys with --set.", code="bad_crawl_config")
    with opened(data) as app:
        given = _given(app, dossier, file, key)
        version = app.crawler.configure(where(app, dossier, make=True).id, given, who(by))
    show.config(config_view(version), as_json=wants_json(as_json))


@config_app.command("get")
def get_config(*, dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the current configuration as YAML: only the keys that were set; all others have their defaults.

    Examples:
        veille crawler config get > crawler.yaml

        meri crawler config get --json

    """
    with opened(data) as app:
        version = app.crawler.config(where(app, dossier).id)
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
    """Check a configuration (without a file: the current one) and whether its seeds can be reached. Saves nothing.

    Exit status: 0 success, 1 a seed cannot be reached, 2 the configuration is not valid.

    Examples:
        veille crawler config test crawler.yaml

        meri crawler config test --offline --json

    """
    with opened(data) as app:
        found = app.crawler.test(_given(app, dossier, file, key), offline=offline)
    show.test(found, as_json=wants_json(as_json))
    if not all(seed.reached for seed in found.seeds):
        raise typer.Exit(SEED_NOT_REACHED)


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
    """Schedule the crawler, and show the next run. `veille work` runs it, or `crawler run --due` from cron.

    Examples:
        veille crawler schedule set @weekly

        meri crawler schedule set "30 3 * * 0" --time-zone Europe/Madrid

    """
    with opened(data) as app:
        found = app.crawler.set_schedule(where(app, dossier).id, cron, time_zone, who(by))
    show.schedule(found, as_json=wants_json(as_json))


@schedule_app.command("get")
def get_schedule(*, dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the schedule of the crawler.

    Examples:
        veille crawler schedule get

        meri crawler schedule get --json

    """
    with opened(data) as app:
        found = app.crawler.schedule(where(app, dossier).id)
    show.schedule(found, as_json=wants_json(as_json))


@schedule_app.command("remove")
def remove_schedule(
    *, by: ByOption = "", dossier: WhereOption = NAME, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Remove the schedule: the crawler runs only on demand.

    Examples:
        veille crawler schedule remove

        meri crawler schedule remove --json

    """
    with opened(data) as app:
        found = app.crawler.remove_schedule(where(app, dossier).id, who(by))
    show.schedule(found, as_json=wants_json(as_json))


def _given(app: App, dossier: str, file: Path | None, keys: list[str] | None) -> CrawlConfig:
    """The configuration of the file with the keys applied; without a file, the current one is the base."""
    changes = pairs(keys or [])
    if file is None:
        base = app.crawler.config(where(app, dossier).id).config
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
