"""How much of its budget a source has used, and what has been reported as left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.bounds import PLAIN
from veille.core.findings import Budget, Notice
from veille.core.models import Request

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

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

_ALL = ""


class Budgets:
    """Counted in the same transaction as the requests are saved, so it holds for several workers and across kills."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def objection(self, request: Request, budget: Budget, fresh: int) -> Notice | None:
        """Why this request can no longer be saved, after so many new ones of the same answer; None when it can."""
        if budget.fresh and fresh >= budget.fresh:
            message = f"{budget.fresh} new ones were taken; `max_new` sets the limit. The next look takes further ones."
            return Notice(code="over_items", url=request.url, message=message, about="items")
        if not request.pattern:
            return None
        if not _is_aside(request) and self._used(request.source_id, _ALL) >= budget.pages:
            message = f"The source has its {budget.pages} pages; further ones are left out. `max_pages` sets the limit."
            return Notice(code="over_budget", url=request.url, message=message, about="pages")
        if request.pattern != PLAIN and self._used(request.source_id, request.pattern) >= budget.per_pattern:
            message = (
                f"{budget.per_pattern} addresses look like {request.pattern}; further ones are left out. "
                "`max_per_pattern` sets the limit, `exclude` leaves them all out."
            )
            return Notice(code="trap", url=request.url, message=message, about=request.pattern)
        return None

    def count(self, request: Request) -> None:
        """Note that a request was saved."""
        self._db.many(
            "INSERT INTO patterns VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET requests = requests + 1",
            [(request.source_id, pattern) for pattern in (request.pattern, *(() if _is_aside(request) else (_ALL,)))],
        )

    def give_back(self, document_id: str) -> None:
        """What is gone makes room for something else."""
        counted = self._db.execute(
            "SELECT source_id, pattern FROM requests WHERE document_id = ? AND pattern <> ''", (document_id,)
        )
        self._db.many(
            "UPDATE patterns SET requests = requests - 1 WHERE source_id = ? AND pattern = ?",
            [(source_id, pattern) for source_id, own in counted for pattern in (own, _ALL)],
        )
        self._db.execute("UPDATE requests SET pattern = '' WHERE document_id = ?", (document_id,))

    def is_news(self, source_id: str, notice: Notice, run_id: str) -> bool:
        """Whether this run has not reported it yet."""
        before = self._db.value(
            "SELECT run_id FROM notices WHERE source_id = ? AND code = ? AND about = ?",
            (source_id, notice.code, notice.about or notice.url),
        )
        self._db.execute(
            "INSERT INTO notices (source_id, code, about, run_id) VALUES (?1, ?2, ?3, ?4) "
            "ON CONFLICT DO UPDATE SET run_id = ?4, times = times + 1",
            (source_id, notice.code, notice.about or notice.url, run_id),
        )
        return bool(before != run_id)

    def _used(self, source_id: str, pattern: str) -> int:
        used = self._db.value("SELECT requests FROM patterns WHERE source_id = ? AND pattern = ?", (source_id, pattern))
        return int(used or 0)


def _is_aside(request: Request) -> bool:
    """What only helps to find pages is counted by itself."""
    return request.pattern.startswith("?")
