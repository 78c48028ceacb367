"""Write the pieces of texts, and what of them is to be embedded, in the transaction of the texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.chunk.pieces import piece_hash, pieces
from veille.core.search.fusion import knows

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

#: The embedders that are switched on, as one value for a query that is made anyway; NULL if there are none.
SWITCHED_ON = "(SELECT nullif(json_group_array(json_array(id, json(languages))), '[]') FROM embedders)"
#: The number of the piece that is the title.
TITLE = -1


class CutText(NamedTuple):
    """What is cut into pieces: a title and a text in a language."""

    title: str
    text: str
    lang: str


class Switched(NamedTuple):
    """An embedder that is switched on."""

    id: int
    languages: frozenset[str] | None

    def takes(self, lang: str) -> bool:
        """Whether a text in this language is embedded."""
        return knows(self.languages, lang)


def switched_on(value: str | None) -> list[Switched]:
    """The embedders in a value of `SWITCHED_ON`."""
    return [Switched(row, None if known is None else frozenset(known)) for row, known in json.loads(value or "[]")]


def write_pieces(db: Database, texts: Mapping[int, CutText], embedders: Iterable[Switched]) -> None:
    """Replace the pieces of these documents, by their rows. Pieces that stay keep their vectors."""
    embedders = list(embedders)
    if not texts or not embedders:
        return
    db.execute("DELETE FROM pieces WHERE document IN (SELECT value FROM json_each(?))", (as_json(texts),))
    cut = {row: _cut(text) for row, text in texts.items()}
    db.many(
        'INSERT INTO pieces (document, n, start, "end", hash) VALUES (?, ?, ?, ?, ?)',
        [(row, *piece) for row, found in cut.items() for piece in found],
    )
    db.many(
        "INSERT OR IGNORE INTO to_embed (embedder, hash) SELECT ?1, ?2 "
        "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE hash = ?2 AND embedder = ?1)",
        [
            (embedder.id, piece[-1])
            for row, found in cut.items()
            for embedder in embedders
            if embedder.takes(texts[row].lang)
            for piece in found
        ],
    )
    sweep_loose(db)


def sweep_loose(db: Database) -> None:
    """Delete what belongs to pieces that were replaced and did not come back."""
    for table in ("vectors", "to_embed"):
        db.execute(
            f"DELETE FROM {table} WHERE hash IN (SELECT hash FROM loose_hashes "
            "WHERE NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.hash = loose_hashes.hash))"
        )
    db.execute("DELETE FROM loose_hashes")


def _cut(given: CutText) -> list[tuple[int, int, int, bytes]]:
    """The number, start, end and hash of each piece."""
    found = [(n, one.start, one.end, one.hash) for n, one in enumerate(pieces(given.text))]
    return [(TITLE, 0, 0, piece_hash(given.title)), *found] if given.title.strip() else found
