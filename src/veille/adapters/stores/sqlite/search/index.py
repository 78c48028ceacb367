"""Full-text search over the current revisions of one dossier, by FTS5.

A word that most documents contain is expensive. Matches are therefore read newest first; if there are more than
`RANKED`, only these, and as many with the words in their title, are ranked: a few milliseconds instead of a few
hundred. A prefix (`con*`) of many words is replaced by the most frequent of them. A question is ranked by any of its
words, in any form, over all documents; see `word_forms`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import apsw

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.search.vocabulary import Vocabulary
from veille.adapters.stores.sqlite.search.word_forms import WordForms
from veille.core.language.cjk import apart, has_signs, together
from veille.core.search.answers import Hit, Ranking
from veille.core.search.snippets import LOOKED_AT, folded, snippet

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.core.records import Revision
    from veille.core.search.query import Query, Term

#: A word in the title says more about a document than one in its text.
TITLE_WEIGHT = 8.0
#: The same for questions, where a title with one of many words says less.
QUESTION_TITLE_WEIGHT = 4.0
#: The most matches that are ranked.
RANKED = 20_000
#: As in the schema.
TOKENIZER = "unicode61 remove_diacritics 2"
#: The most words that replace one prefix.
_BEGINNING = 32
#: A character that sorts after all others in texts.
_LAST = "\U0010ffff"

#: The score is not rounded: a word that most documents have scores a millionth, and still ranks.
_HIT = Columns(
    Hit,
    "documents.id AS document_id, documents.revision_id, documents.source_id, sources.name AS source_name, "
    "sources.kind, documents.url, documents.title, documents.lang, documents.changed_at, documents.state, "
    "coalesce(documents.published_at, documents.changed_at) AS dated_at, score",
)
_FILTERS = """
    (:sources IS NULL OR documents.source_id IN (SELECT value FROM json_each(:sources)) OR documents.id IN
        (SELECT document_id FROM views WHERE source_id IN (SELECT value FROM json_each(:sources))))
    AND (:langs IS NULL OR documents.lang IN (SELECT value FROM json_each(:langs)))
    AND (:after IS NULL OR coalesce(documents.published_at, documents.changed_at) >= :after)
    AND (:before IS NULL OR coalesce(documents.published_at, documents.changed_at) < :before)
"""
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
    SELECT {_HIT}, (SELECT is_so FROM cut) FROM found
    CROSS JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    ORDER BY {{order}}, found.row DESC LIMIT :limit
"""
_JOIN = "CROSS JOIN documents ON documents.row = search.rowid"
#: The best matches of a question.
_ANSWERING = f"""
    WITH found AS MATERIALIZED (
        SELECT forms.rowid AS row, -bm25(forms, {QUESTION_TITLE_WEIGHT}, 1.0) AS score FROM forms {{join}}
        WHERE forms MATCH :match {{filters}} {{excluded}} ORDER BY score DESC, forms.rowid DESC LIMIT :limit
    )
    SELECT {_HIT} FROM found
    CROSS JOIN documents ON documents.row = found.row JOIN sources ON sources.id = documents.source_id
    WHERE score >= :floor ORDER BY score DESC, found.row DESC
"""


