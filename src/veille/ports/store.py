"""A store as a whole: all ports to stored data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.ports.accounts import Accounts
    from veille.ports.crawls import Presence, Schedules
    from veille.ports.dossiers import Dossiers, Duties, Offers, Queue, Sweeps
    from veille.ports.outside import Hosts, InHand


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """All stored data, for all threads of one process; other processes on the same data have their own `Store`.

    Reading threads do not block each other. To close the store, close `dossiers`.
    """

    dossiers: Dossiers
    #: Creates the queue of one program; the queue calls the given function while it scans many dossiers (heartbeat).
    queue: Callable[[Callable[[], None]], Queue]
    hosts: Hosts
    schedules: Schedules
    offers: Offers
    sweeps: Sweeps
    duties: Duties
    accounts: Accounts
    presence: Presence
    #: Creates the record of what one worker has in progress; it also reports what dead workers had.
    in_hand: Callable[[], InHand]
    #: The secret key for a purpose; the same in every process on the data.
    key: Callable[[str], bytes]
