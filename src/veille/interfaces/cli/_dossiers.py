"""Which dossiers a command is about: the options, and what is meant by them."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.models import Dossier
from veille.errors import AmbiguousError, NotFoundError, StoreError
from veille.interfaces.cli._output import say
from veille.interfaces.cli._shared import SHARED

_DEFAULT_DOSSIER = "default"
#: Letters of an id that name a dossier.
_SHORTEST = 4


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
