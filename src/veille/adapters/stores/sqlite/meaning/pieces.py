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
    #: The revision whose pieces it replaces; 0 if it takes the place of what it replaces, which nothing has any more.
    former: int = 0


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
    replaced = db.execute(
        "DELETE FROM pieces WHERE document IN (SELECT value FROM json_each(?)) RETURNING document, hash",
        (as_json(texts),),
    )
    cut = {row: cut_text(text) for row, text in texts.items()}
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
    held = {(row, piece[-1]) for row, found in cut.items() for piece in found}
    lost = sorted({(row, sha) for row, sha in replaced} - held)
    db.many(
        "INSERT OR IGNORE INTO former_pieces (document, n, hash) VALUES (?, ?, ?)",
        [(row, texts[row].former, sha) for row, sha in lost if texts[row].former],
    )
    for table in ("vectors", "to_embed"):
        # By a trigger, the vector of a former piece is kept where it is not searched.
        db.many(
            f"DELETE FROM {table} WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM pieces WHERE hash = ?1)",
            [(sha,) for sha in sorted({sha for _, sha in lost})],
        )


def cut_text(given: CutText) -> list[tuple[int, int, int, bytes]]:
    """The number, start, end and hash of each piece."""
    found = [(n, one.start, one.end, one.hash) for n, one in enumerate(pieces(given.text))]
    return [(TITLE, 0, 0, piece_hash(given.title)), *found] if given.title.strip() else found
