"""The running and waiting requests of a dossier, for display: read only, and counted only up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.workload import Fetching, Pulse

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database
    from veille.adapters.stores.sqlite.commit.frontier import Frontier

#: Where counting stops: a crawl may have millions waiting, and even this many take milliseconds to count.
_MOST = 1000
_TASK = "SELECT source_id, name, requests.url, {at} FROM requests JOIN sources ON sources.id = source_id"


class SqliteWaiting:
    """The port `Waiting`."""

    def __init__(self, db: Database, frontier: Frontier) -> None:
        self._db = db
        self._frontier = frontier

    def pulse(self, now: int) -> Pulse:
        # Leased requests stay due until they are done, so subtract them. They are few, and an index alone answers the
        # rest; without INDEXED BY the planner would use the index of due requests for both.
        due, taken, leased, next_due, last = self._db.execute(
            "SELECT (SELECT count(*) FROM (SELECT 1 FROM requests WHERE due_at <= :now AND parked = 0 LIMIT :most)), "
            "(SELECT count(*) FROM requests INDEXED BY requests_leased "
            "  WHERE lease_owner IS NOT NULL AND lease_until > :now AND due_at <= :now AND parked = 0), "
            "(SELECT count(*) FROM requests INDEXED BY requests_leased "
            "  WHERE lease_owner IS NOT NULL AND lease_until > :now), "
            "(SELECT due_at FROM requests WHERE due_at > :now AND parked = 0 ORDER BY due_at LIMIT 1), "
            "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)",
            {"now": now, "most": _MOST},
        )[0]
        return Pulse(due=max(0, due - taken), leased=leased, next_due=next_due, last_seq=last)

    def under_way(self, now: int, limit: int) -> list[Fetching]:
        where = "WHERE lease_owner IS NOT NULL AND lease_until > ?1 ORDER BY leased_at LIMIT ?2"
        return self._tasks(f"{_TASK.format(at='leased_at')} {where}", now, limit)

    def holders(self, now: int) -> dict[str, int]:
        return dict(
            self._db.execute(
                "SELECT lease_owner, count(*) FROM requests WHERE lease_owner IS NOT NULL AND lease_until > ? "
                "GROUP BY lease_owner",
                (now,),
            )
        )

    def too_late(self, now: int) -> int:
        return len(self._frontier.too_late(now))

    def coming(self, now: int, limit: int) -> list[Fetching]:
        where = "WHERE due_at IS NOT NULL AND parked = 0 AND lease_until <= ?1 ORDER BY due_at LIMIT ?2"
        return self._tasks(f"{_TASK.format(at='due_at')} {where}", now, limit)

    def _tasks(self, query: str, now: int, limit: int) -> list[Fetching]:
        return [
            Fetching(source_id=source_id, source_name=name, url=url, at=at)
            for source_id, name, url, at in self._db.execute(query, (now, limit))
        ]
