"""The changes of one dossier for lists; every query is bounded by what it shows, not by what there is."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from veille.adapters.stores.sqlite._part import END, Part
from veille.adapters.stores.sqlite._rows import TAGGED, as_json
from veille.adapters.stores.sqlite.read.outbox import EVENT, LOUD, MORE_THAN_DATES, NOT_HIDDEN, TO_READ
from veille.core.show.change_rows import ChangeFilter, ChangeLine, Which

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.records import Event


def _to_read(table: str) -> str:
    return TO_READ.replace("changed_metadata", f"{table}.changed_metadata").replace("past", f"{table}.past")


#: The most changes that are looked at for one page, even if few of them match.
_LOOKED_AT: Final = 5000
#: The number up to which a user has read everything.
_SEEN: Final = "coalesce((SELECT seen_seq FROM visits WHERE user_id = :user), 0)"
#: The number up to which a user has read one document; below zero if they marked it as unread.
_MARK: Final = (
    "coalesce((SELECT read_seq FROM marks WHERE user_id = :user AND marks.document_id = outbox.document_id), 0)"
)
_IS_LAST: Final = (
    "NOT EXISTS (SELECT 1 FROM outbox AS later WHERE later.document_id = outbox.document_id "
    f"AND later.seq > outbox.seq AND {_to_read('later')} "
    "AND later.seq NOT IN (SELECT seq FROM hidden_changes))"
)
#: Changes that the user has not read: all since they read the document, and the last of one marked as unread.
_IS_NEWS: Final = (
    f"({_to_read('outbox')} AND (({LOUD} AND outbox.seq > max({_SEEN}, {_MARK})) OR ({_MARK} < 0 AND {_IS_LAST})))"
)
_IMPORTANT: Final = (
    "(EXISTS (SELECT 1 FROM alerts WHERE alerts.document_id = outbox.document_id) OR EXISTS (SELECT 1 FROM marks "
    "WHERE user_id = :user AND marks.document_id = outbox.document_id AND kept_at IS NOT NULL))"
)
_HAS_TAG: Final = TAGGED.format(source="outbox.source_id", document="outbox.document_id", tag=":tag")
_KEPT: Final = "documents.state NOT GLOB 'trashed*'"
_WHICH: Final = {
    Which.ALL: "true",
    Which.UNREAD: f"{_IS_NEWS} AND {_IS_LAST}",
    Which.OTHERS: f"NOT {_IS_NEWS}",
    Which.IMPORTANT: _IMPORTANT,
}
#: Documents that a user marked as unread: these may be of any age.
_MARKED: Final = "SELECT document_id FROM marks WHERE user_id = :user AND read_seq < 0"


class SqliteChangeLists(Part):
    """The port `ChangeLists`."""

    def page(self, wanted: ChangeFilter, before: int | None, limit: int) -> tuple[list[ChangeLine], int]:
        bindings: dict[str, Any] = {
            "user": wanted.user_id,
            "source": wanted.source_id,
            "tag": wanted.tag,
            "before": END if before is None else before,
            "after": max(wanted.since - 1, 0),
            "limit": limit,
            "most": _LOOKED_AT,
        }
        unseen = f"AND seq > {_SEEN}" if wanted.which is Which.UNREAD else ""
        near = f"SELECT * FROM outbox WHERE seq < :before AND seq > :after {unseen} ORDER BY seq DESC"
        rows = self._rows(f"({near} LIMIT :most)", wanted, bindings)
        following = rows[-1][0] if len(rows) == limit else self._end(near, bindings)
        if wanted.which is Which.UNREAD and not following:
            # Those marked as unread come after all others, for they are older.
            bindings["limit"] = limit - len(rows)
            marked = f"SELECT * FROM outbox WHERE seq < :before AND seq <= {_SEEN} AND document_id IN ({_MARKED})"
            older = self._rows(f"({marked} AND seq >= {wanted.since:d})", wanted, bindings)
            following = older[-1][0] if len(older) == bindings["limit"] else 0
            rows += older
        return [
            ChangeLine(seq, at, source_id, document_id, story or document_id)
            for seq, at, source_id, document_id, story in rows
        ], following

    def _rows(self, of: str, wanted: ChangeFilter, bindings: dict[str, Any]) -> list[Any]:
        source = "AND outbox.source_id = :source" if wanted.source_id else ""
        tag = f"AND {_HAS_TAG}" if wanted.tag else ""
        return self._db.execute(
            f"SELECT outbox.seq, outbox.at, outbox.source_id, outbox.document_id, stories.id FROM {of} AS outbox "
            "JOIN documents ON documents.id = outbox.document_id "
            "LEFT JOIN story_documents ON story_documents.document = documents.row "
            "LEFT JOIN stories ON stories.row = story_documents.story "
            f"WHERE {MORE_THAN_DATES} AND outbox.{NOT_HIDDEN} AND {_KEPT} {source} {tag} AND {_WHICH[wanted.which]} "
            "ORDER BY outbox.seq DESC LIMIT :limit",
            bindings,
        )

    def unread_of(self, user_id: str, document_ids: Sequence[str], limit: int) -> dict[str, list[Event]]:
        rows = self._db.execute(
            f"SELECT {EVENT} FROM json_each(:ids) AS asked JOIN outbox ON outbox.document_id = asked.value "
            f"LEFT JOIN sources ON sources.id = outbox.source_id WHERE {_IS_NEWS} AND outbox.{NOT_HIDDEN} "
            "ORDER BY outbox.seq DESC LIMIT :limit",
            {"ids": as_json(document_ids), "user": user_id, "limit": limit},
        )
        found: dict[str, list[Event]] = defaultdict(list)
        for event in (EVENT(row, dossier_id=self._dossier_id) for row in rows):
            found[event.document_id].append(event)
        return dict(found)

    def _end(self, near: str, bindings: dict[str, Any]) -> int:
        """Where the changes that were looked at end; 0 if there are no more."""
        ends = self._db.column(f"SELECT seq FROM ({near} LIMIT 2 OFFSET :most - 1)", bindings)
        return int(ends[0]) if len(ends) > 1 else 0

    def last_of(self, document_ids: Sequence[str]) -> dict[str, Event]:
        rows = self._db.execute(
            f"SELECT {EVENT} FROM json_each(?) AS asked JOIN outbox ON outbox.seq = "
            f"(SELECT max(seq) FROM outbox AS one WHERE one.document_id = asked.value AND {MORE_THAN_DATES}) "
            "LEFT JOIN sources ON sources.id = outbox.source_id",
            (as_json(document_ids),),
        )
        events = [EVENT(row, dossier_id=self._dossier_id) for row in rows]
        return {event.document_id: event for event in events}

    def at_times(self, found: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Event]:
        rows = self._db.execute(
            f"SELECT {EVENT} FROM json_each(?) AS asked JOIN outbox ON outbox.document_id = asked.value ->> 0 "
            "AND outbox.at = asked.value ->> 1 LEFT JOIN sources ON sources.id = outbox.source_id",
            (as_json(found),),
        )
        events = [EVENT(row, dossier_id=self._dossier_id) for row in rows]
        return {(event.document_id, event.at): event for event in events}

    def rules_of(self, events: Sequence[Event]) -> dict[int, tuple[str, ...]]:
        rows = self._db.execute(
            "SELECT asked.value ->> 0, rules.name FROM json_each(?) AS asked "
            "JOIN alerts ON alerts.document_id = asked.value ->> 1 "
            "AND (alerts.key = 'change ' || (asked.value ->> 0) OR alerts.key LIKE 'story %') "
            "JOIN rules ON rules.id = alerts.rule_id ORDER BY rules.name",
            (as_json((event.seq, event.document_id) for event in events),),
        )
        found: dict[int, dict[str, None]] = defaultdict(dict)
        for seq, name in rows:
            found[seq][name] = None
        return {seq: tuple(names) for seq, names in found.items()}

    def tellers(self, document_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        rows = self._db.execute(
            "SELECT documents.id, stories.id, stories.documents - 1 FROM json_each(?) AS asked "
            "JOIN documents ON documents.id = asked.value JOIN story_documents ON document = documents.row "
            "JOIN stories ON stories.row = story AND stories.documents > 1",
            (as_json(document_ids),),
        )
        return {document_id: (story_id, others) for document_id, story_id, others in rows}

    def trends(self, named: Sequence[tuple[str, str]], limit: int) -> dict[tuple[str, str], list[float]]:
        rows = self._db.execute(
            "SELECT asked.value ->> 0, asked.value ->> 1, number FROM json_each(?1) AS asked "
            "JOIN value_points AS points ON points.document_id = asked.value ->> 0 AND points.name = asked.value ->> 1 "
            "WHERE number IS NOT NULL AND seq > coalesce((SELECT seq FROM value_points AS one "
            "WHERE one.document_id = asked.value ->> 0 AND one.name = asked.value ->> 1 "
            "ORDER BY seq DESC LIMIT 1 OFFSET ?2), 0) ORDER BY asked.key, seq",
            (as_json(named), limit),
        )
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for document_id, name, number in rows:
            found[document_id, name].append(number)
        return dict(found)
