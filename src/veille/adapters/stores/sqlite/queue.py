"""The frontiers of all dossiers as one queue of leases; only one worker at a time fetches from a host."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite.allowance import Allowance, tomorrow
from veille.core.models import Lease, Scope
from veille.core.urls import host_of
from veille.core.workload import Backlog, Room
from veille.errors import StoreError
from veille.settings import QuotaSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.dossier import SqliteDossier
    from veille.adapters.stores.sqlite.dossier_pool import DossierPool
    from veille.core.workload import Limit

#: Due requests read to find hosts, per request that may be claimed: enough to see past a host that has very many.
LOOK_AHEAD = 4
#: Failures of the machine or of the server, not of one dossier's file.
OURS = frozenset(
    {"store.full", "store.old_sqlite", "store.unreachable", "store.refused", "store.rights", "store.read_only"}
)
#: A dossier was deleted, perhaps by another program.
GONE = "store.missing"
#: Milliseconds between repairs of times that were set while the clock was ahead.
LOOK_THROUGH_EVERY = 3600 * 1000
#: Whoever waits for a host asks again and again: for so many milliseconds a wish counts.
WANTED_FOR = 2000
UNLIMITED = QuotaSettings()


class SqliteQueue:
    """The port `Queue`. It remembers in which dossiers each worker of this process has leases, to renew and release."""

    def __init__(
        self,
        catalog: Catalog,
        dossiers: DossierPool,
        lease_ms: int,
        quotas: QuotaSettings = UNLIMITED,
        *,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        #: Called for each dossier: the heartbeat for the supervisor.
        self._beat = beat
        self._allowance = Allowance(catalog, quotas)
        self._catalog = catalog
        self._dossiers = dossiers
        self._lease_ms = lease_ms
        #: When `_bring_back` last ran for each dossier.
        self._looked_through: dict[str, int] = {}
        self._holding: defaultdict[str, set[str]] = defaultdict(set)
        self._hosts: defaultdict[str, set[str]] = defaultdict(set)

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        due = self._catalog.due(now, scope)
        if due:
            self._dossiers.check_room()
        busy = {*room.full_hosts, *self._catalog.busy_hosts(worker, now)} if due else set()
        if len(scope.dossiers or ()) == 1 or not self._catalog.has_several():
            # A single dossier may use the whole capacity.
            room = replace(room, capacity=0)
        leases: list[Lease] = []
        for left, dossier_id in zip(range(len(due), 0, -1), due, strict=True):
            total = replace(room, total=room.total - len(leases)).allows(dossier_id, left)
            if total > 0:
                self._beat()
                share = replace(room, total=total, full_hosts=frozenset(busy))
                leases += self._share_of(dossier_id, worker, now, share, scope)
        return leases

    def _share_of(self, dossier_id: str, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease the due requests of a dossier, as far as there is room; if there are none, update its hint."""
        try:
            self._bring_back(dossier_id, now)
            if self._used_up(dossier_id, now) is not None:
                # Not checked on every tick: very many dossiers may be over their quota.
                self._catalog.set_due(dossier_id, tomorrow(now), now)
                return []
            found = self._claim_allowed(dossier_id, worker, now, room, scope)
            if not found and scope.sources is None and scope.purposes is None:
                self._look(dossier_id, now)
        except StoreError as error:
            if error.code in OURS:
                raise
            # The file is damaged or missing, or a worker froze inside a write transaction: go on with the others, and
            # check this dossier again later.
            self._catalog.set_due(dossier_id, now + self._lease_ms if error.is_busy else None, now)
            return []
        return found

    def _bring_back(self, dossier_id: str, now: int) -> None:
        """Repair times that were set while the clock was ahead: every hour, and when the clock was set back."""
        if abs(now - self._looked_through.get(dossier_id, 0)) >= LOOK_THROUGH_EVERY:
            self._looked_through[dossier_id] = now
            with self._dossiers.open(dossier_id) as store:
                store.frontier.bring_back(now)

    def _used_up(self, dossier_id: str, now: int) -> Limit | None:
        if not self._allowance.is_limited:
            return None
        with self._dossiers.open(dossier_id) as store:
            return self._allowance.used_up(store, now)

    def exhausted(self, now: int, scope: Scope) -> dict[str, Limit]:
        found = {}
        for dossier_id in self._in_scope(scope) if self._allowance.is_limited else ():
            try:
                limit = self._used_up(dossier_id, now)
            except StoreError as error:
                if error.code in OURS:
                    raise
                continue
            if limit is not None:
                found[dossier_id] = limit
        return found

    def _in_scope(self, scope: Scope) -> list[str]:
        ids = [dossier.id for dossier in self._dossiers.all()]
        return ids if scope.dossiers is None else [dossier_id for dossier_id in ids if dossier_id in scope.dossiers]

    def _claim_allowed(self, dossier_id: str, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease due requests, but no more than the dossier may still send today."""
        reserved = self._allowance.reserve(dossier_id, room.total, now)
        found: list[Lease] = []
        try:
            if reserved > 0:
                found = self._claim_in(dossier_id, worker, now, replace(room, total=reserved), scope)
        finally:
            self._allowance.give_back(dossier_id, reserved - len(found), now)
        return found

    def _claim_in(self, dossier_id: str, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        leases: list[Lease] = []
        with self._dossiers.open(dossier_id) as store:
            due = store.frontier.due_hosts(now, room.total * LOOK_AHEAD, scope, room.full_hosts)
            # If another worker was faster, or a crawl has not reached this depth yet, try the other hosts.
            while due and not leases:
                hosts = room.share(due)
                leases = self._lease(store, worker, hosts, now, room, scope)
                for host in hosts:
                    del due[host]
            if leases:
                self._holding[worker].add(dossier_id)
        return leases

    def _lease(
        self, store: SqliteDossier, worker: str, hosts: list[str], now: int, room: Room, scope: Scope
    ) -> list[Lease]:
        """Lease the due requests of those hosts that no other worker has."""
        until = now + self._lease_ms
        granted = self._catalog.lease_hosts(worker, hosts, now, until)
        if not granted:
            return []
        leases = store.frontier.lease(worker, granted, now, until, room, scope)
        self._hosts[worker].update(host_of(lease.request.url) for lease in leases)
        self._catalog.free_hosts(worker, [host for host in granted if host not in self._hosts[worker]])
        return leases

    def _look(self, dossier_id: str, now: int) -> int | None:
        """When the dossier next has something to claim; also updates the catalog's hint."""
        with self._dossiers.open(dossier_id) as store:
            before = store.frontier.next_due()
            self._catalog.set_due(dossier_id, before, now)
            # Another worker may have committed meanwhile, and its hint was just overwritten: read again.
            next_due = store.frontier.next_due()
        if next_due is not None and next_due != before:
            self._catalog.wake(dossier_id, next_due)
        return next_due

    def renew(self, worker: str, now: int) -> None:
        until = now + self._lease_ms
        self._catalog.renew_hosts(worker, now, until)
        for dossier_id in list(self._holding[worker]):
            try:
                with self._dossiers.open(dossier_id) as store:
                    store.frontier.renew(worker, now, until)
            except StoreError as error:
                if not error.is_busy:
                    raise
                # The leases in this dossier expire; the others are renewed.
                self._holding[worker].discard(dossier_id)

    def release(self, worker: str, now: int, dossiers: Iterable[str] = ()) -> None:
        for dossier_id in {*self._holding.pop(worker, ()), *dossiers}:
            try:
                with self._dossiers.open(dossier_id) as store:
                    released = store.frontier.release(worker)
            except StoreError as error:
                if not error.is_busy and error.code != GONE:
                    raise
                continue
            if released:
                self._catalog.wake(dossier_id, now)
        self._hosts.pop(worker, None)
        self._catalog.free_all_hosts(worker, now)

    def take_back(self, is_gone: Callable[[str], bool], now: int) -> None:
        for owner, until in self._catalog.host_owners(now).items():
            if is_gone(owner):
                # A dossier in which it has leases has a hint no later than the end of these leases.
                self.release(owner, now, self._catalog.due(until, Scope()))

    def blame(self, dossier_id: str, request_id: str) -> None:
        try:
            with self._dossiers.open(dossier_id) as store:
                store.frontier.blame(request_id)
        except StoreError as error:
            if error.code != GONE:
                raise

    def rest(self, worker: str, hosts: Iterable[str]) -> None:
        idle = set(hosts)
        self._hosts[worker] -= idle
        self._catalog.free_hosts(worker, idle)

    def wanted(self, worker: str, now: int) -> list[str]:
        return self._catalog.wanted_hosts(worker, now - WANTED_FOR) if self._hosts[worker] else []

    def has_guests(self, now: int) -> bool:
        return self._catalog.has_guests(now)

    def regain(self, worker: str, hosts: Iterable[str], now: int) -> list[str]:
        granted = self._catalog.lease_hosts(worker, hosts, now, now + self._lease_ms)
        self._hosts[worker].update(granted)
        return granted

    def arm(self, dossier_id: str, now: int, source_ids: Sequence[str] | None = None) -> int:
        with self._dossiers.open(dossier_id) as store:
            armed = store.frontier.arm(now, source_ids)
        self._catalog.wake(dossier_id, now)
        return armed

    def backlog(self, now: int, scope: Scope) -> Backlog:
        due = leased = 0
        following: list[int] = []
        for dossier_id in self._in_scope(scope):
            try:
                with self._dossiers.open(dossier_id) as store:
                    counts = store.frontier.counts(now, scope)
                if self._used_up(dossier_id, now) is not None:
                    leased += counts[1]
                    following.append(tomorrow(now))
                    continue
                next_due = self._look(dossier_id, now)
            except StoreError as error:
                if error.code in OURS:
                    raise
                # Busy: another worker is writing there, so count it as one lease.
                leased += error.is_busy
                continue
            due, leased = due + counts[0], leased + counts[1]
            following += [] if next_due is None else [next_due]
        return Backlog(due=due, leased=leased, next_due=min(following, default=None))
