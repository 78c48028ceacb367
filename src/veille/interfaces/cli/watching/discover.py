"""`veille discover`: the feeds of a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.dates import iso
from veille.errors import ConfigError
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    wants_json,
)
from veille.interfaces.cli._output import SOME_FAILED, print_json, print_table, talk
from veille.services.watching.discovering import Found, Standard
from veille.services.watching.sources import Wish


def discover(
    url: Annotated[str, typer.Argument(help="A page, or a feed to be judged, such as https://example.org/news.")],
    *,
    max_age: Annotated[int, typer.Option("--max-age", help="Days since the newest entry, at most.", min=1)] = 7,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="Wanted languages (default: en; any: all of them).")
    ] = None,
    watch: Annotated[bool, typer.Option("--add", help="Watch those that are accepted.")] = False,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the feeds of a page, and check whether each is active and in a wanted language.

    Exit status: 0 at least one is accepted, 1 none is, 2 the page cannot be fetched.

    Examples:
        veille discover https://example.org

        veille discover https://example.org --language any --max-age 30 --add

    """
    wanted = tuple(language or ("en",))
    standard = Standard(max_age_days=max_age, languages=() if "any" in wanted else wanted)
    with opened(data) as app:
        with app.discoverer() as discoverer:
            found = discoverer.discover(url, standard)
        if watch:
            _watch(app, dossier, found)
    if wants_json(as_json):
        print_json(found)
    else:
        _show(found)
    if not any(one.accepted for one in found):
        raise typer.Exit(SOME_FAILED)


def _watch(app: App, dossier: str | None, found: Iterable[Found]) -> None:
    where = chosen_for_adding(app, dossier)
    for one in found:
        if one.accepted:
            try:
                app.sources.add(where.id, Wish(url=one.url, kind="feed", name=one.title))
            except ConfigError as error:
                if error.code != "duplicate_source":
                    raise


def _show(found: list[Found]) -> None:
    rows = [
        (
            "yes" if one.accepted else "no",
            one.finding,
            one.title,
            one.entries,
            iso(one.newest_at) if one.newest_at else "",
            one.language,
            one.url,
            f"{one.reason}. {one.message}",
        )
        for one in found
    ]
    print_table(("Accepted", "Finding", "Title", "Entries", "Newest", "Language", "Address", "Why"), rows)
    if not rows:
        talk().print("No feed was found. `veille add` can watch the page itself.", markup=False)
