"""The inside of one write transaction: read what is known, and store plans completely."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import SOURCE, as_json, rhythm_text
from veille.adapters.stores.sqlite.commit.budgets import Budgets, about
from veille.adapters.stores.sqlite.commit.documents import DocumentRows
from veille.adapters.stores.sqlite.commit.figures import Ledger
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.adapters.stores.sqlite.commit.quirks import SqliteQuirks
from veille.core.change.health import after_check, is_about_source
from veille.core.crawl.budgets import ALL, Spending, all_pages, ends_at, is_full, out_of_time, places
from veille.core.fingerprint import url_identity
from veille.core.models import Change, Item, Lease, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
    from veille.adapters.stores.sqlite.commit.frontier import Frontier
    from veille.core.crawl.frontier import Saved
    from veille.core.findings import Notice

_HEALTH = "state failures error_code error moved_to moved_seen checked_at changed_at pace_ms".split()
_NOTE = f"UPDATE sources SET {', '.join(f'{name} = ?' for name in (*_HEALTH, 'rhythm', 'run_until'))} WHERE id = ?"


class SqliteWriter(SqliteMemory):
    """The port `Writer`. Each step handles all plans, so that the number of statements does not grow with them."""

    def __init__(self, db: Database, frontier: Frontier, boilerplate: SqliteBoilerplate) -> None:
        super().__init__(db, boilerplate)
        self._frontier = frontier
        self._budgets = Budgets(db)
        self._documents = DocumentRows(db)
        self._quirks = SqliteQuirks(db)
        self._ledger = Ledger(db)
        #: When the earliest request written here falls due.
        self.earliest: int | None = None

    def finish(self) -> None:
        """Write what is written once per transaction: statistics and the index."""
        self._ledger.finish()
        self._documents.finish()

    def held(self, leases: Sequence[Lease], now: int) -> set[str]:
        return self._frontier.held(leases, now)

    def apply(self, plans: Sequence[Plan], run_id: str, now: int) -> None:
        edited = self._documents.write(plans, now)
        # Their old text is gone, so its duplicates are read again and become documents of their own.
        if edited and self._frontier.reread(edited, now):
            self._due(now)
        for plan in plans:
            for move in plan.moves:
                self._documents.move(plan, move)
        self._quirks.save(one for plan in plans for one in plan.quirks)
        spending, saved = self._save_requests(plans, now)
        # Drop the validators: the next check must find what was left out, even if nothing was added meanwhile.
        plans = [
            replace(plan, validators=None) if any(one.code == "over_items" for one in found.notices) else plan
            for plan, found in zip(plans, saved, strict=True)
        ]
        self._note_health(plans, now)
        completed = self._frontier.complete([(plan, _own_document(plan)) for plan in plans], now)
        for due_at, _ in completed.values():
            if due_at is not None:
                self._due(due_at)
        if any(found.due for found in saved):
            self._due(now)
        held_back = self._held_back(plans, spending, now)
        notices = [
            (*plan.notices, *found.notices, *more) for plan, found, more in zip(plans, saved, held_back, strict=True)
        ]
        self._report(plans, self._unreported(plans, notices, run_id), completed, run_id, now)
        for plan in plans:
            self._ledger.note(plan, now)

    def _due(self, at: int) -> None:
        self.earliest = at if self.earliest is None else min(self.earliest, at)

    def _save_requests(self, plans: Sequence[Plan], now: int) -> tuple[Spending, list[Saved]]:
        """Save the requests that the answers named, within the budgets of their sources."""
        removed = [[item.document_id for item in plan.items if item.change is Change.REMOVED] for plan in plans]
        spending = self._budgets.spending(
            {(plan.lease.source.id, pattern) for plan in plans for pattern in _patterns(plan)},
            [plan.lease.request.id for plan in plans if plan.takes_place is not None and plan.lease.request.pattern],
            chain(*removed),
        )
        intake = self._frontier.intake((request for plan in plans for request in plan.requests), spending)
        saved = []
        for plan, gone in zip(plans, removed, strict=True):
            for document_id in gone:
                spending.give_back(document_id)
            if plan.takes_place is not None:
                spending.settle(plan.lease.request.id, takes_place=plan.takes_place)
            saved.append(intake.take(plan.requests, plan.budget))
        self._frontier.write(intake, now)
        return spending, saved

    def _note_health(self, plans: Sequence[Plan], now: int) -> None:
        checks = [plan for plan in plans if is_about_source(plan)]
        if not checks:
            return
        ids = as_json({plan.lease.source.id for plan in checks})
        sources, ends = {}, {}
        for row in self._db.execute(
            f"SELECT {SOURCE}, run_until FROM sources WHERE id IN (SELECT value FROM json_each(?))", (ids,)
        ):
            source = SOURCE(row[:-1])
            sources[source.id], ends[source.id] = source, row[-1]
        #: When each root of a source was last checked.
        roots: dict[str, dict[str, int]] = defaultdict(dict)
        for source_id, request_id, done_at in self._db.execute(
            "SELECT source_id, id, done_at FROM requests "
            "WHERE source_id IN (SELECT value FROM json_each(?)) AND purpose = 'root'",
            (ids,),
        ):
            roots[source_id][request_id] = done_at
        for plan in checks:
            source_id, request = plan.lease.source.id, plan.lease.request
            done = roots[source_id]
            before = done.get(request.id, 0)
            began = min((at for one, at in done.items() if one != request.id and at > before), default=None)
            sources[source_id] = after_check(sources[source_id], plan, now, began)
            if request.purpose == "root":
                done[request.id] = now
            if request.purpose == "root" and plan.budget is not None and plan.budget.run_ms:
                ends[source_id] = ends_at(ends[source_id], plan.budget, now)
        self._db.many(
            _NOTE,
            [
                (*(getattr(source, name) for name in _HEALTH), rhythm_text(source.rhythm), ends[source.id], source.id)
                for source in sources.values()
            ],
        )

    def _held_back(self, plans: Sequence[Plan], spending: Spending, now: int) -> list[list[Notice]]:
        """For each plan, notices of what crawl budgets hold back, apart from the requests found just now."""
        held: list[list[Notice]] = [[] for _ in plans]
        postponed: set[str] = set()
        for plan, notices in zip(plans, held, strict=True):
            source, budget = plan.lease.source, plan.budget
            if budget is None:
                continue
            if plan.lease.request.purpose == "root" and is_full(budget, spending.used[source.id]):
                # Pages are still left out, even if the pages that link to them were not read again.
                notice = all_pages(source.url, budget)
                notices.extend([notice] if self._budgets.reported([about(source.id, notice)]) else [])
            if budget.run_ms and source.id not in postponed:
                postponed.add(source.id)
                count = self._frontier.postpone(source.id, now)
                notices.extend([out_of_time(source.url, count)] if count else [])
        return held

    def _unreported(
        self, plans: Sequence[Plan], notices: Sequence[Sequence[Notice]], run_id: str
    ) -> list[list[Notice]]:
        """The notices that this run has not reported yet; records them as reported."""
        named = [[about(plan.lease.source.id, one) for one in of] for plan, of in zip(plans, notices, strict=True)]
        if not any(named):
            return [[] for _ in plans]
        reported = self._budgets.reported(chain(*named))
        self._budgets.report(chain(*named), run_id)
        told: list[list[Notice]] = [[] for _ in plans]
        for news, of, names in zip(told, notices, named, strict=True):
            for notice, name in zip(of, names, strict=True):
                if reported.get(name) != run_id:
                    news.append(notice)
                reported[name] = run_id
        return told

    def _report(
        self,
        plans: Sequence[Plan],
        notices: Sequence[Sequence[Notice]],
        completed: Mapping[str, tuple[int | None, bool]],
        run_id: str,
        now: int,
    ) -> None:
        rows = []
        for plan, told in zip(plans, notices, strict=True):
            _, has_document = completed.get(plan.lease.request.id, (None, False))
            lines = list(_lines(plan, told, is_listing=not has_document))
            # The costs of a request are in its first line only, so that sums over lines are correct.
            costs = [(plan.duration_ms, plan.wire_bytes, plan.found)] + [(0, 0, None)] * (len(lines) - 1)
            rows += [
                (run_id, now, plan.lease.source.id, *line, *cost) for line, cost in zip(lines, costs, strict=False)
            ]
        self._db.many(
            "INSERT INTO run_items (run_id, at, source_id, change, documents, url, title, code, message, status, "
            "document_id, duration_ms, wire_bytes, found) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )


def _patterns(plan: Plan) -> Iterator[str]:
    """The patterns whose use a plan depends on."""
    for request in plan.requests:
        yield from places(request.pattern)
    if plan.budget is not None and plan.lease.request.purpose == "root":
        yield ALL


def _own_document(plan: Plan) -> str | None:
    """The document at the request's own address: if the address is gone, so is the document."""
    identity = ""
    for item in plan.items:
        if item.document is None or not item.document_id:
            continue
        identity = identity or url_identity(plan.lease.request.url)
        # A page that only names another address as its home is an alias of the document there.
        is_alias = item.change is Change.SAME and item.document.claims
        if identity in item.document.keys and not is_alias:
            return item.document_id
    return None


def _lines(plan: Plan, notices: Sequence[Notice], *, is_listing: bool) -> Iterator[Row]:
    """The lines of the report; unchanged items share one."""
    same = [item for item in plan.items if item.change is Change.SAME]
    for item in plan.items:
        if item.change is not Change.SAME:
            yield _line(item)
    for note in notices:
        yield (Change.SKIPPED, 1, note.url, "", note.code, note.message, 0, "")
    if same:
        count = 0 if is_listing and not any(item.document_id for item in same) else len(same)
        yield (Change.SAME, count, plan.lease.request.url, "", "", "", same[0].status, "")


def _line(item: Item) -> Row:
    return (item.change, 1, item.url, item.title, item.code, item.message, item.status, item.document_id)
