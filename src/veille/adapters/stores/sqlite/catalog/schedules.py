"""When the crawlers of all dossiers run by themselves."""

from __future__ import annotations

from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.crawler.runs import Schedule

_SCHEDULE = Columns(Schedule, "dossier_id, cron, zone, set_by, set_at, next_run_at")


class SqliteSchedules(Part):
    """The port `Schedules`."""

    def put(self, schedule: Schedule) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO schedules ({_SCHEDULE}) VALUES ({_SCHEDULE.places})", asdict(schedule)
        )

    def of(self, dossier_id: str) -> Schedule | None:
        rows = self._db.execute(f"SELECT {_SCHEDULE} FROM schedules WHERE dossier_id = ?", (dossier_id,))
        return _SCHEDULE(rows[0]) if rows else None

    def due(self, now: int) -> list[Schedule]:
        rows = self._db.execute(
            f"SELECT {_SCHEDULE} FROM schedules WHERE next_run_at <= ? ORDER BY next_run_at", (now,)
        )
        return list(map(_SCHEDULE, rows))

    def advance(self, schedule: Schedule, next_run_at: int) -> bool:
        self._db.execute(
            "UPDATE schedules SET next_run_at = ? WHERE dossier_id = ? AND next_run_at = ?",
            (next_run_at, schedule.dossier_id, schedule.next_run_at),
        )
        return self._db.changes() == 1

    def remove(self, dossier_id: str) -> bool:
        self._db.execute("DELETE FROM schedules WHERE dossier_id = ?", (dossier_id,))
        return self._db.changes() == 1
