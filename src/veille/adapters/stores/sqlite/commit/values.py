"""Write the values of documents: a point wherever a value differs from the last one of its document and name.

A reread is no event: it corrects the points of the revision that it reads, and adds those that the revision lacked.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.values.value import Value, ValueType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from veille.adapters.stores.database import Database
    from veille.core.models import Document

#: The newest point of every name of the documents that were told.
_LAST = (
    "last AS MATERIALIZED (SELECT points.document_id, points.name, points.type, points.text "
    "FROM json_each(?1) AS asked JOIN value_points AS points ON points.document_id = asked.value ->> 0 "
    "WHERE points.seq = (SELECT max(seq) FROM value_points AS later WHERE later.document_id = points.document_id "
    "AND later.name = points.name))"
)
#: The event that told of a document just now.
_EVENT = "(SELECT max(seq) FROM outbox WHERE document_id = documents.id)"

#: The event that brought the current revision of a document.
_BEGINNING = (
    "(SELECT min(event.seq) FROM outbox AS event WHERE event.document_id = documents.id "
    "AND event.revision_id = documents.revision_id)"
)


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
        "AND (last.document_id, last.name) NOT IN (SELECT id, name FROM found)",
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


class _InForce(NamedTuple):
    """The newest point of a value."""

    value: Value | None
    seq: int
    #: Whether it came after the revision of its document, which stayed as it was.
    is_later: bool


def reread_values(db: Database, read: Mapping[tuple[str, str], Document]) -> dict[tuple[str, str], Document]:
    """Write the values of documents that were read again, by the ids of document and revision, if that is current.

    Returns the documents with the values that they have now: an answer is as old as its revision, so values that
    changed since stay as they are, and so do those that are not found in it.
    """
    current = db.execute(
        "SELECT documents.id, revision_id FROM json_each(?) AS asked "
        "JOIN documents ON documents.id = asked.value ->> 0 AND revision_id = asked.value ->> 1 "
        "WHERE state = 'current'",
        (as_json(read),),
    )
    stored = _in_force(db, [document_id for document_id, _ in current])
    merged, points = dict(read), []
    for key in current:
        known = stored.get(key[0], {})
        now = [one for one in read[key].values if one.name not in known or not known[one.name].is_later]
        names = {one.name for one in now}
        kept = [one.value for name, one in known.items() if one.value is not None and name not in names]
        merged[key] = replace(read[key], values=(*now, *kept))
        for one in now:
            before = known.get(one.name)
            if before is None or before.value != one:
                points.append((key[0], before.seq if before and before.value else None, one))
    _correct(db, points)
    return merged


def _in_force(db: Database, document_ids: Iterable[str]) -> dict[str, dict[str, _InForce]]:
    rows = db.execute(
        "SELECT documents.id, points.name, points.type, points.text, points.number, points.unit, points.seq, "
        f"points.seq > {_BEGINNING} FROM documents JOIN value_points AS points ON points.document_id = documents.id "
        "WHERE documents.id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM value_points "
        "AS later WHERE later.document_id = points.document_id AND later.name = points.name "
        "AND later.seq > points.seq)",
        (as_json(document_ids),),
    )
    found: dict[str, dict[str, _InForce]] = defaultdict(dict)
    for document_id, name, kind, text, number, unit, seq, is_later in rows:
        value = None if text is None else Value(name=name, type=ValueType(kind), text=text, number=number, unit=unit)
        found[document_id][name] = _InForce(value, seq, bool(is_later))
    return found


def _correct(db: Database, points: Sequence[tuple[str, int | None, Value]]) -> None:
    """Write points in the place of others or, without a place, where their revision begins."""
    db.many(
        "INSERT OR REPLACE INTO value_points (document_id, name, seq, at, revision_id, type, text, number, unit) "
        "SELECT documents.id, ?3, outbox.seq, outbox.at, documents.revision_id, ?4, ?5, ?6, ?7 FROM documents "
        f"JOIN outbox ON outbox.seq = coalesce(?2, {_BEGINNING}) WHERE documents.id = ?1",
        [(document_id, seq, it.name, it.type, it.text, it.number, it.unit) for document_id, seq, it in points],
    )
