"""What services need from the outside, and what each side promises; contract tests hold the adapters to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from veille.core.answers import Hit, SavedSearch, Story
    from veille.core.crawler.events import LogEvent
    from veille.core.crawler.runs import Choice, ConfigVersion, Crawl, CrawlLine, Part
    from veille.core.crawler.schedule import Schedule
    from veille.core.exchange import Record
    from veille.core.handovers import Handover
    from veille.core.models import (
        Document,
        Dossier,
        Failure,
        Json,
        Known,
        Lease,
        Order,
        Payload,
        Plan,
        Reading,
        Request,
        Scope,
        Source,
    )
    from veille.core.news.facts import Article, FeedFacts, Written
    from veille.core.news.sheets import Row, Sheet
    from veille.core.politeness import HostState, Tally
    from veille.core.query import Query
    from veille.core.quirks import Quirk
    from veille.core.reader import ReaderResult
    from veille.core.records import Event, Parcel, RepairRecord, Revision, Run, RunItem
    from veille.core.second_look import Kept
    from veille.core.series import Count
    from veille.core.workload import Backlog, Room

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
    """Where answers are read: in the worker when that is safe, else in a child process with limits.

    Whatever the bytes are, a reading comes out: one that had to be stopped is a failure with a code, like any other.
    """

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        """Read it, and wait for that."""

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading | None:
        """The reading, or None when it takes a child: it then comes out of `collect` under the key."""

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        """The readings that children have finished; waits up to `timeout` seconds for the first."""

    @property
    def load(self) -> int:
        """How many readings have not been collected yet."""

    def close(self) -> None:
        """Drop what is under way and end the children."""


class Hosts(Protocol):
    """What is remembered about hosts, shared by all dossiers and workers."""

    def load(self, key: str) -> HostState:
        """What is known about a host (`host` or `host:port`); a fresh state when nothing is."""

    def save(self, records: Iterable[tuple[HostState, Tally]]) -> None:
        """Keep these states and add these tallies to the ledger, all or nothing."""

    def ledger(self) -> list[tuple[HostState, Tally]]:
        """All hosts with their ledgers, the busiest first."""


class Vault(Protocol):
    """The secrets of one dossier: put in, used, never shown."""

    def set(self, name: str, value: str, now: int) -> None: ...

    def get(self, name: str) -> str | None:
        """The value, for the one request that needs it."""

    def names(self) -> list[str]: ...

    def delete(self, name: str) -> None: ...


class Dossiers(Protocol):
    """The sealed workspaces of one data folder."""

    def create(self, name: str, now: int, maker: str = "") -> Dossier:
        """Make a dossier; the name must be free among those of its maker, so that it tells nothing of others'."""

    def all(self) -> list[Dossier]: ...

    def find(self, name_or_id: str) -> Dossier:
        """The dossier of that name or id, or NotFoundError."""

    def delete(self, dossier_id: str) -> None: ...

    def open(self, dossier_id: str) -> AbstractContextManager[DossierStore]:
        """The dossier's store, kept open at least as long as the context lasts."""

    def close(self) -> None: ...


