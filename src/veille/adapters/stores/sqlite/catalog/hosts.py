"""What is remembered about hosts, in the catalog database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.http.politeness import HostCounts, HostState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.sqlite._db import Database, Row


_STATE = (
    "next_at", "delay_ms", "paused_until", "failures", "pauses", "robots", "robots_until", "robots_error",
    "last_status", "last_at",
)  # fmt: skip
_TALLY = ("requests", "not_modified", "bytes", "bytes_saved", "refusals", "errors")
_COLUMNS = ("key", *_STATE, *_TALLY)

_LOAD = f"SELECT {', '.join(('key', *_STATE))} FROM hosts WHERE key = ?"
#: Without the text of robots.txt, which tables do not show.
_SHORT = ", ".join("NULL" if name == "robots" else name for name in _COLUMNS)
_WANTED = {"all": "1", "failing": "failures > 0", "paused": "paused_until > :now"}
_END = 2**62
_LEDGER = f"SELECT {', '.join(_COLUMNS)} FROM hosts ORDER BY requests DESC, key"
_SAVE = (
    f"INSERT INTO hosts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    "ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _STATE)
    + ", "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _TALLY)
)


class SqliteHosts:
    """The port `Hosts` on the catalog."""

    def __init__(self, catalog: Database) -> None:
        self._db = catalog

    def load(self, key: str) -> HostState:
        rows = self._db.execute(_LOAD, (key,))
        return _state(rows[0]) if rows else HostState(key=key)

    def save(self, records: Iterable[tuple[HostState, HostCounts]]) -> None:
        rows = [
            (
                state.key,
                *(getattr(state, name) for name in _STATE),
                *(getattr(tally, name) for name in _TALLY),
            )
            for state, tally in records
        ]
        with self._db.write_passing():
            self._db.many(_SAVE, rows)

    def ledger(self) -> list[tuple[HostState, HostCounts]]:
        return _pairs(self._db.execute(_LEDGER))

    def page(
        self, wanted: str, now: int, before: tuple[int, str] | None, limit: int
    ) -> list[tuple[HostState, HostCounts]]:
        requests, key = before or (_END, "")
        return _pairs(
            self._db.execute(
                f"SELECT {_SHORT} FROM hosts WHERE {_WANTED[wanted]} AND (-requests, key) > (-:requests, :key) "
                "ORDER BY -requests, key LIMIT :limit",
                {"now": now, "requests": requests, "key": key, "limit": limit},
            )
        )

    def totals(self, now: int) -> tuple[HostCounts, dict[str, int]]:
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _TALLY)
        counts = ", ".join(f"coalesce(sum({condition}), 0)" for condition in _WANTED.values())
        row = self._db.execute(f"SELECT {sums}, {counts} FROM hosts", {"now": now})[0]
        return _tally(row[: len(_TALLY)]), dict(zip(_WANTED, row[len(_TALLY) :], strict=True))


def _pairs(rows: Iterable[Row]) -> list[tuple[HostState, HostCounts]]:
    width = 1 + len(_STATE)
    return [(_state(row[:width]), _tally(row[width:])) for row in rows]


def _state(row: Iterable[object]) -> HostState:
    values = dict(zip(("key", *_STATE), row, strict=True))
    return HostState(**values)  # type: ignore[arg-type] # the table's own columns


def _tally(row: Iterable[object]) -> HostCounts:
    values = dict(zip(_TALLY, row, strict=True))
    return HostCounts(**values)  # type: ignore[arg-type] # the table's own columns
