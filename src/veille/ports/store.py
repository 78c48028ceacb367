"""A store as a whole: everything that is kept, by its ports."""

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
    """All that is kept, for every thread of one process; other processes on the same data have their own.

    Threads do not wait for each other to read. To close it, close its dossiers.
    """

    dossiers: Dossiers
    #: A queue for one program, which it tells that it makes progress while it looks through many dossiers.
    queue: Callable[[Callable[[], None]], Queue]
    hosts: Hosts
    schedules: Schedules
    offers: Offers
    sweeps: Sweeps
    duties: Duties
    accounts: Accounts
    presence: Presence
    #: What one worker has in progress, and what ended others.
    in_hand: Callable[[], InHand]
    #: The secret key for a purpose: the same for every process on the data, and never shown.
    key: Callable[[str], bytes]
