"""The frontiers of all dossiers as one queue: who may fetch what, so that a host deals with one worker at a time."""

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
    from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
    from veille.core.workload import Limit

#: Looked at to find hosts, for each request that may be claimed: enough to see past a host that has very many.
LOOK_AHEAD = 4
#: Troubles of the machine, not of one dossier's file.
OURS = frozenset({"store.full", "store.old_sqlite"})
#: A dossier was deleted, perhaps by another program.
GONE = "store.missing"
#: How often a program looks for times that a clock which was ahead has left, in milliseconds.
LOOK_THROUGH_EVERY = 3600 * 1000
UNLIMITED = QuotaSettings()


class SqliteQueue:
    """The port `Queue`. It remembers where each worker of this process has leases, to renew and release them."""

    def __init__(
        self,
        catalog: Catalog,
        dossiers: SqliteDossiers,
        lease_ms: int,
        quotas: QuotaSettings = UNLIMITED,
        *,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        #: Called for each of many dossiers, for whoever watches over this process.
        self._beat = beat
        self._allowance = Allowance(catalog, quotas)
        self._catalog = catalog
        self._dossiers = dossiers
        self._lease_ms = lease_ms
        #: When the times of each dossier were last looked through.
        self._looked_through: dict[str, int] = {}
        self._holding: defaultdict[str, set[str]] = defaultdict(set)
        self._hosts: defaultdict[str, set[str]] = defaultdict(set)

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        due = self._catalog.due(now, scope)
        if due:
            self._dossiers.check_room()
        busy = {*room.full_hosts, *self._catalog.busy_hosts(worker, now)} if due else set()
        if len(scope.dossiers or ()) == 1 or not self._catalog.has_several():
            # One dossier alone may have all there is.
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
        """What a dossier has due, as far as there is room; if that is nothing, the catalog is told until when."""
        try:
            self._bring_back(dossier_id, now)
            if self._used_up(dossier_id, now) is not None:
                # Not looked at with every tick: there may be very many that wait like this.
                self._catalog.set_due(dossier_id, tomorrow(now), now)
                return []
            found = self._claim_allowed(dossier_id, worker, now, room, scope)
            if not found and scope.sources is None and scope.purposes is None:
                self._look(dossier_id, now)
        except StoreError as error:
            if error.code in OURS:
                raise
            # Its file is damaged or missing, or a worker froze while it wrote: the others go on, and it is looked at
            # again later.
            self._catalog.set_due(dossier_id, now + self._lease_ms if error.is_busy else None, now)
            return []
        return found

    def _bring_back(self, dossier_id: str, now: int) -> None:
        """Now and then, and when the clock was set back: times that were set while it was ahead are mended."""
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
        """The same, but no more than the dossier may still send today."""
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
            # Another worker may have been quicker, or a crawl is not that far yet: the other hosts remain.
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
        """What is due of these hosts, as far as no other worker has them."""
        until = now + self._lease_ms
        granted = self._catalog.lease_hosts(worker, hosts, now, until)
        if not granted:
            return []
        leases = store.frontier.lease(worker, granted, now, until, room, scope)
        self._hosts[worker].update(host_of(lease.request.url) for lease in leases)
        self._catalog.free_hosts(worker, [host for host in granted if host not in self._hosts[worker]])
        return leases

    def _look(self, dossier_id: str, now: int) -> int | None:
        """When the dossier has something to claim next; the catalog is told, too."""
        with self._dossiers.open(dossier_id) as store:
            before = store.frontier.next_due()
            self._catalog.set_due(dossier_id, before, now)
            # Another worker may have committed and hinted in between, and its hint was just overwritten: look again.
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
                # The leases there run out; the others do not.
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
                # Where it holds something, the next look is due when its lease ends, at the latest.
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
                # Whoever is writing there is at work.
                leased += error.is_busy
                continue
            due, leased = due + counts[0], leased + counts[1]
            following += [] if next_due is None else [next_due]
        return Backlog(due=due, leased=leased, next_due=min(following, default=None))
