"""`veille stories`, `veille diff` and `veille chunks`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.chunk.chunks import DEFAULT, ChunkOptions, chunk_json, chunks
from veille.core.compare.diff import compared, word_diff
from veille.core.models import Dossier
from veille.core.records import Chunk, Revision
from veille.core.search.answers import Story
from veille.core.told import EditKind, TextEdit
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, Dossiers, command, listing
from veille.interfaces.cli._output import Text, console, plain, printable_lines
from veille.interfaces.cli._read import (
    DocumentArgument,
    RevisionOption,
    kept_before,
    numbered,
    print_head,
    print_patch,
    revisions_of,
)
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.told import ARROW, add_edit, is_replaced

#: Characters of unchanged text shown before and after a change.
_AROUND = 120


@listing
def stories(
    app: App,
    dossiers: Dossiers,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many stories of each dossier.")] = 20,
) -> Answer:
    """List the stories: documents that report the same thing, from any source; the latest first.

    Examples:
        veille stories

        veille stories --dossier press --json

    """
    found: list[tuple[Dossier, Story]] = []
    for where in dossiers:
        with app.reading(where.id) as reading:
            found += [(where, story) for story in reading.stories.all(limit)]
    documents = [(where, story, at, one) for where, story in found for at, one in enumerate(story.documents)]
    rows = [
        # The story is named in its first row only.
        (*(("", "") if at else (where.name, story.id)), one.title or one.url, one.source_name, At(one.joined_at))
        for where, story, at, one in documents
    ]
    return Answer(
        [{"dossier": where.name, **plain(story)} for where, story in found],
        ("Dossier", Wide("Story"), "Document", "Source", "Since"),
        rows,
        f"{len(found)} found." if found else "No two documents report the same.",
        noun="documents",
        keys=[Row(where.id, one.document_id, one.title or one.url) for where, _, _, one in documents],
    )


@command
def diff(
    app: App,
    dossiers: Dossiers,
    document: DocumentArgument,
    *,
    old: Annotated[int | None, typer.Option("--from", help="The older revision (default: the one before).")] = None,
    new: Annotated[int | None, typer.Option("--to", help="The newer revision (default: the current).")] = None,
    patch: Annotated[bool, typer.Option("--patch", help="Line by line, as a unified diff.")] = False,
) -> Answer:
    """Show what changed between two revisions of a document, word by word.

    Examples:
        veille diff https://example.org/prices

        veille diff 01a1dd3b --from 1 --to 4

        veille diff 01a1dd3b --json

    """
    revisions = revisions_of(app, dossiers, document)
    after = numbered(revisions, new or revisions[0].n)
    before = numbered(revisions, old) if old else kept_before(revisions, after.n)
    if before is None:
        raise ConfigError("There is one revision only, so nothing to compare it with.", code="one_revision")
    edits = word_diff(*compared(before, after))
    return Answer(
        {"document_id": after.document_id, "from": before.n, "to": after.n, "edits": edits},
        show=lambda: print_patch(before, after) if patch else _print_words(before, after, edits),
    )


def _print_words(before: Revision, after: Revision, edits: Sequence[TextEdit]) -> None:
    out = console()
    print_head(after.title, f"{after.url} · revision {before.n} to {after.n}")
    text = Text()
    for at, edit in enumerate(edits):
        shown = edit.text
        if edit.kind is EditKind.EQUAL:
            shown = _around(edit.text, first=at == 0, last=at + 1 == len(edits))
        add_edit(text, TextEdit(edit.kind, shown), is_plain=not out.is_terminal)
        if out.is_terminal and is_replaced(edits, at):
            text.add(ARROW)
    out.print(text)


def _around(text: str, *, first: bool, last: bool) -> str:
    """Shorten unchanged text to its beginning (after a change) and its end (before a change)."""
    before, behind = ("" if first else text[:_AROUND]), ("" if last else text[-_AROUND:])
    return text if len(text) <= len(before) + len(behind) else f"{before} … {behind}"


@command
def chunks_command(
    app: App,
    dossiers: Dossiers,
    document: DocumentArgument,
    *,
    revision: RevisionOption = None,
    size: Annotated[int, typer.Option("--size", min=16, help="Words in a chunk at most.")] = DEFAULT.size,
    overlap: Annotated[int, typer.Option("--overlap", min=0, help="Words of the chunk before.")] = DEFAULT.overlap,
) -> Answer:
    """Show a document cut into chunks for retrieval, with their stable ids and hashes.

    Examples:
        veille chunks https://example.org/handbook

        veille chunks 01a1dd3b --size 800 --overlap 100 --json

    """
    options = ChunkOptions(size=size, overlap=overlap, least=min(DEFAULT.least, size // 4))
    revisions = revisions_of(app, dossiers, document)
    wanted = numbered(revisions, revision or revisions[0].n)
    made = chunks(wanted, options)
    return Answer([chunk_json(chunk, wanted) for chunk in made], show=lambda: _show_chunks(made))


def _show_chunks(made: Iterable[Chunk]) -> None:
    out = console()
    for chunk in made:
        head = f"{chunk.index + 1} of {chunk.total} · {chunk.strategy} · {len(chunk.text.split())} words · {chunk.id}"
        out.print(head, style="dim")
        out.print(printable_lines(chunk.text) + "\n")
