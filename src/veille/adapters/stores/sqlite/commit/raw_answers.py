"""Keep the answers of plans as they came, with the revisions that come of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.fingerprint import raw_hash, uuid7
from veille.core.models import Change, KeepRaw
from veille.core.reread.answers import options_hash, packed_body, packed_facts
from veille.reader_version import reader_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from veille.adapters.stores.database import Database, Row
    from veille.core.models import Document, Plan

#: The changes after which the document has the content of the answer.
_STORED = frozenset({Change.NEW, Change.CHANGED, Change.SAME})


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
    kept = [one for plan in plans if (one := _Kept(plan, list(_links(plan, without)))).links]
    if not kept:
        return
    _write_bodies(db, {one.hash: one.body for one in kept})
    db.many(
        "INSERT OR IGNORE INTO raw_answers (id, source_id, hash, fetched_at, read_by, options, read_at, facts) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [one.row(now) for one in kept],
    )
    db.many(
        "INSERT OR IGNORE INTO raw_revisions (revision_id, key, answer) VALUES (?, ?, ?)",
        [(*link, one.id(now)) for one in kept for link in one.links],
    )
    last = [one.links for one in kept if one.plan.lease.keep_raw is KeepRaw.LAST]
    if last:
        db.execute(
            "DELETE FROM raw_revisions WHERE revision_id IN (SELECT older.id FROM json_each(?) "
            "JOIN revisions AS newest ON newest.id = value "
            "JOIN revisions AS older ON older.document_id = newest.document_id AND older.n < newest.n)",
            (as_json(revision_id for links in last for revision_id, _ in links),),
        )


class _Kept:
    """A plan whose answer is kept, and the revisions that it is kept for: the id of each, and its document's key."""

    def __init__(self, plan: Plan, links: Sequence[tuple[str, str]]) -> None:
        assert plan.kept is not None, "only plans with an answer come here"  # noqa: S101 - the type cannot say it
        self.plan = plan
        self.links = links
        self._payload = plan.kept
        self.body = plan.kept.body

    @cached_property
    def hash(self) -> str:
        return raw_hash(self.body)

    def id(self, now: int) -> str:
        return uuid7(now, self.plan.lease.request.id, self.hash)

    def row(self, now: int) -> Row:
        source = self.plan.lease.source
        facts = packed_facts(self.plan.lease.request, self._payload)
        fetched_at = self._payload.fetched_at
        return self.id(now), source.id, self.hash, fetched_at, reader_version(), options_hash(source), now, facts


def _write_bodies(db: Database, bodies: Mapping[str, bytes]) -> None:
    """Store those that are not stored yet."""
    known = set(
        db.column("SELECT hash FROM raw_bodies WHERE hash IN (SELECT value FROM json_each(?))", (as_json(bodies),))
    )
    db.many(
        "INSERT INTO raw_bodies (hash, size, data) VALUES (?, ?, ?)",
        [(sha256, len(body), packed_body(body)) for sha256, body in bodies.items() if sha256 not in known],
    )


def _documents(plan: Plan) -> Iterator[tuple[str, Document]]:
    for item in plan.items:
        if item.change in _STORED and item.document_id and item.document is not None:
            yield item.document_id, item.document


def _links(plan: Plan, without: Mapping[str, Row]) -> Iterator[tuple[str, str]]:
    for document_id, document in _documents(plan):
        source_id, content_hash, revision_id = without.get(document_id, ("", "", ""))
        if (source_id, content_hash) == (plan.lease.source.id, document.content_hash):
            yield revision_id, document.keys[0]
