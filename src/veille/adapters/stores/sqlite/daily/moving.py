"""A source packed in one dossier and unpacked in another: its documents, revisions, values, pictures and marks.

It is unpacked into the trash, from which it is then restored like any other: that indexes its texts and takes its
address. What happened to it before is kept as past events, which lists show and nobody is told of; then each of its
documents appears as a new one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.read.outbox import TO_READ
from veille.adapters.stores.sqlite.stored_bodies import ANSWER, PICTURE, answer_body, picture_bytes
from veille.core.report.moved_source import Crate
from veille.core.reread.answers import packed_body
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from veille.adapters.stores.database import Row

#: Documents that are packed at once: each may have a long history.
_AT_ONCE: Final = 50
_EVENTS_AT_ONCE: Final = 1000
#: What belongs to the source, in an order in which it can be stored.
_OF_SOURCE: Final = (
    ("requests", "source_id = ?1"),
    ("first_pictures", "request_id IN (SELECT id FROM requests WHERE source_id = ?1)"),
    ("failed_steps", "source_id = ?1"),
    ("patterns", "source_id = ?1"),
    ("notices", "source_id = ?1"),
    ("source_days", "source_id = ?1"),
    ("repairs", "source_id = ?1"),
)
#: A document of a source in the trash stays there, though this source may have shown it.
_KEPT: Final = "state NOT GLOB 'trashed*'"
_SOME: Final = "(SELECT value FROM json_each(?2))"
_REVISIONS: Final = f"(SELECT id FROM revisions WHERE document_id IN {_SOME})"
_ANSWERS: Final = (
    f"(SELECT answer FROM raw_revisions WHERE revision_id IN {_REVISIONS} "
    "AND answer IN (SELECT id FROM raw_answers WHERE source_id = ?1))"
)
#: What belongs to its documents, likewise.
_OF_DOCUMENTS: Final = (
    ("documents", f"id IN {_SOME}"),
    ("identities", f"document_id IN {_SOME}"),
    ("revisions", f"document_id IN {_SOME}"),
    ("archived_revisions", f"revision_id IN {_REVISIONS}"),
    ("raw_bodies", f"hash IN (SELECT hash FROM raw_answers WHERE id IN {_ANSWERS})"),
    ("raw_answers", f"id IN {_ANSWERS}"),
    ("raw_revisions", f"revision_id IN {_REVISIONS} AND answer IN {_ANSWERS}"),
    ("pictures", f"hash IN (SELECT hash FROM revision_pictures WHERE revision_id IN {_REVISIONS})"),
    ("revision_pictures", f"revision_id IN {_REVISIONS}"),
    ("quirks", f"document_id IN {_SOME}"),
    ("views", f"source_id = ?1 AND document_id IN {_SOME}"),
    ("document_tags", f"document_id IN {_SOME}"),
    ("analyses", f"document_id IN {_SOME}"),
)
#: The tables whose bytes may be outside the store, with the columns that say where.
_BODIES: Final = {"raw_bodies": ANSWER, "pictures": PICTURE}
#: Whether a user has read a document, or marked it as unread (NULL: neither), and whether they keep it.
_MARKS: Final = f"""
SELECT people.user_id, documents.id,
  CASE WHEN marks.read_seq < 0 THEN 0
       WHEN max(coalesce(marks.read_seq, 0), coalesce(visits.seen_seq, 0)) >=
            (SELECT coalesce(max(seq), 0) FROM outbox WHERE document_id = documents.id AND {TO_READ}) THEN 1 END,
  marks.kept_at
