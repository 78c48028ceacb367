"""`crawler config` and `crawler schedule`, and the options that all commands of the crawler share."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawler.config import CrawlConfig, check_config, parse_config
from veille.core.crawler.views import config_view
from veille.core.models import Dossier
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.cli._command import Answer, By, command
from veille.interfaces.cli._options import pairs, read_text
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.crawler import show

config_app = typer.Typer(no_args_is_help=True, help="What is crawled.")
schedule_app = typer.Typer(no_args_is_help=True, help="When the crawler runs by itself.")

#: Default name of the crawler's dossier.
_NAME = "crawler"


def _dossier(app: App, name: str, *, make: bool = False) -> Dossier:
    """The dossier of that name; with `make`, it is created if there is none."""
    try:
        return app.dossier(name)
    except NotFoundError:
        if make:
            return app.create_dossier(name)
        raise NotFoundError(
            f"There is no crawler in a dossier called {name!r} yet: `crawler config set FILE` makes one.",
            code="no_crawl_config",
        ) from None


_WhereOption = Annotated[str, typer.Option("--dossier", help="The dossier of the crawler.")]
Where = Annotated[Dossier, By(_WhereOption, _dossier, _NAME)]
ByOption = Annotated[
    str,
    typer.Option("--by", help="Who asks, for the audit (default: MERI_USER or the login name).", show_default=False),
]


def who(by: str) -> str:
    """The name of the caller, for the audit log."""
    try:
        return by or os.environ.get("MERI_USER") or getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


_FileArgument = Annotated[Path | None, typer.Argument(help="YAML or JSON; - reads standard input.", allow_dash=True)]
_SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="One key of it: key=value.")]


@config_app.command("set")
@command
def set_config(
    app: App,
    file: _FileArgument = None,
    *,
    key: _SetOption = None,
    by: ByOption = "",
    dossier: _WhereOption = _NAME,
) -> Answer:
    """Validate a configuration and save it as the next version. With --set alone, change keys of the current one.

    Examples:
        veille crawler config set crawler.yaml

        veille crawler config set --set max_depth=5 --set 'exclude=["*/archive/*"]'

        meri crawler config set crawler.json --by ana

    """
    if file is None and not key:
        raise ConfigError("There is nothing to set: name a file, or keys with --set.", code="bad_crawl_config")
    given = _given(app, dossier, file, key)
    version = app.crawler.configure(_dossier(app, dossier, make=True).id, given, who(by))
    return show.config(config_view(version))


@config_app.command("get")
@command
def get_config(app: App, where: Where) -> Answer:
    """Show the current configuration as YAML: only the keys that were set; all others have their defaults.

    Examples:
        veille crawler config get > crawler.yaml

        meri crawler config get --json

    """
    return show.config(config_view(app.crawler.config(where.id)), whole=True)


@config_app.command("test")
@command
def try_config(
    app: App,
    file: _FileArgument = None,
    *,
    key: _SetOption = None,
    offline: Annotated[bool, typer.Option("--offline", help="Do not try to reach the seeds.")] = False,
    dossier: _WhereOption = _NAME,
) -> Answer:
    """Check a configuration (without a file: the current one) and whether its seeds can be reached. Saves nothing.

    Exit status: 0 success, 1 a seed cannot be reached, 2 the configuration is not valid.

    Examples:
        veille crawler config test crawler.yaml

        meri crawler config test --offline --json

    """
    found = app.crawler.test(_given(app, dossier, file, key), offline=offline)
    return show.test(found, status=0 if all(seed.reached for seed in found.seeds) else SOME_FAILED)


@schedule_app.command("set")
@command
def set_schedule(
    app: App,
    where: Where,
    cron: Annotated[str, typer.Argument(help="Minute, hour, day, month, weekday; or @weekly, @daily.")] = "@weekly",
    *,
    time_zone: Annotated[
        str, typer.Option("--time-zone", help="The time zone of these times, such as Europe/Madrid.")
    ] = "UTC",
    by: ByOption = "",
) -> Answer:
    """Schedule the crawler, and show the next run. `veille work` runs it, or `crawler run --due` from cron.

    Examples:
        veille crawler schedule set @weekly

        meri crawler schedule set "30 3 * * 0" --time-zone Europe/Madrid

    """
    return show.schedule(app.crawler.set_schedule(where.id, cron, time_zone, who(by)))


@schedule_app.command("get")
@command
def get_schedule(app: App, where: Where) -> Answer:
    """Show the schedule of the crawler.

    Examples:
        veille crawler schedule get

        meri crawler schedule get --json

    """
    return show.schedule(app.crawler.schedule(where.id))


@schedule_app.command("remove")
@command
def remove_schedule(app: App, where: Where, *, by: ByOption = "") -> Answer:
    """Remove the schedule: the crawler runs only on demand.

    Examples:
        veille crawler schedule remove

        meri crawler schedule remove --json

    """
    return show.schedule(app.crawler.remove_schedule(where.id, who(by)))


def _given(app: App, dossier: str, file: Path | None, keys: list[str] | None) -> CrawlConfig:
    """The configuration of the file with the keys applied; without a file, the current one is the base."""
    changes = pairs(keys)
    if file is None:
        return check_config(app.crawler.config(_dossier(app, dossier).id).config | changes)
    config = parse_config(read_text(file, code="bad_crawl_config"), str(file))
    return check_config(config.model_dump(mode="json", exclude_defaults=True) | changes) if changes else config
