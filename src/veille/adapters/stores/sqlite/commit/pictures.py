"""Keep the pictures of plans: with revisions, until a second fetch, and of steps that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.models import Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Database
    from veille.core.browsing.pictures import Picture
    from veille.core.models import Plan

#: The changes after which the document has the content of the answer.
_STORED = frozenset({Change.NEW, Change.CHANGED, Change.SAME})


def keep_pictures(db: Database, plans: Sequence[Plan], now: int) -> None:
    """Keep the pictures of these plans, after their documents were written and in the same transaction.

    Plans of sources without pictures and steps cost nothing.
    """
    _keep_with_revisions(db, {key: one for plan in plans for key, one in _pictures(plan).items()})
    if watched := [plan for plan in plans if plan.lease.source.config.get("watch_picture") and not plan.deferred]:
        _keep_first(db, watched)
    if stepped := [plan for plan in plans if plan.lease.source.config.get("steps") and not plan.deferred]:
        _keep_failed(db, stepped, now)


def _pictures(plan: Plan) -> dict[tuple[str, str], Picture]:
    """The pictures of a plan's documents, by the ids of document and source."""
    return {
        (item.document_id, plan.lease.source.id): item.document.picture
        for item in plan.items
        if item.change in _STORED and item.document_id and item.document is not None and item.document.picture
    }


def _keep_with_revisions(db: Database, pictures: dict[tuple[str, str], Picture]) -> None:
    if not pictures:
        return
    rows = db.execute(
        "SELECT documents.id, source_id, revision_id FROM documents WHERE id IN (SELECT value FROM json_each(?)) "
        "AND state = 'current' AND NOT EXISTS (SELECT 1 FROM revision_pictures "
        "WHERE revision_pictures.revision_id = documents.revision_id)",
        (as_json(document_id for document_id, _ in pictures),),
    )
    # A revision that has none gets one, also if pictures were turned on after it was stored.
    found = {row[2]: pictures[row[0], row[1]] for row in rows if (row[0], row[1]) in pictures}
    db.many(
        "INSERT OR IGNORE INTO pictures (hash, width, height, data) VALUES (?, ?, ?, ?)",
        [(one.hash, one.width, one.height, one.webp) for one in found.values()],
    )
    db.many(
        "INSERT OR IGNORE INTO revision_pictures (revision_id, hash) VALUES (?, ?)",
        [(revision_id, one.hash) for revision_id, one in found.items()],
    )


def _keep_first(db: Database, plans: Sequence[Plan]) -> None:
    # After a failure the glimpse of the request stays, and so does its picture.
    over = [plan.lease.request.id for plan in plans if plan.first_picture is not None or not plan.glimpse]
    db.execute("DELETE FROM first_pictures WHERE request_id IN (SELECT value FROM json_each(?))", (as_json(over),))
    db.many(
        "INSERT INTO first_pictures (request_id, data) VALUES (?, ?)",
        [(plan.lease.request.id, plan.first_picture.webp) for plan in plans if plan.first_picture is not None],
    )


def _keep_failed(db: Database, plans: Sequence[Plan], now: int) -> None:
    ids = as_json({plan.lease.source.id for plan in plans})
    db.execute("DELETE FROM failed_steps WHERE source_id IN (SELECT value FROM json_each(?))", (ids,))
    db.many(
        "INSERT OR REPLACE INTO failed_steps (source_id, at, message, data) VALUES (?, ?, ?, ?)",
        [
            (plan.lease.source.id, now, plan.failure.message, plan.failure.picture)
            for plan in plans
            if plan.failure is not None and plan.failure.picture
        ],
    )
