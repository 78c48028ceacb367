"""The inside of one write transaction: what is known, and a plan written down whole."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import SOURCE, packed, packed_marks, rhythm_text, source_from
from veille.adapters.stores.sqlite.commit.budgets import Budgets
from veille.adapters.stores.sqlite.commit.figures import Ledger
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.adapters.stores.sqlite.read.revisions import pack_previous
from veille.adapters.stores.sqlite.read.views import Views
from veille.core.change.health import after_check, is_about_source
from veille.core.crawl.budgets import ALL, all_pages, is_full, out_of_time
from veille.core.findings import Move, Notice
from veille.core.fingerprint import claim_of, url_identity, uuid7
from veille.core.language.cjk import apart
from veille.core.models import TOLD, Change, Document, Item, Lease, Plan
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
    from veille.adapters.stores.sqlite.commit.frontier import Frontier
    from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk

#: A source, and when the first of its other roots was checked in this turn.
_STORED = (
    f"SELECT {SOURCE}, (SELECT min(done_at) FROM requests WHERE source_id = ?1 AND purpose = 'root' AND id <> ?2 "
    "AND done_at > (SELECT done_at FROM requests WHERE id = ?2)) FROM sources WHERE id = ?1"
)
_HEALTH = "state failures error_code error moved_to moved_seen checked_at changed_at pace_ms".split()
_NOTE = f"UPDATE sources SET {', '.join(f'{name} = ?' for name in (*_HEALTH, 'rhythm'))} WHERE id = ?"


class SqliteWriter(SqliteMemory):
    """The port `Writer`."""

    def __init__(self, db: Database, frontier: Frontier, boilerplate: SqliteBoilerplate) -> None:
        super().__init__(db, boilerplate)
        self._frontier = frontier
        self._budgets = Budgets(db)
        self._ledger = Ledger(db)
        self._views = Views(db)
        #: When the earliest request written here falls due.
        self.earliest: int | None = None
        self._bodies: dict[int, tuple[str, str]] = {}
        self._replaced: list[int] = []

    @cached_property
    def _stories(self) -> StoryDesk:
        from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk  # noqa: PLC0415 - numpy takes its time to load

        return StoryDesk(self._db)

    def finish(self) -> None:
        """Index what was written: the last thing in the transaction.

        Statements that SQLite may have to undo alone (with a trigger, or a foreign key in them) set a savepoint first,
        and a savepoint makes FTS5 write out what it has. Indexed one by one between the others, each document would
        become an index segment of its own, to be merged again and again; so all go out and in together.
        """
        self._ledger.finish()
        rows = [(row, title, text) for row, (title, text) in self._bodies.items()]
        self._db.execute(
            "DELETE FROM bodies WHERE row IN (SELECT value FROM json_each(?))", (json.dumps(self._replaced),)
        )
        self._db.many("INSERT INTO bodies (row, title, text) VALUES (?, ?, ?)", rows)
        self._db.many("INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)", rows)
        self._bodies.clear()

    def holds(self, lease: Lease, now: int) -> bool:
        return self._frontier.holds(lease, now)

    def apply(self, plan: Plan, run_id: str, now: int) -> None:
        for item in plan.items:
            self._apply_item(plan, item, now)
        for move in plan.moves:
            self._move(plan, move)
        for document_id, quirks in plan.quirks:
            self._quirks.set(document_id, quirks)
        if plan.takes_place is not None and plan.lease.request.pattern:
            self._budgets.settle(plan.lease.request.id, takes_place=plan.takes_place)
        saved = self._frontier.save(plan.requests, now, plan.budget)
        if any(notice.code == "over_items" for notice in saved.notices):
            # What was left out this time is to be found the next, even when nothing was added meanwhile.
            plan = replace(plan, validators=None)
        self._note_health(plan, now)
        due_at, has_document = self._frontier.complete(plan, _own_document(plan), now)
        if due_at is not None:
            self._due(due_at)
        if saved.due:
            self._due(now)
        notices = (*plan.notices, *saved.notices, *self._held_back(plan, now))
        source_id = plan.lease.source.id
        told = [notice for notice in notices if self._budgets.is_news(source_id, notice, run_id)]
        self._report(plan, told, run_id, now, is_listing=not has_document)
        self._ledger.note(plan, now)

    def _held_back(self, plan: Plan, now: int) -> Iterator[Notice]:
        """What the budget of a crawl holds back beside what was found just now."""
        source, budget = plan.lease.source, plan.budget
        if budget is None:
            return
        if plan.lease.request.purpose == "root" and is_full(budget, self._budgets.used(source.id, [ALL])):
            # Pages were left out, and still are: whoever names them need not have been read again.
            notice = all_pages(source.url, budget)
            if self._budgets.reported_in(source.id, notice):
                yield notice
        if budget.run_ms and (postponed := self._frontier.postpone(source.id, now)):
            yield out_of_time(source.url, postponed)

    def _due(self, at: int) -> None:
        self.earliest = at if self.earliest is None else min(self.earliest, at)

    def _apply_item(self, plan: Plan, item: Item, now: int) -> None:
        if item.change is Change.NEW or item.change is Change.CHANGED:
            self._write_document(plan, item, now)
        elif item.change is Change.REMOVED:
            row = self._db.value(
                "UPDATE documents SET state = 'removed', changed_at = ?2, seen_at = ?2 WHERE id = ?1 RETURNING row",
                (item.document_id, now),
            )
            self._budgets.give_back(item.document_id)
            # Should the very same bytes come back, they are to be fetched and read again.
            self._db.execute(
                "UPDATE requests SET stamp = '', etag = '', last_modified = '', raw_hash = '' WHERE document_id = ?",
                (item.document_id,),
            )
            self._stories.leave(row)
            self._recheck_duplicates(item.document_id, now)
        elif item.change is Change.DUPLICATE:
            self._write_duplicate(plan, item, now)
        elif item.change is Change.SAME and item.document_id:
            # A duplicate follows whichever document has its text now.
            self._db.execute(
                "UPDATE documents SET seen_at = ?2, duplicate_of = coalesce(nullif(?3, ''), duplicate_of) "
                "WHERE id = ?1",
                (item.document_id, now, item.duplicate_of),
            )
            if item.document is not None:
                self._views.agree(item.document_id, plan.lease.source.id, item.document)
        if item.change in TOLD:
            failpoint("during_commit")
            self._tell(plan, item, now)

    def _write_document(self, plan: Plan, item: Item, now: int) -> None:
        document = item.document
        assert document is not None, "new and changed items carry their document"  # noqa: S101
        revision_id = uuid7(now, item.document_id, str(item.rev_n), document.content_hash)
        is_first = item.rev_n == 1
        if not is_first:
            self._views.take_over(item.document_id, plan.lease.source.id)
        row = self._db.value(
            "INSERT INTO documents (id, source_id, state, url, title, lang, content_hash, revision_id, rev_n, "
            "published_at, first_seen_at, seen_at, changed_at, beside) "
            "VALUES (?1, ?2, 'current', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?10, ?11) ON CONFLICT (id) DO UPDATE SET "
            "source_id = ?2, state = 'current', duplicate_of = NULL, url = ?3, title = ?4, lang = ?5, "
            "content_hash = ?6, revision_id = ?7, rev_n = ?8, "
            "published_at = coalesce(?9, published_at), seen_at = ?10, changed_at = ?10, "
            "beside = ?11 RETURNING row",
            (
                item.document_id,
                plan.lease.source.id,
                document.url,
                document.title,
                document.lang,
                document.content_hash,
                revision_id,
                item.rev_n,
                document.published_at,
                now,
                packed_marks(document.beside),
            ),
        )
        self._write_revision(item, document, revision_id, now)
        self._bodies[row] = (apart(document.title), apart(document.text))
        if is_first:
            self._free(document.keys)
        self._name(item.document_id, (*document.keys, *map(claim_of, document.claims)), plan.lease.source.id)
        if not is_first:
            self._replaced.append(row)
            self._stories.leave(row)
            pack_previous(self._db, item.document_id, item.rev_n, (document.text.encode(), document.html.encode()))
            self._recheck_duplicates(item.document_id, now)
        self._stories.join(row, item.document_id, document.text, now)

    def _write_revision(self, item: Item, document: Document, revision_id: str, now: int) -> None:
        meta = {"authors": document.authors, "summary": document.summary, "media_type": document.media_type}
        self._db.execute(
            "INSERT INTO revisions (id, document_id, n, url, title, lang, content_hash, text, html, meta, strategy, "
            "quality, published_at, extracted_at, text_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                revision_id,
                item.document_id,
                item.rev_n,
                document.url,
                document.title,
                document.lang,
                document.content_hash,
                packed(document.text),
                packed(document.html),
                json.dumps({**meta, "modified_at": document.modified_at, **document.meta}),
                document.strategy,
                document.quality,
                document.published_at,
                now,
                len(document.text),
            ),
        )

    def _write_duplicate(self, plan: Plan, item: Item, now: int) -> None:
        document = item.document
        assert document is not None, "duplicates carry their document"  # noqa: S101
        if item.duplicate_of == item.document_id:
            self._views.note(item.document_id, plan.lease.source.id, document, now)
        else:
            self._free(document.keys)
            self._db.execute(
                "INSERT OR IGNORE INTO documents (id, source_id, state, duplicate_of, url, title, lang, content_hash, "
                "first_seen_at, seen_at, changed_at) VALUES (?1, ?2, 'duplicate', ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?8)",
                (
                    item.document_id,
                    plan.lease.source.id,
                    item.duplicate_of,
                    document.url,
                    document.title,
                    document.lang,
                    document.content_hash,
                    now,
                ),
            )
        self._name(item.document_id, document.keys, plan.lease.source.id)

    def _free(self, keys: tuple[str, ...]) -> None:
        """What is there now has these names, not what had them before."""
        self._db.many("DELETE FROM identities WHERE key = ?", [(key,) for key in keys])

    def _name(self, document_id: str, keys: tuple[str, ...], source_id: str) -> None:
        self._db.many(
            "INSERT OR IGNORE INTO identities (key, document_id) VALUES (?, ?)", [(key, document_id) for key in keys]
        )
        self._db.execute("INSERT OR IGNORE INTO sightings VALUES (?, ?)", (document_id, source_id))

    def _move(self, plan: Plan, move: Move) -> None:
        """Give a document one address more; what was there as a copy of it becomes one with it."""
        key = url_identity(move.url)
        copy = self._db.value(
            "SELECT documents.id FROM identities JOIN documents ON documents.id = document_id "
            "WHERE key = ? AND state = 'duplicate' AND documents.id <> ?",
            (key, move.document_id),
        )
        if copy is not None:
            for table in ("identities", "requests"):
                self._db.execute(f"UPDATE {table} SET document_id = ? WHERE document_id = ?", (move.document_id, copy))
            self._db.execute("DELETE FROM documents WHERE id = ?", (copy,))
        self._name(move.document_id, (key,), plan.lease.source.id)
        if move.home:
            # An address it was at before says nothing about it any more.
            self._db.execute("UPDATE documents SET url = ? WHERE id = ?", (move.url, move.document_id))
            self._db.execute(
                "UPDATE requests SET document_id = NULL, etag = '', last_modified = '', raw_hash = '' "
                "WHERE document_id = ?",
                (move.document_id,),
            )
            self._db.execute(
                "UPDATE requests SET document_id = ? WHERE source_id = ? AND url = ?",
                (move.document_id, plan.lease.source.id, move.url),
            )

    def _recheck_duplicates(self, document_id: str, now: int) -> None:
        """The text they shared is no longer there, so what repeated it is read again and stands for itself."""
        if self._frontier.reread([document_id], now):
            self._due(now)

    def _tell(self, plan: Plan, item: Item, now: int) -> None:
        self._db.execute(
            "INSERT INTO outbox (at, change, source_id, document_id, revision_id, rev_n, url, title) "
            "SELECT ?1, ?2, ?3, id, revision_id, rev_n, url, title FROM documents WHERE id = ?4",
            (now, item.change, plan.lease.source.id, item.document_id),
        )

    def _report(self, plan: Plan, notices: Sequence[Notice], run_id: str, now: int, *, is_listing: bool) -> None:
        same = [item for item in plan.items if item.change is Change.SAME]
        lines = [item for item in plan.items if item.change is not Change.SAME]
        rows = [_line(item, 1) for item in lines]
        rows += [(Change.SKIPPED, 1, note.url, "", note.code, note.message, 0, "") for note in notices]
        if same:
            count = 0 if is_listing and not any(item.document_id for item in same) else len(same)
            rows.append((Change.SAME, count, plan.lease.request.url, "", "", "", same[0].status, ""))
        if not rows:
            return
        # What the request cost stands on its first line only, so that sums over lines are true.
        costs = [(plan.duration_ms, plan.wire_bytes, plan.found)] + [(0, 0, None)] * (len(rows) - 1)
        self._db.many(
            "INSERT INTO run_items (run_id, at, source_id, change, documents, url, title, code, message, status, "
            "document_id, duration_ms, wire_bytes, found) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(run_id, now, plan.lease.source.id, *row, *cost) for row, cost in zip(rows, costs, strict=True)],
        )

    def _note_health(self, plan: Plan, now: int) -> None:
        source_id = plan.lease.source.id
        if is_about_source(plan):
            row = self._db.execute(_STORED, (source_id, plan.lease.request.id))[0]
            source = after_check(source_from(row), plan, now, began=row[-1])
            values = (getattr(source, name) for name in _HEALTH)
            self._db.execute(_NOTE, (*values, rhythm_text(source.rhythm), source_id))
        if plan.lease.request.purpose == "root" and plan.budget is not None and plan.budget.run_ms:
            self._db.execute(
                "UPDATE sources SET run_until = ?2 WHERE id = ?1 AND run_until <= ?3",
                (source_id, now + plan.budget.run_ms, now),
            )


def _own_document(plan: Plan) -> str | None:
    """The document that lives at the request's very address: should the address go, so has the document."""
    identity = url_identity(plan.lease.request.url)
    for item in plan.items:
        # A page that only says its home is elsewhere is another name of what lives there.
        is_alias = item.change is Change.SAME and item.document is not None and item.document.claims
        if item.document is not None and item.document_id and identity in item.document.keys and not is_alias:
            return item.document_id
    return None


def _line(item: Item, documents: int) -> Row:
    return (item.change, documents, item.url, item.title, item.code, item.message, item.status, item.document_id)