class SqliteIndex(Part):
    """The port `Index`."""

    def __init__(self, db: Database, dossier_id: str, most: int = RANKED) -> None:
        super().__init__(db, dossier_id)
        self._most = most
        self._forms = WordForms(db)
        vocabulary = Vocabulary(db)
        self.unknown, self.nearest = vocabulary.unknown, vocabulary.nearest

    def ranked(self, query: Query, limit: int, *, newest: bool = False, floor: float = float("-inf")) -> Ranking:
        if query.is_empty:
            return Ranking([])
        values = self._values(query) | {"limit": limit}
        if not query.groups:
            return Ranking(self._listed(query, values))
        query = replace(query, groups=tuple(tuple(self._expanded(group)) for group in query.groups))
        filtered = _is_filtered(values)
        parts = {"join": _JOIN if filtered else "", "filters": f"AND {_FILTERS}" if filtered else ""}
        sql = _RANKED.format(
            newest=_MATCHES.format(match="match", **parts),
            titled=_MATCHES.format(match="titled", **parts),
            order="dated_at DESC, score DESC" if newest else "score DESC",
        )
        cuts = {"kept": -1, "floor": float("-inf")} if newest else {"kept": limit, "floor": floor}
        wanted = {"match": _match(query), "titled": _match(query, "{title} : ")}
        rows = self._db.execute(sql, values | wanted | cuts)
        return Ranking([self._hit(row) for row in rows], is_cut=bool(rows and rows[0][-1]))

    def answering(self, query: Query, limit: int, *, floor: float = float("-inf")) -> Ranking:
        match = self._forms.match(query)
        if not match:
            return Ranking([])
        values = self._values(query) | {"limit": limit, "match": match, "floor": floor}
        filtered = _is_filtered(values)
        sql = _ANSWERING.format(
            join="CROSS JOIN documents ON documents.row = forms.rowid" if filtered or query.excluded else "",
            filters=f"AND {_FILTERS}" if filtered else "",
            excluded=_without(query, values),
        )
        return Ranking([self._hit(row) for row in self._db.execute(sql, values)])

    def named(self, document_ids: Sequence[str]) -> list[Hit]:
        rows = self._db.execute(
            f"SELECT {_HIT} FROM json_each(?) CROSS JOIN (SELECT 0.0 AS score) CROSS JOIN documents "
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
                replace(hit, snippet=_snippet(_around(texts.get(hit.document_id, ""), hit.piece), marked))
                for hit in hits
            ]

    def matching(self, query: Query, document_ids: Sequence[str]) -> set[str]:
        if query.is_empty or not document_ids:
            return set()
        values = self._values(query) | {"match": _match(query), "ids": json.dumps(list(document_ids))}
        # One MATCH for all: every lookup by rowid would evaluate all words of the query again.
        found = "AND documents.row IN (SELECT rowid FROM search WHERE search MATCH :match)" if query.groups else ""
        sql = (
            "SELECT documents.id FROM json_each(:ids) CROSS JOIN documents ON documents.id = value "
            f"JOIN bodies ON bodies.row = documents.row WHERE {_FILTERS} {found or _without(query, values)}"
        )
        return set(self._db.column(sql, values))

    def finding(self, query: Query, revisions: Sequence[Revision]) -> set[str]:
        if query.is_empty:
            return set()
        allowed = self._sources(query)
        sources = None if allowed is None else set(json.loads(allowed))
        left = [one for one in revisions if _passes(one, query, sources)]
        return _found_in(query, left)

    def _listed(self, query: Query, values: dict[str, Any]) -> list[Hit]:
        """For queries without words: the latest documents that pass the filters."""
        rows = self._db.execute(
            # In the order of the index, so that SQLite stops at the limit.
            f"SELECT {_HIT} FROM documents INDEXED BY documents_changed CROSS JOIN (SELECT 0.0 AS score) "
            "CROSS JOIN sources ON sources.id = documents.source_id "
            f"WHERE EXISTS (SELECT 1 FROM bodies WHERE bodies.row = documents.row) AND {_FILTERS} "
            f"{_without(query, values)} ORDER BY documents.changed_at DESC, documents.row DESC LIMIT :limit",
            values,
        )
        return [self._hit(row) for row in rows]

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
        rows = self._db.execute(
            "SELECT term, doc FROM search_words WHERE term >= ? AND term < ? ORDER BY doc DESC", (word, word + _LAST)
        )
        chosen = rows[:_BEGINNING]
        is_enough = len(rows) <= _BEGINNING or sum(row[1] for row in chosen) >= self._most
        return [replace(term, text=row[0], prefix=False) for row in chosen] if chosen and is_enough else [term]

    def _values(self, query: Query) -> dict[str, Any]:
        return {
            "most": self._most,
            "sources": self._sources(query),
            "langs": json.dumps(query.langs) if query.langs else None,
            "after": query.after,
            "before": query.before,
        }

    def _sources(self, query: Query) -> str | None:
        """The ids of the sources that a query selects; None if it selects all."""
        if not query.sources and not query.kinds:
            return None
        found = self._db.column(
            "SELECT id FROM sources WHERE trashed_at IS NULL "
            "AND (:names IS NULL OR EXISTS (SELECT 1 FROM json_each(:names) "
            "WHERE lower(value) IN (lower(name), id))) "
            "AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))",
            {
                "names": json.dumps(query.sources) if query.sources else None,
                "kinds": json.dumps(query.kinds) if query.kinds else None,
            },
        )
        return json.dumps(found)

    def _hit(self, row: Row) -> Hit:
        return _HIT(row, dossier_id=self._dossier_id, snippet="")


