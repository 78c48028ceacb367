"""The parts that ask the full-text index, as PostgreSQL does it: what matches is found and ranked by `words`."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from veille.adapters.stores.postgres._values import Bigints, Reals
from veille.adapters.stores.sqlite.analyse.analyses import SqliteAnalyses
from veille.adapters.stores.sqlite.meaning.vectors import SqliteMeaning
from veille.adapters.stores.sqlite.search.exact_names import with_names
from veille.adapters.stores.sqlite.search.filters import (
    FILTERS,
    OF_LANGS,
    OF_SOURCES,
    SEEN_BY_SOURCES,
    is_filtered,
)
from veille.adapters.stores.sqlite.search.index import (
    HIT,
    QUESTION_TITLE_WEIGHT,
    TITLE_WEIGHT,
    SqliteIndex,
    match_of,
    phrase_of,
    without,
)
from veille.adapters.stores.sqlite.search.vocabulary import TWO_ERRORS, Vocabulary
from veille.adapters.stores.sqlite.search.word_forms import WordForms
from veille.core.search.answers import Ranking
from veille.core.search.question import phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.postgres._db import PostgresDatabase
    from veille.core.search.query import Query

    _Scored = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]

#: So many of the best matches are looked at first, where a filter may leave few of them; then up to this part of all.
_FIRST, _SOME = 500, 8

#: With arrays, the server knows how many documents pass before it chooses how to find them.
_OF_SOURCES = "documents.source_id = ANY (CAST(:of_sources AS text[]))"
_OF_LANGS = "documents.lang = ANY (CAST(:of_langs AS text[]))"
_FILTERS = FILTERS.replace(OF_LANGS, _OF_LANGS).replace(OF_SOURCES, _OF_SOURCES)
_PASSING = "SELECT documents.row FROM documents {filters}"
#: Each part by an index of its own.
_PASSING_OF_SOURCES = """
    SELECT documents.row FROM documents {of_sources}
    UNION ALL SELECT documents.row FROM views JOIN documents ON documents.id = views.document_id {seen}
"""
_SEEN = "views.source_id = ANY (CAST(:of_sources AS text[]))"

_FOUND = f"""
    WITH found AS MATERIALIZED (
        SELECT matches.row, score FROM unnest(CAST(:rows AS bigint[]), CAST(:scores AS double precision[]))
        AS matches (row, score) {{join}} {{filters}} ORDER BY {{chosen}} matches.row DESC LIMIT :limit
    )
    SELECT {HIT} FROM found JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    WHERE score >= {{floor}} ORDER BY {{order}}, found.row DESC
