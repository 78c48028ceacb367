"""`veille search` and `veille show`."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.compare.diff import unified
from veille.core.compare.revision_changes import compared
from veille.core.dates import iso
from veille.core.records import Revision
from veille.core.search.answers import Story
from veille.core.search.query import no_dates
from veille.errors import AmbiguousError, NotFoundError
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, chosen, opened, wants_json
from veille.interfaces.cli._output import (
    console,
    highlighted,
    plain,
    print_json,
    print_table,
    printable,
    talk,
)

DocumentArgument = Annotated[str, typer.Argument(help="A document's id (or its beginning) or address.")]


def search(
    query: Annotated[
        list[str] | None, typer.Argument(help='Words, "phrases", -not, OR, prefix*, source: lang: …')
    ] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many hits.")] = 20,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search all documents that were kept.

    Filters: source:NAME, lang:en, kind:feed, after:2026-03-01, before:2026, after:7d.

    Examples:
        veille search whales

        veille search '"climate policy" -opinion after:30d'

        veille search 'budget OR deficit source:"Example News"' --json

    """
    text = " ".join(query or [])
    with opened(data) as app:
        hits = app.searches.search([where.id for where in chosen(app, dossier)], text, limit)
    if wants_json(as_json):
        print_json(hits)
        return
    out = console()
    for hit in hits:
        gone = " (removed)" if hit.state == "removed" else ""
        out.print(printable(hit.title or hit.url) + gone, style="bold", markup=False)
        out.print(highlighted(hit.snippet))
        out.print(
            f"{hit.source_name} · {iso(hit.changed_at)} · {hit.url} · {hit.document_id}\n", style="dim", markup=False
        )
    told = f"{len(hits)} found." if hits else "Nothing found."
    if wrong := no_dates(text):
        told += f" {', '.join(wrong)} is no date, and was searched for as words: write after:2026-05-01 or after:7d."
    talk().print(printable(told), markup=False)


def show(
    document: DocumentArgument,
    *,
    revision: Annotated[
        int | None, typer.Option("--revision", "-r", help="Which revision (default: the current).")
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="What this revision changed, line by line.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List the revisions instead.")] = False,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document: its current text, an older revision, or what changed.

    Examples:
        veille show https://example.org/prices

        veille show 01a1dd3b --history

        veille show 01a1dd3b --revision 3 --diff

    """
    with opened(data) as app:
        revisions, story = _found(app, dossier, document)
    wanted = numbered(revisions, revision or revisions[0].n)
    if wants_json(as_json):
        print_json(revisions if history else {**plain(wanted), "story": story})
    elif history:
        rows = [(one.n, iso(one.extracted_at), len(one.text), one.title) for one in revisions]
        print_table(("Revision", "Seen", "Characters", "Title"), rows)
    elif diff:
        print_patch(next((one for one in revisions if one.n == wanted.n - 1), None), wanted)
    else:
        out = console()
        out.print(printable(wanted.title), style="bold", markup=False)
        out.print(
            f"{wanted.url} · revision {wanted.n} of {revisions[0].n} · {iso(wanted.extracted_at)} · {wanted.state}\n",
            style="dim",
            markup=False,
        )
        out.print("\n".join(map(printable, wanted.text.split("\n"))), markup=False)
        _print_siblings(wanted, story)


def revisions_of(app: App, dossier: str | None, document: str) -> list[Revision]:
    """All revisions of the named document, newest first, or NotFoundError."""
    return _found(app, dossier, document)[0]


def numbered(revisions: list[Revision], n: int) -> Revision:
    """The revision with that number, or NotFoundError."""
    for revision in revisions:
        if revision.n == n:
            return revision
    raise NotFoundError(f"There are revisions 1 to {revisions[0].n}, not {n}.", code="no_document")


def _found(app: App, dossier: str | None, document: str) -> tuple[list[Revision], Story | None]:
    dossier_id, document_id = place_of(app, dossier, document)
    with app.reading(dossier_id) as reading:
        return reading.records.revisions(document_id), reading.stories.of(document_id)


def place_of(app: App, dossier: str | None, document: str) -> tuple[str, str]:
    """The dossier id and document id of the named document; NotFoundError, AmbiguousError."""
    found: list[tuple[str, str]] = []
    several: list[str] = []
    for where in chosen(app, dossier):
        with app.reading(where.id) as reading, suppress(NotFoundError):
            try:
                document_id = reading.records.find(document)
            except AmbiguousError as error:
                several += error.candidates
                continue
            reading.records.revision(document_id)
            found.append((where.id, document_id))
            if not document_id.startswith(document.lower()):
                # Named by its address: the first dossier that has it is used.
                return found[-1]
            several.append(f"{document_id} (in {where.name})")
    if len(several) > 1:
        raise AmbiguousError(
            f"The ids of several documents begin with {document!r}", several, code="ambiguous_document"
        )
    if not found:
        raise NotFoundError(
            f"No document has the id or address {document!r}; `veille search` shows ids.", code="no_document"
        )
    return found[0]


def _print_siblings(shown: Revision, story: Story | None) -> None:
    """The other documents of the story."""
    siblings = [one for one in story.documents if one.document_id != shown.document_id] if story else []
    if siblings:
        out = console()
        out.print("\nThe same story:", style="dim")
        for one in siblings:
            line = f"{printable(one.title or one.url)} · {one.source_name} · {one.url} · {one.document_id}"
            out.print(line, style="dim", markup=False)


def print_patch(before: Revision | None, after: Revision) -> None:
    """Print a unified diff; for the first revision, all lines are additions."""
    out = console()
    names = (f"revision {after.n - 1 if before is None else before.n}", f"revision {after.n}")
    for line in unified(*compared(before, after), names):
        out.print(printable(line), style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""), markup=False)
