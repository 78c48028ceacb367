"""Options that many commands share, and how a command opens the `App`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App, open_app
from veille.core.models import Dossier
from veille.errors import AmbiguousError, ConfigError, NotFoundError, StoreError, VeilleError
from veille.interfaces.cli._limits import allow_many_files, keep_private
from veille.interfaces.cli._output import say
from veille.interfaces.cli._shared import SHARED
from veille.settings import load_settings

_DEFAULT_DOSSIER = "default"
#: Letters of an id that name a dossier.
_SHORTEST = 4


DataOption = Annotated[
    Path | None, typer.Option("--data", help="The data folder (or VEILLE_DATA).", show_default=False, file_okay=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
DossierOption = Annotated[str | None, typer.Option("--dossier", help="Name or id of a dossier (default: all of them).")]
InDossierOption = Annotated[
    str | None,
    typer.Option("--dossier", help=f"Name or id of the dossier (default: the one called {_DEFAULT_DOSSIER!r})."),
]
OneDossierOption = Annotated[
    str | None,
    typer.Option(
        "--dossier", help=f"Name or id of the dossier (default: {_DEFAULT_DOSSIER!r}, or the only one there is)."
    ),
]
WideOption = Annotated[bool, typer.Option("--wide", help="Show all columns, and cut nothing.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", "-s", help="An option of the kind: key=value.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@contextmanager
def opened(data: Path | None, **given: Any) -> Iterator[App]:
    """Open the `App` on the data folder of the command line, the environment or the settings."""
    allow_many_files()
    settings = load_settings(data=data or SHARED.data, **given)
    keep_private(settings.umask)
    with open_app(settings) as app:
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


def chosen(app: App, dossier: str | None) -> list[Dossier]:
    """The named dossier, or all that can be opened; the others are reported, and the exit status becomes 1."""
    return [_dossier_named(app, dossier)] if dossier else app.local.usable(_left_out)


def _left_out(dossier: Dossier, error: StoreError) -> None:
    SHARED.left_out = True
    say(f"Left out {dossier.name}: {error} [{error.code}]")


def chosen_for_adding(app: App, dossier: str | None) -> Dossier:
    """The dossier to add to; the default one is created when it is first needed."""
    if dossier is None and _DEFAULT_DOSSIER not in {known.name for known in app.local.all()}:
        made = app.create_dossier(_DEFAULT_DOSSIER)
        SHARED.begun = made.id
        return made
    return _dossier_named(app, dossier or _DEFAULT_DOSSIER)


def chosen_one(app: App, dossier: str | None) -> Dossier:
    """The dossier that is named, else the default one, else the only one; without any the default one is created."""
    known = app.local.all()
    if dossier is not None or not known or _DEFAULT_DOSSIER in {one.name for one in known}:
        return chosen_for_adding(app, dossier)
    if len(known) > 1:
        raise AmbiguousError(
            f"Without --dossier there has to be only one, or one called {_DEFAULT_DOSSIER!r}",
            [one.name for one in known],
            code="ambiguous_dossier",
        )
    return known[0]


def _dossier_named(app: App, text: str) -> Dossier:
    """The dossier with that name or id, or whose id alone begins so."""
    try:
        return app.dossier(text)
    except NotFoundError:
        begun = [one for one in app.local.all() if len(text) >= _SHORTEST and one.id.startswith(text.lower())]
        if len(begun) > 1:
            raise AmbiguousError(
                f"The ids of several dossiers begin with {text!r}",
                [f"{one.id} ({one.name})" for one in begun],
                code="ambiguous_dossier",
            ) from None
        if not begun:
            raise
        return begun[0]


def read_text(file: Path, *, code: str) -> str:
    """The text of a file named on the command line; `-` is standard input."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", code=code) from error


def pairs(settings: list[str] | None) -> dict[str, Any]:
    """Parse `key=value` options; a value that is valid JSON is parsed as JSON."""
    found = {}
    for setting in settings or ():
        key, separator, value = setting.partition("=")
        if not separator or not key:
            raise ConfigError(f"{setting!r} is no option; write it as key=value.", code="bad_option")
        try:
            found[key] = json.loads(value)
        except ValueError as error:
            if value.startswith("{"):
                raise ConfigError(
                    f"The value of {key} is no JSON ({error}): {value[:80]}", code="bad_option"
                ) from error
            found[key] = value
    return found
