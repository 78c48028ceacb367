"""The inside of one write transaction: read what is known, and store plans completely."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import SOURCE, as_json, rhythm_text
from veille.adapters.stores.sqlite.alerts.happenings import record, state_changes
from veille.adapters.stores.sqlite.commit.budgets import Budgets, about
from veille.adapters.stores.sqlite.commit.documents import DocumentRows
from veille.adapters.stores.sqlite.commit.figures import Ledger
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.adapters.stores.sqlite.commit.pictures import keep_pictures
from veille.adapters.stores.sqlite.commit.quirks import SqliteQuirks
from veille.core.change.health import after_checks, is_about_source
from veille.core.change.ownership import own_document
from veille.core.crawl.budgets import Spending, all_pages, deadlines, is_full, out_of_time, patterns_of
from veille.core.crawl.frontier import Intake
from veille.core.models import Change, Lease, Notice, Plan
from veille.core.report.run_lines import ReportedLine, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from veille.adapters.stores.database import Bindings, Database, Row
    from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
    from veille.adapters.stores.sqlite.commit.frontier import Frontier
    from veille.core.crawl.frontier import Saved
    from veille.core.reread.judged import RereadAnswer

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
        #: What `held` read of sources and their roots, and of which.
        self._read: list[list[Row]] = []
        self._read_of: set[str] = set()
        #: When the earliest request written here falls due.
        self.earliest: int | None = None

    def finish(self) -> None:
        """Write what is written once per transaction: statistics and the index."""
        self._ledger.finish()
        self._documents.finish()

    def held(self, leases: Sequence[Lease], now: int) -> set[str]:
        # With what the first plans to be written need of their sources, which nobody else can change meanwhile.
        sources = {lease.source.id for lease in leases}
        held, *self._read = self._db.together([self._frontier.held(leases, now), *_sources_read(sources)])
        self._read_of = sources
        return {row[0] for row in held}

    def apply(self, plans: Sequence[Plan], run_id: str, now: int) -> None:
        try:
            self._apply(plans, run_id, now)
        finally:
            # Of the next plans they are read again.
            self._read_of = set()

    def _apply(self, plans: Sequence[Plan], run_id: str, now: int) -> None:
        edited = self._documents.write(plans, now)
        if kept := [plan for plan in plans if plan.kept is not None]:
            from veille.adapters.stores.sqlite.commit.raw_answers import keep_answers  # noqa: PLC0415 - seldom kept

            keep_answers(self._db, kept, now)
        keep_pictures(self._db, plans, now)
        # Their old text is gone, so its duplicates are read again and become documents of their own.
        reread = self._frontier.reread(edited, now) if edited else list
        self._documents.move([(plan.lease.source.id, move) for plan in plans for move in plan.moves])
        self._quirks.save(one for plan in plans for one in plan.quirks)
        spending, saved = self._save_requests(plans, now)
        # Drop the validators: the next check must find what was left out, even if nothing was added meanwhile.
        plans = [
            replace(plan, validators=None) if any(one.code == "over_items" for one in found.notices) else plan
            for plan, found in zip(plans, saved, strict=True)
        ]
        self._note_health(plans, now)
        complete = self._frontier.complete([(plan, own_document(plan)) for plan in plans], now)
        self._settle(plans, now)
        held_back = self._ask_held_back(plans, spending, now)
        # Whatever was asked for until here is waited for at once.
        completed = complete()
        self._documents.arrange(now)
        if reread():
            self._due(now)
        for due_at, _ in completed.values():
            if due_at is not None:
                self._due(due_at)
        if any(found.due for found in saved):
            self._due(now)
        notices = [
            (*plan.notices, *found.notices, *more) for plan, found, more in zip(plans, saved, held_back(), strict=True)
        ]
        self._report(plans, self._unreported(plans, notices, run_id), completed, run_id, now)
        for plan in plans:
            self._ledger.note(plan, now)

    def reread(self, answers: Sequence[RereadAnswer], reader: str, now: int) -> list[RereadAnswer]:
        from veille.adapters.stores.sqlite.commit.reread import RereadRows  # noqa: PLC0415 - seldom needed

        return RereadRows(self._db, self._documents).write(answers, reader, now)

    def _due(self, at: int) -> None:
        self.earliest = at if self.earliest is None else min(self.earliest, at)

    def _save_requests(self, plans: Sequence[Plan], now: int) -> tuple[Spending, list[Saved]]:
        """Save the requests that the answers named, within the budgets of their sources."""
        removed = [[item.document_id for item in plan.items if item.change is Change.REMOVED] for plan in plans]
        asked = self._budgets.spending(
            {(plan.lease.source.id, pattern) for plan in plans for pattern in patterns_of(plan)},
            [plan.lease.request.id for plan in plans if plan.takes_place is not None and plan.lease.request.pattern],
            chain(*removed),
        )
        met = self._frontier.met(request for plan in plans for request in plan.requests)
        spending, saved = asked(), []
        intake = Intake(met(), spending)
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
        ids = {plan.lease.source.id for plan in checks}
        rows, roots = (
            [row for row in of if row[0] in ids]
            for of in (self._read if ids <= self._read_of else self._db.together(_sources_read(ids)))
        )
        before = [SOURCE(row[:-1]) for row in rows]
        sources = after_checks(checks, before, roots, now)
        record(self._db, state_changes(before, sources, now))
        ends = deadlines(checks, {row[0]: row[-1] for row in rows}, now)
        self._db.many(
            _NOTE,
            [
                (*(getattr(source, name) for name in _HEALTH), rhythm_text(source.rhythm), ends[source.id], source.id)
                for source in sources
            ],
        )

    def _settle(self, plans: Sequence[Plan], now: int) -> None:
        """Note the sources whose first check is complete: nothing that it found is still to be fetched."""
        fresh = {plan.lease.source.id for plan in plans if plan.lease.is_first}
        if fresh:
            self._db.execute(
                "UPDATE sources SET settled_at = ?2 WHERE id IN (SELECT value FROM json_each(?1)) "
                "AND settled_at IS NULL AND state IN ('ok', 'unchanged') AND NOT EXISTS (SELECT 1 FROM requests "
                "WHERE source_id = sources.id AND done_at = 0 AND due_at IS NOT NULL)",
                (as_json(fresh), now),
            )

    def _ask_held_back(self, plans: Sequence[Plan], spending: Spending, now: int) -> Callable[[], list[list[Notice]]]:
        """For each plan, notices of what crawl budgets hold back, apart from the requests found just now."""
        full = [_full(plan, spending) for plan in plans]
        named = [about(plan.lease.source.id, one) if one else None for plan, one in zip(plans, full, strict=True)]
        ask_reported = self._budgets.reported(filter(None, named)) if any(named) else dict
        limited = {plan.lease.source.id for plan in plans if plan.budget is not None and plan.budget.run_ms}
        postpone = self._frontier.postpone(limited, now) if limited else Counter

        def held_back() -> list[list[Notice]]:
            reported, postponed = ask_reported(), postpone()
            held: list[list[Notice]] = []
            for plan, notice, name in zip(plans, full, named, strict=True):
                # Pages are still left out, even if the pages that link to them were not read again.
                held.append([notice] if notice is not None and name in reported else [])
                if count := postponed.pop(plan.lease.source.id, 0):
                    held[-1].append(out_of_time(plan.lease.source.url, count))
            return held

        return held_back

    def _unreported(
        self, plans: Sequence[Plan], notices: Sequence[Sequence[Notice]], run_id: str
    ) -> list[list[Notice]]:
        """The notices that this run has not reported yet; records them as reported."""
        named = [[about(plan.lease.source.id, one) for one in of] for plan, of in zip(plans, notices, strict=True)]
        if not any(named):
            return [[] for _ in plans]
        reported = self._budgets.reported(chain(*named))()
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
            lines = lines_of(plan, told, is_listing=not has_document)
            rows += [(run_id, now, plan.lease.source.id, *line) for line in lines]
        self._db.many(
            f"INSERT INTO run_items (run_id, at, source_id, {', '.join(ReportedLine._fields)}) "
            f"VALUES (?, ?, ?{', ?' * len(ReportedLine._fields)})",
            rows,
        )


def _sources_read(ids: Iterable[str]) -> list[tuple[str, Bindings]]:
    """What is read of sources before a check is noted: they themselves, and their roots."""
    listed = (as_json(ids),)
    some = "IN (SELECT value FROM json_each(?))"
    return [
        (f"SELECT {SOURCE}, run_until FROM sources WHERE id {some}", listed),
        (f"SELECT source_id, id, done_at FROM requests WHERE source_id {some} AND purpose = 'root'", listed),
    ]


def _full(plan: Plan, spending: Spending) -> Notice | None:
    """The notice for the check of a root whose source has reached its limit of pages."""
    source, budget = plan.lease.source, plan.budget
    if budget is None or plan.lease.request.purpose != "root" or not is_full(budget, spending.used[source.id]):
        return None
    return all_pages(source.url, budget)
