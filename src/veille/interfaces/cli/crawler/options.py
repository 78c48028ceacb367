"""Options that the crawler's commands share."""

from __future__ import annotations

import getpass
import os
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.dates import parse_date
from veille.core.models import Dossier
from veille.errors import ConfigError, NotFoundError

#: Default name of the crawler's dossier.
NAME = "crawler"

WhereOption = Annotated[str, typer.Option("--dossier", help="The dossier of the crawler.")]
ByOption = Annotated[
    str,
    typer.Option("--by", help="Who asks, for the audit (default: MERI_USER or the login name).", show_default=False),
]


def where(app: App, name: str, *, make: bool = False) -> Dossier:
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


def who(by: str) -> str:
    """The name of the caller, for the audit log."""
    try:
        return by or os.environ.get("MERI_USER") or getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def moment(text: str) -> int | None:
    """Parse a time; None for no text."""
    if not text:
        return None
    found = parse_date(text)
    if found is None:
        raise ConfigError(f"{text!r} is no moment; write it as 2026-05-01T00:00:00Z.", code="bad_date")
    return found
