"""How much of its budget a source has used, and which notices about left-out pages were reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.core.crawl.budgets import CountedRequest, Spending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.core.models import Notice

_About = tuple[str, str, str]


class Budgets(Part):
    """Counted in the transaction that saves the requests, so budgets hold for several workers and across kills."""

    def spending(
        self, patterns: set[tuple[str, str]], requests: Iterable[str], documents: Iterable[str]
    ) -> Callable[[], Spending]:
        """Ask for the use of these (source, pattern) pairs, with these requests and the requests of these documents."""
        used = patterns and self._db.later(
            "SELECT source_id, pattern, requests FROM json_each(?) JOIN patterns "
            "ON source_id = value ->> 0 AND pattern = value ->> 1",
            (as_json(patterns),),
        )
        ids = {"requests": as_json(requests), "documents": as_json(documents)}
        stored = set(ids.values()) != {"[]"} and self._db.later(
            "SELECT id, source_id, pattern, counted, document_id FROM requests WHERE pattern <> '' "
            "AND id IN (SELECT value FROM json_each(:requests)) "
            "UNION SELECT id, source_id, pattern, counted, document_id FROM requests WHERE pattern <> '' "
            "AND document_id IN (SELECT value FROM json_each(:documents))",
            ids,
        )
        return lambda: Spending(used() if used else (), (CountedRequest(*row) for row in (stored() if stored else ())))

    def save(self, spending: Spending) -> None:
        self._db.many("UPDATE requests SET counted = ?2 WHERE id = ?1", spending.settled.items())
        self._db.many(
            "INSERT INTO patterns VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET requests = patterns.requests + ?3",
            [(*place, change) for place, change in spending.added.items() if change],
        )

    def reported(self, notices: Iterable[_About]) -> Callable[[], dict[_About, str]]:
        """Ask for the run that last reported each of these notices."""
        rows = self._db.later(
            "SELECT source_id, code, about, run_id FROM json_each(?) JOIN notices "
            "ON source_id = value ->> 0 AND code = value ->> 1 AND about = value ->> 2",
            (as_json(notices),),
        )
        return lambda: {(source_id, code, of): run_id for source_id, code, of, run_id in rows()}

    def report(self, notices: Iterable[_About], run_id: str) -> None:
        """Record that the run reported these notices."""
        self._db.many(
            "INSERT INTO notices (source_id, code, about, run_id) VALUES (?1, ?2, ?3, ?4) "
            "ON CONFLICT DO UPDATE SET run_id = ?4, times = notices.times + 1",
            [(*one, run_id) for one in notices],
        )


def about(source_id: str, notice: Notice) -> _About:
    """The identity of a notice: its source, its code, and what it is about."""
    return source_id, notice.code, notice.about or notice.url
