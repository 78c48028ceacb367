"""What fired, and what is to be told."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.core.alerts.frequency import Sent
from veille.core.alerts.models import RULES_LOCK, Alert, Message, MessageKind
from veille.core.alerts.records import (
    KEPT_ALERTS,
    AlertFilter,
    AlertLine,
    Deed,
    Fired,
    MessageState,
    StoredMessage,
    Telling,
    TellingState,
    Verdicts,
    WaitingAlert,
)
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database, Row

#: The name of the second place in `cursors`; the first has that of the lock.
_HAPPENINGS: Final = "veille:happenings"

_ALERT: Final = TypeAdapter(Alert)
_MESSAGE: Final = Columns(
    StoredMessage,
    "seq, id, channel_id, (SELECT name FROM channels WHERE channels.id = channel_id) AS channel, kind, made_at, state, "
    "notice, alerts, attempts, problem, sent_at",
    kind=MessageKind,
    state=MessageState,
)
_WAITING: Final = Columns(WaitingAlert, "tellings.seq, alerts.at")
_TELLING: Final = Columns(
    Telling,
    "tellings.channel_id, channels.name AS channel, CASE coalesce(messages.state, '') WHEN '' THEN 'waiting' "
    "WHEN 'open' THEN 'sending' ELSE messages.state END AS state, coalesce(messages.id, '') AS message_id, "
    "messages.sent_at, coalesce(messages.attempts, 0) AS attempts, coalesce(messages.problem, '') AS problem",
    state=TellingState,
)


class SqliteAlerts(Part):
    """The port `Alerts`."""

    def judged(self) -> tuple[int, int]:
        places: dict[str, int] = dict(
            self._db.execute("SELECT sink, seq FROM cursors WHERE sink IN (?, ?)", (RULES_LOCK, _HAPPENINGS))
        )
        return places.get(RULES_LOCK, 0), places.get(_HAPPENINGS, 0)

    def record(self, verdicts: Verdicts, worker: str, now: int) -> bool:
        with self._db.write():
            holder = self._db.value("SELECT owner FROM cursors WHERE sink = ? AND until > ?", (RULES_LOCK, now))
            if holder != worker or self.judged() != verdicts.begin:
                return False
            for name, seq in zip((RULES_LOCK, _HAPPENINGS), verdicts.end, strict=True):
                self._db.execute(
                    "INSERT INTO cursors (sink, seq) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET seq = ?2", (name, seq)
                )
            self._store(verdicts.fired)
            _Deeds(self._db).do(verdicts.deeds, now)
        return True

    def _store(self, fired: Sequence[Fired]) -> None:
        for one in fired:
            alert = one.alert
            seq = self._db.value(
                "INSERT INTO alerts (id, rule_id, key, at, source_id, document_id, change, record) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq",
                (
                    alert.id,
                    alert.rule_id,
                    one.key,
                    alert.at,
                    alert.source_id,
                    alert.document_id,
                    alert.change,
                    _ALERT.dump_json(alert).decode(),
                ),
            )
            if seq is not None:
                self._tell(seq, one.channels)
        if fired:
            self._db.execute(
                "DELETE FROM alerts WHERE seq <= (SELECT seq FROM alerts ORDER BY seq DESC LIMIT 1 OFFSET ?) "
                "AND NOT EXISTS (SELECT 1 FROM "
                "tellings LEFT JOIN messages ON messages.seq = message WHERE alert = alerts.seq "
                "AND coalesce(messages.state, 'open') = 'open')",
                (KEPT_ALERTS,),
            )

    def _tell(self, seq: int, channel_ids: Iterable[str]) -> None:
        self._db.many(
            "INSERT INTO tellings (alert, channel_id) SELECT ?, id FROM channels WHERE id = ?",
            [(seq, channel_id) for channel_id in channel_ids],
        )

    def tellers(self, rule_id: str, document_ids: Sequence[str]) -> str:
        found = self._db.value(
            "SELECT id FROM alerts WHERE rule_id = ? AND change = 'new' AND record ->> 'told_by' = '' "
            "AND document_id IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT 1",
            (rule_id, json.dumps(list(document_ids))),
        )
        return found or ""

    def handed(self, sink: str, seqs: Sequence[int]) -> set[int]:
        found = self._db.column(
            "SELECT seq FROM sink_finds WHERE sink = ? AND seq IN (SELECT value FROM json_each(?))",
            (sink, json.dumps(list(seqs))),
        )
        return set(found)

    def waiting(self, channel_id: str, limit: int) -> list[WaitingAlert]:
        return self._all(
            _WAITING,
            "FROM tellings JOIN alerts ON alerts.seq = alert WHERE channel_id = ? AND message IS NULL "
            "ORDER BY tellings.seq LIMIT ?",
            (channel_id, limit),
        )

    def sent(self, channel_id: str, since: int) -> list[Sent]:
        rows = self._db.execute(
            "SELECT made_at, kind, alerts FROM messages WHERE channel_id = ?1 AND alerts > 0 AND (made_at >= ?2 OR "
            "seq = (SELECT max(seq) FROM messages WHERE channel_id = ?1 AND alerts > 0))",
            (channel_id, since),
        )
        return [Sent(at, MessageKind(kind), alerts) for at, kind, alerts in rows]

    def make(self, message_id: str, channel_id: str, kind: MessageKind, alerts: Sequence[int], now: int) -> bool:
        with self._db.write():
            ids = json.dumps(list(alerts))
            free = self._db.value(
                "SELECT count(*) FROM tellings WHERE message IS NULL AND channel_id = ? "
                "AND seq IN (SELECT value FROM json_each(?))",
                (channel_id, ids),
            )
            if free != len(alerts):
                return False
            seq = self._insert(message_id, channel_id, kind, "", len(alerts), now)
            self._db.execute(
                "UPDATE tellings SET message = ? WHERE seq IN (SELECT value FROM json_each(?))", (seq, ids)
            )
        return True

    def notice(self, message_id: str, channel_id: str, text: str, now: int) -> None:
        with self._db.write():
            if not self._db.value("SELECT 1 FROM messages WHERE id = ?", (message_id,)):
                self._insert(message_id, channel_id, MessageKind.NOTICE, text, 0, now)

    def _insert(self, message_id: str, channel_id: str, kind: str, notice: str, alerts: int, now: int) -> int:
        return int(
            self._db.value(
                "INSERT INTO messages (id, channel_id, kind, made_at, state, notice, alerts) "
                "VALUES (?, ?, ?, ?, 'open', ?, ?) RETURNING seq",
                (message_id, channel_id, kind, now, notice, alerts),
            )
        )

    def open_message(self, channel_id: str) -> StoredMessage | None:
        return self._first(
            _MESSAGE, "FROM messages WHERE channel_id = ? AND state = 'open' ORDER BY seq LIMIT 1", (channel_id,)
        )

    def contents(self, message_id: str) -> list[Alert]:
        records = self._db.column(
            "SELECT record FROM messages JOIN tellings ON message = messages.seq JOIN alerts ON alerts.seq = alert "
            "WHERE messages.id = ? ORDER BY tellings.seq",
            (message_id,),
        )
        return list(map(_ALERT.validate_json, records))

    def close(self, message_id: str, now: int, *, is_skipped: bool = False) -> None:
        state = MessageState.SKIPPED if is_skipped else MessageState.SENT
        with self._db.write():
            channel_id = self._db.value(
                "UPDATE messages SET state = ?2, sent_at = iif(?2 = 'sent', ?3, NULL) WHERE id = ?1 "
                "AND state = 'open' RETURNING channel_id",
                (message_id, state, now),
            )
            self._db.execute(
                "UPDATE channels SET problem = '', attempts = 0, retry_at = NULL WHERE id = ?", (channel_id,)
            )

    def failed(self, message: Message, problem: str, retry_at: int) -> int:
        with self._db.write():
            attempts = self._db.value(
                "UPDATE messages SET attempts = attempts + 1, problem = ? WHERE id = ? RETURNING attempts",
                (problem, message.id),
            )
            self._db.execute(
                "UPDATE channels SET problem = ?, attempts = ?, retry_at = ? WHERE id = ?",
                (problem, attempts or 0, retry_at, message.channel_id),
            )
        return attempts or 0

    def resend(self, alert_id: str, channel_ids: Sequence[str]) -> None:
        with self._db.write():
            self._tell(self.find(alert_id).seq, channel_ids)

    def page(self, wanted: AlertFilter, before: int | None, limit: int) -> list[AlertLine]:
        rows = self._db.execute(
            "SELECT seq, record FROM alerts WHERE seq < :before "
            "AND (:rule = '' OR rule_id = :rule) AND (:source = '' OR source_id = :source) "
            "AND (:document = '' OR document_id = :document) AND (:channel = '' OR EXISTS "
            "(SELECT 1 FROM tellings WHERE alert = alerts.seq AND channel_id = :channel)) "
            "AND (:message = '' OR seq IN (SELECT alert FROM messages JOIN tellings ON message = messages.seq "
            "WHERE messages.id = :message)) "
            "ORDER BY seq DESC LIMIT :limit",
            {
                "before": END if before is None else before,
                "rule": wanted.rule_id,
                "source": wanted.source_id,
                "document": wanted.document_id,
                "channel": wanted.channel_id,
                "message": wanted.message_id,
                "limit": limit,
            },
        )
        return self._lines(rows)

    def find(self, alert_id: str) -> AlertLine:
        asked = "SELECT seq, record FROM alerts WHERE id = ? OR seq = ?"
        number = int(alert_id) if alert_id.isascii() and alert_id.isdigit() and len(alert_id) < len(str(END)) else None
        lines = self._lines(self._db.execute(asked, (alert_id, number)))
        if not lines and (begun := id_beginning(self._db, "alerts", alert_id, code="ambiguous_alert", label="seq")):
            lines = self._lines(self._db.execute(asked, (begun, None)))
        if not lines:
            raise NotFoundError("There is no such alert in this dossier.", code="no_alert")
        return lines[0]

    def _lines(self, rows: Sequence[Row]) -> list[AlertLine]:
        told: dict[int, list[Telling]] = defaultdict(list)
        for row in self._db.execute(
            f"SELECT {_TELLING}, alert FROM tellings JOIN channels ON channels.id = tellings.channel_id "
            "LEFT JOIN messages ON messages.seq = message WHERE alert IN (SELECT value FROM json_each(?)) "
            "ORDER BY tellings.seq",
            (json.dumps([row[0] for row in rows]),),
        ):
            told[row[-1]].append(_TELLING(row))
        return [
            AlertLine(seq=seq, alert=_ALERT.validate_json(record), tellings=tuple(told[seq])) for seq, record in rows
        ]

    def count(self, rule_id: str, since: int) -> int:
        return int(
            self._db.value(
                "SELECT count(*) FROM alerts INDEXED BY alerts_rule WHERE rule_id = ? AND at >= ?", (rule_id, since)
            )
        )

    def since(self, at: int) -> int:
        # The last ones only: they are found by their number, and times are not in an index.
        return int(
            self._db.value(
                "SELECT count(*) FROM (SELECT at FROM alerts ORDER BY seq DESC LIMIT 1000) WHERE at >= ?", (at,)
            )
        )

    def message(self, message_id: str) -> StoredMessage:
        found = self._first(_MESSAGE, "FROM messages WHERE id = ?", (message_id,))
        if found is None:
            raise NotFoundError("There is no such message in this dossier.", code="no_message")
        return found

    def messages(self, channel_id: str | None, before: int | None, limit: int) -> list[StoredMessage]:
        return self._all(
            _MESSAGE,
            "FROM messages WHERE (?1 IS NULL OR channel_id = ?1) AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
            (channel_id, END if before is None else before, limit),
        )


class _Deeds:
    """What rules do besides telling."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def do(self, deeds: Sequence[Deed], now: int) -> None:
        exists = "FROM documents WHERE id = ?1"
        self._db.many(
            f"INSERT OR IGNORE INTO document_tags SELECT id, ?2 {exists}",
            [(deed.document_id, tag) for deed in deeds for tag in deed.tags],
        )
        self._db.many(
            f"INSERT INTO marks (document_id, user_id, kept_at) SELECT id, ?2, ?3 {exists} "
            "ON CONFLICT DO UPDATE SET kept_at = coalesce(marks.kept_at, ?3)",
            [(deed.document_id, deed.user_id, now) for deed in deeds if deed.star],
        )
        self._db.many(
            f"INSERT INTO marks (document_id, user_id, read_seq) SELECT id, ?2, ?3 {exists} "
            "ON CONFLICT DO UPDATE SET read_seq = max(marks.read_seq, ?3)",
            [(deed.document_id, deed.user_id, deed.seq) for deed in deeds if deed.read],
        )
        self._db.many("INSERT OR IGNORE INTO hidden_changes VALUES (?)", [(deed.seq,) for deed in deeds if deed.hide])
        self._db.many(
            "INSERT OR IGNORE INTO sink_finds VALUES (?, ?)", [(deed.sink, deed.seq) for deed in deeds if deed.sink]
        )
