"""What each user has read and kept in one dossier."""

from __future__ import annotations

import json
from collections.abc import Sequence

from veille.adapters.stores.sqlite._part import END, Part
from veille.adapters.stores.sqlite.read.outbox import LOUD, NOT_HIDDEN, TO_READ
from veille.core.access.accounts import VISIT_MS, Since
from veille.core.readers.marked import MarkedDocument

#: The most changes that are searched for unread ones.
LOOKED_AT = 10_000
#: What everybody counts to: pages write `999+` for more. To count on took half of the time of the first page.
_COUNTED_TO = 1000
UNREAD = f"""
SELECT document_id FROM
  (SELECT document_id, max(seq) AS seq FROM
    (SELECT document_id, seq FROM outbox
     WHERE seq > coalesce((SELECT seen_seq FROM visits WHERE user_id = :user), 0) AND {TO_READ}
     AND {NOT_HIDDEN} AND {LOUD} ORDER BY seq DESC LIMIT :most)
   GROUP BY document_id) AS news
WHERE seq > coalesce((SELECT read_seq FROM marks WHERE user_id = :user AND document_id = news.document_id), 0)
AND EXISTS (SELECT 1 FROM documents WHERE id = news.document_id AND state NOT GLOB 'trashed*')
UNION SELECT document_id FROM marks WHERE user_id = :user AND read_seq < 0
"""
#: The same documents, the newest first and one by one, so that whoever has enough of them can stop.
_NEWEST_UNREAD = f"""
SELECT document_id FROM
  (SELECT document_id, seq FROM outbox
   WHERE seq > coalesce((SELECT seen_seq FROM visits WHERE user_id = :user), 0) AND {TO_READ}
   AND {NOT_HIDDEN} AND {LOUD} ORDER BY seq DESC LIMIT :most) AS news
WHERE seq > coalesce((SELECT read_seq FROM marks WHERE user_id = :user AND document_id = news.document_id), 0)
AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.document_id = news.document_id AND outbox.seq > news.seq
  AND {TO_READ} AND outbox.{NOT_HIDDEN} AND {LOUD})
AND EXISTS (SELECT 1 FROM documents WHERE id = news.document_id AND state NOT GLOB 'trashed*')
LIMIT :enough
"""
#: The last change to be read of each document that changed lately.
_LATELY = f"""
SELECT outbox.seq, outbox.at, documents.id, documents.source_id FROM
  (SELECT max(seq) AS seq FROM
    (SELECT document_id, seq FROM outbox WHERE {TO_READ} AND {NOT_HIDDEN} ORDER BY seq DESC LIMIT ?)
   GROUP BY document_id) AS news
JOIN outbox ON outbox.seq = news.seq JOIN documents ON documents.id = outbox.document_id
WHERE documents.state NOT GLOB 'trashed*'
"""
#: The same of some documents, however long ago it was.
_EVER = f"""
SELECT outbox.seq, outbox.at, documents.id, documents.source_id FROM
  (SELECT coalesce(max(CASE WHEN {TO_READ} AND {NOT_HIDDEN} THEN seq END), max(seq)) AS seq FROM outbox
   WHERE document_id IN (SELECT value FROM json_each(?)) GROUP BY document_id) AS news
JOIN outbox ON outbox.seq = news.seq JOIN documents ON documents.id = outbox.document_id
WHERE documents.state NOT GLOB 'trashed*'
"""


