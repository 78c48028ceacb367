"""Full-text search over the current revisions of one dossier, by FTS5.

A word that most documents contain is expensive. Matches are therefore read newest first; if there are more than
`RANKED`, only these, and as many with the words in their title, are ranked: a few milliseconds instead of a few
hundred. Of words that most documents have, which says next to nothing about any of them, fewer are ranked. A prefix
(`con*`) of many words is replaced by the most frequent of them. A question is ranked by any of its words, in any form,
over all documents; see `word_forms`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import apsw

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.search.exact_names import has_names, plainly, with_names
from veille.adapters.stores.sqlite.search.filters import FILTERS, filter_values, is_filtered, labels_of, passing
from veille.adapters.stores.sqlite.search.vocabulary import Vocabulary
from veille.adapters.stores.sqlite.search.word_forms import WordForms
from veille.core.language.cjk import apart, has_signs, together
from veille.core.search.answers import Hit, Labels, Ranking
from veille.core.search.question import phrases
from veille.core.search.snippets import LOOKED_AT, below_title, folded, snippet

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database, Row
    from veille.core.records import Revision
    from veille.core.search.query import Query, Term

#: A word in the title says more about a document than one in its text.
TITLE_WEIGHT = 8.0
#: The same for questions, where a title with one of many words says less.
QUESTION_TITLE_WEIGHT = 4.0
#: The most matches that are ranked.
RANKED = 20_000
#: The same for words that most of the newest documents have: their rarity counts nothing any more, only how often a
#: document has them. As many matches in so many documents at most tell it.
RANKED_COMMON = 4000
_COMMON, _COMMON_OF = 1000, 2000
#: As in the schema.
TOKENIZER = "unicode61 remove_diacritics 2"
#: The most words that replace one prefix.
_BEGINNING = 32

#: The score is not rounded: a word that most documents have scores a millionth, and still ranks.
HIT = Columns(
    Hit,
    "documents.id AS document_id, documents.revision_id, documents.source_id, sources.name AS source_name, "
    "sources.kind, documents.url, documents.title, documents.lang, documents.changed_at, documents.state, "
    "coalesce(documents.published_at, documents.changed_at) AS dated_at, score",
)
#: The newest matches with their score; `documents` is joined only if there is a filter.
_MATCHES = f"""
    SELECT search.rowid AS row, -bm25(search, {TITLE_WEIGHT}, 1.0) AS score FROM search {{join}}
    WHERE search MATCH :{{match}} {{filters}} ORDER BY search.rowid DESC LIMIT :most
"""
#: The best matches, at least the very best; if the limit cut some, also the newest with the words in their title.
_RANKED = f"""
    WITH newest AS MATERIALIZED ({{newest}}),
    cut (is_so) AS MATERIALIZED (SELECT count(*) = :most FROM newest),
    titled AS MATERIALIZED (SELECT * FROM ({{titled}}) WHERE (SELECT is_so FROM cut)),
    found AS MATERIALIZED (
        SELECT row, max(score) AS score FROM (SELECT * FROM newest UNION ALL SELECT * FROM titled)
        GROUP BY row HAVING max(score) >= min(:floor, (SELECT max(score) FROM newest))
        ORDER BY score DESC, row DESC LIMIT :kept
    )
    SELECT {HIT}, (SELECT is_so FROM cut) FROM found
    CROSS JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    ORDER BY {{order}}, found.row DESC LIMIT :limit
"""
#: The same where the limit cuts none: there is nothing to join, and the best alone are kept.
_WHOLE = f"""
    WITH found AS MATERIALIZED (SELECT * FROM ({{newest}}) {{best}})
    SELECT {HIT}, 0 FROM found
    CROSS JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    WHERE score >= min(:floor, (SELECT max(score) FROM found)) ORDER BY {{order}}, found.row DESC LIMIT :limit
"""
_JOIN = "CROSS JOIN documents ON documents.row = search.rowid"
#: The best matches of a question.
_ANSWERING = f"""
    WITH found AS MATERIALIZED (
        SELECT forms.rowid AS row, -bm25(forms, {QUESTION_TITLE_WEIGHT}, 1.0) AS score FROM forms {{join}}
        WHERE forms MATCH :match {{filters}} {{excluded}} ORDER BY score DESC, forms.rowid DESC LIMIT :limit
    )
    SELECT {HIT} FROM found
    CROSS JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    WHERE score >= :floor ORDER BY score DESC, found.row DESC
