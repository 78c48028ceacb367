"""The segments of a dossier in the database: written and asked."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from veille.adapters.stores.postgres._values import Bigints, Blobs
from veille.adapters.stores.postgres.words.chunks import dictionary, postings_of, unpacked
from veille.adapters.stores.postgres.words.known import NOTHING, KnownSegments, collected, read, stored
from veille.adapters.stores.postgres.words.making import StoredSegment, made
from veille.adapters.stores.postgres.words.matching import (
    Collection,
    Occurrences,
    PhraseCounts,
    counted,
    matching,
    scored,
)
from veille.adapters.stores.postgres.words.queries import Query, WordPhrase, parsed, phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.postgres.words.rows import WordRows
    from veille.adapters.stores.postgres.words.segments import Numbers

#: A level has segments of up to sixteen times as many words as the one below.
FEW = 16
#: Segments of this level stay as they are: about 2,500 articles.
FULL = 3
_LEVEL_WORDS = 512
_LAST = "\U0010ffff"

_SEGMENTS = "SELECT id, name FROM word_segments ORDER BY id"
_MARKED = "SELECT row, born, seq FROM word_marks WHERE seq > ?"
_DOCUMENTS = "SELECT id, many, documents FROM word_segments WHERE id = ANY (CAST(? AS bigint[]))"
#: The chunk of each segment that has a word if any has.
_EXACT = (
    "SELECT s.id, asked.word, c.* FROM word_segments AS s CROSS JOIN unnest(CAST(?1 AS text[])) AS asked (word) "
    "CROSS JOIN LATERAL (SELECT words, postings{places} FROM word_chunks WHERE segment = s.id AND first <= asked.word "
    "ORDER BY first DESC LIMIT 1) AS c WHERE s.name = ?2 ORDER BY s.id"
)
#: The same, without more than how many postings a word has.
_NUMBERS = _EXACT.replace(", postings{places}", "")
#: All chunks of each segment that may have words with a beginning.
_RANGE = (
    "SELECT s.id, c.words{columns} FROM word_segments AS s CROSS JOIN LATERAL "
    "(SELECT first FROM word_chunks WHERE segment = s.id AND first <= ?1 ORDER BY first DESC LIMIT 1) AS begun "
    "JOIN word_chunks AS c ON c.segment = s.id AND c.first >= begun.first AND c.first < ?2 "
    "WHERE s.name = ?3 ORDER BY s.id, c.first"
)
_ADD = (
    "WITH added AS (INSERT INTO word_segments (name, level, tokens, many, documents) VALUES ($1, $2, $3, $4, $5) "
    "RETURNING id) INSERT INTO word_chunks (segment, first, words, postings, places) SELECT added.id, c.* "
    "FROM added CROSS JOIN unnest($6::text[], $7::bytea[], $8::bytea[], $9::bytea[]) AS c"
)
#: Whether there is something to merge.
_MANY = f"SELECT 1 FROM word_segments WHERE level < {FULL} GROUP BY name, level HAVING count(*) >= {FEW} LIMIT 1"

#: A word, and whether all are asked for that begin with it.
_Asked = tuple[str, bool]
_Looked = dict[_Asked, list[Occurrences]]


class WordIndex:
    """The full-text indexes of one dossier: `search` has the words as they are, `forms` the forms of words.

    What is asked is answered from one snapshot of the database.
    """

    def __init__(self, db: WordRows) -> None:
        self._db = db
        self.known = NOTHING

    def add(self, name: str, texts: Sequence[Row]) -> None:
        """Index these texts, in the transaction under way: row, title, text."""
        self.insert(name, made(name, [(row, title, text) for row, title, text in texts]))

    def insert(self, name: str, segment: StoredSegment) -> None:
        """Store a segment, in the transaction under way."""
        tokens = int(segment.documents.lengths.sum(dtype=np.int64))
        first, *columns = (list(column) for column in zip(*segment.chunks, strict=True))
        many, documents = len(segment.documents.rows), stored(segment.documents)
        self._db.send(_ADD, (name, _level(tokens), tokens, many, documents, first, *map(Blobs, columns)))

    def is_many(self) -> Any:
        """Ask whether there is something to merge; the answer can be read after the transaction."""
        return self._db.send(_MANY, ())

    def rows(self, name: str, match: str) -> Numbers:
        """The rows of the documents that match."""
        query, counts, collection = self._asked(name, match)
        return collection.rows[matching(query, counts, collection)]

    def scored(self, name: str, match: str, title_weight: float) -> tuple[Numbers, npt.NDArray[np.float64]]:
        """The rows of the documents that match, in the order of their numbers, and the score of each."""
        query, counts, collection = self._asked(name, match)
        return scored(query, counts, collection, title_weight)

    def counts(self, name: str, matches: Iterable[str]) -> tuple[int, dict[str, int]]:
        """How many documents there are, and how many have each of these phrases; without those that none has."""
        queries = {match: parsed(name, match) for match in matches}
        asked = {match: query for match, query in queries.items() if isinstance(query, WordPhrase)}
        total, many = self._many(name, set(asked.values()))
        return total, {match: many[one] for match, one in asked.items() if many[one]}

    def of(self, words: Sequence[str]) -> dict[str, int]:
        """In how many documents each of these words of `search` is; without those that none has."""
        many = self._many("search", {WordPhrase((word,)) for word in words})[1]
        return {word: many[WordPhrase((word,))] for word in words if many[WordPhrase((word,))]}

    def _many(self, name: str, asked: set[WordPhrase]) -> tuple[int, Counter[WordPhrase]]:
        with self._db.reading():
            collection = self._collection(name)[0]
            # Where nothing is gone, the number of the postings of a word is enough.
            is_whole = bool(collection.alive.all())
            plain = {one for one in asked if len(one.words) == 1 and not one.is_begun} if is_whole else set()
            rows = self._db.execute(_NUMBERS, ([one.words[0] for one in plain], name)) if plain else []
            counts = self._counted(name, list(asked - plain))[1] if asked - plain else {}
        many = Counter({one: len(of.documents) for one, of in counts.items()})
        for _, word, chunk in rows:
            words, numbers = dictionary(chunk)
            at = bisect_left(words, word)
            if at < len(words) and words[at] == word:
                many[WordPhrase((word,))] += int(numbers[at])
        return collection.total, many

    def begun(self, beginning: str) -> dict[str, int]:
        """The words of `search` that begin so, and in how many documents each is."""
        with self._db.reading():
            collection, begins = self._collection("search")[:2]
            is_whole = bool(collection.alive.all())
            columns = "" if is_whole else ", c.postings"
            rows = self._db.execute(_RANGE.format(columns=columns), (beginning, beginning + _LAST, "search"))
        found: Counter[str] = Counter()
        for segment, stored_words, *postings in rows:
            words, many = dictionary(stored_words)
            if not is_whole:
                there = collection.alive[begins[segment] + postings_of(postings[0], int(many.sum())).documents]
                ends = np.append(0, np.cumsum(there, dtype=np.int64))
                last = np.cumsum(many)
                many = (ends[last] - ends[last - many]).astype(np.int32)
            first, end = _bounds(words, beginning)
            for word, count in zip(words[first:end], many[first:end].tolist(), strict=True):
                if count:
                    found[word] += count
        return dict(found)

    def size(self) -> int:
        """About how many documents there are, as far as is known; each is in both indexes."""
        return sum(len(one.rows) for one in self.known.segments.values()) // 2

    def indexed(self) -> int:
        """How many documents are in both indexes."""
        with self._db.reading():
            found = [self._collection(name)[0] for name in ("search", "forms")]
        rows = [set(one.rows[one.alive].tolist()) for one in found]
        return len(rows[0] & rows[1])

    def read(self) -> KnownSegments:
        """All that is known of the segments, with the news."""
        return self._news()[1]

    def _asked(self, name: str, match: str) -> tuple[Query, dict[WordPhrase, PhraseCounts], Collection]:
        query = parsed(name, match)
        collection, counts = self._counted(name, phrases(query))
        return query, counts, collection

    def _counted(self, name: str, asked: Sequence[WordPhrase]) -> tuple[Collection, dict[WordPhrase, PhraseCounts]]:
        words = {(word, False): False for one in asked for word in one.words[: len(one.words) - one.is_begun]}
        words |= {(one.words[-1], True): False for one in asked if one.is_begun}
        # Those of phrases are asked for with their places.
        for one in asked:
            if len(one.words) > 1:
                words |= {(word, one.is_begun and at == len(one.words) - 1): True for at, word in enumerate(one.words)}
        statements = _statements(name, words)
        with self._db.reading():
            collection, begins, answers = self._collection(name, statements)
        found: _Looked = {one: [] for one in words}
        for (_, (beginning, *_)), rows in zip(statements, answers, strict=True):
            if isinstance(beginning, str):
                _read_range(found, beginning, rows, begins)
            else:
                _read_exact(found, rows, begins)
        whole = {one: _joined(parts, one) for one, parts in found.items()}
        return collection, {one: counted(one, lambda *of: whole[of], collection) for one in set(asked)}

    def _collection(
        self, name: str, statements: Sequence[tuple[str, Row]] = ()
    ) -> tuple[Collection, dict[int, int], list[list[Row]]]:
        """The documents of an index, where those of each segment begin, and the answers to more statements."""
        segments, known, answers = self._news(statements)
        collection, begins = collected([one for one, of in segments if of == name], known)
        return collection, begins, answers

    def _news(self, statements: Sequence[tuple[str, Row]] = ()) -> tuple[list[Row], KnownSegments, list[list[Row]]]:
        """The segments there are, all that is known of them, and the answers to more statements."""
        # Other threads may know more or less meanwhile: the news are those since this.
        before = self.known
        segments, news, *answers = self._db.together([(_SEGMENTS, ()), (_MARKED, (before.marks.seq,)), *statements])
        there = {one: before.segments[one] for one, _ in segments if one in before.segments}
        if new := [one for one, _ in segments if one not in there]:
            rows = self._db.execute(_DOCUMENTS, (Bigints(np.array(new)),))
            there |= {one: read(one, many, data) for one, many, data in rows}
        known = KnownSegments(there, before.marks.with_more(news))
        # What is not committed yet may never be.
        if not self._db.is_writing and known.marks.seq >= self.known.marks.seq:
            self.known = known
        return segments, known, answers


def _level(tokens: int) -> int:
    level = 0
    while tokens >= _LEVEL_WORDS * FEW ** (level + 1):
        level += 1
    return level


def _statements(name: str, words: Mapping[_Asked, bool]) -> list[tuple[str, Row]]:
    """What to ask for the chunks of these words, some with their places."""
    statements: list[tuple[str, Row]] = []
    for placed in (False, True):
        exact = [word for (word, is_begun), with_places in words.items() if not is_begun and with_places is placed]
        if exact:
            statements.append((_EXACT.format(places=", places" if placed else ""), (exact, name)))
    for (word, is_begun), placed in words.items():
        if is_begun:
            columns = ", c.postings, c.places" if placed else ", c.postings"
            statements.append((_RANGE.format(columns=columns), (word, word + _LAST, name)))
    return statements


def _read_exact(found: _Looked, rows: Sequence[Row], begins: Mapping[int, int]) -> None:
    for segment, word, *chunk in rows:
        words, many = dictionary(chunk[0])
        at = bisect_left(words, word)
        if at < len(words) and words[at] == word:
            found[word, False].append(_occurrences(begins[segment], chunk, many, at, at + 1))


def _read_range(found: _Looked, beginning: str, rows: Sequence[Row], begins: Mapping[int, int]) -> None:
    for segment, *chunk in rows:
        words, many = dictionary(chunk[0])
        first, end = _bounds(words, beginning)
        # One word after the other: in each, documents are in their order.
        for at in range(first, end):
            found[beginning, True].append(_occurrences(begins[segment], chunk, many, at, at + 1))


def _occurrences(begin: int, chunk: Sequence[bytes], many: Any, first: int, end: int) -> Occurrences:
    """Those of some words of a chunk: its words, its postings and perhaps its places."""
    postings = postings_of(chunk[1], int(many.sum()))
    start, stop = int(many[:first].sum()), int(many[:end].sum())
    documents, titled, told = (column[start:stop] for column in postings)
    places = None
    if len(chunk) > 2:  # noqa: PLR2004 - there is a third column
        sizes = postings.titled + postings.told
        before, size = int(sizes[:start].sum()), int(sizes[start:stop].sum())
        places = unpacked(chunk[2], 0, int(sizes.sum()))[0][before : before + size]
    return Occurrences(documents.astype(np.int64) + begin, titled, told, places)


def _bounds(words: Sequence[str], beginning: str) -> tuple[int, int]:
    return bisect_left(words, beginning), bisect_left(words, beginning + _LAST)


def _joined(parts: list[Occurrences], asked: _Asked) -> list[Occurrences]:
    """As one, if it is one word: segments follow each other, and so do their documents."""
    if asked[1] or len(parts) < 2:  # noqa: PLR2004 - nothing to join
        return parts
    placed = [part.places for part in parts if part.places is not None]
    documents = np.concatenate([part.documents for part in parts])
    titled, told = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
    return [Occurrences(documents, titled, told, np.concatenate(placed) if placed else None)]
