"""Deleted rules, channels, saved searches and engines: their rows are put aside, and stored again if restored."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.report.trash import SetupKind, TrashedSetup
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

_SETUP: Final = Columns(TrashedSetup, "kind, id, name, trashed_at")
#: The tables of each kind, its own first, in an order in which they can be stored: the columns that are kept, and the
#: one that names the setup. Tellings get new numbers, in their order: the old ones may be taken by now.
_TABLES: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "rule": (
        (
            "rules",
            "id, name, expression, scope, actions, weight, enabled, user_id, created_at, since_seq, since_at",
            "id",
        ),
    ),
    "channel": (
        (
            "channels",
            (
                "id, name, kind, shown, frequency, state, problem, attempts, retry_at, user_id, created_at, options, "
                "key_id, secrets"
            ),
            "id",
        ),
        (
            "messages",
            "seq, id, channel_id, kind, made_at, state, notice, alerts, attempts, problem, sent_at",
            "channel_id",
        ),
        ("tellings", "alert, channel_id, message", "channel_id"),
    ),
    "search": (
        ("saved_searches", "id, name, query, created_at, sink, matched_seq", "id"),
        ("search_alerts", "search_id, document_id, seq", "search_id"),
        ("search_looks", "user_id, search_id, seq", "search_id"),
    ),
    "engine": (("engines", "id, record, updated_at", "id"),),
}
#: An engine is called by its id, and may be deleted again while an older one of that id is in the trash.
_CALLED: Final = {"engine": "id"}
_ORDER: Final = {"tellings": "seq"}
#: What may have been deleted meanwhile: such rows stay away.
_STILL_THERE: Final = {
    "tellings": "SELECT seq FROM alerts WHERE seq = :alert",
    "search_alerts": "SELECT id FROM documents WHERE id = :document_id",
}
#: Codes of what is not there, or has the name already.
_NONE: Final = {"rule": "no_rule", "channel": "no_channel", "search": "no_search", "engine": "no_engine"}
_TAKEN: Final = {
    "rule": "rule_exists",
    "channel": "channel_exists",
    "search": "search_exists",
    "engine": "engine_exists",
}
_LAST_SEQ: Final = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)"


class SqliteTrashedSetups(Part):
    """The port `TrashedSetups`."""

    def __init__(self, db: Database, dossier_id: str, wake: Callable[[int], None]) -> None:
        super().__init__(db, dossier_id)
        self._wake = wake

    def all(self, limit: int) -> list[TrashedSetup]:
        return self._all(_SETUP, "FROM trashed_setups ORDER BY trashed_at DESC, id LIMIT ?", (limit,))

    def put(self, kind: SetupKind, setup_id: str, now: int) -> None:
        own = _TABLES[kind][0][0]
        with self._db.write():
            name = self._db.value(f"SELECT {_CALLED.get(kind, 'name')} FROM {own} WHERE id = ?", (setup_id,))
            if name is None:
                return
            kept = {table: self._rows(table, columns, of, setup_id) for table, columns, of in _TABLES[kind]}
            self._db.execute("DELETE FROM trashed_setups WHERE kind = ? AND id = ?", (kind, setup_id))
            self._db.execute(
                "INSERT INTO trashed_setups (kind, id, name, trashed_at, rows) VALUES (?, ?, ?, ?, ?)",
                (kind, setup_id, name, now, json.dumps(kept, default=_as_text)),
            )
            self._db.execute(f"DELETE FROM {own} WHERE id = ?", (setup_id,))

    def restore(self, kind: SetupKind, setup_id: str, now: int) -> TrashedSetup:
        with self._db.write():
            found = self._first(_SETUP, "FROM trashed_setups WHERE kind = ? AND id = ?", (kind, setup_id))
            if found is None:
                raise NotFoundError(f"There is no such {kind} in the trash of this dossier.", code=_NONE[kind])
            own = _TABLES[kind][0][0]
            if self._db.value(f"SELECT 1 FROM {own} WHERE {_CALLED.get(kind, 'name')} = ?", (found.name,)):
                raise ConfigError(f"There is a {kind} called {found.name!r} already.", code=_TAKEN[kind])
            kept = self._db.value(
                "DELETE FROM trashed_setups WHERE kind = ? AND id = ? RETURNING rows", (kind, setup_id)
            )
            rows = json.loads(kept, object_hook=_from_text)
            for table, _, _ in _TABLES[kind]:
                self._store(table, rows[table])
            if kind == "rule":
                # As when it is switched on: what happened meanwhile does not fire it.
                self._db.execute(
                    f"UPDATE rules SET since_seq = ({_LAST_SEQ}), since_at = ? WHERE id = ?", (now, setup_id)
                )
        self._wake(now)
        return found

    def purge(self, before: int) -> int:
        return len(self._db.column("DELETE FROM trashed_setups WHERE trashed_at < ? RETURNING id", (before,)))

    def _rows(self, table: str, columns: str, of: str, setup_id: str) -> list[dict[str, Any]]:
        order = f" ORDER BY {_ORDER[table]}" if table in _ORDER else ""
        names = columns.split(", ")
        rows = self._db.execute(f"SELECT {columns} FROM {table} WHERE {of} = ?{order}", (setup_id,))
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _store(self, table: str, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        places = ", ".join(f":{name}" for name in rows[0])
        there = _STILL_THERE.get(table)
        values = f"SELECT {places} WHERE EXISTS ({there})" if there else f"VALUES ({places})"
        self._db.many(f"INSERT INTO {table} ({', '.join(rows[0])}) {values}", rows)


def _as_text(value: object) -> dict[str, str]:
    """Bytes in JSON: secrets stay sealed."""
    if not isinstance(value, bytes | memoryview):
        raise TypeError(type(value).__name__)
    return {"base64": base64.b64encode(value).decode()}


def _from_text(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["base64"]) if value.keys() == {"base64"} else value
