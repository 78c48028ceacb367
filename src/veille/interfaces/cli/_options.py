"""Options that many commands share, and how a command opens the `App`."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import typer

from veille.bootstrap import App, open_app
from veille.bootstrap.stores import check_address
from veille.errors import ConfigError, VeilleError
from veille.interfaces.cli._limits import allow_many_files, keep_private
from veille.interfaces.cli._output import say
from veille.interfaces.cli._shared import SHARED
from veille.settings import load_settings

if TYPE_CHECKING:
    from veille.settings import Settings

_SAYS_AFTER_S = 0.5

DataOption = Annotated[
    Path | None, typer.Option("--data", help="The data folder (or VEILLE_DATA).", show_default=False, file_okay=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
WideOption = Annotated[bool, typer.Option("--wide", help="Show all columns, and cut nothing.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", help="An option of the kind: key=value; again for a further text of a list."),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@contextmanager
def opened(data: Path | None, **given: Any) -> Iterator[App]:
    """Open the `App` on the data folder of the command line, the environment or the settings."""
    allow_many_files()
    settings = load_settings(data=data or SHARED.data, **given)
    keep_private(settings.umask)
    with _waiting(settings):
        app = open_app(settings)
    with app:
        app.alerting.say = say
        SHARED.folder = settings.data
        SHARED.begun = ""
        try:
            yield app
        except (VeilleError, typer.Abort):
            # A refused command leaves nothing behind.
            if SHARED.begun:
                app.local.discard(SHARED.begun)
            raise


@contextmanager
def _waiting(settings: Settings) -> Iterator[None]:
    """Say so if the database of the settings does not answer at once: it may be late, and the store waits for it."""
    if settings.store is None:
        yield
        return
    # What is no address may have a part of the password where the host would be.
    check_address(settings)
    host = _host(settings.store.get_secret_value())
    timer = threading.Timer(_SAYS_AFTER_S, say, [f"Waiting for the database on {host} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _host(store: str) -> str:
    """The host in an address, for people."""
    parts = urlsplit(store)
    host = unquote(parts.hostname or "") or dict(parse_qsl(parts.query)).get("host", "")
    # A path is the folder of a socket.
    return "this machine" if host.startswith(("/", "@")) or not host else host


def read_text(file: Path, *, code: str) -> str:
    """The text of a file named on the command line; `-` is standard input."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", code=code) from error


def pairs(settings: list[str] | None) -> dict[str, Any]:
    """Parse `key=value` options; a value that is valid JSON is parsed as JSON.

    The texts of a key that is given several times are a list, in this order.
    """
    found: dict[str, Any] = {}
    for setting in settings or ():
        key, separator, value = setting.partition("=")
        if not separator or not key:
            raise ConfigError(f"{setting!r} is no option; write it as key=value.", code="bad_option")
        parsed = _parsed(key, value)
        if key in found and not (isinstance(found[key], str | list) and isinstance(parsed, str | list)):
            raise ConfigError(
                f"{key} is given twice; only an option that is a list of texts may be.", code="bad_option"
            )
        found[key] = [*_listed(found[key]), *_listed(parsed)] if key in found else parsed
    return found


def _parsed(key: str, value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        if value.startswith("{"):
            raise ConfigError(f"The value of {key} is no JSON ({error}): {value[:80]}", code="bad_option") from error
        return value


def _listed(value: str | list[Any]) -> list[Any]:
    return [value] if isinstance(value, str) else value