FROM documents CROSS JOIN (SELECT user_id FROM visits UNION SELECT user_id FROM marks) AS people
LEFT JOIN visits ON visits.user_id = people.user_id
LEFT JOIN marks ON marks.user_id = people.user_id AND marks.document_id = documents.id
WHERE documents.id IN (SELECT value FROM json_each(?))
"""


class SqliteMoving(Part):
    """The port `Moving`."""

    def documents(self, source_id: str) -> list[str]:
        return self._db.column(
            f"SELECT id FROM documents WHERE {_KEPT} AND (source_id = ?1 OR id IN "
            "(SELECT document_id FROM sightings WHERE source_id = ?1)) ORDER BY row",
            (source_id,),
        )

    def known(self, document_ids: Sequence[str]) -> set[str]:
        return set(
            self._db.column(
                "SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))", (as_json(document_ids),)
            )
        )

    def has_archive(self, document_ids: Sequence[str]) -> bool:
        found = (
            "SELECT EXISTS (SELECT 1 FROM archived_revisions JOIN revisions ON revisions.id = revision_id "
            "WHERE document_id IN (SELECT value FROM json_each(?)))"
        )
        return bool(self._db.value(found, (as_json(document_ids),)))

    def pack(self, source_id: str, document_ids: Sequence[str]) -> Iterator[Crate]:
        yield self._crate("sources", "id = ?1", source_id)
        for table, which in _OF_SOURCE:
            yield self._crate(table, which, source_id)
        for at in range(0, len(document_ids), _AT_ONCE):
            some = as_json(document_ids[at : at + _AT_ONCE])
            for table, which in _OF_DOCUMENTS:
                crate = self._crate(table, which, source_id, some)
                if table == "archived_revisions":
                    yield self._frames(crate)
                yield self._filled(crate) if table in _BODIES else crate
        yield self._crate(
            "sightings", f"source_id = ?1 AND document_id IN (SELECT id FROM documents WHERE {_KEPT})", source_id
        )
        yield from self._events(as_json(document_ids))
        ids = as_json(document_ids)
        yield self._crate("value_points", f"document_id IN {_SOME}", source_id, ids)
        marks = self._db.execute(_MARKS, (ids,))
        yield Crate("marks", ("user_id", "document_id", "is_read", "kept_at"), [one for one in marks if any(one[2:])])

    def _crate(self, table: str, which: str, *bindings: object) -> Crate:
        columns = tuple(self._db.columns(table))
        rows = self._db.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE {which}", bindings)
        return Crate(table, columns, rows)

    def _filled(self, crate: Crate) -> Crate:
        """Kept answers and pictures with their bytes, wherever these are."""
        rows = []
        for row in crate.rows:
            one = dict(zip(crate.columns, row, strict=True))
            if one["segment"] is not None:
                names = [name.rpartition(".")[2] for name in _BODIES[crate.table].split(", ")]
                kept = [one[name] for name in names]
                is_answer = crate.table == "raw_bodies"
                data = packed_body(answer_body(self._db, kept)) if is_answer else picture_bytes(self._db, kept)
                one |= {"data": data, "segment": None, "start": None, "length": None}
            rows.append(tuple(one.values()))
        return Crate(crate.table, crate.columns, rows)

    def _frames(self, archived: Crate) -> Crate:
        """The stretches of archive files that hold these revisions."""
        where = {(row[1], row[2], row[3]) for row in archived.rows}
        rows = []
        for name, start, length in sorted(where):
            # A file that is kept elsewhere stays there; the revision says so when it is asked for.
            with suppress(NotFoundError):
                rows.append((name, start, self._db.files.read(name, start, length)))
        return Crate("archive_frames", ("file", "start", "data"), rows)

    def _events(self, document_ids: str) -> Iterator[Crate]:
        since = 0
        while True:
            crate = self._crate(
                "outbox",
                f"seq > ?1 AND document_id IN {_SOME} ORDER BY seq LIMIT {_EVENTS_AT_ONCE}",
                since,
                document_ids,
            )
            if not crate.rows:
                return
            yield crate
            since = crate.rows[-1][crate.columns.index("seq")]

    def unpack(self, source_id: str, crates: Iterable[Crate], now: int) -> None:
        unpacked = _Unpacking(self, source_id, now)
        for crate in crates:
            unpacked.take(crate)

    def appear(self, document_ids: Sequence[str], now: int) -> None:
        self._db.execute(
            "INSERT INTO outbox (at, change, source_id, document_id, revision_id, rev_n, url, title, is_first, told) "
            "SELECT ?2, 'new', source_id, id, revision_id, rev_n, url, title, 1, coalesce((SELECT told FROM outbox "
            "WHERE document_id = documents.id AND change = 'new' ORDER BY seq DESC LIMIT 1), '') "
            "FROM documents WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'current' ORDER BY changed_at",
            (as_json(document_ids), now),
        )
        # Who had read it before has still read it.
        self._db.execute(
            "UPDATE marks SET read_seq = (SELECT max(seq) FROM outbox WHERE outbox.document_id = marks.document_id) "
            "WHERE read_seq > 0 AND document_id IN (SELECT id FROM documents WHERE state = 'current' "
            "AND id IN (SELECT value FROM json_each(?)))",
            (as_json(document_ids),),
        )


class _Unpacking:
    """One source as it is taken in, table by table."""

    def __init__(self, part: SqliteMoving, source_id: str, now: int) -> None:
        self._db = part._db  # noqa: SLF001 - the other half of it
        self._source_id = source_id
        self._now = now
        #: The new numbers of events, and the new places of archived contents.
        self._numbers: dict[int, int] = {}
        self._places: dict[tuple[str, int], tuple[str, int]] = {}

    def take(self, crate: Crate) -> None:
        """Store the rows of a crate."""
        special = getattr(self, f"_take_{crate.table}", None)
        rows = [dict(zip(crate.columns, row, strict=True)) for row in crate.rows]
        if special is not None:
            special(rows)
        elif rows:
            self._insert(crate.table, rows)

    def _insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        columns = tuple(rows[0])
        self._db.many(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
            "ON CONFLICT DO NOTHING",
            [tuple(row.values()) for row in rows],
        )

    def _take_sources(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row |= {"key": f"trash:{self._source_id}", "trashed_at": self._now, "was_enabled": row["enabled"]}
            row["enabled"] = 0
        self._insert("sources", rows)

    def _take_requests(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row |= {"parked": 1, "lease_owner": None, "lease_until": 0, "lease_epoch": row["lease_epoch"] + 1}
        self._insert("requests", rows) if rows else None

    def _take_documents(self, rows: list[dict[str, Any]]) -> None:
        ids = {row["id"] for row in rows}
        for row in rows:
            del row["row"]
            # What it repeated is another source's, and stayed behind.
            if row["state"] == "duplicate" and row["duplicate_of"] not in ids:
                row |= {"state": "current", "duplicate_of": None}
            row |= {"source_id": self._source_id, "state": f"trashed {row['state']}"}
        self._insert("documents", rows) if rows else None

    def _take_identities(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        self._insert("identities", rows)
        # A document that is here already: the one that came repeats it, and keeps its history.
        taken: list[Row] = self._db.execute(
            "SELECT came.value ->> 1, identities.document_id FROM json_each(?) AS came "
            "JOIN identities ON identities.key = came.value ->> 0 AND identities.document_id <> came.value ->> 1",
            (as_json([[row["key"], row["document_id"]] for row in rows]),),
        )
        self._db.many(
            "UPDATE documents SET state = 'trashed duplicate', duplicate_of = ?2 WHERE id = ?1 "
            "AND state = 'trashed current'",
            taken,
        )
        self._db.many(
            "INSERT INTO sightings (document_id, source_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(here, self._source_id) for _, here in taken],
        )

    def _take_archive_frames(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        name = f"moved-{self._source_id}-{self._now}-{len(self._places)}.jsonl.zst"
        frames = bytearray()
        for row in rows:
            self._places[row["file"], row["start"]] = (name, len(frames))
            frames += row["data"]
        # Beside the database: no network is waited for in a transaction. A duty carries it to the place of bodies.
        self._db.files.beside.put(name, bytes(frames))

    def _take_archived_revisions(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["file"], row["start"] = self._places.get((row["file"], row["start"]), (row["file"], row["start"]))
        self._insert("archived_revisions", rows) if rows else None

    def _take_outbox(self, rows: list[dict[str, Any]]) -> None:
        made = []
        for row in rows:
            before = row.pop("seq")
            row |= {"past": 1, "source_id": self._source_id}
            columns = ", ".join(row)
            insert = f"INSERT INTO outbox ({columns}) VALUES ({', '.join('?' * len(row))}) RETURNING seq"
            made.append((before, self._db.later(insert, tuple(row.values()))))
        self._numbers |= {before: number()[0][0] for before, number in made}

    def _take_value_points(self, rows: list[dict[str, Any]]) -> None:
        found = [row | {"seq": self._numbers[row["seq"]]} for row in rows if row["seq"] in self._numbers]
        self._insert("value_points", found) if found else None

    def _take_marks(self, rows: list[dict[str, Any]]) -> None:
        # 1 until the documents appear: then their users have read what appeared.
        read = {None: 0, 0: -1, 1: 1}
        made = [
            {
                "user_id": row["user_id"],
                "document_id": row["document_id"],
                "read_seq": read[row["is_read"]],
                "kept_at": row["kept_at"],
            }
            for row in rows
        ]
        self._insert("marks", made) if made else None
