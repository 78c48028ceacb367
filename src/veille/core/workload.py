"""How much there is to do, and how much of it a worker can take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much a worker can take on: in all, of one host, and which hosts it has enough of."""

    total: int
    per_host: int
    full_hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits in the frontier: due now, leased by somebody, and when the next one falls due."""

    due: int
    leased: int
    next_due: int | None
