"""Keep the answers of plans as they came, with the revisions that come of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.fingerprint import raw_hash
from veille.core.models import Change, KeepRaw
from veille.core.reread.answers import options_hash, packed_body, packed_facts
from veille.reader_version import reader_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.core.models import Document, Plan

#: The changes after which the document has the content of the answer.
_STORED = frozenset({Change.NEW, Change.CHANGED, Change.SAME})

#: A revision that an answer is kept for: its id, and the key of its document.
_Link = tuple[str, str]


def keep_answers(db: Database, plans: Sequence[Plan], now: int) -> None:
    """Keep the answers of these plans, after their documents were written and in the same transaction.

    A document that is the same gets an answer only if its revision has none: it was stored before answers were kept.
    """
    ids = {document_id for plan in plans for document_id, _ in _documents(plan)}
    rows = db.execute(
        "SELECT id, source_id, content_hash, revision_id FROM documents WHERE id IN (SELECT value FROM json_each(?)) "
        "AND state = 'current' AND NOT EXISTS (SELECT 1 FROM raw_revisions "
        "WHERE raw_revisions.revision_id = documents.revision_id)",
        (as_json(ids),),
    )
    without = {row[0]: row[1:] for row in rows}
    for plan in plans:
        if links := list(_links(plan, without)):
            answer = _insert(db, plan, now)
            db.many(
                "INSERT OR IGNORE INTO raw_revisions (revision_id, answer, key) VALUES (?1, ?3, ?2)",
                [(*link, answer) for link in links],
            )
    last = [plan for plan in plans if plan.lease.keep_raw is KeepRaw.LAST]
    written = {without[one][-1] for plan in last for one, _ in _documents(plan) if one in without}
    if written:
        db.execute(
            "DELETE FROM raw_revisions WHERE revision_id IN (SELECT older.id FROM json_each(?) JOIN raw_revisions "
            "ON raw_revisions.revision_id = value JOIN revisions AS newest ON newest.id = value "
            "JOIN revisions AS older ON older.document_id = newest.document_id AND older.n < newest.n)",
            (as_json(written),),
        )


def _documents(plan: Plan) -> Iterator[tuple[str, Document]]:
    for item in plan.items:
        if item.change in _STORED and item.document_id and item.document is not None:
            yield item.document_id, item.document


def _links(plan: Plan, without: dict[str, Row]) -> Iterator[_Link]:
    for document_id, document in _documents(plan):
        source_id, content_hash, revision_id = without.get(document_id, ("", "", ""))
        if (source_id, content_hash) == (plan.lease.source.id, document.content_hash):
            yield revision_id, document.keys[0]


def _insert(db: Database, plan: Plan, now: int) -> int:
    """The id of the new row of the plan's answer."""
    payload = plan.kept
    assert payload is not None, "only plans with an answer come here"  # noqa: S101 - the type cannot say it
    sha256 = raw_hash(payload.body)
    if not db.value("SELECT 1 FROM raw_bodies WHERE hash = ?", (sha256,)):
        db.execute(
            "INSERT INTO raw_bodies (hash, size, data) VALUES (?, ?, ?)",
            (sha256, len(payload.body), packed_body(payload.body)),
        )
    values = (
        plan.lease.source.id,
        sha256,
        payload.fetched_at,
        reader_version(),
        options_hash(plan.lease.source),
        now,
        packed_facts(plan.lease.request, payload),
    )
    return int(
        db.value(
            "INSERT INTO raw_answers (source_id, hash, fetched_at, read_by, options, read_at, facts) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
            values,
        )
    )
