"""The latest imports of feed lists, with the result of each entry."""

from __future__ import annotations

import json
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.report.imports import KEPT_IMPORTS, ImportReport, Taken

_REPORT = Columns(
    ImportReport,
    "id, user_id, begun_at, ended_at, total, count, added, bad, entries, problem",
    entries=lambda text: tuple(Taken(**one) for one in json.loads(text)),
)


class SqliteImports(Part):
    """The port `Imports`."""

    def put(self, report: ImportReport) -> None:
        row = asdict(report) | {"entries": json.dumps([asdict(one) for one in report.entries], ensure_ascii=False)}
        with self._db.write():
            self._db.execute(
                f"INSERT INTO imports ({_REPORT}) VALUES ({_REPORT.places}) "
                "ON CONFLICT (id) DO UPDATE SET ended_at = :ended_at, count = :count, added = :added, bad = :bad, "
                "entries = :entries, problem = :problem",
                row,
            )
            self._db.execute(
                "DELETE FROM imports WHERE seq <= coalesce((SELECT seq FROM imports ORDER BY seq DESC "
                "LIMIT 1 OFFSET ?), 0)",
                (KEPT_IMPORTS,),
            )

    def find(self, import_id: str) -> ImportReport | None:
        return self._first(_REPORT, "FROM imports WHERE id = ?", (import_id,))

    def recent(self, user_id: str, limit: int) -> list[ImportReport]:
        return self._all(_REPORT, "FROM imports WHERE user_id = ? ORDER BY seq DESC LIMIT ?", (user_id, limit))
