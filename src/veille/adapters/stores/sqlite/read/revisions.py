"""The rows of revisions; `core.archive.kept_contents` knows how their contents are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns
from veille.adapters.stores.sqlite._rows import REVISION, as_json
from veille.adapters.stores.sqlite.archive import archived_contents
from veille.core.archive.content_state import ContentState
from veille.core.archive.kept_contents import (
    WHOLE_EVERY,
    Contents,
    as_delta,
    packed_plain,
    restored,
    stays_whole,
    whole,
)
from veille.core.records import Revision
from veille.errors import NotFoundError, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from veille.adapters.stores.database import Database, Row

_HEAD = Columns(Revision, REVISION, meta=json.loads, kept=ContentState)
#: A revision, its contents as they are stored, and whether they are a delta from the next one.
STORED = f"{REVISION}, revisions.text, revisions.html, revisions.delta"

#: Contents that were read already, by document and revision number.
_Known = dict[tuple[str, int], Contents]


def ask_previous(db: Database, written: Iterable[tuple[str, int]]) -> Callable[[], list[Row]]:
    """Ask for the predecessors of these revisions, as far as they become deltas; see `pack_previous`."""
    wanted = [(document_id, n - 1) for document_id, n in written if not stays_whole(n - 1)]
    if not wanted:
        return list
    return db.later(
        "SELECT document_id, n, text, html FROM json_each(?) JOIN revisions "
        "ON document_id = value ->> 0 AND n = value ->> 1 WHERE delta = 0",
        (as_json(wanted),),
    )


def pack_previous(db: Database, written: Mapping[tuple[str, int], Contents], rows: Iterable[Row]) -> None:
    """Turn the predecessors of these revisions into deltas, inside the transaction that writes the revisions."""
    db.many(
        "UPDATE revisions SET text = ?, html = ?, delta = 1 WHERE document_id = ? AND n = ?",
        [
            (*delta, document_id, n)
            for document_id, n, text, html in rows
            if (delta := as_delta((text, html), written[document_id, n + 1])) is not None
        ],
    )


def replace_contents(db: Database, document_id: str, n: int, contents: Contents) -> None:
    """Give a revision other contents, inside a transaction; the revisions before and after it keep theirs."""
    rows = db.execute("SELECT n, delta FROM revisions WHERE document_id = ? AND n IN (?, ?)", (document_id, n - 1, n))
    is_delta: dict[int, int] = dict(rows)
    before = _followed(db, document_id, n - 1) if is_delta.get(n - 1) else None
    after = _followed(db, document_id, n + 1) if is_delta[n] else None
    _write(db, document_id, n, contents, after)
    if before is not None:
        _write(db, document_id, n - 1, before, contents)


def _write(db: Database, document_id: str, n: int, contents: Contents, after: Contents | None) -> None:
    """Store the plain contents of a revision: whole, or as a delta from those of the next one."""
    whole_ = packed_plain(contents[0]), packed_plain(contents[1])
    delta = as_delta(whole_, after) if after is not None else None
    db.execute(
        "UPDATE revisions SET text = ?, html = ?, delta = ? WHERE document_id = ? AND n = ?",
        (*(delta or whole_), int(delta is not None), document_id, n),
    )


def make_whole(db: Database, document_id: str, n: int) -> None:
    """Store a revision without the help of the next one, inside a transaction that takes away what that one has."""
    if db.value("SELECT delta FROM revisions WHERE document_id = ? AND n = ?", (document_id, n)):
        _write(db, document_id, n, _followed(db, document_id, n), None)


def revisions_from(db: Database, rows: Iterable[Row]) -> list[Revision]:
    """Rows of `STORED` as values; ReadError if one is in an archive file that cannot be read."""
    known: _Known = {}
    return [_revision(db, row, known) for row in rows]


def history_from(db: Database, rows: Iterable[Row]) -> Iterator[Revision]:
    """Rows of one document, newest first, as values one at a time: all at once may not fit into memory.

    Those that cannot be read have no content, and say so: see `ContentState`.
    """
    known: _Known = {}
    for row in rows:
        try:
            yield _revision(db, row, known)
        except ReadError:
            yield replace(_HEAD(row, text="", html=""), kept=ContentState.AWAY)
            continue
        known = dict([known.popitem()])


def _revision(db: Database, row: Row, known: _Known) -> Revision:
    head, (text, html, delta) = _HEAD.fields(row), row[-3:]
    document_id, n = head["document_id"], head["n"]
    if head["kept"] != ContentState.HERE:
        contents = (b"", b"") if head["kept"] == ContentState.REMOVED else archived_contents(db, head["id"])
    elif not delta:
        contents = whole((text, html))
    elif (document_id, n + 1) in known:
        contents = restored((text, html), known[document_id, n + 1])
    else:
        contents = _followed(db, document_id, n)
    known[document_id, n] = contents
    return _HEAD(row, text=contents[0].decode(), html=contents[1].decode())


def _followed(db: Database, document_id: str, n: int) -> Contents:
    """The contents of a revision, restored step by step from the next whole one."""
    # One statement, so that all rows are of one snapshot: another process may pack the newest of them meanwhile.
    rows = db.execute(
        "SELECT text, html, delta FROM revisions WHERE document_id = ? AND n BETWEEN ? AND ? ORDER BY n",
        (document_id, n, n + WHOLE_EVERY),
    )
    last = next((at for at, row in enumerate(rows) if not row[2]), None)
    if last is None:
        raise NotFoundError(f"The document {document_id!r} was deleted at this moment.", code="no_document")
    contents = whole(rows[last][:2])
    for row in reversed(rows[:last]):
        contents = restored(row[:2], contents)
    return contents
