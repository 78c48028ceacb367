"""How much there is to do, and how much of it a worker can take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, zip_longest

#: So many requests at most are claimed by one worker alone.
WORTH_SHARING = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much a worker can take on: in all, of one host, and which hosts it has enough of."""

    total: int
    per_host: int
    full_hosts: frozenset[str] = frozenset()
    #: How many requests the worker can have under way at once, and how many of each dossier it has. With 0, all of
    #: it may be one dossier's.
    capacity: int = 0
    held: Mapping[str, int] = field(default_factory=dict)

    def allows(self, dossier_id: str, dossiers: int = 1) -> int:
        """How much may be taken of a dossier that is one of so many: an equal share of what there is room for.

        And no more than half of what the others leave, so that there is always room. Shares of what is due now are not
        enough: whoever has slow hosts would fill the worker while the others have nothing due, and hold them up when
        they have.
        """
        equal = -(-self.total // dossiers)
        if not self.capacity:
            return equal
        own = self.held.get(dossier_id, 0)
        others = sum(self.held.values()) - own
        return min(equal, max(1, (self.capacity - others) // 2) - own)

    def share(self, due: Mapping[str, int]) -> list[str]:
        """Which hosts to claim, of those that have so many due requests each, in this order.

        Their requests are half of what can be claimed, so that workers that look at the same moment get work, too; a
        few are not worth sharing. Whoever is alone comes back for the rest.
        """
        counts = {host: min(count, self.per_host) for host, count in due.items()}
        wanted = min(self.total, max(WORTH_SHARING, -(-sum(counts.values()) // 2)))
        before = (0, *accumulate(counts.values()))
        return [host for host, taken in zip(counts, before, strict=False) if taken < wanted]


class Limit(StrEnum):
    """What a dossier can have used up, so that it waits: for tomorrow, or for room."""

    REQUESTS = "quota_requests"
    BYTES = "quota_bytes"
    STORED = "quota_stored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits in the frontier: due now, leased by somebody, and when the next one falls due.

    What a limit holds back is not due: nobody can do it now.
    """

    due: int
    leased: int
    next_due: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """What goes on in one dossier: due and under way now, when it goes on, and the number of its last change."""

    due: int = 0
    leased: int = 0
    next_due: int | None = None
    last_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching:
    """One address that is fetched now (`at`: since when), or will be (`at`: when)."""

    source_id: str
    source_name: str
    url: str
    at: int


def by_turns(sources: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Sources, each with its dossier before it, in an order in which one dossier with many does not come first.

    >>> by_turns([("a", "1"), ("a", "2"), ("a", "3"), ("b", "4")])
    [('a', '1'), ('b', '4'), ('a', '2'), ('a', '3')]
    """
    queues: dict[str, list[tuple[str, str]]] = {}
    for one in sorted(sources):
        queues.setdefault(one[0], []).append(one)
    return [one for row in zip_longest(*queues.values()) for one in row if one is not None]