"""


_WITH_PHRASES = " AND forms.rowid IN (SELECT rowid FROM search WHERE search MATCH :phrases)"


class SqliteIndex(Part):
    """The port `Index`."""

    def __init__(self, db: Database, dossier_id: str, most: int = RANKED) -> None:
        super().__init__(db, dossier_id)
        self._most = most
        self._forms, self._vocabulary = self._words_of(db)
        self.unknown, self.nearest = self._vocabulary.unknown, self._vocabulary.nearest

    def _words_of(self, db: Database) -> tuple[WordForms, Vocabulary]:
        return WordForms(db), Vocabulary(db)

    def ranked(self, query: Query, limit: int, *, newest: bool = False, floor: float = float("-inf")) -> Ranking:
        if query.is_empty:
            return Ranking([])
        values = self._values(query) | {"limit": limit}
        if not query.groups:
            return Ranking(self._listed(query, values))
        names = with_names(query, "search.rowid", values)
        query = replace(query, groups=tuple(tuple(self._expanded(group)) for group in query.groups))
        filtered = is_filtered(values)
        parts = {"join": _JOIN if filtered else "", "filters": (f"AND {FILTERS}" if filtered else "") + names}
        wanted = {"match": match_of(query), "titled": match_of(query, "{title} : ")}
        values["most"], may_cut = self._most_of(wanted["match"])
        sql = (_RANKED if may_cut else _WHOLE).format(
            newest=_MATCHES.format(match="match", **parts),
            titled=_MATCHES.format(match="titled", **parts),
            best="" if newest else "ORDER BY score DESC, row DESC LIMIT :kept",
            order="dated_at DESC, score DESC" if newest else "score DESC",
        )
        cuts = {"kept": sys.maxsize, "floor": float("-inf")} if newest else {"kept": limit, "floor": floor}
        rows = self._db.execute(sql, values | wanted | cuts)
        return Ranking([self._hit(row) for row in rows], is_cut=bool(rows and rows[0][-1]))

    def answering(self, query: Query, limit: int, *, floor: float = float("-inf")) -> Ranking:
        match = self._forms.match(query)
        if not match:
            return Ranking([])
        values = self._values(query) | {"limit": limit, "match": match, "floor": floor}
        filtered = is_filtered(values)
        sql = _ANSWERING.format(
            join="CROSS JOIN documents ON documents.row = forms.rowid" if filtered or query.excluded else "",
            filters=f"AND {FILTERS}" if filtered else "",
            excluded=without(query, values) + "{phrases}",
        )
        quoted = {"phrases": " AND ".join(map(phrase_of, phrases(query)))}
        rows = self._db.execute(sql.format(phrases=_WITH_PHRASES), values | quoted) if quoted["phrases"] else []
        # Better without a phrase than nothing.
        rows = rows or self._db.execute(sql.format(phrases=""), values)
        return Ranking([self._hit(row) for row in rows])

    def named(self, document_ids: Sequence[str]) -> list[Hit]:
        rows = self._db.execute(
            f"SELECT {HIT} FROM json_each(?) CROSS JOIN (SELECT 0.0 AS score) CROSS JOIN documents "
            "ON documents.id = value JOIN sources ON sources.id = documents.source_id",
            (json.dumps(list(document_ids)),),
        )
        return [self._hit(row) for row in rows]

    def with_snippets(self, query: Query, hits: Sequence[Hit], *, any_form: bool = False) -> list[Hit]:
        if not hits:
            return []
        rows = self._db.execute(
            "SELECT documents.id, substr(bodies.text, 1, :most) FROM json_each(:ids) "
            "CROSS JOIN documents ON documents.id = value JOIN bodies ON bodies.row = documents.row",
            {"ids": json.dumps([hit.document_id for hit in hits]), "most": LOOKED_AT},
        )
        texts = {document_id: together(text) for document_id, text in rows}
        with self._forms.marker(query) if any_form else nullcontext(lambda _: query) as marked:
            return [
                replace(hit, snippet=_snippet(_around(texts.get(hit.document_id, ""), hit), marked)) for hit in hits
            ]

    def labels(self, document_ids: Sequence[str]) -> dict[str, Labels]:
        return labels_of(self._db, document_ids)

    def matching(self, query: Query, document_ids: Sequence[str]) -> set[str]:
        if query.is_empty or not document_ids:
            return set()
        values = self._values(query) | {"match": match_of(query), "ids": json.dumps(list(document_ids))}
        # One MATCH for all: every lookup by rowid would evaluate all words of the query again.
        found = "AND documents.row IN (SELECT rowid FROM search WHERE search MATCH :match)" if query.groups else ""
        sql = (
            "SELECT documents.id FROM json_each(:ids) CROSS JOIN documents ON documents.id = value "
            f"JOIN bodies ON bodies.row = documents.row WHERE {FILTERS} {found or without(query, values)}"
            f"{with_names(query, 'documents.row', values) if query.groups else ''}"
        )
        return set(self._db.column(sql, values))

    def finding(self, query: Query, revisions: Sequence[Revision]) -> set[str]:
        if query.is_empty:
            return set()
        left = [one for one in passing(self._db, query, revisions) if has_names(query, one)]
        return _found_in(query, left)

    def _listed(self, query: Query, values: dict[str, Any]) -> list[Hit]:
        """For queries without words: the latest documents that pass the filters."""
        rows = self._db.execute(
            # In the order of the index, so that SQLite stops at the limit.
            f"SELECT {HIT} FROM documents INDEXED BY documents_changed CROSS JOIN (SELECT 0.0 AS score) "
            "CROSS JOIN sources ON sources.id = documents.source_id "
            f"WHERE EXISTS (SELECT 1 FROM bodies WHERE bodies.row = documents.row) AND {FILTERS} "
            f"{without(query, values)} ORDER BY documents.changed_at DESC, documents.row DESC LIMIT :limit",
            values,
        )
        return [self._hit(row) for row in rows]

    def _most_of(self, match: str) -> tuple[int, bool]:
        """The most matches to rank, fewer if at least half of the newest documents match; and if there may be more."""
        nth = self._nth(match, _COMMON)
        if nth is None:
            return self._most, self._most < _COMMON and self._nth(match, self._most) is not None
        is_common = nth > self._db.value("SELECT max(row) FROM documents") - _COMMON_OF
        most = min(self._most, RANKED_COMMON) if is_common else self._most
        return most, self._nth(match, most) is not None

    def _nth(self, match: str, number: int) -> int | None:
        """The row of the match that is so far from the newest one; None if there are fewer."""
        found: int | None = self._db.value(
            "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?", (match, number - 1)
        )
        return found

    def _expanded(self, group: Sequence[Term]) -> list[Term]:
        """The group with frequent prefixes replaced by the words that begin with them."""
        terms: list[Term] = []
        for term in group:
            terms += self._begun(term) if term.prefix else [term]
        return terms

    def _begun(self, term: Term) -> list[Term]:
        word = folded(term.text)
        if not word.isalnum() or has_signs(word):
            return [term]
        rows = self._vocabulary.begun(word)
        chosen = rows[:_BEGINNING]
        is_enough = len(rows) <= _BEGINNING or sum(row[1] for row in chosen) >= self._most
        return [replace(term, text=row[0], prefix=False) for row in chosen] if chosen and is_enough else [term]

    def _values(self, query: Query) -> dict[str, Any]:
        return {"most": self._most, **filter_values(self._db, query)}

    def _hit(self, row: Row) -> Hit:
        return HIT(row, dossier_id=self._dossier_id, snippet="")


def _snippet(text: str, marked: Callable[[str], Query]) -> str:
    return snippet(text, marked(text))


def _around(text: str, hit: Hit) -> str:
    """What a snippet is made of: the piece that is near in meaning, if there is one; without the title above it."""
    if hit.piece and 0 < hit.piece[1] <= len(text):
        text = text[hit.piece[0] : hit.piece[1]]
    return below_title(text, hit.title)


def _found_in(query: Query, revisions: Sequence[Revision]) -> set[str]:
    """The ids of the revisions with the words of a query, found by an index of their own, in memory."""
    if not revisions or not (query.groups or plainly(query)):
        return {one.id for one in revisions}
    with closing(apsw.Connection(":memory:")) as index:
        index.execute(f"CREATE VIRTUAL TABLE search USING fts5 (title, text, tokenize = '{TOKENIZER}')")
        index.executemany(
            "INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)",
            [(at, apart(one.title), apart(one.text)) for at, one in enumerate(revisions)],
        )
        if query.groups:
            which = "search MATCH :match"
            bindings = {"match": match_of(query)}
        else:
            which = "rowid NOT IN (SELECT rowid FROM search WHERE search MATCH :excluded)"
            bindings = {"excluded": " OR ".join(map(phrase_of, plainly(query)))}
        return {revisions[row].id for (row,) in index.execute(f"SELECT rowid FROM search WHERE {which}", bindings)}


def match_of(query: Query, column: str = "") -> str:
    """The query in the syntax of FTS5, optionally for one column."""
    wanted = " AND ".join(f"({' OR '.join(map(phrase_of, group))})" for group in query.groups)
    if not plainly(query):
        return f"{column}({wanted})"
    return f"({column}({wanted})) NOT ({' OR '.join(map(phrase_of, plainly(query)))})"


def without(query: Query, values: dict[str, Any], row: str = "documents.row") -> str:
    """For queries without words: the condition that leaves out documents with excluded terms."""
    names = with_names(replace(query, groups=()), row, values)
    if not plainly(query):
        return names
    values["excluded"] = " OR ".join(map(phrase_of, plainly(query)))
    return f"AND {row} NOT IN (SELECT rowid FROM search WHERE search MATCH :excluded){names}"


def phrase_of(term: Term) -> str:
    """A term as an FTS5 string: quoted, so that nothing in it can be an operator."""
    quoted = '"' + apart(term.text).replace('"', '""') + '"'
    return f"{quoted} *" if term.prefix else quoted
