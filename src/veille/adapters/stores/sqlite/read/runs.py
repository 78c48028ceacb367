"""Executions of one dossier and their lines, which are also the fetch history of its sources."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.core.models import Change
from veille.core.records import Run, RunItem
from veille.core.report.figures import Count
from veille.core.report.source_status import WORTH, SourceCounts
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Row

_ITEM = Columns(
    RunItem,
    "run_id, at, source_id, coalesce(sources.name, '') AS source_name, change, run_items.url, title, code, message, "
    "status, document_id, duration_ms, wire_bytes",
    change=Change,
)
_COUNT = Columns(
    Count,
    "run_id, min(at) AS at, sum(found) AS found, count(*) FILTER (WHERE change = 'new') AS new, "
    "count(*) FILTER (WHERE change = 'changed') AS changed, count(*) FILTER (WHERE change = 'error') AS failed, "
    "count(*) FILTER (WHERE change = 'removed') AS removed",
)
#: The hash of what the check brought: its revision has the same time.
_CONTENT_HASH = (
    "coalesce((SELECT content_hash FROM revisions WHERE revisions.document_id = run_items.document_id "
    "AND extracted_at = at), '')"
)
_RUN = "id, started_at, finished_at, counts"
#: The counts of a run up to its last end, and of the lines since then; of all lines if it has not ended yet.
_TALLIED = "SELECT change, source_id, documents FROM run_tallies WHERE run_id = ?1"
_UNTALLIED = (
    # An answer that only lists documents counts as one check.
    "SELECT run_id, change, source_id, sum(max(documents, 1)) AS documents FROM run_items "
    "WHERE run_id = ?1 AND seq > (SELECT tallied FROM runs WHERE id = ?1) GROUP BY run_id, change, source_id"
)
_BY_CHANGE = "SELECT change, sum(documents) AS documents FROM ({}) GROUP BY change"
_FROM = "FROM run_items LEFT JOIN sources ON sources.id = source_id"


class SqliteRuns(Part):
    """The port `Runs`."""

    def start(self, run_id: str, now: int) -> None:
        self._db.execute("INSERT OR IGNORE INTO runs (id, started_at) VALUES (?, ?)", (run_id, now))

    def finish(self, run_id: str, now: int) -> None:
        with self._db.write():
            # Counted once, so that a list of many runs does not have to read all their lines.
            self._db.execute(
                f"INSERT INTO run_tallies (run_id, change, source_id, documents) {_UNTALLIED} "
                "ON CONFLICT DO UPDATE SET documents = run_tallies.documents + excluded.documents",
                (run_id,),
            )
            self._db.execute(
                "UPDATE runs SET finished_at = ?2, tallied = coalesce((SELECT max(seq) FROM run_items), 0), "
                f"counts = (SELECT json_group_object(change, documents) FROM ({_BY_CHANGE.format(_TALLIED)})) "
                "WHERE id = ?1",
                (run_id, now),
            )

    def recent(self, limit: int, before: int | None = None) -> list[Run]:
        rows = self._db.execute(
            f"SELECT {_RUN} FROM runs WHERE ?1 IS NULL OR started_at < ?1 ORDER BY started_at DESC LIMIT ?2",
            (before, limit),
        )
        return list(map(self._run, rows))

    def one(self, run_id: str) -> Run:
        rows = self._db.execute(f"SELECT {_RUN} FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise NotFoundError("There is no such run in this dossier.", code="no_run")
        return self._run(rows[0])

    def _run(self, row: Row) -> Run:
        run_id, started_at, finished_at, counts = row
        if counts is None:
            counted = dict(self._db.execute(_BY_CHANGE.format(_UNTALLIED), (run_id,)))
        else:
            counted = json.loads(counts)
        return Run(
            id=run_id,
            dossier_id=self._dossier_id,
            started_at=started_at,
            finished_at=finished_at,
            counts={change: int(counted.get(change, 0)) for change in Change},
        )

    def tallies(self, run_id: str, limit: int) -> list[SourceCounts]:
        is_over = self._db.value("SELECT counts FROM runs WHERE id = ?", (run_id,)) is not None
        sums = ", ".join(f"sum(iif(change = '{change}', documents, 0)) AS {change}" for change in WORTH)
        rows = self._db.execute(
            f"SELECT source_id, coalesce(max(sources.name), ''), {sums} FROM ({_TALLIED if is_over else _UNTALLIED}) "
            f"LEFT JOIN sources ON sources.id = source_id GROUP BY source_id "
            f"ORDER BY {', '.join(f'{change} DESC' for change in WORTH)}, source_id LIMIT ?2",
            (run_id, limit),
        )
        return [
            SourceCounts(source_id=row[0], source_name=row[1], counts=dict(zip(WORTH, row[2:], strict=True)))
            for row in rows
        ]

    def lines(
        self, run_id: str, change: Change, after: tuple[str, int], limit: int, source_id: str = ""
    ) -> list[tuple[tuple[str, int], RunItem]]:
        rows = self._db.execute(
            f"SELECT {_ITEM}, seq {_FROM} WHERE run_id = ?1 AND change = ?2 AND (source_id, seq) > (?3, ?4) "
            f"{'AND source_id = ?6' if source_id else 'AND ?6 IS NOT NULL'} ORDER BY source_id, seq LIMIT ?5",
            (run_id, change, *after, limit, source_id),
        )
        found = [(_ITEM(row), row[-1]) for row in rows]
        return [((item.source_id, seq), item) for item, seq in found]

    def report(self, run_id: str | None = None) -> Run | None:
        rows = self._db.execute(
            f"SELECT {_RUN} FROM runs WHERE ?1 IS NULL OR id = ?1 ORDER BY started_at DESC LIMIT 1", (run_id,)
        )
        if not rows:
            return None
        run = self._run(rows[0])
        return replace(run, items=tuple(self._all(_ITEM, f"{_FROM} WHERE run_id = ? ORDER BY seq", (run.id,))))

    def history(self, source_id: str, limit: int = 50) -> list[RunItem]:
        return [item for _, item in self.checks(source_id, None, limit)]

    def checks(
        self, source_id: str, before: tuple[int, int] | None, limit: int
    ) -> list[tuple[tuple[int, int], RunItem]]:
        rows = self._db.execute(
            f"SELECT {_ITEM}, {_CONTENT_HASH}, seq {_FROM} WHERE source_id = ? AND (at, seq) < (?, ?) "
            "ORDER BY at DESC, seq DESC LIMIT ?",
            (source_id, *(before or (END, END)), limit),
        )
        found = [(_ITEM(row, content_hash=row[-2]), row[-1]) for row in rows]
        return [((item.at, seq), item) for item, seq in found]

    def series(self, source_id: str, lines: int | None = None) -> list[Count]:
        rows = self._db.execute(
            f"SELECT {_COUNT}, count(*) FROM "
            "(SELECT * FROM run_items WHERE source_id = ? ORDER BY at DESC, seq DESC LIMIT ?) "
            "GROUP BY run_id ORDER BY min(at), run_id",
            (source_id, END if lines is None else lines),
        )
        if lines is not None and len(rows) > 1 and sum(row[-1] for row in rows) == lines:
            # The limit may have cut off lines of the oldest run.
            del rows[0]
        return list(map(_COUNT, rows))