def _is_filtered(values: dict[str, Any]) -> bool:
    return any(values[name] is not None for name in ("sources", "langs", "after", "before"))


def _snippet(text: str, marked: Callable[[str], Query]) -> str:
    return snippet(text, marked(text))


def _around(text: str, piece: tuple[int, int] | None) -> str:
    """What a snippet is made of: the piece that is near in meaning, if there is one."""
    return text[piece[0] : piece[1]] if piece and 0 < piece[1] <= len(text) else text


def _passes(revision: Revision, query: Query, sources: set[str] | None) -> bool:
    """Whether a revision passes the filters of a query, as `_FILTERS` has them."""
    at = revision.published_at or revision.extracted_at
    return (
        (sources is None or revision.source_id in sources)
        and (not query.langs or revision.lang in query.langs)
        and (query.after is None or at >= query.after)
        and (query.before is None or at < query.before)
    )


def _found_in(query: Query, revisions: Sequence[Revision]) -> set[str]:
    """The ids of the revisions with the words of a query, found by an index of their own, in memory."""
    if not revisions or not (query.groups or query.excluded):
        return {one.id for one in revisions}
    with closing(apsw.Connection(":memory:")) as index:
        index.execute(f"CREATE VIRTUAL TABLE search USING fts5 (title, text, tokenize = '{TOKENIZER}')")
        index.executemany(
            "INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)",
            [(at, apart(one.title), apart(one.text)) for at, one in enumerate(revisions)],
        )
        if query.groups:
            which = "search MATCH :match"
            bindings = {"match": _match(query)}
        else:
            which = "rowid NOT IN (SELECT rowid FROM search WHERE search MATCH :excluded)"
            bindings = {"excluded": " OR ".join(map(_phrase, query.excluded))}
        return {revisions[row].id for (row,) in index.execute(f"SELECT rowid FROM search WHERE {which}", bindings)}


def _match(query: Query, column: str = "") -> str:
    """The query in the syntax of FTS5, optionally for one column."""
    wanted = " AND ".join(f"({' OR '.join(map(_phrase, group))})" for group in query.groups)
    if not query.excluded:
        return f"{column}({wanted})"
    return f"({column}({wanted})) NOT ({' OR '.join(map(_phrase, query.excluded))})"


def _without(query: Query, values: dict[str, Any]) -> str:
    """For queries without words: the condition that leaves out documents with excluded terms."""
    if not query.excluded:
        return ""
    values["excluded"] = " OR ".join(map(_phrase, query.excluded))
    return "AND documents.row NOT IN (SELECT rowid FROM search WHERE search MATCH :excluded)"


def _phrase(term: Term) -> str:
    """A term as an FTS5 string: quoted, so that nothing in it can be an operator."""
    quoted = '"' + apart(term.text).replace('"', '""') + '"'
    return f"{quoted} *" if term.prefix else quoted
