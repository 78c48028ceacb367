"""Options that the crawler's commands share."""

from __future__ import annotations

import getpass
import os
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.models import Dossier
from veille.errors import NotFoundError
from veille.interfaces.cli._command import By

#: Default name of the crawler's dossier.
NAME = "crawler"


def crawler_dossier(app: App, name: str, *, make: bool = False) -> Dossier:
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


WhereOption = Annotated[str, typer.Option("--dossier", help="The dossier of the crawler.")]
Where = Annotated[Dossier, By(WhereOption, crawler_dossier, NAME)]
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
