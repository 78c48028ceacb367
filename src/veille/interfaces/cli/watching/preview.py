"""`veille preview`: what a source would bring, before it is watched."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.interfaces.cli._options import DataOption, JsonOption, opened, pairs, wants_json
from veille.interfaces.cli._output import change_text, print_json, print_table, talk
from veille.interfaces.cli.watching.sources import SetOption
from veille.services.watching.preview import Preview
from veille.services.watching.sources import Wish


def preview(
    url: Annotated[str, typer.Argument(help="What to preview, such as https://example.org.")],
    *,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="The kind of source (default: guessed from the address).")
    ] = "",
    option: SetOption = None,
    pages: Annotated[int, typer.Option("--pages", help="Addresses to fetch at most.", min=1)] = 50,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a source would bring and what it would leave out. Nothing is kept.

    Examples:
        veille preview https://example.org --kind site --set exclude=*/tags/* --pages 100

        veille preview /srv/documents --kind folder --json

    """
    with opened(data) as app:
        found = app.preview(Wish(url=url, kind=kind, config=pairs(option or [])), pages)
    if wants_json(as_json):
        print_json(found)
    else:
        show_preview(found)


def show_preview(found: Preview) -> None:
    """Print what was read, what failed, what was left out, and what comes next."""
    lines = [
        (change_text(item.change), item.title, item.url, item.code, item.message)
        for item in (*found.documents, *found.problems, *found.left_out)
    ]
    print_table(("Change", "Title", "Address", "Code", "Why"), lines)
    for url in found.next_urls:
        talk().print(f"next: {url}", markup=False)
    talk().print(
        f"{len(found.documents)} documents, {len(found.problems)} problems, {len(found.left_out)} left out; "
        f"{found.waiting} more addresses were found. Nothing was kept.",
        markup=False,
    )
