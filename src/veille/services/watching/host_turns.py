"""Whose turn a host is: a worker sends while its leases last, and lends hosts to others that wait for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veille.ports import Fetcher, Queue

#: How often a worker looks whether somebody waits for one of its hosts.
_LOOK_MS = 500


class Leased(Protocol):
    """Under which name, and for how long."""

    @property
    def name(self) -> str: ...
    @property
    def lease_ms(self) -> int: ...


class HostTurns:
    """The hosts of one worker. A turn that is not renewed ends before its lease does."""

    def __init__(self, pace: Leased, fetcher: Fetcher, queue: Queue) -> None:
        self._pace = pace
        self._fetcher = fetcher
        self._queue = queue
        #: When the oldest lease ends; 0: there is none.
        self._until = 0
        self._looked = 0
        #: Hosts that others have for a moment, though requests to them wait here.
        self.lent: set[str] = set()
        #: Hosts that are lent as soon as nothing is under way there.
        self._promised: set[str] = set()

    def claimed(self, now: int) -> None:
        """Something was leased; the leases from before end earlier."""
        if not self._until:
            self.renewed(now)

    def renewed(self, now: int) -> None:
        """All leases last from now on."""
        self._until = now + self._pace.lease_ms
        # A request may wait a little between its turn and its sending.
        self._fetcher.send_until(self._until - self._pace.lease_ms // 6)

    def are_over(self, now: int) -> bool:
        """Whether leases ended before they were renewed."""
        return 0 < self._until <= now

    def share(self, hosts: Mapping[str, int], now: int) -> None:
        """Lend hosts to those that wait for them, and take back those that are free again."""
        if 0 <= now - self._looked < _LOOK_MS:
            return
        self._looked = now
        if over := {host for host in self.lent if not hosts.get(host)}:
            # Nothing waits here any more; whoever wants such a host now borrows it, as all others do.
            self._fetcher.resume(sorted(over))
            self.lent -= over
        if self.lent and (back := self._queue.regain(self._pace.name, sorted(self.lent), now)):
            self._fetcher.resume(back)
            self.lent -= set(back)
        wanted = set(self._queue.wanted(self._pace.name, now))
        if given_up := self._promised - wanted:
            self._fetcher.resume(sorted(given_up))
        free = set(self._fetcher.pause(sorted(wanted))) if wanted else set()
        self._promised = wanted - free
        if free:
            self._queue.rest(self._pace.name, free)
            self.lent |= free

    def end(self) -> None:
        """Send nothing more; must come before the leases are released."""
        self._until = 0
        self._fetcher.send_until(0)
        self._fetcher.drop()
        self.lent, self._promised = set(), set()
