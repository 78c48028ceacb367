"""Write the values of documents: a point wherever a value differs from the last one of its document and name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.sqlite._db import Database
    from veille.core.models import Document

#: The newest point of every name of the documents that were told.
_LAST = (
    "last AS MATERIALIZED (SELECT points.document_id, points.name, points.type, points.text, max(points.seq) "
    "FROM json_each(?1) AS asked JOIN value_points AS points ON points.document_id = asked.value ->> 0 "
    "GROUP BY points.document_id, points.name)"
)
#: The event that told of a document just now.
_EVENT = "(SELECT max(seq) FROM outbox WHERE document_id = documents.id)"


def write_points(db: Database, told: Sequence[tuple[str, Document | None]], now: int) -> None:
    """Store the values of these documents, after their events were written; None for a removed document.

    At most two statements, however many documents there are.
    """
    ids = as_json((document_id,) for document_id, _ in told)
    values = as_json(
        (document_id, one.name, one.type, one.text, one.number, one.unit)
        for document_id, document in told
        for one in (document.values if document is not None else ())
    )
    # First what is no longer there: afterwards every name of a document is in its newest points.
    db.execute(
        f"WITH {_LAST}, found AS MATERIALIZED (SELECT value ->> 0 AS id, value ->> 1 AS name FROM json_each(?2)) "
        "INSERT INTO value_points (document_id, name, seq, at, revision_id, type, text) "
        f"SELECT last.document_id, last.name, {_EVENT}, ?3, documents.revision_id, last.type, NULL FROM last "
        "JOIN documents ON documents.id = last.document_id WHERE last.text IS NOT NULL "
        "AND (last.document_id, last.name) NOT IN found",
        (ids, values, now),
    )
    if values == "[]":
        return
    db.execute(
        f"WITH {_LAST} INSERT INTO value_points (document_id, name, seq, at, revision_id, type, text, number, unit) "
        f"SELECT documents.id, new.value ->> 1, {_EVENT}, ?3, documents.revision_id, new.value ->> 2, "
        "new.value ->> 3, CAST(new.value ->> 4 AS REAL), new.value ->> 5 FROM json_each(?2) AS new "
        "JOIN documents ON documents.id = new.value ->> 0 "
        "LEFT JOIN last ON last.document_id = documents.id AND last.name = new.value ->> 1 "
        "WHERE last.text IS NOT new.value ->> 3 OR last.type IS NOT new.value ->> 2",
        (ids, values, now),
    )
