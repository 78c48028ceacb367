"""Options of commands whose work is shared by processes or machines."""

from __future__ import annotations

from typing import Annotated

import typer

RayOption = Annotated[
    str,
    typer.Option(
        "--ray",
        help="Share the work on a Ray cluster: the address of its head (host:6379), `auto`, or `local` for one that is "
        "started here.",
        show_default=False,
    ),
]
#: What each process of shared work runs.
PROGRAM = "veille.interfaces.bulk"
