"""The changes of one dossier in the order they were committed, the cursor of each sink, and the delivery log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.read.revisions import STORED, revisions_from
from veille.core.archive.content_state import ContentState
from veille.core.models import Change
from veille.core.outgoing.delivery_attempts import KEPT_HANDOVERS, Handover
from veille.core.records import Event, Parcel, Revision
from veille.core.told import told_from

if TYPE_CHECKING:
    from veille.adapters.stores.database import Row

EVENT = Columns(
    Event,
    "seq, at, change, outbox.source_id, coalesce(sources.name, '') AS source_name, coalesce(sources.kind, '') AS kind, "
    "outbox.document_id, outbox.revision_id, outbox.rev_n, outbox.url, outbox.title, changed_metadata, "
    "outbox.is_first, outbox.told",
    change=Change,
    changed_metadata=lambda names: tuple(names.split()),
    is_first=bool,
    told=told_from,
)
#: People are not told of a document that only has another date.
MORE_THAN_DATES = "changed_metadata NOT IN ('modified_at', 'published_at', 'published_at modified_at')"
#: Changes that make a document unread: of its text, or of a value in it, since it is in this dossier.
TO_READ = "(changed_metadata = '' OR changed_metadata LIKE '%values%') AND past = 0"
NOT_HIDDEN = "seq NOT IN (SELECT seq FROM hidden_changes)"
#: Changes of a source while it was muted count as read. Few sources are muted: the list is read once per query.
LOUD = (
    "(outbox.source_id NOT IN (SELECT id FROM sources WHERE muted_until > 0) "
    "OR outbox.at >= (SELECT muted_until FROM sources WHERE id = outbox.source_id))"
)
#: What a sink gets: changes whose content is kept, and that documents are gone, though nothing of them is left.
_TO_DELIVER = "past = 0 AND (revisions.kept <> 'removed' OR (revisions.id IS NULL AND change = 'removed'))"
NOT_TRASHED = "EXISTS (SELECT 1 FROM documents WHERE id = document_id AND state NOT GLOB 'trashed*')"
_HANDOVER = Columns(Handover, "sink, at, first, last, changes, delivered, attempt, code, error, retry_at, duration_ms")


class SqliteOutbox(Part):
    """The port `Outbox`."""

    def lock(self, sink: str, worker: str, until: int, now: int) -> bool:
        with self._db.write_passing():
            self._db.execute("INSERT OR IGNORE INTO cursors (sink) VALUES (?)", (sink,))
            self._db.execute(
                "UPDATE cursors SET owner = ?2, until = ?3 "
                "WHERE sink = ?1 AND (owner IS NULL OR owner = ?2 OR until <= ?4)",
                (sink, worker, until, now),
            )
            return self._db.changes() == 1

    def holder(self, sink: str) -> str | None:
        found: str | None = self._db.value("SELECT owner FROM cursors WHERE sink = ?", (sink,))
        return found

    def unlock(self, sink: str, worker: str) -> None:
        with self._db.write_passing():
            self._db.execute("UPDATE cursors SET owner = NULL, until = 0 WHERE sink = ? AND owner = ?", (sink, worker))

    def waiting(self, sink: str, limit: int) -> list[Parcel]:
        since = self._db.value("SELECT seq FROM cursors WHERE sink = ?", (sink,))
        rows = self._db.execute(
            f"SELECT {EVENT}, {STORED} FROM outbox LEFT JOIN sources ON sources.id = outbox.source_id "
            "LEFT JOIN revisions ON revisions.id = outbox.revision_id "
            "LEFT JOIN documents ON documents.id = revisions.document_id "
            f"WHERE seq > ? AND {_TO_DELIVER} ORDER BY seq LIMIT ?",
            (since or 0, limit),
        )
        stored = [row[len(EVENT) :] for row in rows]
        kept = iter(revisions_from(self._db, [row for row in stored if row[0] is not None]))
        events = map(self._event, rows)
        return [
            Parcel(event=event, revision=_tombstone(event) if row[0] is None else next(kept))
            for event, row in zip(events, stored, strict=True)
        ]

    def parcels(self, since: int, limit: int) -> list[Parcel]:
        return self._parcels("seq > ? AND past = 0 AND revisions.kept <> 'removed' ORDER BY seq LIMIT ?", since, limit)

    def parcels_of(self, seqs: Sequence[int]) -> list[Parcel]:
        is_there = f"revisions.kept <> 'removed' AND {NOT_TRASHED.replace('document_id', 'outbox.document_id')}"
        which = f"seq IN (SELECT value FROM json_each(?)) AND {is_there} ORDER BY seq DESC"
        return self._parcels(which, json.dumps(list(seqs)))

    def _parcels(self, which: str, *bindings: object) -> list[Parcel]:
        rows = self._db.execute(
            f"SELECT {EVENT}, {STORED} FROM outbox "
            "LEFT JOIN sources ON sources.id = outbox.source_id JOIN revisions ON revisions.id = outbox.revision_id "
            f"JOIN documents ON documents.id = revisions.document_id WHERE {which}",
            bindings,
        )
        revisions = revisions_from(self._db, [row[len(EVENT) :] for row in rows])
        return [
            Parcel(event=self._event(row), revision=revision) for row, revision in zip(rows, revisions, strict=True)
        ]

    def mark(self, sink: str, worker: str, seq: int, now: int) -> None:
        self._db.execute(
            "UPDATE cursors SET seq = max(seq, ?3), delivered_at = ?4 WHERE sink = ?1 AND owner = ?2",
            (sink, worker, seq, now),
        )

    def rewind(self, sink: str, worker: str, seq: int = 0) -> int:
        with self._db.write():
            before = self._db.value("SELECT seq FROM cursors WHERE sink = ? AND owner = ?", (sink, worker))
            self._db.execute("UPDATE cursors SET seq = ? WHERE sink = ? AND owner = ?", (seq, sink, worker))
        return before or 0

    def events(self, since: int = 0, limit: int = 100) -> list[Event]:
        return self._events("seq > ? AND past = 0 ORDER BY seq LIMIT ?", since, limit)

    def latest(self, before: int | None, limit: int) -> list[Event]:
        where = f"(?1 IS NULL OR seq < ?1) AND {NOT_TRASHED} AND {MORE_THAN_DATES} AND {NOT_HIDDEN}"
        return self._events(f"{where} ORDER BY seq DESC LIMIT ?2", before, limit)

    def numbered(self, seqs: Sequence[int]) -> list[Event]:
        return self._events("seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC", json.dumps(list(seqs)))

    def _events(self, which: str, *bindings: object) -> list[Event]:
        rows = self._db.execute(
            f"SELECT {EVENT} FROM outbox LEFT JOIN sources ON sources.id = outbox.source_id WHERE {which}", bindings
        )
        return list(map(self._event, rows))

    def last_seq(self) -> int:
        return int(self._db.value("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)"))

    def seq_before(self, at: int) -> int:
        return int(self._db.value("SELECT coalesce(max(seq), 0) FROM outbox WHERE at < ?", (at,)))

    def delivered_to(self) -> list[str]:
        # What is no sink has a place here, too, but nothing is ever delivered to it.
        rows = self._db.execute("SELECT sink FROM cursors WHERE seq > 0 AND delivered_at IS NOT NULL ORDER BY sink")
        return [sink for (sink,) in rows]

    def pending(self, sink: str) -> int:
        found = self._db.value(
            "SELECT count(*) FROM outbox LEFT JOIN revisions ON revisions.id = revision_id "
            f"WHERE seq > coalesce((SELECT seq FROM cursors WHERE sink = ?), 0) AND {_TO_DELIVER}",
            (sink,),
        )
        return int(found)

    def _event(self, row: Row) -> Event:
        return EVENT(row, dossier_id=self._dossier_id)


def _tombstone(event: Event) -> Revision:
    """What is left of a document that was deleted: its name and address."""
    return Revision(
        id=event.revision_id,
        document_id=event.document_id,
        source_id=event.source_id,
        n=event.rev_n,
        url=event.url,
        title=event.title,
        lang="",
        content_hash="",
        extracted_at=event.at,
        published_at=None,
        meta={},
        strategy="",
        quality=None,
        state="removed",
        kept=ContentState.REMOVED,
        text="",
        html="",
    )


class SqliteHandovers(Part):
    """The port `Handovers`."""

    def record(self, handover: Handover) -> None:
        # No wait for the disk: after a successful delivery the cursor is committed next, and that commit waits.
        with self._db.write_passing():
            self._db.execute(f"INSERT INTO handovers ({_HANDOVER}) VALUES ({_HANDOVER.places})", asdict(handover))
            self._db.execute(
                "DELETE FROM handovers WHERE sink = ?1 AND id <= "
                "(SELECT id FROM handovers WHERE sink = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (handover.sink, KEPT_HANDOVERS),
            )

    def last(self, sink: str) -> Handover | None:
        return next(iter(self.recent(sink, 1)), None)

    def recent(self, sink: str | None = None, limit: int = 50) -> list[Handover]:
        which = "" if sink is None else "WHERE sink = ?2"
        bindings = (limit,) if sink is None else (limit, sink)
        return self._all(_HANDOVER, f"FROM handovers {which} ORDER BY id DESC LIMIT ?1", bindings)
