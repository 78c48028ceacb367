"""What reaches the outside, and where its answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from veille.core.http.politeness import HostCounts, HostState
    from veille.core.http.secrets import Secret
    from veille.core.models import Lease, Reading
    from veille.core.tasks import Task
    from veille.core.traffic import Failure, Order, Payload

Result = TypeVar("Result")

#: Milliseconds since 1970, now.
Clock = Callable[[], int]


class Fetcher(Protocol):
    """Retrieves many addresses at once, politely. Failures come back as values; it never raises for a bad answer."""

    def submit(self, order: Order) -> None:
        """Take an order and return at once; its answer comes out of `collect`."""

    def collect(self, timeout: float) -> list[tuple[str, Payload | Failure]]:
        """The answers that arrived, with the keys of their orders; waits up to `timeout` seconds for the first."""

    @property
    def load(self) -> int:
        """How many orders have not been collected yet."""

    def close(self) -> None:
        """Drop what is under way and free everything."""


class Workshop(Protocol):
    """Where answers are read and tasks are done: in child processes with limits, never in the process that asks.

    Whatever the bytes and patterns are, something comes out: what had to be stopped is a failure with a code, like any
    other. Dossiers, or other groups, share the time of the children: none waits for the slow readings of another.
    """

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        """Read it, and wait for that."""

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        """The reading if nothing has to be read; or None: it then comes out of `collect` under the key."""

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        """The readings that children have finished; waits up to `timeout` seconds for the first."""

    @property
    def load(self) -> int:
        """How many readings have not been collected yet."""

    def run(self, task: Task[Result], body: bytes = b"", *, group: str = "") -> Result | Failure:
        """Do a task with these bytes, and wait for that; without a group, for whoever has this workshop."""

    def prepare(self) -> None:
        """Be ready soon: there will be something to read."""

    def close(self) -> None:
        """Drop what is under way."""


class InHand(Protocol):
    """What a worker is deciding and writing just now, so that others can tell it should that end its process."""

    def take(self, dossier_id: str, *request_ids: str) -> None:
        """Be busy with these requests of a dossier, and with no others. Never fails."""

    def put_down(self) -> None:
        """Be busy with nothing."""

    def close(self) -> None:
        """The work is over."""

    def dropped(self) -> list[tuple[str, str]]:
        """Dossier and request of what others had in hand when their processes ended; each is told once."""


class Hosts(Protocol):
    """What is remembered about hosts, shared by all dossiers and workers."""

    def load(self, key: str) -> HostState:
        """What is known about a host (`host` or `host:port`); a fresh state when nothing is."""

    def save(self, records: Iterable[tuple[HostState, HostCounts]]) -> None:
        """Keep these states and add these tallies to the ledger, all or nothing."""

    def ledger(self) -> list[tuple[HostState, HostCounts]]:
        """All hosts with their ledgers, the busiest first."""

    def page(
        self, wanted: str, now: int, before: tuple[int, str] | None, limit: int
    ) -> list[tuple[HostState, HostCounts]]:
        """The same without robots.txt: `all`, `failing` or `paused` ones, those after a number of requests and a key.

        Of equals, by key.
        """

    def totals(self, now: int) -> tuple[HostCounts, dict[str, int]]:
        """The ledgers of all hosts as one, and how many hosts are `all`, `failing` and `paused`."""


class Vault(Protocol):
    """The secrets of one dossier: put in for hosts, used there, never shown."""

    def set(self, name: str, value: str, hosts: Iterable[str], now: int) -> None:
        """Keep a value, for these hosts and no others, in place of what has that name: see `core.http.secrets`.

        ConfigError when the name, the value or a host is none (`bad_secret_…`); the message does not hold the value.
        """

    def get(self, name: str) -> Secret | None:
        """The value with its hosts, for the one request that needs it; None when there is none.

        ConfigError `vault.wrong_key` when it was sealed under another key, or somebody changed it or its hosts.
        """

    def hosts(self) -> dict[str, tuple[str, ...]]:
        """The hosts of every secret, by its name and in the order of the names."""

    def delete(self, name: str) -> None:
        """NotFoundError `no_secret` when there is none."""

    def sealed_under(self) -> dict[str, int]:
        """The ids of the keys that the secrets are sealed with, and how many each."""
