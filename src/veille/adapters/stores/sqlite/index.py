"""Full-text search over the current revisions of one dossier, by FTS5."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING

from veille.core.answers import Hit

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.core.query import Query, Term

#: A word in the title says more about a document than one in its text.
TITLE_WEIGHT = 8.0
SNIPPET_WORDS = 28
# Private-use characters mark the matches while the snippet is escaped, so that no text can smuggle in markup.
_OPEN, _CLOSE = "\ue000", "\ue001"

_COLUMNS = (
    "documents.id, documents.revision_id, documents.source_id, sources.name, sources.kind, documents.url, "
    "documents.title, documents.lang, documents.changed_at, documents.state"
)


class SqliteIndex:
    """The port `Index`."""

    def __init__(self, dossier_id: str, db: Database) -> None:
        self._dossier_id = dossier_id
        self._db = db

    def search(self, query: Query, limit: int, offset: int = 0) -> list[Hit]:
        if query.is_empty:
            return []
        match = " AND ".join(f"({' OR '.join(map(_phrase, group))})" for group in query.groups)
        if match:
            what = f"snippet(search, -1, :open, :close, '…', {SNIPPET_WORDS}), -bm25(search, {TITLE_WEIGHT}, 1.0)"
            table = "search JOIN documents ON documents.row = search.rowid"
            condition, order = "search MATCH :match", f"bm25(search, {TITLE_WEIGHT}, 1.0), documents.row"
        else:
            what, table = "substr(bodies.text, 1, 200), 0.0", "bodies JOIN documents ON documents.row = bodies.row"
            condition, order = "1", "documents.changed_at DESC, documents.row DESC"
        rows = self._db.execute(
            f"SELECT {_COLUMNS}, {what} FROM {table} JOIN sources ON sources.id = documents.source_id "
            f"WHERE {condition} AND {_FILTERS} ORDER BY {order} LIMIT :limit OFFSET :offset",
            {
                "match": match,
                "open": _OPEN,
                "close": _CLOSE,
                "limit": limit,
                "offset": offset,
                "excluded": " OR ".join(map(_phrase, query.excluded)) or None,
                "sources": _list(query.sources),
                "langs": _list(query.langs),
                "kinds": _list(query.kinds),
                "after": query.after,
                "before": query.before,
            },
        )
        return [self._hit(row) for row in rows]

    def _hit(self, row: Row) -> Hit:
        return Hit(
            dossier_id=self._dossier_id,
            document_id=row[0],
            revision_id=row[1],
            source_id=row[2],
            source_name=row[3],
            kind=row[4],
            url=row[5],
            title=row[6],
            lang=row[7],
            changed_at=row[8],
            state=row[9],
            snippet=_safe(row[10]),
            # Not rounded: a word that most documents have scores a millionth, and still ranks.
            score=row[11],
        )


_FILTERS = """
    (:excluded IS NULL OR documents.row NOT IN (SELECT rowid FROM search WHERE search MATCH :excluded))
    AND (:sources IS NULL OR EXISTS (SELECT 1 FROM json_each(:sources)
        WHERE lower(value) IN (lower(sources.name), sources.id)))
    AND (:langs IS NULL OR documents.lang IN (SELECT value FROM json_each(:langs)))
    AND (:kinds IS NULL OR sources.kind IN (SELECT value FROM json_each(:kinds)))
    AND (:after IS NULL OR coalesce(documents.published_at, documents.changed_at) >= :after)
    AND (:before IS NULL OR coalesce(documents.published_at, documents.changed_at) < :before)
"""


def _phrase(term: Term) -> str:
    """A term as an FTS5 string: quoted, so that nothing in it can be an operator."""
    quoted = '"' + term.text.replace('"', '""') + '"'
    return f"{quoted} *" if term.prefix else quoted


def _list(values: tuple[str, ...]) -> str | None:
    return json.dumps(values) if values else None


def _safe(snippet: str) -> str:
    return html.escape(snippet).replace(_OPEN, "<mark>").replace(_CLOSE, "</mark>")
