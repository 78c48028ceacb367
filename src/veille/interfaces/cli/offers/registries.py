"""`veille offers pull` and `veille offers undo`: ready-made sources and engines from registries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.interfaces.cli._command import Answer, command, listing
from veille.services.offers.registries import Pulled

_WORDS = (("added", "new"), ("changed", "changed"), ("removed", "gone"), ("kept", "yours, kept"))


@command
def pull(
    app: App,
    registry: Annotated[Path, typer.Argument(help="The index file, with its .sig beside it; or a folder.")],
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Take it; without this, only show what it would bring.")
    ] = False,
) -> Answer:
    """Take ready-made sources and engines from a registry: a signed index, or a folder such as a Git checkout.

    An index must be signed with a key of the settings ([registry.keys]), and not be older than the one taken before. A
    folder has files sources/*.json and engines/*.json, and is trusted as it is. What you made or changed stays. `veille
    offers undo` takes it back.

    Examples:
        veille offers pull index.json

        veille offers pull index.json --apply

    """
    found = app.registries.pull(app.accounts.local(), registry, apply=apply)
    done = "is taken" if apply else "would bring this; take it with --apply"
    return _answer(found, f"Edition {found.number} of {found.registry} {done}.")


@command
def undo(app: App, registry: Annotated[str, typer.Argument(help="Its name.")]) -> Answer:
    """Undo the last pull of a registry.

    Example:
        veille offers undo community

    """
    return _answer(app.registries.undo(app.accounts.local(), registry), f"The last pull of {registry} is undone.")


@listing
def registries(app: App) -> Answer:
    """List the registries that were taken, with their editions.

    Example:
        veille offers registries

    """
    found = app.registries.all(app.accounts.local())
    return Answer(
        [{"registry": name, "number": number} for name, number in found.items()],
        ("Registry", "Edition"),
        list(found.items()),
        "" if found else "Nothing was taken from a registry yet: veille offers pull index.json",
    )


def _answer(found: Pulled, message: str) -> Answer:
    rows = [(word, name) for field, word in _WORDS for name in getattr(found, field)]
    return Answer(found, ("What", "Offer"), rows, message)