"""
_JOIN = "JOIN documents ON documents.row = matches.row"
#: Of few matches each is looked up; the server by itself may look through all documents. `OFFSET 0` is never turned
#: into a join.
_LOOK_UP = "CROSS JOIN LATERAL (SELECT * FROM documents WHERE documents.row = matches.row OFFSET 0) AS documents"
_DATED = "coalesce(documents.published_at, documents.changed_at) DESC, score DESC,"


class PostgresVocabulary(Vocabulary):
    """The words that documents have."""

    _db: PostgresDatabase

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        return self._db.words.of(words)

    def alike(self, beginning: str, length: int) -> dict[str, int]:
        begun = self._db.words.begun(beginning).items()
        return {word: count for word, count in begun if abs(len(word) - length) <= TWO_ERRORS}

    def begun(self, beginning: str) -> list[tuple[str, int]]:
        return sorted(self._db.words.begun(beginning).items(), key=lambda one: (-one[1], one[0]))


class PostgresWordForms(WordForms):
    """The index of word forms, which knows how many documents have a word."""

    _db: PostgresDatabase

    def shares(self, words: Iterable[str]) -> tuple[int, dict[str, float]]:
        total, counts = self._db.words.counts("forms", words)
        return total, {word: count / total for word, count in counts.items()}

    def missing(self, words: Sequence[str]) -> set[str]:
        return set(words) - set(self._db.words.counts("forms", words)[1])


class PostgresIndex(SqliteIndex):
    """The port `Index`. All documents that match are ranked, however many they are."""

    _db: PostgresDatabase

    def _words_of(self, db: PostgresDatabase) -> tuple[WordForms, Vocabulary]:  # type: ignore[override]
        return PostgresWordForms(db), PostgresVocabulary(db)

    def ranked(self, query: Query, limit: int, *, newest: bool = False, floor: float = float("-inf")) -> Ranking:
        if query.is_empty or not query.groups:
            return super().ranked(query, limit, newest=newest, floor=floor)
        with self._db.reading():
            values = self._values(query) | {"limit": limit, "floor": floor}
            names = with_names(query, "matches.row", values)
            query = replace(query, groups=tuple(tuple(self._expanded(group)) for group in query.groups))
            found = self._db.words.scored("search", match_of(query), TITLE_WEIGHT)
            least = "'-infinity'" if newest else "least(:floor, (SELECT max(score) FROM found))"
            return self._best(found, values, names, least, newest=newest)

    def answering(self, query: Query, limit: int, *, floor: float = float("-inf")) -> Ranking:
        with self._db.reading():
            match = self._forms.match(query)
            if not match:
                return Ranking([])
            values = self._values(query) | {"limit": limit, "floor": floor}
            excluded = without(query, values, "matches.row")
            rows, scores = self._db.words.scored("forms", match, QUESTION_TITLE_WEIGHT)
            if quoted := " AND ".join(map(phrase_of, phrases(query))):
                there = np.isin(rows, self._db.words.rows("search", quoted))
                best = self._best((rows[there], scores[there]), values, excluded, ":floor")
                # Better without a phrase than nothing.
                if best.hits:
                    return best
            return self._best((rows, scores), values, excluded, ":floor")

    def _best(
        self,
        found: _Scored,
        values: dict[str, Any],
        conditions: str,
        least: str,
        *,
        newest: bool = False,
    ) -> Ranking:
        """The best of these matches that pass the filters, or the newest."""
        is_limited = is_filtered(values) or bool(conditions)
        filters = f"WHERE true {f'AND {_FILTERS}' if is_filtered(values) else ''} {conditions}" if is_limited else ""
        statement = partial(
            _FOUND.format,
            join=_JOIN if newest else _LOOK_UP if is_limited else "",
            filters=filters,
            chosen=_DATED if newest else "score DESC,",
            order="dated_at DESC, score DESC" if newest else "score DESC",
        )
        limit, many = values["limit"], len(found[0])
        if not newest and many > max(limit, _FIRST):
            many = max(limit, _FIRST) if is_limited else limit
        rows = self._of(_top(*found, many), statement(floor=least), values)
        # Where few pass, as many more are looked at as should be enough, and as many again: those that come next.
        more = 2 * many * limit // max(1, len(rows))
        # By an index, all of a rare language, or of a small source, cost less.
        has_index = values["langs"] is not None or values["sources"] is not None
        are_rare = has_index and self._db.words.size() * len(rows) / max(1, many) < more
        if len(rows) < limit and not are_rare and many < more < len(found[0]) // _SOME:
            if rows:
                # The score of the best is known.
                least, values = ":floor", values | {"floor": min(values["floor"], rows[0][-1])}
            after, scores = _top(*found, more)
            after, scores = after[: more - many], scores[: more - many]
            rows += self._of((after, scores), statement(floor=least), values | {"limit": limit - len(rows)})
            many = more
        if len(rows) < limit and many < len(found[0]):
            passing = self._passing(filters, values)
            there = np.isin(found[0], passing)
            plain = _FOUND.format(join="", filters="", chosen="score DESC,", order="score DESC", floor=least)
            rows = self._of(_top(found[0][there], found[1][there], limit), plain, values)
        return Ranking([self._hit(row) for row in rows])

    def _of(self, found: _Scored, statement: str, values: dict[str, Any]) -> list[Row]:
        rows, scores = found
        return self._db.execute(statement, values | {"rows": Bigints(rows), "scores": Reals(scores)})

    def _passing(self, filters: str, values: dict[str, Any]) -> npt.NDArray[np.int64]:
        """All documents that pass the filters: one look through them costs less than one by one for every match."""
        filters = filters.replace("matches.row", "documents.row")
        sql = _PASSING.format(filters=filters)
        if values["sources"] is not None:
            either = f":sources IS NULL OR {_OF_SOURCES} OR {SEEN_BY_SOURCES}"
            of_sources, seen = (filters.replace(either, one) for one in (_OF_SOURCES, _SEEN))
            sql = _PASSING_OF_SOURCES.format(of_sources=of_sources, seen=seen)
        return np.array(self._db.column(sql, values), np.int64)

    def _values(self, query: Query) -> dict[str, Any]:
        values = super()._values(query)
        return values | {f"of_{name}": json.loads(values[name] or "[]") for name in ("sources", "langs")}


class PostgresAnalyses(SqliteAnalyses):
    """The port `Analyses`."""

    _vocabulary = PostgresVocabulary


class PostgresMeaning(SqliteMeaning):
    """The port `Meaning`."""

    _db: PostgresDatabase

    def _shares(self, words: set[str]) -> tuple[int, dict[str, float]]:
        return PostgresWordForms(self._db).shares(words)


def _top(rows: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], many: int) -> _Scored:
    """So many of the best; of equal ones, those with the last rows."""
    if many >= len(rows):
        return rows, scores
    order = np.lexsort((rows, scores))[-many:]
    return rows[order], scores[order]
