"""How much work is due, and how much of it a worker may claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, groupby, zip_longest

#: Up to this many due requests are claimed by one worker; more are shared with other workers.
WORTH_SHARING = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many requests a worker can claim: in total, per host, and from which hosts no more."""

    total: int
    per_host: int
    full_hosts: frozenset[str] = frozenset()
    #: How many requests the worker can process at once, and how many of each dossier it holds. With a capacity of 0,
    #: one dossier may fill it.
    capacity: int = 0
    held: Mapping[str, int] = field(default_factory=dict)

    def allows(self, dossier_id: str, dossiers: int = 1) -> int:
        """How many requests of a dossier to claim if `dossiers` have due ones: an equal share of the room.

        It is also at most half of what the other dossiers leave, so that room always remains. Equal shares alone are
        not enough: a dossier with slow hosts would fill the worker while the others have nothing due, and block them
        later.
        """
        equal = -(-self.total // dossiers)
        if not self.capacity:
            return equal
        own = self.held.get(dossier_id, 0)
        others = sum(self.held.values()) - own
        return min(equal, max(1, (self.capacity - others) // 2) - own)

    def share(self, due: Mapping[str, int]) -> list[str]:
        """Which hosts to claim, given the number of due requests of each, in this order.

        Only half of the requests are claimed, so that workers that claim at the same time get some, too; a small number
        is not shared. A worker that is alone claims the rest next time.
        """
        counts = {host: min(count, self.per_host) for host, count in due.items()}
        wanted = min(self.total, max(WORTH_SHARING, -(-sum(counts.values()) // 2)))
        before = (0, *accumulate(counts.values()))
        return [host for host, taken in zip(counts, before, strict=False) if taken < wanted]


class Limit(StrEnum):
    """The limits that make a dossier wait: until tomorrow, or until storage is freed."""

    REQUESTS = "quota_requests"
    BYTES = "quota_bytes"
    STORED = "quota_stored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """The requests in the frontier: how many are due, how many are leased, and when the next one is due.

    Requests of a dossier that has reached a limit do not count as due: no worker can claim them.
    """

    due: int = 0
    leased: int = 0
    next_due: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse(Backlog):
    """The activity of one dossier: its backlog, and the number of its last change."""

    last_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching:
    """One address that is being fetched (`at`: since when), or will be (`at`: when)."""

    source_id: str
    source_name: str
    url: str
    at: int


def by_turns(sources: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of dossier and source in round-robin order by dossier, so that one with many sources does not go first.

    >>> by_turns([("a", "1"), ("a", "2"), ("a", "3"), ("b", "4")])
    [('a', '1'), ('b', '4'), ('a', '2'), ('a', '3')]
    """
    queues = (list(queue) for _, queue in groupby(sorted(sources), key=lambda one: one[0]))
    return [one for row in zip_longest(*queues) for one in row if one is not None]
