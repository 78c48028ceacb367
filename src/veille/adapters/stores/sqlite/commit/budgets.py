"""How much of its budget a source has used, and what has been reported as left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.core.crawl.budgets import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from veille.core.findings import Notice

BUDGETS_SCHEMA = """
    CREATE TABLE patterns (
        source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
        pattern TEXT NOT NULL,               -- empty: all together
        requests INTEGER NOT NULL,
        PRIMARY KEY (source_id, pattern)
    ) WITHOUT ROWID;
    CREATE TABLE notices (
        source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
        code TEXT NOT NULL,
        about TEXT NOT NULL,
        run_id TEXT NOT NULL,                -- the run that reported it last
        times INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (source_id, code, about)
    ) WITHOUT ROWID;
"""


class Budgets(Part):
    """Counted in the same transaction as the requests are saved, so it holds for several workers and across kills."""

    def used(self, source_id: str, patterns: Iterable[str]) -> dict[str, int]:
        """How many requests of each of these patterns a source has."""
        rows = self._db.execute(
            "SELECT pattern, requests FROM patterns WHERE source_id = ? "
            "AND pattern IN (SELECT value FROM json_each(?))",
            (source_id, json.dumps(list(patterns))),
        )
        return dict(rows)

    def add(self, source_id: str, counts: Mapping[str, int]) -> None:
        """Count so many requests more of each pattern."""
        self._db.many(
            "INSERT INTO patterns VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET requests = requests + ?3",
            [(source_id, pattern, count) for pattern, count in counts.items()],
        )

    def settle(self, request_id: str, *, takes_place: bool) -> None:
        """Note whether there is something at the address that takes a place; nothing makes room for something else."""
        rows = self._db.execute(
            "UPDATE requests SET counted = ?2 WHERE id = ?1 AND pattern <> '' AND counted <> ?2 "
            "RETURNING source_id, pattern",
            (request_id, int(takes_place)),
        )
        for source_id, pattern in rows:
            self.add(source_id, dict.fromkeys(places(pattern), 1 if takes_place else -1))

    def give_back(self, document_id: str) -> None:
        """What is gone makes room for something else."""
        for (request_id,) in self._db.execute("SELECT id FROM requests WHERE document_id = ?", (document_id,)):
            self.settle(request_id, takes_place=False)

    def reported_in(self, source_id: str, notice: Notice) -> str | None:
        """The run that reported it last."""
        found: str | None = self._db.value(
            "SELECT run_id FROM notices WHERE source_id = ? AND code = ? AND about = ?",
            (source_id, notice.code, notice.about or notice.url),
        )
        return found

    def is_news(self, source_id: str, notice: Notice, run_id: str) -> bool:
        """Whether this run has not reported it yet."""
        before = self.reported_in(source_id, notice)
        self._db.execute(
            "INSERT INTO notices (source_id, code, about, run_id) VALUES (?1, ?2, ?3, ?4) "
            "ON CONFLICT DO UPDATE SET run_id = ?4, times = times + 1",
            (source_id, notice.code, notice.about or notice.url, run_id),
        )
        return before != run_id
