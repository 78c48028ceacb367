"""`veille search`, `veille show`, `veille quirks` and `veille read`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.archive.content_state import no_content
from veille.core.compare.diff import compared, unified
from veille.core.dates import iso, iso_or_none
from veille.core.records import Revision
from veille.core.search.answers import Hit, Story
from veille.core.search.query import no_dates, parse
from veille.core.search.question import SearchMode, SearchOrder
from veille.core.search.refine import Facet
from veille.core.show.reader import USUAL, ReaderContent, ReaderOptions
from veille.core.text import without_controls
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, listing
from veille.interfaces.cli._output import console, highlighted, plain, printable, printable_lines, say
from veille.interfaces.cli._shared import SHARED, SOME_FAILED
from veille.interfaces.cli.terminal.listing import Row, remember
from veille.interfaces.cli.terminal.table import At, when

DocumentArgument = Annotated[
    str,
    typer.Argument(help="A document's id (or its beginning) or address, or its row in the last list."),
    Named("documents"),
]
RevisionOption = Annotated[int | None, typer.Option("--revision", "-r", help="Which revision (default: the current).")]


@command
def search(
    app: App,
    dossiers: Dossiers,
    query: Annotated[
        list[str] | None, typer.Argument(help='Words, "phrases", -not, OR, prefix*, source: topic: …')
    ] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many hits.")] = 20,
    mode: Annotated[
        SearchMode | None,
        typer.Option("--mode", help="By words, by meaning, or by both (default, for questions, if `vectors` are on)."),
    ] = None,
    order: Annotated[
        SearchOrder,
        typer.Option("--order", help="Which come first: best, newest, or most popular, and why."),
    ] = "best",
    facets: Annotated[
        bool, typer.Option("--facets", help="What the hits have in common, to refine the search by, instead of hits.")
    ] = False,
) -> Answer:
    """Search all documents that were kept.

    A question, and words that no document has all of, find documents with any of them, in any form.

    With --json, a likely correction of typing errors is a line of JSON on stderr: {"suggestion": "…"}.

    Filters: source:NAME, lang:en, kind:feed, topic:economy, tag:NAME, after:2026-03-01, before:2026, after:7d.

    Examples:
        veille search whales

        veille search '"climate policy" -opinion after:30d'

        veille search "how long is the bridge closed?"

        veille search "ships that carry people" --mode meaning

        veille search 'budget OR deficit source:"Example News"' --json

    """
    text = " ".join(query or [])
    if parse(text, app.clock()).is_empty:
        raise ConfigError("There is nothing to search for: name a word, or a filter such as lang:en.", code="no_query")
    ids = [where.id for where in dossiers]
    if facets:
        found = app.searches.facets(ids, text, mode)
        return Answer(found, message="" if found else "Nothing found.", show=lambda: _show_facets(found))
    hits = app.searches.search(ids, text, limit, order=order, mode=mode)
    message = f"{len(hits)} found." if hits else "Nothing found."
    if meant := app.searches.suggestion(ids, text):
        message += f" Did you mean: {printable(meant)}"
        if SHARED.json:
            say(json.dumps({"suggestion": meant}))
    if wrong := no_dates(text):
        message += f" {', '.join(wrong)} is no date, and was searched for as words: write after:2026-05-01 or after:7d."
    return Answer(hits, message=message, show=lambda: _show_hits(hits))


def _show_facets(facets: Iterable[Facet]) -> None:
    out = console()
    for facet in facets:
        out.print(facet.label, style="bold")
        for one in facet.choices:
            out.print(f"{one.count:5}  {one.label}{' (chosen)' if one.is_chosen else ''}")


def _show_hits(hits: Iterable[Hit]) -> None:
    found, out = list(hits), console()
    if SHARED.folder is not None:
        remember(SHARED.folder, "documents", [Row(hit.dossier_id, hit.document_id, hit.title) for hit in found])
    for number, hit in enumerate(found, start=1):
        gone = " (removed)" if hit.state == "removed" else ""
        out.print(f"{number}. {hit.title or hit.url}{gone}", style="bold")
        out.print(highlighted(hit.snippet))
        place = hit.url if out.is_terminal else f"{hit.url} · {hit.document_id}"
        why = f"\n{'; '.join(hit.why)}" if hit.why else ""
        out.print(f"{hit.source_name} · {when(hit.changed_at)} · {place}{why}\n", style="dim")


@listing
def show(
    app: App,
    dossiers: Dossiers,
    document: DocumentArgument,
    *,
    revision: RevisionOption = None,
    diff: Annotated[bool, typer.Option("--diff", help="What this revision changed, line by line.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List the revisions instead.")] = False,
) -> Answer:
    """Show a document: its current text, an older revision, or what changed.

    Examples:
        veille show https://example.org/prices

        veille show 01a1dd3b --history

        veille show 01a1dd3b --revision 3 --diff

    """
    revisions, story = app.local.history(*app.local.document(dossiers, document))
    wanted = numbered(revisions, revision or revisions[0].n)
    if history:
        rows = [
            (one.n, At(one.extracted_at), len(one.text) if one.has_content else one.kept, one.title)
            for one in revisions
        ]
        return Answer(revisions, ("Revision", "Seen", "Characters", "Title"), rows)

    def show() -> None:
        if diff:
            print_patch(kept_before(revisions, wanted.n), wanted)
        else:
            _show_document(wanted, revisions[0].n, story)

    modified = iso_or_none(wanted.last_modified)
    return Answer({**plain(wanted), "last_modified": modified, "story": story}, show=show)


def _show_document(shown: Revision, newest: int, story: Story | None) -> None:
    """The text, and the other documents of the story."""
    print_head(shown.title, f"{shown.url} · revision {shown.n} of {newest} · {iso(shown.extracted_at)} · {shown.state}")
    out = console()
    out.print(printable_lines(shown.text))
    siblings = [one for one in story.documents if one.document_id != shown.document_id] if story else []
    if siblings:
        out.print("\nThe same story:", style="dim")
    for one in siblings:
        line = f"{printable(one.title or one.url)} · {one.source_name} · {one.url} · {one.document_id}"
        out.print(line, style="dim")


@listing
def quirks(
    app: App,
    dossiers: Dossiers,
    document: DocumentArgument,
    *,
    forget: Annotated[bool, typer.Option("--forget", help="Forget them; they are learned again from now on.")] = False,
) -> Answer:
    """List the lines of a page that change on every load. Those seen on two occasions are ignored.

    To ignore more lines, set the option `ignore` of the source to patterns with * and ?; to learn none, set
    `look_twice` to false.

    Examples:
        veille quirks https://example.org/prices

        veille quirks https://example.org/prices --forget

    """
    place = app.local.document(dossiers, document)
    found = app.documents.quirks(*place, forget=forget)
    return Answer(
        {"document_id": place[1], "quirks": found, "forgotten": forget},
        ("Line", "Seen", "Last"),
        [(" ".join(word or "…" for word in quirk.line), quirk.proofs, At(quirk.at)) for quirk in found],
        f"{len(found)} {'forgotten' if forget else 'known'}.",
    )


@command
def read(
    app: App,
    where: OneDossier,
    url: Annotated[str, typer.Argument(help="The page, such as https://example.org/story.")],
    *,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the content as Markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Print the content as sanitised HTML.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Fetch it again, even if it was read today.")] = False,
    selector: Annotated[
        list[str] | None,
        typer.Option("--selector", help="A CSS selector of the content, if the page is no article. Repeatable."),
    ] = None,
    min_content_length: Annotated[
        int, typer.Option("--min-content-length", min=0, help="Characters that a selector must find.")
    ] = USUAL.min_content_length,
    parts: Annotated[
        bool, typer.Option("--parts", help="With --json: also headline, byline, captions, related and comments.")
    ] = False,
) -> Answer:
    """Fetch one page now and show only its title and content. Cached for a day.

    Exit status: 0 readable, 1 not readable (the reason is given), 2 it could not run.

    Examples:
        veille read https://example.org/story

        veille read https://example.org/story --markdown > story.md

        veille read https://example.org/story --json

    """
    options = ReaderOptions(selectors=tuple(selector or ()), min_content_length=min_content_length, parts=parts)
    with app.reader(where.id) as reader:
        result = reader.get_reader_content(url, force=force, options=options)
    content = result.content
    return Answer(
        result.as_json(),
        message="" if result.readable else f"{url} cannot be read: {(result.error or '').rstrip('.')}.",
        show=None if content is None else lambda: _show_page(content, markdown=markdown, html=html),
        status=0 if result.readable else SOME_FAILED,
    )


def _show_page(content: ReaderContent, *, markdown: bool, html: bool) -> None:
    from veille.core.extract.output.markdown import to_markdown  # noqa: PLC0415 - slow to import, and rarely needed
    from veille.core.show.images import original_images  # noqa: PLC0415

    if html or markdown:
        shown = original_images(content.content)
        typer.echo(without_controls(shown if html else to_markdown(shown)))
        return
    facts = (content.byline, content.site_name, f"{content.word_count} words", f"{content.reading_time_minutes} min")
    print_head(content.title, " · ".join(printable(fact) for fact in facts if fact))
    console().print(printable_lines(content.text_content))


def revisions_of(app: App, dossiers: Dossiers, document: str) -> list[Revision]:
    """All revisions of the named document, newest first, or NotFoundError."""
    return app.local.history(*app.local.document(dossiers, document))[0]


def numbered(revisions: list[Revision], n: int) -> Revision:
    """The revision with that number, or NotFoundError."""
    for revision in revisions:
        if revision.n == n and not revision.has_content:
            raise no_content(n, revision.kept)
        if revision.n == n:
            return revision
    raise NotFoundError(f"There are revisions 1 to {revisions[0].n}, not {n}.", code="no_document")


def kept_before(revisions: list[Revision], n: int) -> Revision | None:
    """The last revision before that number whose content is kept."""
    return next((one for one in revisions if one.n < n and one.has_content), None)


def print_head(title: str, facts: str) -> None:
    """Print the title of a document and a line below it."""
    out = console()
    out.print(printable(title), style="bold")
    out.print(f"{facts}\n", style="dim")


def print_patch(before: Revision | None, after: Revision) -> None:
    """Print a unified diff; for the first revision, all lines are additions."""
    out = console()
    names = (f"revision {after.n - 1 if before is None else before.n}", f"revision {after.n}")
    for line in unified(*compared(before, after), names):
        out.print(printable(line), style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""))
