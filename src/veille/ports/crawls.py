"""What the crawlers of intranets need: their runs, who is alive, when they are due, and a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.crawler.events import LogEvent
    from veille.core.crawler.runs import Choice, ConfigVersion, Crawl, CrawlLine, Part
    from veille.core.crawler.schedule import Schedule
    from veille.core.models import Json, Request


class Crawls(Protocol):
    """The crawler of a dossier: its configuration, version by version, and its runs. One run at a time."""

    def configure(self, config: Json, by: str, now: int) -> ConfigVersion:
        """Keep a configuration as the newest version; versions count from 1, and none is ever changed."""

    def config(self, version: int | None = None) -> ConfigVersion | None:
        """That version, or the newest; None when there is none."""

    def enter(self, crawl: Crawl) -> None:
        """Put a run into the queue, which is in the order of the times they were asked for, then of their ids."""

    def begin(self, crawl_id: str, now: int) -> bool:
        """Start it, if it is the first in the queue and none is running; of any number who try, one does."""

    def interrupt(self, crawl_id: str) -> None:
        """It died, queued or running; it ended with the last thing it looked at. One that is over stays as it is."""

    def leave(self, crawl_id: str) -> None:
        """Take a run that did not start out of the queue; of any other, nothing happens."""

    def end(self, crawl: Crawl) -> None:
        """It is over; its state, when it finished, code, message and deliveries are kept."""

    def find(self, crawl_id: str) -> Crawl | None:
        """By id; None when there is none."""

    def last(self, limit: int = 20) -> list[Crawl]:
        """Those that were asked for last, the newest first."""

    def last_success_at(self) -> int | None:
        """When the last one finished that completed; None when none did."""

    def lines(self, source_id: str, crawl: Crawl) -> list[CrawlLine]:
        """The last word on every address of the source that the run looked at, so far.

        Of an address that it looked at more than once, what tells more than "as before".
        """

    def choose(self, source_id: str, choice: Choice, now: int, request_id: str = "", *, part: Part = "all") -> int:
        """Make due what the run is about, or a part of that, and set everything else of the source aside; how many.

        `normal` is about all that has turns of its own; `full` too, and reads it as if it were new. `since` is about
        what was not looked at since then, or not without an error; `retry` about what failed since then and still does;
        `url` about the request of that id. The part `rest` is what is due already, left by an earlier run; `others`
        what was not looked at since the time that the choice names.
        """

    def waiting(self, source_id: str, now: int) -> list[str]:
        """The addresses that are due and not set aside, in any order."""

    def requests(self, source_id: str) -> list[Request]:
        """All of the source, with what tells whether they are within its bounds, in any order."""

    def forget(self, request_ids: Sequence[str]) -> None:
        """Delete these requests; those that are not there are no error."""

    def next_due(self, source_id: str) -> int | None:
        """When the next address falls due that was not set aside; None when there is none."""


class Presence(Protocol):
    """Who is at work now, in any process."""

    def hold(self, name: str) -> AbstractContextManager[None]:
        """Be there under this name, which nobody had before."""

    def is_there(self, name: str) -> bool:
        """Whether whoever has this name is alive; it is noticed at once when they are killed."""


class Schedules(Protocol):
    """When the crawlers of all dossiers run by themselves."""

    def put(self, schedule: Schedule) -> None:
        """In place of the one that the dossier had. It is deleted with its dossier."""

    def of(self, dossier_id: str) -> Schedule | None:
        """None when the dossier has none."""

    def due(self, now: int) -> list[Schedule]:
        """Those whose next run is at this time or before, the longest waiting first."""

    def advance(self, schedule: Schedule, next_run_at: int) -> bool:
        """Take this turn, for the next one to come then; False when somebody else took it, or it is gone.

        Of any number who take the same turn, in any processes, one gets it.
        """

    def remove(self, dossier_id: str) -> bool:
        """Whether there was one."""


class EventLog(Protocol):
    """A log that programs can read; nothing secret is handed to it."""

    def write(self, *events: LogEvent) -> None:
        """Append these, in order and together; those below its level are left out."""

    def read(self) -> Iterator[LogEvent]:
        """Everything kept, oldest first."""
