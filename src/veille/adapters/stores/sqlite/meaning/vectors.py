"""Pieces and vectors of one dossier: what is to be done, what is near."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Final, Protocol

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.meaning.comparing import best, check_lengths
from veille.adapters.stores.sqlite.meaning.former import (
    STRAYS,
    delete_former_pieces,
    keep_former,
    kept_vectors,
)
from veille.adapters.stores.sqlite.meaning.pieces import SWITCHED_ON, TITLE, CutText, switched_on, write_pieces
from veille.core.chunk.pieces import piece_hash
from veille.core.language.cjk import together
from veille.core.search.meaning import KnownEmbedder, MeaningCounts, MeaningFlaws, NearPiece
from veille.core.search.words import plain_words
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database, Row
    from veille.ports.meaning import Allowed

#: Rows that are deleted in one transaction when an embedder is switched off.
_AT_ONCE: Final = 5000
#: If a larger share of the candidates is gone, the cache is read again.
_MOST_GONE: Final = 0.2
#: How many documents are looked at to see how frequent a word is.
_LOOKED_AT: Final = 1000
#: Without a filter this share of the wanted documents is enough; more candidates than this are never compared.
_ENOUGH: Final = 0.25
_MOST: Final = 50_000
_PIECE = (
    'SELECT documents.id, pieces.n, pieces.start, pieces."end", '
    f"pieces.n = {TITLE} AND EXISTS (SELECT 1 FROM pieces AS same WHERE same.hash = pieces.hash "
    "AND same.document <> pieces.document), vectors.numbers FROM json_each(?1) "
)
_NEAR = (
    f"{_PIECE} CROSS JOIN vectors ON vectors.id = value JOIN pieces ON pieces.hash = vectors.hash "
    "JOIN documents ON documents.row = pieces.document JOIN bodies ON bodies.row = documents.row"
)
#: The pieces of documents that an embedder has vectors of.
_OF_DOCUMENTS = (
    f"{_PIECE} CROSS JOIN documents ON documents.id = value JOIN pieces ON pieces.document = documents.row "
    "JOIN vectors ON vectors.hash = pieces.hash AND embedder = (SELECT id FROM embedders WHERE name = ?2)"
)
#: The pieces that an embedder knows the language of, and that it neither embedded nor will embed.
_LOST = (
    "SELECT count(DISTINCT pieces.hash) FROM pieces JOIN documents ON documents.row = pieces.document "
    "JOIN bodies ON bodies.row = pieces.document JOIN embedders ON embedders.name = ?1 "
    "WHERE (?2 = 'null' OR documents.lang = '' OR documents.lang IN (SELECT value FROM json_each(?2))) "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = pieces.hash AND vectors.embedder = embedders.id) "
    "AND NOT EXISTS (SELECT 1 FROM to_embed WHERE to_embed.hash = pieces.hash AND to_embed.embedder = embedders.id)"
)


class Tell(Protocol):
    """Called before search by meaning is switched on, and after it was switched off."""

    def __call__(self, *, is_on: bool) -> None: ...


class SqliteMeaning(Part):
    """The port `Meaning`."""

    def __init__(self, db: Database, tell: Tell) -> None:
        super().__init__(db)
        self._tell = tell

    def embedders(self) -> list[KnownEmbedder]:
        return [
            KnownEmbedder(name=name, label=label, languages=None if known == "null" else frozenset(json.loads(known)))
            for name, label, known in self._db.execute("SELECT name, label, languages FROM embedders ORDER BY id")
        ]

    def counts(self) -> MeaningCounts:
        pieces, uncut = self._db.execute("SELECT (SELECT count(*) FROM pieces), (SELECT count(*) FROM uncut)")[0]
        rows = self._db.execute(
            "SELECT name, (SELECT count(*) FROM vectors WHERE embedder = embedders.id), "
            "(SELECT count(*) FROM to_embed WHERE embedder = embedders.id) FROM embedders ORDER BY id"
        )
        return MeaningCounts(
            pieces=pieces,
            uncut=uncut,
            vectors={name: made for name, made, _ in rows},
            waiting={name: waiting for name, _, waiting in rows},
        )

    def flaws(self) -> MeaningFlaws:
        embedders = self.embedders()
        if not embedders:
            return MeaningFlaws()
        lost = sum(int(self._db.value(_LOST, (one.name, _json(one.languages)))) for one in embedders)
        return MeaningFlaws(
            strays=sum(self._db.value(f"SELECT count(*) FROM {table} WHERE {rows}") for table, rows in STRAYS),
            lost=lost,
            uncut=self._db.value(
                "SELECT count(*) FROM bodies WHERE text <> '' AND row NOT IN (SELECT document FROM pieces) "
                "AND row NOT IN (SELECT document FROM uncut)"
            ),
        )

    def mend(self) -> None:
        with self._db.write():
            for table, rows in STRAYS:
                self._db.execute(f"DELETE FROM {table} WHERE {rows}")
            self._db.execute(
                "INSERT OR IGNORE INTO uncut SELECT row FROM bodies WHERE EXISTS (SELECT 1 FROM embedders)"
            )

    def switch(self, embedders: Sequence[KnownEmbedder]) -> None:
        if self.embedders() == list(embedders):
            return
        if embedders:
            self._tell(is_on=True)
        names = [one.name for one in embedders]
        others = self._db.column(
            "SELECT id FROM embedders WHERE name NOT IN (SELECT value FROM json_each(?))", (as_json(names),)
        )
        with self._db.write():
            self._db.many(
                "INSERT INTO embedders (name, label, languages) VALUES (?1, ?2, ?3) "
                "ON CONFLICT (name) DO UPDATE SET label = ?2, languages = ?3",
                [(one.name, one.label, _json(one.languages)) for one in embedders],
            )
            if embedders:
                self._db.execute("INSERT OR IGNORE INTO uncut SELECT row FROM bodies")
        for embedder in others:
            for table, key in (("to_embed", "seq"), ("vectors", "id"), ("former_vectors", "hash")):
                self._delete_all(table, key, embedder)
            self._db.execute("DELETE FROM embedders WHERE id = ?", (embedder,))
        if not embedders:
            self._delete_pieces()
            self._tell(is_on=False)

    def _delete_all(self, table: str, key: str, embedder: int) -> None:
        """Delete the rows of an embedder, in transactions of bounded length."""
        while True:
            with self._db.write():
                self._db.execute(
                    f"DELETE FROM {table} WHERE embedder = ?1 AND {key} IN "
                    f"(SELECT {key} FROM {table} WHERE embedder = ?1 LIMIT {_AT_ONCE})",
                    (embedder,),
                )
                if not self._db.changes():
                    return

    def _delete_pieces(self) -> None:
        while rows := self._db.column("SELECT DISTINCT document FROM pieces LIMIT 500"):
            with self._db.write():
                self._db.execute(
                    "DELETE FROM pieces WHERE document IN (SELECT value FROM json_each(?))", (as_json(rows),)
                )
        delete_former_pieces(self._db)
        with self._db.write():
            self._db.execute("DELETE FROM uncut")

    def cut(self, documents: int) -> int:
        with self._db.write():
            value = self._db.value(f"SELECT {SWITCHED_ON}")
            rows = self._db.execute(
                "SELECT uncut.document, bodies.title, bodies.text, documents.lang FROM uncut "
                "LEFT JOIN bodies ON bodies.row = uncut.document LEFT JOIN documents ON documents.row = uncut.document "
                "ORDER BY uncut.document LIMIT ?",
                (documents,),
            )
            texts = {
                row: CutText(together(title), together(text), lang)
                for row, title, text, lang in rows
                if text is not None
            }
            write_pieces(self._db, texts, switched_on(value))
            failpoint("during_cutting")
            self._db.many("DELETE FROM uncut WHERE document = ?", [(row[0],) for row in rows])
            return int(self._db.value("SELECT count(*) FROM uncut"))

    def claim(self, name: str, count: int, now: int, until: int) -> list[tuple[bytes, str]]:
        while hashes := self._claimed(name, count, now, until):
            known = kept_vectors(self._db, name, hashes)
            if known:
                self._store([(name, sha, *vector) for sha, vector in known.items()])
            texts = dict(self._texts([one for one in hashes if one not in known]))
            # The document of the others is deleted, and may be restored: then they are cut again.
            lost = [(one,) for one in hashes if one not in texts and one not in known]
            if lost:
                with self._db.write_passing():
                    self._db.many("DELETE FROM to_embed WHERE hash = ?", lost)
            if texts:
                return list(texts.items())
        return []

    def _claimed(self, name: str, count: int, now: int, until: int) -> list[bytes]:
        with self._db.write_passing():
            return self._db.column(
                "UPDATE to_embed SET until = ?4 WHERE seq IN (SELECT seq FROM to_embed WHERE embedder = "
                "(SELECT id FROM embedders WHERE name = ?1) AND until <= ?3 ORDER BY seq LIMIT ?2) RETURNING hash",
                (name, count, now, until),
            )

    def _texts(self, hashes: Sequence[bytes]) -> Iterator[tuple[bytes, str]]:
        rows = self._db.execute(
            'SELECT hash, document, n, start, "end" FROM (SELECT pieces.hash, document, n, start, "end", '
            "row_number() OVER (PARTITION BY value ORDER BY document) AS nth FROM json_each(?) "
            "CROSS JOIN pieces ON pieces.hash = unhex(value) JOIN bodies ON bodies.row = pieces.document) AS found "
            "WHERE nth = 1 ORDER BY document",
            (as_json(one.hex() for one in hashes),),
        )
        document, title, text = -1, "", ""
        for sha, row, n, start, end in rows:
            if row != document:
                found = self._db.execute("SELECT title, text FROM bodies WHERE row = ?", (row,))
                document, (title, text) = row, tuple(map(together, found[0])) if found else ("", "")
            piece = title if n == TITLE else text[start:end]
            # It may have been written anew between the two queries.
            if piece_hash(piece) == sha:
                yield sha, piece

    def let_go(self, name: str, hashes: Sequence[bytes]) -> None:
        with self._db.write_passing():
            self._db.many(
                "UPDATE to_embed SET until = 0 WHERE hash = ?2 "
                "AND embedder = (SELECT id FROM embedders WHERE name = ?1)",
                [(name, sha) for sha in hashes],
            )

    def put(self, name: str, vectors: Mapping[bytes, Sequence[float]]) -> int:
        from veille.core.search.vectors import packed  # noqa: PLC0415 - numpy takes its time to load

        check_lengths(self._db, name, {len(vector) for vector in vectors.values()})
        return self._store([(name, sha, *packed(vector)) for sha, vector in vectors.items()])

    def _store(self, rows: Sequence[tuple[str, bytes, bytes, bytes]]) -> int:
        """Store vectors whose pieces are still there: embedder, hash, numbers and bits."""
        with self._db.write():
            before = self._db.value("SELECT coalesce(max(id), 0) FROM vectors")
            self._db.many(
                "INSERT OR IGNORE INTO vectors (embedder, hash, numbers) SELECT embedders.id, ?2, ?3 FROM embedders "
                "WHERE name = ?1 AND EXISTS (SELECT 1 FROM pieces WHERE hash = ?2)",
                [row[:3] for row in rows],
            )
            failpoint("during_vectors")
            self._db.many(
                "INSERT OR IGNORE INTO vector_bits (id, embedder, bits) SELECT vectors.id, vectors.embedder, ?3 "
                "FROM vectors JOIN embedders ON embedders.id = embedder WHERE name = ?1 AND hash = ?2",
                [(row[0], row[1], row[3]) for row in rows],
            )
            keep_former(self._db, rows)
            self._db.many(
                "DELETE FROM to_embed WHERE hash = ?2 AND embedder = (SELECT id FROM embedders WHERE name = ?1)",
                [row[:2] for row in rows],
            )
            return int(self._db.value("SELECT count(*) FROM vectors WHERE id > ?", (before,)))

    def nearest(
        self, name: str, vector: Sequence[float], limit: int, allowed: Allowed | None = None
    ) -> list[NearPiece]:
        from veille.adapters.stores.sqlite.meaning.bits import TABLES  # noqa: PLC0415 - numpy, as above
        from veille.core.search.vectors import CANDIDATES, signs  # noqa: PLC0415

        embedder = self._db.value("SELECT id FROM embedders WHERE name = ?", (name,))
        if embedder is None:
            return []
        check_lengths(self._db, name, {len(vector)})
        table, bits, count = TABLES.of(self._db, embedder), signs(vector), max(CANDIDATES, 4 * limit)
        while True:
            ids = table.near(self._db, embedder, bits, count)
            rows = self._db.execute(_NEAR, (as_json(ids),))
            found = best(vector, rows)
            if allowed is not None:
                passing = allowed([one.document_id for one in found])
                found = [one for one in found if one.document_id in passing]
            # Few of the nearest pass a narrow filter, and many may be of one document.
            if len(found) >= limit * (1 if allowed else _ENOUGH) or len(ids) < count or count >= _MOST:
                break
            count *= 8
        known = self._db.value(
            "SELECT count(*) FROM json_each(?) CROSS JOIN vectors ON vectors.id = value", (as_json(ids),)
        )
        if known < (1 - _MOST_GONE) * len(ids):
            table.forget()
        # Titles, and texts that are less near, may still change the order of the first.
        first = {one.document_id for one in found[: 2 * limit]}
        return self._whole(name, vector, [row for row in rows if row[0] in first])[:limit]

    def likeness(self, name: str, vector: Sequence[float], document_ids: Sequence[str]) -> list[NearPiece]:
        check_lengths(self._db, name, {len(vector)})
        return best(vector, self._db.execute(_OF_DOCUMENTS, (as_json(document_ids), name)))

    def _whole(self, name: str, vector: Sequence[float], rows: Sequence[Row]) -> list[NearPiece]:
        """The documents of these pieces, best first, by what was not near, too.

        That is the title of a document that was found by its text, and the text of one that was found by its title.
        """
        texts, titles = ({row[0] for row in rows if (row[1] == TITLE) is is_title} for is_title in (False, True))
        more = self._db.execute(f"{_OF_DOCUMENTS} WHERE pieces.n = {TITLE}", (as_json(texts - titles), name))
        more += self._db.execute(_OF_DOCUMENTS, (as_json(titles - texts), name))
        return best(vector, [*rows, *more])

    def found_share(self, text: str) -> float:
        words = {f'"{word}" *' if more else f'"{word}"' for word, more in plain_words(text)}
        documents, shares = self._shares(words) if words else (0, {})
        if not documents:
            return 0.0
        # A word that is rare weighs more, whether it is there or not.
        weights = {word: log(1 + 1 / max(1 / documents, shares.get(word, 0))) for word in words}
        return sum(weights[word] for word in shares) / sum(weights.values())

    def _shares(self, words: set[str]) -> tuple[int, dict[str, float]]:
        """How many of the newest documents were looked at, and the share of them that have each word that any has."""
        last = self._db.value("SELECT coalesce(max(row), 0) FROM bodies")
        looked_at = last - max(1, last - _LOOKED_AT) + 1 if last else 0
        first = last - looked_at + 1
        found = {}
        for word in words if last else ():
            count = self._db.value("SELECT count(*) FROM forms WHERE forms MATCH ? AND rowid >= ?", (word, first))
            if count or self._db.value("SELECT EXISTS (SELECT 1 FROM forms WHERE forms MATCH ?)", (word,)):
                found[word] = count / looked_at
        return looked_at, found

    def languages(self) -> dict[str, int]:
        first = self._db.value("SELECT coalesce(min(row), 0) FROM bodies")
        last = self._db.value("SELECT coalesce(max(row), -1) FROM bodies")
        step = max(1, (last - first) // _LOOKED_AT)
        return dict(
            self._db.execute(
                "SELECT lang, count(*) FROM json_each(?) CROSS JOIN documents ON documents.row = value "
                "WHERE EXISTS (SELECT 1 FROM bodies WHERE bodies.row = documents.row) GROUP BY lang",
                (as_json(range(first, last + 1, step)),),
            )
        )


def _json(languages: frozenset[str] | None) -> str:
    return json.dumps(None if languages is None else sorted(languages))
