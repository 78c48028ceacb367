"""What leaves: whole exports, and deletion that deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.transfer.leaving_tables import STAYS
from veille.adapters.takeout_zip import ZipTakeouts
from veille.services.leaving.deleting import DeletingService, Delivering
from veille.services.leaving.takeout import TakeoutService
from veille.services.people.access import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from veille.ports import Clock, Sink, Store
    from veille.services.engine.attendance import Attendance
    from veille.services.people.accounts import AccountService


class LeavingDesk:
    """`takeout` exports whole dossiers and accounts, `deleting` deletes them."""

    def __init__(
        self,
        store: Store,
        accounts: AccountService,
        sinks: Callable[[], Mapping[str, Sink]],
        attendance: Attendance,
        lease_ms: int,
        clock: Clock,
    ) -> None:
        gate = Gate(store.dossiers, store.accounts, clock)
        self.takeout = TakeoutService(gate, store.leavings, ZipTakeouts(), STAYS)

        def worker() -> str:
            attendance.begin()
            return attendance.name

        delivering = Delivering(sinks=sinks, worker=worker, is_gone=attendance.is_gone, lease_ms=lease_ms)
        self.deleting = DeletingService(gate, accounts.users, store.leavings, delivering)
