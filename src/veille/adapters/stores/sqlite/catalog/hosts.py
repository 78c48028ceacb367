"""What is remembered about hosts, in the catalog database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.core.http.politeness import HostCounts, HostState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.database import Row

_STATE = (
    "next_at", "delay_ms", "paused_until", "failures", "pauses", "robots", "robots_until", "robots_error",
    "last_status", "last_at",
)  # fmt: skip
_TALLY = ("requests", "not_modified", "bytes", "bytes_saved", "refusals", "errors")
_COLUMNS = ("key", *_STATE, *_TALLY)
_HOST = Columns(HostState, ", ".join(("key", *_STATE)))
_COUNTS = Columns(HostCounts, ", ".join(_TALLY))
#: Without the text of robots.txt, which tables do not show.
_SHORT = ", ".join("NULL" if name == "robots" else name for name in _COLUMNS)
_WANTED = {"all": "true", "failing": "failures > 0", "paused": "paused_until > :now"}
_SAVE = (
    f"INSERT INTO hosts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    "ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _STATE)
    + ", "
    + ", ".join(f"{name} = hosts.{name} + excluded.{name}" for name in _TALLY)
)


class SqliteHosts(Part):
    """The port `Hosts`."""

    def load(self, key: str) -> HostState:
        return self._first(_HOST, "FROM hosts WHERE key = ?", (key,)) or HostState(key=key)

    def save(self, records: Iterable[tuple[HostState, HostCounts]]) -> None:
        rows = [(*_values(state, ("key", *_STATE)), *_values(tally, _TALLY)) for state, tally in records]
        with self._db.write_passing():
            self._db.many(_SAVE, rows)

    def borrow(self, key: str, guest: str, now: int, until: int) -> bool:
        with self._db.write_passing():
            rows = self._db.execute(
                "INSERT INTO host_leases (host, owner, until) VALUES (?1, ?2, ?3) ON CONFLICT (host) DO UPDATE "
                "SET owner = ?2, until = ?3, wanted_at = 0 WHERE host_leases.owner = ?2 OR host_leases.until <= ?4 "
                "RETURNING host",
                (key, guest, until, now),
            )
            if not rows:
                self._db.execute("UPDATE host_leases SET wanted_at = ?2 WHERE host = ?1", (key, now))
        return bool(rows)

    def give_back(self, key: str, guest: str) -> None:
        with self._db.write_passing():
            self._db.execute("DELETE FROM host_leases WHERE host = ? AND owner = ?", (key, guest))

    def ledger(self) -> list[tuple[HostState, HostCounts]]:
        return _pairs(self._db.execute(f"SELECT {_HOST}, {_COUNTS} FROM hosts ORDER BY requests DESC, key"))

    def page(
        self, wanted: str, now: int, before: tuple[int, str] | None, limit: int
    ) -> list[tuple[HostState, HostCounts]]:
        requests, key = before or (END, "")
        rows = self._db.execute(
            f"SELECT {_SHORT} FROM hosts WHERE {_WANTED[wanted]} AND (-requests, key) > (-:requests, :key) "
            "ORDER BY -requests, key LIMIT :limit",
            {"now": now, "requests": requests, "key": key, "limit": limit},
        )
        return _pairs(rows)

    def totals(self, now: int) -> tuple[HostCounts, dict[str, int]]:
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _TALLY)
        counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in _WANTED.values())
        row = self._db.execute(f"SELECT {sums}, {counts} FROM hosts", {"now": now})[0]
        return _COUNTS(row), dict(zip(_WANTED, row[len(_COUNTS) :], strict=True))


def _pairs(rows: Iterable[Row]) -> list[tuple[HostState, HostCounts]]:
    return [(_HOST(row), _COUNTS(row[len(_HOST) :])) for row in rows]


def _values(of: HostState | HostCounts, names: Iterable[str]) -> list[object]:
    return [getattr(of, name) for name in names]
