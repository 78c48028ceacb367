"""`veille offers`: what is offered to all dossiers."""

from __future__ import annotations

import typer

from veille.interfaces.cli.offers.engines import engines
from veille.interfaces.cli.offers.sources import sources

HELP = """Say what all dossiers are offered: search engines, and ready-made sources.

Examples:

    veille offers engines

    veille offers sources add https://example.org/feed --name "Example" --category tech

"""

offers = typer.Typer(no_args_is_help=True, help=HELP)
offers.add_typer(engines, name="engines")
offers.add_typer(sources, name="sources")
