"""The ports of the intranet crawlers: runs, live processes, schedules, and a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.crawler.events import LogEvent
    from veille.core.crawler.runs import ConfigVersion, Crawl, CrawlChoice, CrawlLine, Part, Schedule
    from veille.core.models import Json, Request


class Crawls(Protocol):
    """The crawler of a dossier: the versions of its configuration, and its runs. One run at a time."""

    def configure(self, config: Json, by: str, now: int) -> ConfigVersion:
        """Store a configuration as the newest version; versions count from 1 and never change."""

    def config(self, version: int | None = None) -> ConfigVersion | None:
        """That version, or the newest; None if there is none."""

    def enter(self, crawl: Crawl) -> None:
        """Put a run into the queue, which is ordered by the time of the request, then by id."""

    def begin(self, crawl_id: str, now: int) -> bool:
        """Start a run if it is first in the queue and no other is running; if several processes try, one succeeds."""

    def interrupt(self, crawl_id: str) -> None:
        """Mark a queued or running run as interrupted, at the time of its last check; does nothing if it has ended."""

    def leave(self, crawl_id: str) -> None:
        """Remove a run that did not start from the queue; does nothing for any other."""

    def end(self, crawl: Crawl) -> None:
        """Store the end of a run: its state, time, code, message and deliveries."""

    def find(self, crawl_id: str) -> Crawl | None:
        """The run of that id; None if there is none."""

    def last(self, limit: int = 20) -> list[Crawl]:
        """The runs that were requested last, newest first."""

    def last_success_at(self) -> int | None:
        """When the last completed run ended; None if there is none."""

    def lines(self, source_id: str, crawl: Crawl) -> list[CrawlLine]:
        """The result so far for every address of the source that the run checked.

        For an address that was checked more than once, the result that says more than "unchanged".
        """

    def choose(self, source_id: str, choice: CrawlChoice, now: int, request_id: str = "", *, part: Part = "all") -> int:
        """Make the requests of a run (or a part) due, set all others of the source aside; returns how many are due.

        `normal`: all recurring requests. `full`: the same, read as if they were new. `since`: those without a
        successful check since then. `retry`: those that failed since then and still fail. `url`: the request of that
        id. The part `rest` is what an earlier run left due; `others` is what was not checked since the time in the
        choice.
        """

    def waiting(self, source_id: str, now: int) -> list[str]:
        """Addresses that are due and not set aside, in any order."""

    def requests(self, source_id: str) -> list[Request]:
        """All requests of the source, with the facts that decide whether they are in bounds, in any order."""

    def forget(self, request_ids: Sequence[str]) -> None:
        """Delete these requests; missing ones are no error."""

    def next_due(self, source_id: str) -> int | None:
        """When the next address that was not set aside is due; None if there is none."""


class Presence(Protocol):
    """Which workers are alive, in all processes."""

    def hold(self, name: str) -> AbstractContextManager[None]:
        """Mark this process as alive under this name, which must be new, until the context ends."""

    def is_there(self, name: str) -> bool:
        """Whether the process of this name is alive; False as soon as it is killed."""


class Schedules(Protocol):
    """The schedules of the crawlers of all dossiers."""

    def put(self, schedule: Schedule) -> None:
        """Set the schedule of a dossier, replacing its old one. It is deleted with the dossier."""

    def of(self, dossier_id: str) -> Schedule | None:
        """The schedule of a dossier; None if it has none."""

    def due(self, now: int) -> list[Schedule]:
        """The schedules whose next run is due, the longest waiting first."""

    def advance(self, schedule: Schedule, next_run_at: int) -> bool:
        """Claim the due run, and set the time of the next; False if another process claimed it, or it was removed.

        If several processes try, only one succeeds.
        """

    def remove(self, dossier_id: str) -> bool:
        """Remove the schedule of a dossier; returns whether there was one."""


class EventLog(Protocol):
    """A log that programs can read; callers pass no secrets to it."""

    def write(self, *events: LogEvent) -> None:
        """Append these events in order, as one block; events below the level of the log are left out."""

    def read(self) -> Iterator[LogEvent]:
        """All stored events, oldest first."""
