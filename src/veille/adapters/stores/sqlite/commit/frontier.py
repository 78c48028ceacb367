"""The requests of one dossier: what to fetch, when, and which worker has it leased."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import KEEP_RAW, REQUEST, SOURCE, VALIDATORS, as_json, request_from
from veille.adapters.stores.sqlite.commit.budgets import Budgets
from veille.core.change.next_check import latest_turn, next_check
from veille.core.change.poison import deaths_after
from veille.core.crawl.budgets import Spending, resumes_at
from veille.core.crawl.frontier import Intake, MetRequest
from veille.core.models import KeepRaw, Lease, Plan, Request, Scope, Source
from veille.core.schedule import LONGEST_LEASE
from veille.core.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from veille.adapters.stores.database import Bindings, Database, Row
    from veille.core.workload import Room

_DUE = "due_at <= :now AND parked = 0 AND lease_until <= :now"
_LEVEL = "CAST((:levels -> source_id) ->> %s AS INTEGER)"
_NEAREST = (
    f"(depth = 0 OR iif(full_at > 0, depth <= {_LEVEL % 1}, "
    f"depth <= {_LEVEL % 0} AND due_at < coalesce({_LEVEL % 2}, due_at + 1)))"
)
#: Requests of a paused source are only for callers that name the source, as a crawl does.
_OF_ALL = "source_id NOT IN (SELECT id FROM sources WHERE enabled = 0)"
_OF_NAMED = "source_id IN (SELECT value FROM json_each(:sources))"
_OF_SOURCES = f"iif(:sources IS NULL, {_OF_ALL}, {_OF_NAMED})"
_MET = ("url", "stamp", "depth", "context", "every")
#: A validator that the answer did not give keeps its value.
_KEPT = ", ".join(f"{name} = iif(wakes = :wakes, coalesce(:{name}, {name}), {name})" for name in VALIDATORS)
_COMPLETE = (
    "UPDATE requests SET due_at = iif(wakes = :wakes, :due, due_at), attempts = :attempts, failed_with = :failed_with, "
    "error = :error, glimpse = :glimpse, done_at = :now, deaths = :deaths, lease_owner = NULL, lease_until = 0, "
    f"document_id = coalesce(:document, document_id), {_KEPT} WHERE id = :id"
)
_IN_SCOPE = f"{_OF_SOURCES} AND (:purposes IS NULL OR purpose IN (SELECT value FROM json_each(:purposes)))"


class Frontier:
    """Requests and their leases. Several processes may use them; every change is one transaction."""

    def __init__(self, dossier_id: str, db: Database) -> None:
        self._dossier_id = dossier_id
        self._db = db
        self._budgets = Budgets(db)

    def save(self, requests: Iterable[Request], now: int) -> None:
        """Make these due, unless they were fetched with the same stamp before."""
        wanted = list(requests)
        with self._db.write():
            intake = Intake(self.met(wanted)(), Spending())
            intake.take(wanted, None)
            self.write(intake, now)

    def met(self, requests: Iterable[Request]) -> Callable[[], dict[str, MetRequest]]:
        """Ask for what is stored of these requests, by their ids."""
        ids = {request.id for request in requests}
        if not ids:
            return dict
        rows = self._db.later(
            f"SELECT id, lease_epoch > 0, {', '.join(_MET)} FROM requests WHERE id IN (SELECT value FROM json_each(?))",
            (as_json(ids),),
        )
        return lambda: {
            request_id: MetRequest(is_claimed=bool(is_claimed), **dict(zip(_MET, met, strict=True)))
            for request_id, is_claimed, *met in rows()
        }

    def write(self, intake: Intake, now: int) -> None:
        self._insert(intake.added(), now)
        self._update(intake.changed(), now)
        self._budgets.save(intake.spending)

    def _update(self, changed: Iterable[tuple[str, MetRequest]], now: int) -> None:
        self._db.many(
            f"UPDATE requests SET {', '.join(f'{name} = ?' for name in _MET)}, host = ?, wakes = wakes + ?, "
            "due_at = iif(? > 0, ?, due_at), attempts = iif(? > 0, 0, attempts) WHERE id = ?",
            [(*_met(it), it.wakes, it.wakes, now, it.wakes, request_id) for request_id, it in changed],
        )

    def _insert(self, added: Iterable[tuple[Request, MetRequest]], now: int) -> None:
        columns = (*_MET, "host", "wakes", "id", "source_id", "purpose", "optional", "pattern", "counted")
        self._db.many(
            f"INSERT INTO requests ({', '.join(columns)}, due_at, found_at) "
            f"VALUES ({', '.join('?' * len(columns))}, ?, ?)",
            [
                (
                    *(*_met(it), it.wakes, one.id, one.source_id, one.purpose, one.optional, one.pattern),
                    *(one.pattern != "", now, now),
                )
                for one, it in added
            ],
        )

    def _levels(self, now: int) -> str:
        """The smallest due depth of each crawl, as JSON: of new and of known pages, and since when the latter are due.

        Nothing deeper is fetched while something nearer is due, and nothing new before known pages that were due
        earlier. So the depth of a page is the length of the shortest path to it, whichever worker is faster; two crawls
        of one site leave out the same pages; and a move is seen at the old address before the page is found at the new.
        """
        rows = self._db.execute(
            "SELECT source_id, min(iif(full_at > 0, NULL, depth)), min(iif(full_at > 0, depth, NULL)), "
            "min(iif(full_at > 0, due_at, NULL)) FROM requests INDEXED BY requests_levels "
            "WHERE depth > 0 AND due_at <= ? AND due_at IS NOT NULL AND parked = 0 GROUP BY source_id",
            (now,),
        )
        return json.dumps({row[0]: row[1:] for row in rows})

    def due_hosts(self, now: int, limit: int, scope: Scope, busy: Iterable[str]) -> dict[str, int]:
        """The hosts of the longest-waiting due requests and how many each has, without busy hosts."""
        rows = self._db.execute(
            f"SELECT host, count(*) FROM (SELECT host, due_at FROM requests WHERE {_DUE} AND {_IN_SCOPE} "
            "AND host NOT IN (SELECT value FROM json_each(:busy)) ORDER BY due_at LIMIT :limit) "
            "GROUP BY host ORDER BY min(due_at)",
            {"now": now, "limit": limit, "busy": json.dumps(list(busy)), **_bounds(scope)},
        )
        return dict(rows)

    def lease(self, worker: str, hosts: Sequence[str], now: int, until: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease the due requests of these hosts, as far as there is room; for each host the longest waiting first."""
        with self._db.write_passing():
            rows = self._db.execute(
                "UPDATE requests SET lease_owner = :worker, leased_at = :now, lease_until = :until, "
                "lease_epoch = lease_epoch + 1 WHERE id IN (SELECT requests.id FROM json_each(:hosts) AS asked "
                f"JOIN requests ON requests.id IN (SELECT id FROM requests WHERE host = asked.value AND {_DUE} "
                f"AND {_IN_SCOPE} AND {_NEAREST} ORDER BY due_at LIMIT :per_host) "
                f"ORDER BY asked.key, due_at LIMIT :total) RETURNING {REQUEST}, lease_epoch, wakes",
                {
                    "levels": self._levels(now),
                    "worker": worker,
                    "hosts": as_json(hosts),
                    "until": until,
                    "now": now,
                    "per_host": room.per_host,
                    "total": room.total,
                    **_bounds(scope),
                },
            )
            requests = list(map(request_from, rows))
            sources, keeps = self._leased_sources({request.source_id for request in requests})
        leases = [
            Lease(
                dossier_id=self._dossier_id,
                source=sources[request.source_id],
                request=request,
                worker=worker,
                epoch=epoch,
                until=until,
                wakes=wakes,
                keep_raw=keeps[request.source_id][0],
                is_first=keeps[request.source_id][1],
            )
            for request, (*_, epoch, wakes) in zip(requests, rows, strict=True)
        ]
        # RETURNING gives the rows in any order.
        places = {host: place for place, host in enumerate(hosts)}
        return sorted(leases, key=lambda lease: places[host_of(lease.request.url)])

    def _leased_sources(self, ids: set[str]) -> tuple[dict[str, Source], dict[str, tuple[KeepRaw, bool]]]:
        """The sources by id; and which bodies of their answers are kept, and whether this is their first check."""
        rows = self._db.execute(
            f"SELECT {SOURCE}, {KEEP_RAW}, settled_at IS NULL FROM sources "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (_ids(ids),),
        )
        return (
            {row[0]: SOURCE(row) for row in rows},
            {row[0]: (KeepRaw(row[-2]), bool(row[-1])) for row in rows},
        )

    def _sources(self, ids: set[str]) -> dict[str, Source]:
        rows = self._db.execute(
            f"SELECT {SOURCE} FROM sources WHERE id IN (SELECT value FROM json_each(?))", (_ids(ids),)
        )
        return {row[0]: SOURCE(row) for row in rows}

    def blame(self, request_id: str) -> None:
        """Count that a worker died while it processed this request."""
        with self._db.write_passing():
            self._db.execute("UPDATE requests SET deaths = deaths + 1 WHERE id = ?", (request_id,))

    def held(self, leases: Iterable[Lease], now: int) -> tuple[str, Bindings]:
        """The statement that gives the ids of the requests whose leases still hold."""
        asked = as_json((lease.request.id, lease.worker, lease.epoch) for lease in leases)
        statement = (
            "SELECT requests.id FROM json_each(?) JOIN requests ON requests.id = value ->> 0 "
            "AND lease_owner = value ->> 1 AND lease_epoch = value ->> 2 AND lease_until > ?"
        )
        return statement, (asked, now)

    def complete(
        self, plans: Sequence[tuple[Plan, str | None]], now: int
    ) -> Callable[[], dict[str, tuple[int | None, bool]]]:
        """Store the result of each request; one that was made due again while it was fetched stays due.

        The answer may be older than the reason for that: a new stamp, a user who asked for a check now, a change of the
        document that it duplicates. So its validators are not stored either. Each plan comes with the document at the
        request's address. Tells when each request is due, and whether it has a document; requests that a repair
        deleted in the same transaction are missing.
        """
        self._db.many(_COMPLETE, [_completed(plan, document_id, now) for plan, document_id in plans])
        rows = self._db.later(
            "SELECT id, due_at, document_id IS NOT NULL FROM requests WHERE id IN (SELECT value FROM json_each(?))",
            (as_json(plan.lease.request.id for plan, _ in plans),),
        )
        return lambda: {request_id: (due_at, bool(has_document)) for request_id, due_at, has_document in rows()}

    def postpone(self, sources: Iterable[str], now: int) -> Callable[[], Counter[str]]:
        """Postpone the due requests of these sources to their next turn, if the time for this one is over.

        It is done when it is asked how many of each there are.
        """
        rows = self._db.later(
            "SELECT id, run_until, (SELECT min(due_at) FROM requests WHERE source_id = sources.id "
            "AND purpose = 'root') FROM sources WHERE id IN (SELECT value FROM json_each(?))",
            (as_json(sources),),
        )
        return lambda: self._postpone(rows(), now)

    def _postpone(self, rows: Iterable[Row], now: int) -> Counter[str]:
        paused = [
            (source_id, at) for source_id, ends, root_due in rows if (at := resumes_at(ends, root_due, now)) is not None
        ]
        postponed = paused and self._db.execute(
            "UPDATE requests SET due_at = CAST(value ->> 1 AS INTEGER) FROM json_each(?1) "
            "WHERE source_id = value ->> 0 AND due_at <= ?2 AND lease_until <= ?2 RETURNING source_id",
            (as_json(paused), now),
        )
        return Counter(source_id for (source_id,) in postponed)

    def arm(self, now: int, source_ids: Sequence[str] | None) -> int:
        """Make the recurring requests of these sources due; one that is being fetched now is fetched again."""
        with self._db.write():
            # Not one statement for both, which would look through all requests for those of one source.
            of_which = _OF_ALL if source_ids is None else _OF_NAMED
            self._db.execute(
                f"UPDATE requests SET due_at = :now, wakes = wakes + 1 WHERE every > 0 AND parked = 0 AND {of_which}",
                {"now": now, "sources": _ids(source_ids)},
            )
            return self._db.changes()

    def reread(self, document_ids: Sequence[str], at: int) -> Callable[[], list[Row]]:
        """Make due, without validators, the requests that brought duplicates of these documents; tells of which.

        The documents of a listing have no requests of their own, so the roots of their sources are included.
        """
        return self._db.later(
            "WITH copies AS (SELECT id, source_id FROM documents WHERE duplicate_of IN "
            "(SELECT value FROM json_each(?1))) "
            "UPDATE requests SET due_at = ?2, wakes = wakes + 1, etag = '', last_modified = '', raw_hash = '' "
            "WHERE id IN (SELECT id FROM requests WHERE document_id IN (SELECT id FROM copies) UNION "
            "SELECT id FROM requests WHERE purpose = 'root' AND source_id IN (SELECT source_id FROM copies)) "
            "RETURNING id",
            (_ids(document_ids), at),
        )

    def too_late(self, now: int) -> dict[str, int]:
        """Requests that are due later than their source's schedule allows, with the correct due time, by id.

        They were scheduled while the clock was ahead.
        """
        rows = self._db.execute(
            # A request that was retried, or done at a time in the past, may be due later: it may have backed off.
            "SELECT requests.id, source_id, due_at, every, attempts > 0 OR done_at BETWEEN 1 AND :now FROM requests "
            "JOIN sources ON sources.id = source_id WHERE due_at > :now AND parked = 0 "
            "AND (cron <> '' OR due_at > :now + interval_ms * max(every, 1))",
            {"now": now},
        )
        sources = self._sources({row[1] for row in rows})
        latest: dict[tuple[str, int, bool], int] = {}
        found = {}
        for request_id, source_id, due_at, every, attempts in rows:
            key = (source_id, every, bool(attempts))
            if key not in latest:
                latest[key] = latest_turn(sources[source_id], now, every=every, attempts=attempts)
            if due_at > latest[key]:
                found[request_id] = next_check(sources[source_id], now, request_id, every=every) if every else now
        return found

    def bring_back(self, now: int) -> int:
        """Repair due times, leases and ends of turns set while the clock was ahead; returns how many due times."""
        late = self.too_late(now)
        bindings = {"now": now, "longest": LONGEST_LEASE}
        leased = self._db.value(
            "SELECT 1 FROM requests WHERE lease_owner IS NOT NULL AND lease_until > :now + :longest LIMIT 1", bindings
        )
        if late or leased:
            with self._db.write():
                self._db.many("UPDATE requests SET due_at = ?2 WHERE id = ?1", late.items())
                self._db.execute(
                    "UPDATE requests SET lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1 "
                    "WHERE lease_owner IS NOT NULL AND lease_until > :now + :longest",
                    bindings,
                )
                self._db.execute("UPDATE sources SET run_until = 0 WHERE run_until > :now + :longest", bindings)
        return len(late)

    def renew(self, worker: str, now: int, until: int) -> None:
        with self._db.write_passing():
            self._db.execute(
                "UPDATE requests SET lease_until = ? WHERE lease_owner = ? AND lease_until > ?", (until, worker, now)
            )

    def release(self, worker: str) -> int:
        """Release all leases of this worker; returns how many."""
        if not self._db.value("SELECT 1 FROM requests WHERE lease_owner = ? LIMIT 1", (worker,)):
            return 0
        with self._db.write_passing():
            self._db.execute(
                "UPDATE requests SET lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1 "
                "WHERE lease_owner = ?",
                (worker,),
            )
            return self._db.changes()

    def counts(self, now: int, scope: Scope) -> tuple[int, int]:
        """How many requests are due, and how many are leased."""
        bindings = {"now": now, **_bounds(scope)}
        due = self._db.value(f"SELECT count(*) FROM requests WHERE {_DUE} AND {_IN_SCOPE}", bindings)
        leased = self._db.value(
            f"SELECT count(*) FROM requests WHERE lease_owner IS NOT NULL AND lease_until > :now AND {_IN_SCOPE}",
            bindings,
        )
        return int(due), int(leased)

    def next_due(self) -> int | None:
        """When the next request can be claimed: it falls due, or its lease runs out."""
        free = self._db.value(
            "SELECT due_at FROM requests WHERE due_at IS NOT NULL AND parked = 0 AND lease_owner IS NULL "
            "ORDER BY due_at LIMIT 1"
        )
        leased = self._db.value("SELECT min(lease_until) FROM requests WHERE lease_owner IS NOT NULL AND parked = 0")
        return min((int(at) for at in (free, leased) if at is not None), default=None)


def _met(it: MetRequest) -> tuple[object, ...]:
    """The columns of `_MET`, and the host."""
    return *(getattr(it, name) for name in _MET), host_of(it.url)


def _completed(plan: Plan, document_id: str | None, now: int) -> dict[str, object]:
    """The values of `_COMPLETE`."""
    return {
        "id": plan.lease.request.id,
        "wakes": plan.lease.wakes,
        "due": plan.next_due,
        "attempts": plan.attempts,
        "glimpse": plan.glimpse,
        "failed_with": _failed_with(plan),
        "error": plan.failure.message if plan.failure else "",
        "now": now,
        "deaths": deaths_after(plan.failure),
        "document": document_id,
        **{name: getattr(plan.validators, name, None) for name in VALIDATORS},
    }


def _failed_with(plan: Plan) -> str:
    if plan.deferred:
        return plan.lease.request.failed_with
    return plan.failure.code if plan.failure else ""


def _bounds(scope: Scope) -> dict[str, str | None]:
    return {"sources": _ids(scope.sources), "purposes": _ids(scope.purposes)}


def _ids(ids: Iterable[str] | None) -> str | None:
    return None if ids is None else json.dumps(list(ids))
