"""`veille config`: every setting as it is now, and the file to write them in."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap.checks import check_settings
from veille.bootstrap.clock import system_clock
from veille.errors import ConfigError, SettingError
from veille.interfaces.cli._command import Answer, command, done, listing
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.text import in_words
from veille.settings import load_settings, settings_file
from veille.settings.listing import settings_now, write_file

config = typer.Typer()


@config.callback(invoke_without_command=True)
@listing
def show_settings(
    *,
    changed: Annotated[bool, typer.Option("--changed", help="Only what is not the default.")] = False,
) -> Answer:
    """Show every setting with its value and where it comes from.

    A setting comes from an option of the command, a variable (VEILLE_…), the settings file, or is the default.
    One that is wrong is told in one line, with exit status 78, as by every other command.

    Examples:
        veille config

        veille config --changed

        veille config --json

    """
    settings = load_settings(data=SHARED.data)
    check_settings(settings, system_clock)
    shown = [one for one in settings_now(settings) if one.origin or not changed]
    path = settings_file()
    return Answer(
        [asdict(one) for one in shown],
        ("Setting", "Value", "From"),
        [(one.key, in_words(one.value), one.origin or "default") for one in shown],
        f"The settings file: {path}{'' if path.exists() else ' (not there; `veille config init` writes it)'}",
    )


@config.command("init")
@command
def init(
    file: Annotated[Path | None, typer.Argument(help="Where to write it. Default: where veille looks for it.")] = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> Answer:
    """Write a settings file that sets nothing yet: every setting in a comment, with its default.

    Examples:
        veille config init

        veille config init ./veille.toml

    """
    path = file or settings_file()
    if path.exists() and not force:
        raise ConfigError(
            f"{path} is there already, and nothing was changed: edit it, or replace it with --force.",
            code="config_exists",
        )
    try:
        write_file(path)
    except OSError as error:
        raise SettingError(
            f"{path} cannot be written ({error.strerror}): check the folder and its rights, or name another file.",
            code="bad_config",
        ) from error
    return done({"path": str(path)}, f"{path} is written. Edit it, then look with `veille config --changed`.")
