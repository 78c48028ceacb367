"""How much of its budget a source has used, and what has been reported as left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.crawl.bounds import MAX_REORDERED, PLAIN, REORDERED
from veille.core.findings import Budget, Notice
from veille.core.models import Request, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        if not _is_aside(request.pattern) and self._used(request.source_id, _ALL) >= budget.pages:
            return _full(request.url, budget)
        if request.pattern.startswith(REORDERED):
            return self._reordered(request)
        if request.pattern != PLAIN and self._used(request.source_id, request.pattern) >= budget.per_pattern:
            message = (
                f"{budget.per_pattern} addresses look like {request.pattern}; further ones are left out. "
                "`max_per_pattern` sets the limit, `exclude` leaves them all out."
            )
            return Notice(code="trap", url=request.url, message=message, about=request.pattern)
        return None

    def _reordered(self, request: Request) -> Notice | None:
        if self._used(request.source_id, request.pattern) < MAX_REORDERED:
            return None
        where, _, words = request.pattern.removeprefix(REORDERED).partition(": ")
        message = (
            f"Addresses below {where} have the same words ({words}) in ever other orders; {MAX_REORDERED} of each such "
            "set are read. `exclude` leaves them all out."
        )
        return Notice(code="trap", url=request.url, message=message, about=where)

    def settle(self, request_id: str, *, takes_place: bool) -> None:
        """Note whether there is something at the address that takes a place; nothing makes room for something else."""
        rows = self._db.execute(
            "UPDATE requests SET counted = ?2 WHERE id = ?1 AND pattern <> '' AND counted <> ?2 "
            "RETURNING source_id, pattern",
            (request_id, int(takes_place)),
        )
        self._db.many(
            "INSERT INTO patterns VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET requests = requests + ?3",
            [
                (source_id, pattern, 1 if takes_place else -1)
                for source_id, own in rows
                for pattern in (own, *(() if _is_aside(own) else (_ALL,)))
            ],
        )

    def give_back(self, document_id: str) -> None:
        """What is gone makes room for something else."""
        for (request_id,) in self._db.execute("SELECT id FROM requests WHERE document_id = ?", (document_id,)):
            self.settle(request_id, takes_place=False)

    def reminder(self, source: Source, budget: Budget) -> Iterator[Notice]:
        """That pages were left out, and still are: whoever names them need not have been read again."""
        if self._used(source.id, _ALL) < budget.pages:
            return
        if self._db.value(
            "SELECT 1 FROM notices WHERE source_id = ? AND code = 'over_budget' AND about = 'pages'", (source.id,)
        ):
            yield _full(source.url, budget)

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


def _full(url: str, budget: Budget) -> Notice:
    message = f"The source has its {budget.pages} pages; further ones are left out. `max_pages` sets the limit."
    return Notice(code="over_budget", url=url, message=message, about="pages")


def _is_aside(pattern: str) -> bool:
    """What only helps to find pages is counted by itself."""
    return pattern.startswith("?")
