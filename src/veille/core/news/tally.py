"""The figures of one run, for the sheet `Diagnostics`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from veille.core.dates import iso
from veille.core.models import Change, Plan
from veille.core.news.facts import POLICY
from veille.core.news.sheets import DIAGNOSTICS, Row
from veille.core.traffic import Failure, Payload

_NOT_MODIFIED, _CLIENT_ERROR, _SERVER_ERROR = 304, 400, 500


@dataclass(slots=True)
class NewsCounts:
    """Counters of a running command."""

    command: str
    worker: str = ""
    fetch_200: int = 0
    fetch_304: int = 0
    fetch_4xx: int = 0
    fetch_5xx: int = 0
    new_items: int = 0
    new_articles: int = 0
    duplicates_url: int = 0
    duplicates_text: int = 0
    errors: int = 0
    fetches: int = 0
    fetch_ms: int = 0

    def count_answer(self, answer: Payload | Failure, *, counts: bool = True) -> None:
        """Count an answer to a request outside of the engine; `counts`: whether a failure is an error."""
        failed = isinstance(answer, Failure)
        self.errors += failed and counts
        self._count_status(answer.status or (0 if failed else 200), answer.duration_ms)

    def count_listing(self, plan: Plan, new: int, known: int) -> None:
        """Count a check of a feed that listed so many new and so many known articles."""
        self._count_plan(plan)
        self.new_items += new
        self.duplicates_url += known

    def count_article(self, plan: Plan) -> None:
        """Count a fetch of an article."""
        self._count_plan(plan)
        for item in plan.items:
            self.new_articles += item.change is Change.NEW
            is_same_address = item.duplicate_of == item.document_id
            self.duplicates_text += item.change is Change.DUPLICATE and not is_same_address
            self.duplicates_url += item.change is Change.DUPLICATE and is_same_address

    def _count_plan(self, plan: Plan) -> None:
        if plan.deferred:
            return
        if plan.failure is not None:
            self.errors += plan.failure.code not in POLICY
            self._count_status(plan.failure.status, plan.duration_ms)
        else:
            is_same = any(item.status == _NOT_MODIFIED for item in plan.items)
            self._count_status(_NOT_MODIFIED if is_same else 200, plan.duration_ms)

    def _count_status(self, status: int, duration_ms: int) -> None:
        self.fetches += 1
        self.fetch_ms += duration_ms
        self.fetch_304 += status == _NOT_MODIFIED
        self.fetch_4xx += _CLIENT_ERROR <= status < _SERVER_ERROR
        self.fetch_5xx += status >= _SERVER_ERROR
        self.fetch_200 += 0 < status < _NOT_MODIFIED

    def figures(self, run_id: str, now: int, feeds_active: int, feeds_inactive: int) -> Row:
        """The row of `Diagnostics`."""
        found = asdict(self) | {
            "ts": iso(now),
            "feeds_active": feeds_active,
            "feeds_inactive": feeds_inactive,
            "avg_fetch_ms": round(self.fetch_ms / self.fetches, 1) if self.fetches else 0,
            "run_id": run_id,
        }
        return {name: found[name] for name in DIAGNOSTICS.columns}
