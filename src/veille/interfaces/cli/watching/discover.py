"""`veille discover`, `veille preview` and `veille catalogue`: what could be watched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.records import RunItem
from veille.core.report.read_share import advice, share_text
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, DossierToFill, command, done, listing
from veille.interfaces.cli._dossiers import InDossierOption, chosen_for_adding
from veille.interfaces.cli._options import SetOption, pairs
from veille.interfaces.cli._output import Text, change_text, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.text import plural
from veille.services.watching.discovering import FoundFeed, Standard
from veille.services.watching.preview import Preview
from veille.services.watching.sources import Wish

catalogue = typer.Typer(invoke_without_command=True)


@listing
def discover(
    app: App,
    url: Annotated[str, typer.Argument(help="A page, or a feed to be judged, such as https://example.org/news.")],
    *,
    max_age: Annotated[int, typer.Option("--max-age", help="Days since the newest entry, at most.", min=1)] = 7,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="Wanted languages (default: en; any: all of them).")
    ] = None,
    watch: Annotated[bool, typer.Option("--add", help="Watch those that are accepted.")] = False,
    dossier: InDossierOption = None,
) -> Answer:
    """Find the feeds of a page, and check whether each is active and in a wanted language.

    Exit status: 0 at least one is accepted, 1 none is, 2 the page cannot be fetched.

    Examples:
        veille discover https://example.org

        veille discover https://example.org --language any --max-age 30 --add

    """
    wanted = tuple(language or ("en",))
    standard = Standard(max_age_days=max_age, languages=() if "any" in wanted else wanted)
    with app.discoverer() as discoverer:
        found = discoverer.discover(url, standard)
    accepted = [one for one in found if one.accepted]
    if watch:
        _watch(app, chosen_for_adding(app, dossier).id, accepted)
    rows = [
        (
            "yes" if one.accepted else "no",
            one.finding,
            one.title,
            one.entries,
            At(one.newest_at),
            one.language,
            one.url,
            f"{one.reason}. {one.message}",
        )
        for one in found
    ]
    return Answer(
        found,
        ("Accepted", Wide("Finding"), "Title", Wide("Entries"), "Newest", Wide("Language"), "Address", Wide("Why")),
        rows,
        "" if rows else "No feed was found. `veille add` can watch the page itself.",
        below=[Text().add(f"{one.reason}. {one.message}", "dim") for one in found],
        status=0 if accepted else SOME_FAILED,
    )


def _watch(app: App, dossier_id: str, accepted: Iterable[FoundFeed]) -> None:
    for result in app.sources.add_many(
        dossier_id, [Wish(url=one.url, kind="feed", name=one.title) for one in accepted]
    ):
        if isinstance(result, ConfigError) and result.code != "duplicate_source":
            raise result


@listing
def preview(
    app: App,
    url: Annotated[str, typer.Argument(help="What to preview, such as https://example.org.")],
    *,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="The kind of source (default: guessed from the address).")
    ] = "",
    option: SetOption = None,
    pages: Annotated[int, typer.Option("--pages", help="Addresses to fetch at most.", min=1)] = 50,
) -> Answer:
    """Show what a source would bring and what it would leave out. Nothing is kept.

    Examples:
        veille preview https://example.org --kind site --set exclude=*/tags/* --pages 100

        veille preview /srv/documents --kind folder --json

    """
    found = app.preview(Wish(url=url, kind=kind, config=pairs(option)), pages)
    return previewed(found, found)


def _row(item: RunItem, quality: float | None) -> tuple[object, ...]:
    why = item.message or advice(quality)
    return change_text(item.change), item.title, item.url, share_text(quality), item.code, why


def previewed(value: object, found: Preview) -> Answer:
    """The answer about a preview: what was read, what failed, what was left out, and what comes next."""

    def show() -> None:
        for url in found.next_urls:
            say(f"next: {url}")

    return Answer(
        value,
        ("Change", "Title", Wide("Address"), "Read", "Code", "Why"),
        [
            *(_row(item, item.quality) for item in found.documents),
            *(_row(item, None) for item in (*found.problems, *found.left_out)),
        ],
        f"{plural(len(found.documents), 'document')}, {plural(len(found.problems), 'problem')}, "
        f"{len(found.left_out)} left out; {plural(found.waiting, 'more address', 'more addresses')} found. "
        "Nothing was kept.",
        show,
    )


@catalogue.callback()
@listing
def list_catalogue(app: App) -> Answer:
    """List the ready-made sources by category.

    Example:
        veille catalogue

    """
    found = app.catalogue.entries()
    rows = [(entry.category, entry.name, entry.kind, entry.every, entry.url) for entry in found]
    return Answer(found, ("Category", "Name", "Kind", "Every", "Address"), rows)


@catalogue.command("add")
@command
def add_category(
    app: App,
    where: DossierToFill,
    category: Annotated[str, typer.Argument(help="A category of the catalogue, such as tech.")],
) -> Answer:
    """Watch every source of a category; those that are already watched stay as they are.

    Example:
        veille catalogue add legal-fr --dossier regulation

    """
    poured = app.catalogue.pour(where.id, category)
    added = sum(one.added for one in poured)
    return done(
        [{"name": one.entry.name, "url": one.entry.url, "added": one.added} for one in poured],
        f"Watching {added} more, {len(poured) - added} were watched already.",
    )
