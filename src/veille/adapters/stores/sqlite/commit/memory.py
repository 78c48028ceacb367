"""What is known about documents, asked inside a write transaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.sqlite.commit.quirks import SqliteQuirks
from veille.core.change.ownership import Fetch, Owner, is_housed, is_silent, is_watched
from veille.core.models import Document, Known, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
    from veille.core.change.second_look import Kept
    from veille.core.compare.boilerplate import Boilerplate

_KNOWN = (
    "documents.id, documents.source_id, documents.content_hash, rev_n, documents.state, documents.title, documents.url"
)
_HOME = "coalesce((SELECT url FROM documents AS others WHERE others.id = documents.duplicate_of), documents.url)"
#: The columns of an `Owner`, and as JSON those of every `Fetch`.
_OWNER = "sources.id, sources.enabled, sources.state, sources.failures"
_OWNED_BY = "JOIN sources ON sources.id = documents.source_id"
_FETCHES = (
    "(SELECT json_group_array(json_array(id, source_id, every, parked, attempts, failed_with)) FROM requests "
    "WHERE document_id = documents.id)"
)


class SqliteMemory:
    """The questions of the port `Writer`."""

    def __init__(self, db: Database, boilerplate: SqliteBoilerplate) -> None:
        self._db = db
        self._quirks = SqliteQuirks(db)
        self._boilerplate = boilerplate

    def known(self, document: Document, request: Request) -> Known | None:
        for key in document.keys:
            rows = self._db.execute(
                f"SELECT {_KNOWN}, {_OWNER}, {_FETCHES}, "
                "EXISTS (SELECT 1 FROM sightings WHERE document_id = documents.id AND source_id = ?1), "
                "views.content_hash, views.title "
                f"FROM identities JOIN documents ON documents.id = identities.document_id {_OWNED_BY} "
                "LEFT JOIN views ON views.document_id = documents.id AND views.source_id = ?1 "
                "WHERE identities.key = ?2",
                (request.source_id, key),
            )
            if rows:
                seen = None if rows[0][13] is None else (rows[0][13], rows[0][14])
                return _known(rows[0], **_ownership(rows[0], request), sighted=bool(rows[0][12]), seen=seen)
        return None

    def named(self, *keys: str) -> Known | None:
        for key in keys:
            rows = self._db.execute(
                f"SELECT {_KNOWN}, {_HOME} FROM identities JOIN documents ON documents.id = document_id WHERE key = ?",
                (key,),
            )
            if rows:
                return _known(rows[0], home=rows[0][7])
        return None

    def unlisted(self, source_id: str, keys: Sequence[str], since: int | None = None) -> list[Known]:
        rows = self._db.execute(
            "WITH listed AS (SELECT document_id FROM identities WHERE key IN (SELECT value FROM json_each(?2))) "
            f"SELECT {_KNOWN}, "
            "(SELECT stamp FROM requests WHERE document_id = documents.id AND source_id = ?1 LIMIT 1) "
            "FROM documents WHERE documents.source_id = ?1 AND state = 'current' AND documents.id NOT IN listed "
            "AND (?3 IS NULL OR seen_at < ?3) ORDER BY documents.row",
            (source_id, json.dumps(list(keys)), since),
        )
        return [_known(row, stamp=row[7] or "") for row in rows]

    def twin(self, document: Document) -> Known | None:
        rows = self._db.execute(
            f"SELECT {_KNOWN} FROM documents WHERE content_hash = ? AND state = 'current' LIMIT 1",
            (document.content_hash,),
        )
        return _known(rows[0]) if rows else None

    def owned(self, request: Request) -> Known | None:
        rows = self._db.execute(
            f"SELECT {_KNOWN}, {_OWNER}, {_FETCHES} FROM documents {_OWNED_BY} "
            "WHERE documents.id = (SELECT document_id FROM requests WHERE id = ?)",
            (request.id,),
        )
        return _known(rows[0], **_ownership(rows[0], request)) if rows else None

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        return self._quirks.kept(document_id, source_id)

    def boilerplate(self, source_id: str) -> Boilerplate:
        return self._boilerplate.of(source_id)


def _ownership(row: Row, request: Request) -> dict[str, bool]:
    """What follows from `_OWNER` and `_FETCHES`, which come after `_KNOWN` in a row."""
    owner, fetches = Owner(*row[7:11]), [Fetch(*one) for one in json.loads(row[11])]
    return {
        "watched": is_watched(owner, fetches),
        "silent": is_silent(owner, fetches),
        "housed": is_housed(request.id, fetches),
    }


def _known(row: Row, **more: Any) -> Known:
    return Known(
        document_id=row[0],
        source_id=row[1],
        content_hash=row[2],
        rev_n=row[3],
        state=row[4],
        title=row[5],
        url=row[6],
        **more,
    )
