"""The ports to the outside: fetching, reading answers, hosts and secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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
    """Fetches many addresses at once, politely. Failures are returned; a bad answer never raises."""

    def submit(self, order: Order) -> None:
        """Take an order and return at once; its answer comes out of `collect`."""

    def collect(self, timeout: float) -> list[tuple[str, Payload | Failure]]:
        """The answers that arrived, with the keys of their orders; waits up to `timeout` seconds for the first."""

    @property
    def load(self) -> int:
        """How many orders have not been collected yet."""

    def send_until(self, at: int) -> None:
        """Begin no leased order after this time, unless it is set anew; those that wait stay where they are."""

    def pause(self, hosts: Iterable[str]) -> list[str]:
        """Begin nothing at these hosts; returns those with nothing under way, whose state is stored by then."""

    def rest(self, hosts: Iterable[str]) -> list[str]:
        """Of hosts to which no leased order is left, those with nothing under way, whose state is stored by then."""

    def resume(self, hosts: Iterable[str]) -> None:
        """Go on at these hosts; with their stored state, if `pause` returned them."""

    def drop(self) -> None:
        """Begin no leased order that waits: it comes back as a failure. Stores what is known of all hosts."""

    def close(self) -> None:
        """Abort all fetches and free everything."""


class IconShelf(Protocol):
    """Small pictures by name, which may be forgotten at any time. What is empty is known to be missing."""

    def read(self, name: str) -> bytes | None:
        """The picture; None if nothing is known of it."""

    def age_s(self, name: str) -> float | None:
        """Seconds since it was written; None if nothing is known of it."""

    def write(self, name: str, body: bytes) -> None:
        """Keep it; others may have to go."""


class Workshop(Protocol):
    """Reads answers and runs tasks in child processes with limits, never in the process of the caller.

    Every call gives a result, whatever the bytes and patterns are: if a child had to be stopped, that is a failure with
    a code. Groups (such as dossiers) share the time of the children: none waits for the slow readings of another.
    """

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        """Read an answer, and wait for the result."""

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        """The reading if no child is needed for it; otherwise None, and `collect` returns it later with the key."""

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        """The readings that children have finished; waits up to `timeout` seconds for the first."""

    @property
    def load(self) -> int:
        """How many readings have not been collected yet."""

    def run(self, task: Task[Result], body: bytes = b"", *, group: str = "") -> Result | Failure:
        """Run a task with these bytes, and wait for the result; tasks without a group are one group per workshop."""

    def prepare(self) -> None:
        """Start the child processes: there will soon be something to read."""

    def close(self) -> None:
        """Abort all readings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkTask:
    """A part of a large piece of work: what to do, and with which rows. It is small: rows are named, never carried."""

    work: str
    dossier_id: str
    #: JSON values.
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """What became of a task whose process lived: what it returned, as a JSON value, or why it failed."""

    found: object = None
    #: A message; empty: it did not fail.
    error: str = ""
    code: str = ""
    #: Whether it may be tried again.
    is_passing: bool = False


class Bulk(Protocol):
    """Runs tasks beside this process: in others of this machine, or on other machines that reach the same store.

    A task whose process is killed is run again; so is one whose process only seemed dead. Both may commit: what they
    write is fenced by the store, so that it is there once. A task that fails for a reason that lasts is not run again.
    """

    def run(self, tasks: Iterable[BulkTask], stop: Callable[[], bool]) -> Iterator[object]:
        """What each task returned, as a JSON value, as they end. If `stop` is true, the rest is left.

        VeilleError with the code of a task that fails for a reason that lasts, `bulk_task` if one fails again and
        again; what others committed stays.
        """


class InHand(Protocol):
    """The requests that a worker is deciding on or committing, so that others know them if its process dies."""

    def take(self, dossier_id: str, *request_ids: str) -> None:
        """Record these requests of a dossier, replacing the earlier ones. Never fails."""

    def put_down(self) -> None:
        """Clear the record."""

    def close(self) -> None:
        """Remove the record: the worker is done."""

    def dropped(self) -> list[tuple[str, str]]:
        """Dossier and request ids of what other workers had recorded when they died; each is returned once."""


class Hosts(Protocol):
    """The state and counts of hosts, shared by all dossiers and workers."""

    def load(self, key: str) -> HostState:
        """The state of a host (`host` or `host:port`); a new state if it is unknown."""

    def save(self, records: Iterable[tuple[HostState, HostCounts]]) -> None:
        """Save these states and add these counts to the ledger, in one transaction."""

    def borrow(self, key: str, guest: str, now: int, until: int) -> bool:
        """Have a host for a short turn; False while another has it, who learns that it is wanted."""

    def give_back(self, key: str, guest: str) -> None:
        """End the turn; does nothing if it ended before."""

    def ledger(self) -> list[tuple[HostState, HostCounts]]:
        """All hosts with their counts, most requests first."""

    def page(
        self, wanted: str, now: int, before: tuple[int, str] | None, limit: int
    ) -> list[tuple[HostState, HostCounts]]:
        """One page of the ledger without robots.txt; `wanted`: `all`, `failing` or `paused` hosts.

        Sorted by number of requests, then by key; `before` has both of the last host seen.
        """

    def totals(self, now: int) -> tuple[HostCounts, dict[str, int]]:
        """The sum of the counts of all hosts, and the numbers of `all`, `failing` and `paused` hosts."""


class Vault(Protocol):
    """The secrets of one dossier: each is bound to hosts, sent only to these, and never shown."""

    def set(self, name: str, value: str, hosts: Iterable[str], now: int) -> None:
        """Store a secret for these hosts only, replacing the one of that name: see `core.http.secrets`.

        ConfigError `bad_secret_…` if the name, the value or a host is invalid; its message never contains the value.
        """

    def get(self, name: str) -> Secret | None:
        """The value with its hosts, for the one request that needs it; None if there is none.

        ConfigError `vault.wrong_key` if it was encrypted with another key, or if it or its hosts were tampered with.
        """

    def hosts(self) -> dict[str, tuple[str, ...]]:
        """The hosts of every secret by name, sorted by name."""

    def delete(self, name: str) -> None:
        """Delete a secret; NotFoundError `no_secret` if there is none."""

    def sealed_under(self) -> dict[str, int]:
        """How many secrets are encrypted with each key, by key id."""

    def login(self, source_id: str) -> str:
        """The login that the steps of a source made, as it was kept; empty if there is none that can be read."""

    def keep_login(self, source_id: str, value: str, now: int) -> None:
        """Seal and store the login of a source, instead of the last one; nothing if the source was deleted."""
