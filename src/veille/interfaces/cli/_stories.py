"""`veille stories`, `veille diff` and `veille chunks`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from veille.core.chunk.chunks import DEFAULT, ChunkOptions, chunk_json, chunks
from veille.core.compare.diff import Kind, word_diff
from veille.core.compare.revision_changes import compared
from veille.core.dates import iso
from veille.core.records import Revision
from veille.core.search.answers import Story
from veille.errors import ConfigError
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, chosen, opened, wants_json
from veille.interfaces.cli._output import console, plain, print_json, print_table, printable, talk
from veille.interfaces.cli._read import DocumentArgument, numbered, print_patch, revisions_of

_STYLES = {Kind.EQUAL: "", Kind.DELETE: "red strike", Kind.INSERT: "green"}
#: Marks around a change, for output without colours.
_MARKS = {Kind.EQUAL: ("", ""), Kind.DELETE: ("[-", "-]"), Kind.INSERT: ("{+", "+}")}
#: Characters of unchanged text shown before and after a change.
_AROUND = 120


def stories(
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many stories of each dossier.")] = 20,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the stories: documents that report the same thing, from any source; the latest first.

    Examples:
        veille stories

        veille stories --dossier press --json

    """
    found: list[tuple[str, Story]] = []
    with opened(data) as app:
        for where in chosen(app, dossier):
            with app.reading(where.id) as reading:
                found += [(where.name, story) for story in reading.stories.all(limit)]
    if wants_json(as_json):
        print_json([{"dossier": name, **plain(story)} for name, story in found])
        return
    rows = []
    for name, story in found:
        heads = [(name, story.id), *[("", "")] * len(story.documents)]
        rows += [
            (*head, one.title or one.url, one.source_name, iso(one.joined_at))
            for head, one in zip(heads, story.documents, strict=False)
        ]
    print_table(("Dossier", "Story", "Document", "Source", "Since"), rows)
    talk().print(f"{len(found)} found." if found else "No two documents tell the same.")


def diff(
    document: DocumentArgument,
    *,
    old: Annotated[int | None, typer.Option("--from", help="The older revision (default: the one before).")] = None,
    new: Annotated[int | None, typer.Option("--to", help="The newer revision (default: the current).")] = None,
    patch: Annotated[bool, typer.Option("--patch", help="Line by line, as a unified diff.")] = False,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what changed between two revisions of a document, word by word.

    Examples:
        veille diff https://example.org/prices

        veille diff 01a1dd3b --from 1 --to 4

        veille diff 01a1dd3b --json

    """
    with opened(data) as app:
        revisions = revisions_of(app, dossier, document)
    after = numbered(revisions, new or revisions[0].n)
    if old is None and after.n == 1:
        raise ConfigError("There is one revision only, so nothing to compare it with.", code="one_revision")
    before = numbered(revisions, old or after.n - 1)
    if wants_json(as_json):
        edits = word_diff(*compared(before, after))
        print_json({"document_id": after.document_id, "from": before.n, "to": after.n, "edits": edits})
    elif patch:
        print_patch(before, after)
    else:
        _print_words(before, after)


def _print_words(before: Revision, after: Revision) -> None:
    out = console()
    out.print(printable(after.title), style="bold", markup=False)
    out.print(f"{after.url} · revision {before.n} to {after.n}\n", style="dim", markup=False)
    text = Text()
    edits = word_diff(*compared(before, after))
    for at, edit in enumerate(edits):
        left, right = ("", "") if out.is_terminal else _MARKS[edit.kind]
        shown = edit.text
        if edit.kind is Kind.EQUAL:
            shown = _around(edit.text, first=at == 0, last=at + 1 == len(edits))
        lines = "\n".join(map(printable, shown.split("\n")))
        text.append(f"{left}{lines}{right}", style=_STYLES[edit.kind])
    out.print(text)


def _around(text: str, *, first: bool, last: bool) -> str:
    """Shorten unchanged text to its beginning (after a change) and its end (before a change)."""
    before, behind = ("" if first else text[:_AROUND]), ("" if last else text[-_AROUND:])
    return text if len(text) <= len(before) + len(behind) else f"{before} … {behind}"


def chunks_command(
    document: DocumentArgument,
    *,
    revision: Annotated[
        int | None, typer.Option("--revision", "-r", help="Which revision (default: the current).")
    ] = None,
    size: Annotated[int, typer.Option("--size", min=16, help="Words in a chunk at most.")] = DEFAULT.size,
    overlap: Annotated[int, typer.Option("--overlap", min=0, help="Words of the chunk before.")] = DEFAULT.overlap,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document cut into chunks for retrieval, with their stable ids and hashes.

    Examples:
        veille chunks https://example.org/handbook

        veille chunks 01a1dd3b --size 800 --overlap 100 --json

    """
    options = ChunkOptions(size=size, overlap=overlap, least=min(DEFAULT.least, size // 4))
    with opened(data) as app:
        revisions = revisions_of(app, dossier, document)
    wanted = numbered(revisions, revision or revisions[0].n)
    made = chunks(wanted, options)
    if wants_json(as_json):
        print_json([chunk_json(chunk, wanted) for chunk in made])
        return
    out = console()
    for chunk in made:
        head = f"{chunk.index + 1} of {chunk.total} · {chunk.strategy} · {len(chunk.text.split())} words · {chunk.id}"
        out.print(head, style="dim", markup=False)
        out.print("\n".join(map(printable, chunk.text.split("\n"))) + "\n", markup=False)