class Queue(Protocol):
    """The frontiers of all dossiers as one queue, leased host by host."""

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease due requests. While a lease lasts, no other worker gets any request of that host."""

    def renew(self, worker: str, now: int) -> None:
        """Lengthen the leases this worker still holds; one that ran out stays lost."""

    def release(self, worker: str, now: int, dossiers: Iterable[str] = ()) -> None:
        """Give back everything this worker holds, due at once. Of a worker that died, name the dossiers it was in."""

    def rest(self, worker: str, hosts: Iterable[str]) -> None:
        """Let other workers have these hosts: this one has nothing of theirs under way."""

    def arm(self, dossier_id: str, now: int, source_ids: Sequence[str] | None = None) -> int:
        """Make all that these sources (all enabled ones without a list) look at again and again due now; how many."""

    def exhausted(self, now: int, scope: Scope) -> list[str]:
        """The dossiers in scope that have used up their requests of today."""

    def backlog(self, now: int, scope: Scope) -> Backlog:
        """Counted in the dossiers themselves, so it is the truth even after a crash."""


class DossierStore(Protocol):
    """One open dossier. Nothing in it can reach another."""

    @property
    def id(self) -> str: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def engines(self) -> Engines: ...
    @property
    def records(self) -> Records: ...
    @property
    def stories(self) -> Stories: ...
    @property
    def quirks(self) -> Quirks: ...
    @property
    def readings(self) -> Readings: ...
    @property
    def repairs(self) -> Repairs: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def crawls(self) -> Crawls: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def handovers(self) -> Handovers: ...
    @property
    def news(self) -> News: ...
    @property
    def saved_searches(self) -> SavedSearches: ...
    @property
    def index(self) -> Index: ...

    def writing(self) -> AbstractContextManager[Writer]:
        """One transaction: all of it is committed when the context ends well, nothing of it otherwise."""


class Sources(Protocol):
    """What a dossier watches."""

    def add(self, source: Source, requests: Iterable[Request]) -> None:
        """Save a source with its first requests; the address must not be watched already."""

    def all(self) -> list[Source]: ...

    def count(self) -> int: ...

    def get(self, source_id: str) -> Source | None:
        """By id."""

    def ailing(self) -> list[Source]:
        """Those in error, broken or suspect that are not paused, the longest failing first."""

    def find(self, name_or_id: str) -> Source:
        """By id, name or address, or NotFoundError."""

    def update(self, source: Source, requests: Iterable[Request] | None = None) -> None:
        """Save the source as it is now; requests, if given, take the place of those it began with."""

    def retime(self, source_id: str, at: int | None, *, step: int | None = None) -> None:
        """Look again at `at`; None: only when somebody asks.

        With a step that is about all it looks at again and again, not only what it begins with: what has its turn at
        every third time only is looked at two steps later.
        """

    def waiting(self, source_id: str, now: int, limit: int) -> tuple[int, list[str]]:
        """How many of its addresses are due, and the first of them."""

    def raw_hashes(self) -> dict[str, str]:
        """The hash of what the address of each source last answered, by source; of several, the one asked last."""

    def delete(self, source_id: str) -> None:
        """Remove the source, its requests and the documents only it has."""


class Engines(Protocol):
    """The search engines of a dossier's own, as records by id."""

    def all(self) -> dict[str, Json]: ...
    def put(self, engine_id: str, record: Json, now: int) -> None: ...
    def delete(self, engine_id: str) -> bool:
        """Whether there was one."""


class SavedSearches(Protocol):
    """Searches that a dossier keeps under a name."""

    def add(self, search: SavedSearch) -> None:
        """The name must be free."""

    def all(self) -> list[SavedSearch]: ...

    def find(self, search_id: str) -> SavedSearch:
        """The one of that id, or NotFoundError."""

    def delete(self, search_id: str) -> None: ...


class Writer(Protocol):
    """The inside of one write transaction. What it reads cannot change before it is committed."""

    def holds(self, lease: Lease, now: int) -> bool:
        """Whether the lease is still the worker's: same epoch, not run out. Without it nothing may be applied."""

    def known(self, document: Document, request: Request) -> Known | None:
        """The stored document that has one of these keys, as the request that asks sees it."""

    def twin(self, document: Document) -> Known | None:
        """A current document with another identity and exactly the same text."""

    def owned(self, request: Request) -> Known | None:
        """The document that this request brought before."""

    def named(self, *keys: str) -> Known | None:
        """The stored document that has one of these keys."""

    def unlisted(self, source_id: str, keys: Sequence[str], since: int | None = None) -> list[Known]:
        """The current documents of this source that have none of these keys and were not seen since then."""

    def kept(self, document_id: str) -> Kept | None:
        """The content that followers of a current document have."""

    def apply(self, plan: Plan, run_id: str, now: int) -> None:
        """Write revisions, follow-up requests, events, report lines and the request's own next step."""


