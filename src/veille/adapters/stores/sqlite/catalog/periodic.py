"""What runs periodically, in the catalog database: scheduled crawls, other duties, and what the last sweep found."""

from __future__ import annotations

import json
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.crawler.runs import Schedule
from veille.core.models import State
from veille.core.report.sweeps import Sweep, Swept

_SCHEDULE = Columns(Schedule, "dossier_id, cron, zone, set_by, set_at, next_run_at")
_SWEEP = Columns(
    Sweep,
    "at, asked, recovered, found",
    found=lambda text: tuple(Swept(**one | {"state": State(one["state"])}) for one in json.loads(text)),
)


class SqliteSchedules(Part):
    """The port `Schedules`."""

    def put(self, schedule: Schedule) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO schedules ({_SCHEDULE}) VALUES ({_SCHEDULE.places})", asdict(schedule)
        )

    def of(self, dossier_id: str) -> Schedule | None:
        return self._first(_SCHEDULE, "FROM schedules WHERE dossier_id = ?", (dossier_id,))

    def due(self, now: int) -> list[Schedule]:
        return self._all(_SCHEDULE, "FROM schedules WHERE next_run_at <= ? ORDER BY next_run_at", (now,))

    def advance(self, schedule: Schedule, next_run_at: int) -> bool:
        self._db.execute(
            "UPDATE schedules SET next_run_at = ? WHERE dossier_id = ? AND next_run_at = ?",
            (next_run_at, schedule.dossier_id, schedule.next_run_at),
        )
        return self._db.changes() == 1

    def remove(self, dossier_id: str) -> bool:
        self._db.execute("DELETE FROM schedules WHERE dossier_id = ?", (dossier_id,))
        return self._db.changes() == 1


class SqliteDuties(Part):
    """The port `Duties`."""

    def take(self, name: str, now: int, every_ms: int) -> bool:
        with self._db.write():
            due_at = self._due_at(name)
            taken = _is_over(due_at, now, every_ms)
            if taken:
                self._db.execute("INSERT OR REPLACE INTO duties VALUES (?, ?)", (name, now + every_ms))
        return due_at is not None and taken

    def is_due(self, name: str, now: int, every_ms: int) -> bool:
        return _is_over(self._due_at(name), now, every_ms)

    def _due_at(self, name: str) -> int | None:
        due_at: int | None = self._db.value("SELECT due_at FROM duties WHERE name = ?", (name,))
        return due_at


def _is_over(due_at: int | None, now: int, every_ms: int) -> bool:
    """Whether it is due; also if the due time is too far ahead, because it was set while the clock was ahead."""
    return due_at is None or not now < due_at <= now + every_ms


class SqliteSweeps(Part):
    """The port `Sweeps`."""

    def put(self, sweep: Sweep) -> None:
        found = json.dumps([asdict(one) for one in sweep.found], ensure_ascii=False)
        self._db.execute(
            "INSERT OR REPLACE INTO last_sweep VALUES (1, ?, ?, ?, ?)", (sweep.at, sweep.asked, sweep.recovered, found)
        )

    def last(self) -> Sweep | None:
        return self._first(_SWEEP, "FROM last_sweep")
