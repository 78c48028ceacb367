"""What several services on the same data share, besides the data: rate limits, and results that wait for their user."""

from __future__ import annotations

from typing import Protocol


class CallLimits(Protocol):
    """So many calls a minute by each name, in bursts if they like."""

    def take(self, name: str, per_minute: int) -> float:
        """Count a call: zero, or the seconds until the next is allowed.

        Of several machines, each may allow a sixtieth of the calls of a minute more: it takes so many at once.
        """


class ServiceShelf(Protocol):
    """Values that are kept for some minutes, for one owner, and found by every service on the data.

    They are sealed with the key of the secrets: what is found was kept by a program that has the key.
    """

    def keep(self, key: str, owner: str, value: bytes, seconds: float) -> None:
        """Keep a value; it replaces another of this key. The oldest of an owner go when there are too many."""

    def find(self, key: str, owner: str) -> bytes | None:
        """The value, if it is this owner's and still kept."""
