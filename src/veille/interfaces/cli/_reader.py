"""`veille read`: one page in reader mode."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.core.show.reader import ReaderResult
from veille.core.text import without_controls
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    wants_json,
)
from veille.interfaces.cli._output import console, print_json, printable, talk

NOT_READABLE = 1


def read(
    url: Annotated[str, typer.Argument(help="The page, such as https://example.org/story.")],
    *,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the content as Markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Print the content as sanitised HTML.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Fetch it again, even if it was read today.")] = False,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch one page now and show only its title and content. Cached for a day.

    Exit status: 0 readable, 1 not readable (the reason is given), 2 it could not run.

    Examples:
        veille read https://example.org/story

        veille read https://example.org/story --markdown > story.md

        veille read https://example.org/story --json

    """
    with opened(data) as app, app.reader(chosen_for_adding(app, dossier).id) as reader:
        result = reader.get_reader_content(url, force=force)
    if wants_json(as_json):
        print_json(result.as_json())
    elif result.content is not None:
        _show(result, markdown=markdown, html=html)
    if not result.readable:
        if not wants_json(as_json):
            talk().print(f"{url} cannot be read: {result.error}.", markup=False)
        raise typer.Exit(NOT_READABLE)


def _show(result: ReaderResult, *, markdown: bool, html: bool) -> None:
    from veille.core.extract.output.markdown import to_markdown  # noqa: PLC0415 - slow to import, and rarely needed
    from veille.core.show.images import original_images  # noqa: PLC0415

    content = result.content
    assert content is not None  # noqa: S101 - the caller checked
    if html:
        typer.echo(without_controls(original_images(content.content)))
        return
    if markdown:
        typer.echo(without_controls(to_markdown(original_images(content.content))))
        return
    out = console()
    out.print(printable(content.title), style="bold", markup=False)
    facts = (content.byline, content.site_name, f"{content.word_count} words", f"{content.reading_time_minutes} min")
    out.print(" · ".join(printable(fact) for fact in facts if fact) + "\n", style="dim", markup=False)
    out.print("\n".join(map(printable, content.text_content.split("\n"))), markup=False)