class Records(Protocol):
    """The documents of a dossier and their revisions."""

    def revision(self, document_id: str, n: int | None = None) -> Revision:
        """Revision `n` (the current one without it), or NotFoundError."""

    def find(self, id_or_url: str) -> str:
        """The id of the document with that id (or a beginning of it that no other has) or address, or NotFoundError."""

    def revisions(self, document_id: str) -> list[Revision]:
        """All of them, newest first."""

    def documents(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        """The current revisions, last changed first."""

    def page(
        self, before: tuple[int, int] | None, limit: int, source_id: str | None = None
    ) -> list[tuple[tuple[int, int], Revision]]:
        """The same from a place on, each with its place; however much changes meanwhile, nothing is shown twice."""

    def latest(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        """Revisions of any number, newest first."""

    def totals(self) -> dict[str, int]:
        """How many `sources`, `revisions` and `checks` (lines of reports) there are."""

    def walk(self, after: int, limit: int) -> list[tuple[int, Revision]]:
        """Current documents in a fixed order, each with its place; begin with 0, go on after the last place."""

    def health(self, now: int) -> dict[str, object]:
        """Integrity and counts, for doctor."""


class Quirks(Protocol):
    """What is known to change on every load of a document's page, and so is no news."""

    def of(self, document_id: str) -> tuple[Quirk, ...]: ...

    def forget(self, document_id: str) -> None:
        """Learn anew."""


class Stories(Protocol):
    """Near-duplicates of a dossier, grouped as documents are written. A removed document is in no story."""

    def of(self, document_id: str) -> Story | None:
        """The story of a document; None when no other document tells the same."""

    def find(self, story_id: str) -> Story:
        """The story of that id, or NotFoundError."""

    def all(self, limit: int = 50) -> list[Story]:
        """Those of two documents or more, the one that last got another first."""


class Readings(Protocol):
    """Pages that were read for people, kept for a while."""

    def get(self, key: str, now: int) -> ReaderResult | None:
        """What is kept under the key, unless its time is over."""

    def put(self, key: str, url: str, result: ReaderResult, now: int, until: int) -> None: ...


class Repairs(Protocol):
    """What was changed about sources, and what is proposed."""

    def note(self, record: RepairRecord) -> None: ...

    def all(self, limit: int = 100) -> list[RepairRecord]:
        """Newest first."""

    def find(self, repair_id: str) -> RepairRecord:
        """The repair of that id, or the only one whose id ends so; or NotFoundError."""

    def last(self, source_id: str, rule: str, after: Json) -> RepairRecord | None:
        """The newest of this rule that sets the same."""

    def mark(self, repair_id: str, *, applied_at: int | None, undone_at: int | None) -> None: ...


class Runs(Protocol):
    """Executions and their reports."""

    def start(self, run_id: str, now: int) -> None: ...
    def finish(self, run_id: str, now: int) -> None: ...

    def recent(self, limit: int, before: int | None = None) -> list[Run]:
        """The newest first, without their lines; those that started before a time."""

    def report(self, run_id: str | None = None) -> Run | None:
        """The run (the last one without an id) with its lines."""

    def history(self, source_id: str, limit: int = 50) -> list[RunItem]:
        """What the checks of a source came to, newest first."""

    def series(self, source_id: str) -> list[Count]:
        """What every run counted for a source, oldest first."""


class Crawls(Protocol):
    """The crawler of a dossier: its configuration, version by version, and its runs. One run at a time."""

    def configure(self, config: Json, by: str, now: int) -> ConfigVersion:
        """Keep a configuration as the newest version."""

    def config(self, version: int | None = None) -> ConfigVersion | None:
        """That version, or the newest; None when there is none."""

    def enter(self, crawl: Crawl) -> None:
        """Put a run into the queue."""

    def begin(self, crawl_id: str, now: int) -> bool:
        """Start it, if it is the first in the queue and none is running."""

    def interrupt(self, crawl_id: str) -> None:
        """It died, queued or running; it ended with the last thing it looked at."""

    def leave(self, crawl_id: str) -> None:
        """Take a run that did not start out of the queue."""

    def end(self, crawl: Crawl) -> None:
        """It is over; its state, code and deliveries are kept."""

    def find(self, crawl_id: str) -> Crawl | None: ...

    def last(self, limit: int = 20) -> list[Crawl]:
        """The newest first."""

    def last_success_at(self) -> int | None: ...

    def lines(self, source_id: str, crawl: Crawl) -> list[CrawlLine]:
        """The last word on every address the run looked at, so far."""

    def choose(self, source_id: str, choice: Choice, now: int, request_id: str = "", *, part: Part = "all") -> int:
        """Make due what the run is about, or a part of that, and set everything else of the source aside; how many.

        For the part `others`, the choice says since when this run looks at things.
        """

    def waiting(self, source_id: str, now: int) -> list[str]:
        """The addresses that are due."""

    def requests(self, source_id: str) -> list[Request]:
        """All of the source, with what tells whether they are within its bounds."""

    def forget(self, request_ids: Sequence[str]) -> None: ...

    def next_due(self, source_id: str) -> int | None:
        """When the next address falls due that was not set aside."""


class Presence(Protocol):
    """Who is at work now, in any process."""

    def hold(self, name: str) -> AbstractContextManager[None]:
        """Be there under this name, which nobody had before."""

    def is_there(self, name: str) -> bool:
        """Whether whoever has this name is alive; it is noticed at once when they are killed."""


class Schedules(Protocol):
    """When the crawlers of all dossiers run by themselves."""

    def put(self, schedule: Schedule) -> None: ...
    def of(self, dossier_id: str) -> Schedule | None: ...
    def due(self, now: int) -> list[Schedule]: ...

    def advance(self, schedule: Schedule, next_run_at: int) -> bool:
        """Take this turn, for the next one to come then; False when somebody else took it."""

    def remove(self, dossier_id: str) -> bool:
        """Whether there was one."""


class EventLog(Protocol):
    """A log that programs can read; nothing secret is handed to it."""

    def write(self, *events: LogEvent) -> None: ...

    def read(self) -> Iterator[LogEvent]:
        """Everything kept, oldest first."""


class Outbox(Protocol):
    """Changes in the order they were committed, and how far each sink has come. At least once, in order."""

    def lock(self, sink: str, worker: str, until: int, now: int) -> bool:
        """Take the sink's turn until a time; False while somebody else has it."""

    def unlock(self, sink: str, worker: str) -> None: ...

    def waiting(self, sink: str, limit: int) -> list[Parcel]:
        """What the sink has not had yet, oldest first."""

    def mark(self, sink: str, worker: str, seq: int, now: int) -> None:
        """The sink has everything up to `seq`."""

    def events(self, since: int = 0, limit: int = 100) -> list[Event]: ...

    def parcels(self, since: int, limit: int) -> list[Parcel]:
        """The changes after a number, oldest first, with what they brought."""

    def last_seq(self) -> int:
        """The number of the last change; 0 before the first."""

    def pending(self, sink: str) -> int: ...


class News(Protocol):
    """The feeds and articles of a dossier as rows of a workbook, and what workbooks have of them."""

    def register(self, feed: FeedFacts) -> None:
        """Note what was found out about a feed, in place of what was noted before."""

    def listed(self, source_id: str, request_ids: Sequence[str], newest_at: int | None, now: int) -> tuple[int, int]:
        """A feed was read, and these are in it; how many became rows, and how many have one already."""

    def number(self, now: int) -> int:
        """Give every article that feeds led to a row of its own, unless its address has one; how many were new.

        Of an address that several feeds list, one entry waits for a fetch; another only when that one failed.
        """

    def feeds(self) -> list[FeedFacts]: ...

    def articles(self) -> list[Article]:
        """All rows, in order."""

    def log(self, run_id: str, record: Row) -> None:
        """Keep the figures of a run, until a workbook has them and afterwards."""

    def logged(self) -> dict[str, Row]: ...

    def written(self, book: str) -> Written: ...

    def mark(self, book: str, written: Written) -> None:
        """The workbook was saved: it is this one, this often, and has these rows, beside those it had."""


class Page(Protocol):
    """A workbook while it is edited. What was written is there for others when the editing ended well."""

    def config(self) -> dict[str, str]:
        """The rows of the sheet `Config`."""

    def put(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        """Update the rows that have the same key, append the others at the end; what people added beside stays."""


class Workbook(Protocol):
    """A spreadsheet that people read. All values are text or numbers, never formulas."""

    @property
    def name(self) -> str:
        """Where it is."""

    def editing(self, sheets: Sequence[Sheet], *, patient: bool = True) -> AbstractContextManager[Page]:
        """Open it, making it and its sheets if need be; one editor at a time. SinkError when it cannot be had now.

        Somebody who is not patient is told so at once; others wait some minutes for their turn, or for a quota.
        """


class Texts(Protocol):
    """Full texts, kept outside of workbooks."""

    def put(self, at: int, name: str, text: str) -> str:
        """Keep a text of that day under that name, in place of what it was before; how to find it."""


class Handovers(Protocol):
    """What became of the attempts to hand changes to sinks; the last thousand or so of each sink are kept."""

    def record(self, handover: Handover) -> None: ...

    def last(self, sink: str) -> Handover | None:
        """The latest attempt of a sink."""

    def recent(self, sink: str | None = None, limit: int = 50) -> list[Handover]:
        """The attempts, newest first."""


class Index(Protocol):
    """Full-text search over the current revisions, never stale."""

    def search(self, query: Query, limit: int, offset: int = 0) -> list[Hit]:
        """Best first. Any query gives hits or none, never an error."""


class SinkConfig(BaseModel):
    """Options of a sink; a subclass adds fields, each with a description that interfaces show."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Sender(Protocol):
    """Sends to addresses through the one door, within its limits. Failures come back as values."""

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        """Send, and wait for the answer: seconds and few words, unless more is said to be expected."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a sink may use of the program's."""

    sender: Sender
    clock: Clock
    #: The embedder that these options describe: `kind`, and the options of that kind.
    embedder: Callable[[Mapping[str, object]], Embedder]


class Sink(ABC):
    """Something that follows the changes of a dossier. To add one, put one file into `adapters/sinks`."""

    entry_points: ClassVar[str] = "veille.sinks"
    Config: ClassVar[type[SinkConfig]] = SinkConfig
    #: The most changes it takes at once; None: as many as the operator likes. After each time its place is kept.
    batch: int | None = None

    def __init__(self, config: SinkConfig, means: Means) -> None:
        self.config = config
        self.means = means

    @abstractmethod
    def deliver(self, parcels: Sequence[Parcel]) -> int:
        """Hand over the changes in order; how many were really new to the sink.

        Called again with the same parcels after a crash: a repeat must change nothing. Raises SinkError when it
        cannot take them now; it is then asked again later, from the same place. Nobody else waits for it meanwhile.
        """


class EmbedderConfig(BaseModel):
    """Options of an embedder; a subclass adds fields, each with a description that interfaces show."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Embedder(ABC):
    """Turns texts into vectors. To add one, put one file into `adapters/embedders`."""

    entry_points: ClassVar[str] = "veille.embedders"
    Config: ClassVar[type[EmbedderConfig]] = EmbedderConfig

    def __init__(self, config: EmbedderConfig, sender: Sender) -> None:
        self.config = config
        self.sender = sender

    @property
    @abstractmethod
    def name(self) -> str:
        """What the vectors are of: those of different names must not be compared."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, in order, all of one length. The same text always gives the same vector.

        However many texts there are, memory is bounded. Raises SinkError when it cannot be done now.
        """


class Export(ABC):
    """A file format for documents and changes. To add one, put one file into `adapters/exports`."""

    entry_points: ClassVar[str] = "veille.exports"

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out

    @abstractmethod
    def write(self, records: Sequence[Record]) -> None:
        """Write some more records; they are not kept in memory for long."""

    def finish(self) -> None:
        """Write what comes at the end."""
        return
