"""Older revisions are stored as deltas from the next one, and restored exactly.

The newest revision is stored whole. When another follows, it is compressed again with the text of the new one as prefix
(Zstandard): an edit of a few words takes a hundred bytes. Every `WHOLE_EVERY`th revision stays whole, so that no
restore has more steps than that.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from backports import zstd

from veille.adapters.stores.sqlite._part import Columns
from veille.adapters.stores.sqlite._rows import REVISION, as_json
from veille.core.records import Revision
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from veille.adapters.stores.sqlite._db import Database, Row

WHOLE_EVERY = 16
#: The shortest dictionary that Zstandard accepts, in bytes.
_LEAST_DICTIONARY = 8

_HEAD = Columns(Revision, REVISION, meta=json.loads)
#: A revision, its contents as they are stored, and whether they are a delta from the next one.
STORED = f"{REVISION}, revisions.text, revisions.html, revisions.delta"

#: A revision's text and HTML.
Contents = tuple[bytes, bytes]
#: Contents that were read already, by document and revision number.
_Known = dict[tuple[str, int], Contents]


def pack_previous(db: Database, written: Mapping[tuple[str, int], Contents]) -> None:
    """Turn the predecessors of these revisions into deltas, inside the transaction that writes the revisions."""
    wanted = [(document_id, n - 1) for document_id, n in written if (n - 1) % WHOLE_EVERY]
    rows = wanted and db.execute(
        "SELECT document_id, n, text, html FROM json_each(?) JOIN revisions "
        "ON document_id = value ->> 0 AND n = value ->> 1 WHERE NOT delta",
        (as_json(wanted),),
    )
    smaller = []
    for document_id, n, *old in rows:
        pairs = zip(_whole(old), written[document_id, n + 1], strict=True)
        packed = [zstd.compress(before, zstd_dict=_known(after)) for before, after in pairs]
        if sum(map(len, packed)) < sum(map(len, old)):
            smaller.append((*packed, document_id, n))
    db.many("UPDATE revisions SET text = ?, html = ?, delta = 1 WHERE document_id = ? AND n = ?", smaller)


def revisions_from(db: Database, rows: Iterable[Row]) -> list[Revision]:
    """Rows of `STORED` as values."""
    known: _Known = {}
    return [_revision(db, row, known) for row in rows]


def history_from(db: Database, rows: Iterable[Row]) -> Iterator[Revision]:
    """Rows of one document, newest first, as values one at a time: all at once may not fit into memory."""
    known: _Known = {}
    for row in rows:
        yield _revision(db, row, known)
        known = dict([known.popitem()])


def _revision(db: Database, row: Row, known: _Known) -> Revision:
    head, (text, html, delta) = _HEAD.fields(row), row[-3:]
    document_id, n = head["document_id"], head["n"]
    if not delta:
        contents = _whole((text, html))
    elif (document_id, n + 1) in known:
        contents = _restored((text, html), known[document_id, n + 1])
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
    contents = _whole(rows[last])
    for row in reversed(rows[:last]):
        contents = _restored(row, contents)
    return contents


def _whole(row: Sequence[bytes]) -> Contents:
    return zlib.decompress(row[0]), zlib.decompress(row[1])


def _restored(row: Row, after: Contents) -> Contents:
    return (
        zstd.decompress(row[0], zstd_dict=_known(after[0])),
        zstd.decompress(row[1], zstd_dict=_known(after[1])),
    )


def _known(after: bytes) -> tuple[zstd.ZstdDict, int] | None:
    return zstd.ZstdDict(after, is_raw=True).as_prefix if len(after) >= _LEAST_DICTIONARY else None