class SqliteMarks(Part):
    """The port `Marks`."""

    def visit(self, user_id: str, now: int) -> Since:
        last, since_seq, since_at, shown_seq, shown_at = self._db.execute(
            "SELECT last, coalesce(since_seq, 0), since_at, coalesce(shown_seq, 0), shown_at FROM "
            "(SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0) AS last) AS now "
            "LEFT JOIN visits ON user_id = ?",
            (user_id,),
        )[0]
        if shown_at is not None and now - shown_at > VISIT_MS:
            since_seq, since_at = shown_seq, shown_at
        # Written seldom: many page views in a row are one visit.
        if shown_at is None or last != shown_seq or now - shown_at > VISIT_MS // 2:
            self._db.execute(
                "INSERT INTO visits (user_id, since_seq, since_at, shown_seq, shown_at) VALUES (?1, ?2, ?3, ?4, ?5) "
                "ON CONFLICT DO UPDATE SET since_seq = ?2, since_at = ?3, shown_seq = ?4, shown_at = ?5",
                (user_id, since_seq, since_at, last, now),
            )
        return Since(seq=since_seq, at=since_at)

    def unread(self, user_id: str) -> int:
        marked = "SELECT document_id FROM marks WHERE user_id = :user AND read_seq < 0"
        found = self._db.value(
            f"SELECT count(*) FROM (SELECT * FROM ({_NEWEST_UNREAD}) UNION {marked})",
            {"user": user_id, "most": LOOKED_AT, "enough": _COUNTED_TO},
        )
        return int(min(found, _COUNTED_TO))

    def unread_documents(self, user_id: str) -> list[str]:
        return self._db.column(UNREAD, {"user": user_id, "most": LOOKED_AT})

    def items(self, user_id: str) -> list[MarkedDocument]:
        unread, kept = set(self.unread_documents(user_id)), set(self.kept(user_id, LOOKED_AT))
        rows = self._db.execute(_LATELY, (LOOKED_AT,))
        if others := (unread | kept) - {row[2] for row in rows}:
            rows += self._db.execute(_EVER, (json.dumps(sorted(others)),))
        return [
            MarkedDocument(seq, at, document_id, source_id, document_id in unread, document_id in kept)
            for seq, at, document_id, source_id in rows
        ]

    def unread_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        found = self._db.column(
            "SELECT value FROM json_each(:ids) AS wanted LEFT JOIN marks ON user_id = :user AND document_id = value "
            "WHERE coalesce(read_seq, 0) < 0 OR "
            f"(SELECT max(seq) FROM outbox WHERE document_id = value AND {TO_READ} AND {NOT_HIDDEN} AND {LOUD}) > "
            "max(coalesce(read_seq, 0), coalesce((SELECT seen_seq FROM visits WHERE user_id = :user), 0))",
            {"user": user_id, "ids": json.dumps(list(document_ids))},
        )
        return set(found)

    def read(self, user_id: str, document_id: str, *, is_read: bool = True) -> None:
        self._db.execute(
            "INSERT INTO marks (user_id, document_id, read_seq) SELECT ?1, id, "
            "iif(?3 = 1, coalesce((SELECT max(seq) FROM outbox WHERE document_id = ?2), 0), -1) "
            "FROM documents WHERE id = ?2 ON CONFLICT DO UPDATE SET read_seq = excluded.read_seq",
            (user_id, document_id, is_read),
        )

    def read_changes(self, user_id: str, seqs: Sequence[int]) -> None:
        self._db.execute(
            "INSERT INTO marks (user_id, document_id, read_seq) SELECT ?1, document_id, max(seq) FROM outbox "
            "WHERE seq IN (SELECT value FROM json_each(?2)) "
            "AND EXISTS (SELECT 1 FROM documents WHERE id = outbox.document_id) GROUP BY document_id "
            "ON CONFLICT DO UPDATE SET read_seq = max(marks.read_seq, excluded.read_seq)",
            (user_id, json.dumps(list(seqs))),
        )

    def read_all(self, user_id: str, seq: int) -> None:
        with self._db.write():
            self._db.execute(
                "INSERT INTO visits (user_id, seen_seq) VALUES (?1, ?2) "
                "ON CONFLICT DO UPDATE SET seen_seq = max(visits.seen_seq, ?2)",
                (user_id, seq),
            )
            self._db.execute("UPDATE marks SET read_seq = ?2 WHERE user_id = ?1 AND read_seq < 0", (user_id, seq))

    def keep(self, user_id: str, document_id: str, at: int | None) -> None:
        self._db.execute(
            "INSERT INTO marks (user_id, document_id, kept_at) SELECT ?1, id, ?3 FROM documents WHERE id = ?2 "
            "ON CONFLICT DO UPDATE SET kept_at = ?3",
            (user_id, document_id, at),
        )

    def kept(self, user_id: str, limit: int, before: int | None = None) -> dict[str, int]:
        rows = self._db.execute(
            "SELECT document_id, kept_at FROM marks WHERE user_id = ?1 AND kept_at IS NOT NULL AND kept_at < ?2 "
            "ORDER BY kept_at DESC LIMIT ?3",
            (user_id, END if before is None else before, limit),
        )
        return dict(rows)

    def kept_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        found = self._db.column(
            "SELECT document_id FROM json_each(?2) JOIN marks ON user_id = ?1 AND document_id = value "
            "WHERE kept_at IS NOT NULL",
            (user_id, json.dumps(list(document_ids))),
        )
        return set(found)
