"""Daily statistics of one dossier, counted when results are written so that reading them is cheap."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import TYPE_CHECKING

from veille.core.models import Change, Plan
from veille.core.report.figures import CheckCounts, Stock
from veille.core.schedule import DAY, HOUR
from veille.core.urls import host_of

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

_COUNTS = tuple(field.name for field in dataclasses.fields(CheckCounts))

_NOT_MODIFIED = 304
#: The most documents whose publication times are read.
_PUBLISHED = 5000
_SUMS = ", ".join(f"sum({name})" for name in _COUNTS)


class Ledger:
    """Counts what one transaction writes; `finish` stores the counts."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counted: dict[tuple[int, str], CheckCounts] = defaultdict(CheckCounts)
        self._changes: dict[tuple[str, int], int] = defaultdict(int)

    def note(self, plan: Plan, now: int) -> None:
        if plan.deferred:
            return
        tally = _tally(plan)
        self._counted[now // DAY, host_of(plan.lease.request.url)] += tally
        if changes := tally.new + tally.changed + tally.removed:
            self._changes[plan.lease.source.id, now // DAY] += changes

    def finish(self) -> None:
        self._db.many(
            f"INSERT INTO days (day, host, {', '.join(_COUNTS)}) VALUES ({', '.join('?' * (2 + len(_COUNTS)))}) "
            f"ON CONFLICT DO UPDATE SET {', '.join(f'{name} = days.{name} + excluded.{name}' for name in _COUNTS)}",
            [(*key, *(getattr(tally, name) for name in _COUNTS)) for key, tally in self._counted.items()],
        )
        self._db.many(
            "INSERT INTO source_days (source_id, day, changes) VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET changes = source_days.changes + excluded.changes",
            [(*key, changes) for key, changes in self._changes.items()],
        )
        self._counted.clear()
        self._changes.clear()


def _tally(plan: Plan) -> CheckCounts:
    is_same = any(item.status == _NOT_MODIFIED for item in plan.items)
    # Only texts count: some documents get another date every night.
    changes = [item.change for item in plan.items if not item.restated]
    return CheckCounts(
        asked=1,
        not_modified=int(is_same),
        failed=int(plan.failure is not None),
        bytes=plan.wire_bytes,
        saved=max(0, plan.lease.request.validators.size - plan.wire_bytes) if is_same else 0,
        duration_ms=plan.duration_ms,
        new=changes.count(Change.NEW),
        changed=changes.count(Change.CHANGED),
        removed=changes.count(Change.REMOVED),
        duplicates=changes.count(Change.DUPLICATE),
    )


class SqliteFigures:
    """The port `Figures`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def by_day(self, since: int) -> dict[int, CheckCounts]:
        rows = self._db.execute(f"SELECT day, {_SUMS} FROM days WHERE day >= ? GROUP BY day", (since // DAY,))
        return {row[0] * DAY: _read(row[1:]) for row in rows}

    def by_host(self, since: int, limit: int) -> list[tuple[str, CheckCounts]]:
        rows = self._db.execute(
            f"SELECT host, {_SUMS} FROM days WHERE day >= ? GROUP BY host ORDER BY sum(asked) DESC, host LIMIT ?",
            (since // DAY, limit),
        )
        return [(row[0], _read(row[1:])) for row in rows]

    def traffic(self, now: int) -> int:
        return int(self._db.value("SELECT coalesce(sum(bytes), 0) FROM days WHERE day = ?", (now // DAY,)))

    def stored(self) -> int:
        return self._db.sizes().used

    def published(self) -> list[int]:
        rows = self._db.execute(
            "SELECT published_at FROM (SELECT published_at FROM documents ORDER BY changed_at DESC LIMIT ?) "
            "WHERE published_at IS NOT NULL",
            (_PUBLISHED,),
        )
        return [row[0] for row in rows]

    def due(self, now: int, hours: int) -> list[int]:
        rows = self._db.execute(
            "SELECT max(0, (due_at - ?1) / ?2), count(*) FROM requests "
            "WHERE due_at IS NOT NULL AND parked = 0 AND due_at < ?1 + ?3 GROUP BY 1",
            (now, HOUR, hours * HOUR),
        )
        waiting: dict[int, int] = dict(rows)
        return [waiting.get(hour, 0) for hour in range(hours)]

    def stock(self) -> Stock:
        one = self._db.value
        sizes = self._db.sizes()
        return Stock(
            documents=one("SELECT count(*) FROM documents"),
            duplicates=one("SELECT count(*) FROM documents WHERE duplicate_of IS NOT NULL"),
            retold=one("SELECT (SELECT count(*) FROM story_documents) - (SELECT count(*) FROM stories)"),
            revisions=one("SELECT count(*) FROM revisions"),
            file_bytes=sizes.file,
            index_bytes=self._db.index_bytes(),
        )


def _read(row: tuple[int, ...]) -> CheckCounts:
    return CheckCounts(**dict(zip(_COUNTS, row, strict=True)))
