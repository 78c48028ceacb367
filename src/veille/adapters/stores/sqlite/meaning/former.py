"""Pieces that their documents lost, and their vectors: kept while a stored revision has them, and never searched.

A former piece is noted with the last revision that had it. When the contents of that revision go, the one before it
takes over what it has, too; the rest goes, and with the last note of a hash its vectors, by a trigger.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.meaning.pieces import CutText, cut_text
from veille.adapters.stores.sqlite.read.revisions import STORED, revisions_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.adapters.stores.database import Database

_NO_PIECE = "NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.hash = vectors.hash)"
#: Vectors that no piece has, or that are not among those that are searched: their tables, and which rows they are.
STRAYS = (
    ("vectors", f"{_NO_PIECE} OR NOT EXISTS (SELECT 1 FROM vector_bits WHERE vector_bits.id = vectors.id)"),
    ("former_vectors", "NOT EXISTS (SELECT 1 FROM former_pieces WHERE former_pieces.hash = former_vectors.hash)"),
)
_OF_REVISIONS = (
    "SELECT documents.id, former_pieces.document, former_pieces.n, hash FROM json_each(?) "
    "CROSS JOIN documents ON documents.id = value ->> 0 "
    "CROSS JOIN former_pieces ON former_pieces.document = documents.row AND former_pieces.n = value ->> 1 "
    "ORDER BY former_pieces.document, former_pieces.n DESC"
)
_BEFORE = (
    f"SELECT {STORED} FROM revisions JOIN documents ON documents.id = document_id "
    "WHERE document_id = ? AND n < ? AND kept = 'here' ORDER BY n DESC LIMIT 1"
)
#: Documents whose rows are deleted in one transaction.
_AT_ONCE = 500


def kept_vectors(db: Database, embedder: str, hashes: Iterable[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
    """The numbers and the bits of those that the embedder has made before."""
    rows = db.execute(
        "SELECT former_vectors.hash, numbers, bits FROM json_each(?1) CROSS JOIN former_vectors "
        "ON former_vectors.hash = unhex(value) AND embedder = (SELECT id FROM embedders WHERE name = ?2)",
        (as_json(one.hex() for one in hashes), embedder),
    )
    return {sha: (numbers, bits) for sha, numbers, bits in rows}


def keep_former(db: Database, rows: Sequence[tuple[str, bytes, bytes, bytes]]) -> None:
    """Keep vectors that were made while their pieces became former ones: embedder, hash, numbers and bits."""
    db.many(
        "INSERT OR IGNORE INTO former_vectors (hash, embedder, numbers, bits) SELECT ?2, id, ?3, ?4 FROM embedders "
        "WHERE name = ?1 AND EXISTS (SELECT 1 FROM former_pieces WHERE hash = ?2) "
        "AND NOT EXISTS (SELECT 1 FROM pieces WHERE hash = ?2)",
        rows,
    )


def hand_down(db: Database, emptied: Iterable[tuple[str, int]]) -> None:
    """What these revisions, whose contents went, were the last to have goes to the revisions before them."""
    found = db.execute(_OF_REVISIONS, (as_json(emptied),))
    for (document_id, row, n), of in groupby(found, itemgetter(0, 1, 2)):
        for before in revisions_from(db, db.execute(_BEFORE, (document_id, n))):
            has = {piece[-1] for piece in cut_text(CutText(before.title, before.text, before.lang))}
            db.many(
                "INSERT OR IGNORE INTO former_pieces (document, n, hash) VALUES (?, ?, ?)",
                [(row, before.n, sha) for *_, sha in of if sha in has],
            )
        db.execute("DELETE FROM former_pieces WHERE document = ? AND n = ?", (row, n))


def delete_former_pieces(db: Database) -> None:
    """Delete all, in transactions of bounded length."""
    while rows := db.column(f"SELECT DISTINCT document FROM former_pieces LIMIT {_AT_ONCE}"):
        with db.write():
            db.execute("DELETE FROM former_pieces WHERE document IN (SELECT value FROM json_each(?))", (as_json(rows),))
