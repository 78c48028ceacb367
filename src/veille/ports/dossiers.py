"""A store as a whole: all dossiers, their queue, what they share, and the store of one dossier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from veille.core.change.memory import Memory

if TYPE_CHECKING:
    from veille.core.change.memory import Answer, Lookup
    from veille.core.discover.catalogue import Offer
    from veille.core.models import Dossier, Json, Lease, Plan, Scope
    from veille.core.report.sweeps import Sweep
    from veille.core.reread.judged import RereadAnswer
    from veille.core.workload import Backlog, Limit, Room
    from veille.ports.accounts import Accounts, LeavingRows
    from veille.ports.alerts import AlertReader, Alerts, AlertTimes, Channels, Happenings, Rules
    from veille.ports.analyses import Analyses, AnalysisReader, PopularitySignals
    from veille.ports.bodies import BodyKeeping, BodyPlace, RawAnswers
    from veille.ports.contents import (
        Engines,
        Handovers,
        Index,
        Outbox,
        Quirks,
        Records,
        Repairs,
        RunReader,
        Runs,
        SourceReader,
        Sources,
        Stories,
    )
    from veille.ports.crawls import Crawls, Presence, Schedules
    from veille.ports.daily import (
        Moving,
        ShareReader,
        Shares,
        TagReader,
        Tags,
        Trash,
        TrashedSetupReader,
        TrashedSetups,
        TrashReader,
    )
    from veille.ports.meaning import Meaning, MeaningReader
    from veille.ports.models import ModelRecords
    from veille.ports.news import News
    from veille.ports.outside import Clock, Hosts, InHand, Vault
    from veille.ports.pictures import Pictures
    from veille.ports.readers import (
        ChangeLists,
        Figures,
        ImportReader,
        Imports,
        MarkReader,
        Marks,
        ReaderNumbers,
        Readings,
        SavedSearches,
        SearchLog,
        Survey,
        Waiting,
    )
    from veille.ports.retention import Retained
    from veille.ports.sharing import CallLimits, ServiceShelf
    from veille.ports.values import StoredValues, Values


class Dossiers(Protocol):
    """The dossiers of one installation: workspaces that cannot reach each other."""

    def create(self, name: str, now: int, maker: str = "") -> Dossier:
        """Create a dossier. Names are unique per maker, so that a conflict reveals nothing about others' dossiers.

        ConfigError `dossier_exists` if the name is taken, `bad_name` if it cannot be shown; then nothing is created.
        """

    def rename(self, dossier_id: str, name: str) -> None:
        """Rename a dossier, with the same rules and errors; does nothing if there is no such dossier."""

    def all(self) -> list[Dossier]:
        """All dossiers, sorted by name."""

    def find(self, name_or_id: str) -> Dossier:
        """The dossier of that name or id, or NotFoundError; ConfigError `ambiguous_dossier` if several have it."""

    def some(self, dossier_ids: Sequence[str]) -> list[Dossier]:
        """Those of these dossiers that exist, sorted by name."""

    def delete(self, dossier_id: str) -> None:
        """Delete a dossier with its content, if it exists; StoreError `store.busy` while this program uses it."""

    def open(self, dossier_id: str) -> AbstractContextManager[DossierStore]:
        """The dossier's store, open at least until the context ends; StoreError `store.missing` if it was deleted."""

    def part(self) -> None:
        """Before they are closed: a server that does not answer is waited for no longer, by anybody."""

    def close(self) -> None:
        """Close all files; nothing that was committed is lost."""


class Offers(Protocol):
    """What administrators offer to all dossiers: `engine`s and `source`s, as records by id."""

    def all(self, kind: str) -> dict[str, Offer]:
        """The offers of a kind by id, sorted by id."""

    def put(self, kind: str, offer_id: str, record: Json | None, now: int) -> None:
        """Save an offer, keeping the creation time of the old one; None: nothing is offered under this id."""

    def delete(self, kind: str, offer_id: str) -> None:
        """Delete an offer, as if it had never been saved; does nothing if there is none."""


class Sweeps(Protocol):
    """The result of the last sweep over the failing sources of all dossiers."""

    def put(self, sweep: Sweep) -> None:
        """Save a result, replacing the previous one."""

    def last(self) -> Sweep | None:
        """The last result; None before the first sweep."""


class Duties(Protocol):
    """Periodic duties by name: each is done by one of all programs on the data."""

    def take(self, name: str, now: int, every_ms: int) -> bool:
        """Claim the duty if it is due; if several programs try, only one gets it. It is due again after `every_ms`.

        The very first call only starts the interval, and returns False.
        """

    def is_due(self, name: str, now: int, every_ms: int) -> bool:
        """Whether a program should call `take`: the duty is due, or its interval was never started."""


class Queue(Protocol):
    """The requests of all dossiers as one queue, leased host by host."""

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease due requests. While a lease lasts, no other worker gets any request to that host.

        Requests of paused sources are leased only if the scope names the source.
        """

    def renew(self, worker: str, now: int) -> None:
        """Extend the leases that this worker still holds; an expired lease stays lost."""

    def release(self, worker: str, now: int, dossiers: Iterable[str] = ()) -> None:
        """Release all leases of this worker; the requests are due at once. For a dead worker, name its dossiers.

        Deleted dossiers are skipped.
        """

    def take_back(self, is_gone: Callable[[str], bool], now: int) -> None:
        """Release all leases of workers for which `is_gone` is true; it is called for every worker with leases."""

    def blame(self, dossier_id: str, request_id: str) -> None:
        """Count that a worker died while it handled this request; does nothing if request or dossier was deleted."""

    def rest(self, worker: str, hosts: Iterable[str]) -> None:
        """Release these hosts to other workers: this worker has no request to them in progress."""

    def wanted(self, worker: str, now: int) -> list[str]:
        """The hosts of this worker that somebody else waits for: it should `rest` them soon."""

    def has_guests(self, now: int) -> bool:
        """Whether a host is borrowed at the moment, for a short turn."""

    def regain(self, worker: str, hosts: Iterable[str], now: int) -> list[str]:
        """Lease again hosts that this worker rested though it has requests to them; returns those it got."""

    def arm(self, dossier_id: str, now: int, source_ids: Sequence[str] | None = None) -> int:
        """Make all recurring requests of these sources (by default of all enabled ones) due now; returns how many."""

    def exhausted(self, now: int, scope: Scope) -> dict[str, Limit]:
        """The dossiers in scope that wait because they reached a quota, with that quota."""

    def backlog(self, now: int, scope: Scope) -> Backlog:
        """The backlog, counted in the dossiers themselves, so that it is exact even after a crash."""


class DossierReader(ABC):
    """The read-only ports of one open dossier, which interfaces may use directly."""

    id: str
    sources: SourceReader
    survey: Survey
    tags: TagReader
    trash: TrashReader
    trashed_setups: TrashedSetupReader
    shares: ShareReader
    records: Records
    stories: Stories
    figures: Figures
    changes: ChangeLists
    marks: MarkReader
    waiting: Waiting
    runs: RunReader
    imports: ImportReader
    alerts: AlertReader
    values: Values
    pictures: Pictures
    meaning: MeaningReader
    analyses: AnalysisReader
    signals: PopularitySignals


class DossierStore(DossierReader):
    """One open dossier; it cannot reach another. The subclass of a store sets the attributes."""

    sources: Sources
    tags: Tags
    trash: Trash
    trashed_setups: TrashedSetups
    moving: Moving
    shares: Shares
    engines: Engines
    quirks: Quirks
    marks: Marks
    raw_answers: RawAnswers
    bodies: BodyKeeping
    retained: Retained
    readings: Readings
    repairs: Repairs
    runs: Runs
    crawls: Crawls
    outbox: Outbox
    handovers: Handovers
    news: News
    saved_searches: SavedSearches
    search_log: SearchLog
    imports: Imports
    index: Index
    model_records: ModelRecords
    meaning: Meaning
    vault: Vault
    rules: Rules
    channels: Channels
    alerts: Alerts
    happenings: Happenings
    values: StoredValues
    analyses: Analyses

    @abstractmethod
    def recollection(self) -> Recollection:
        """What is recalled before a transaction that needs it."""

    @abstractmethod
    def recall(self, questions: Iterable[Lookup]) -> Mapping[Lookup, Answer]:
        """What `Memory` answers to each lookup, with a number of queries that does not grow with the lookups."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Writer]:
        """One transaction: committed when the context ends without an error, rolled back otherwise."""


class Recollection(Protocol):
    """Answers from before a transaction, which are asked again in it if they may have changed."""

    def recall(self, questions: Iterable[Lookup]) -> Mapping[Lookup, Answer]:
        """The same as `DossierStore.recall`."""

    def is_stale(self) -> bool:
        """In a transaction: whether anybody wrote to the dossier since the first answer; False if there is none."""


class Writer(Memory, Protocol):
    """One write transaction. What it reads cannot change before the commit."""

    def recall(self, questions: Iterable[Lookup]) -> Mapping[Lookup, Answer]:
        """The same as `DossierStore.recall`."""

    def held(self, leases: Sequence[Lease], now: int) -> set[str]:
        """Ids of the requests whose leases are still valid: same worker and epoch, not expired. Apply no others."""

    def apply(self, plans: Sequence[Plan], run_id: str, now: int) -> None:
        """Write revisions, follow-up requests, events, report lines and the next step of each request.

        The plans must be independent: see `core.change.batch.independent`.
        """

    def reread(self, answers: Sequence[RereadAnswer], reader: str, now: int) -> list[RereadAnswer]:
        """Write what kept answers read now into their revisions, and mark the answers as read by this reader.

        No event is written. Returns the answers that were written: not those that another process read meanwhile.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """All stored data, for all threads of one process; other processes on the same data have their own `Store`.

    Reading threads do not block each other. To close the store, close `dossiers`.
    """

    #: Where the data is, in words for people.
    name: str
    dossiers: Dossiers
    #: Creates the queue of one program; the queue calls the given function while it scans many dossiers (heartbeat).
    queue: Callable[[Callable[[], None]], Queue]
    hosts: Hosts
    schedules: Schedules
    offers: Offers
    reader_numbers: ReaderNumbers
    sweeps: Sweeps
    duties: Duties
    alert_times: AlertTimes
    accounts: Accounts
    #: What leaves with an export, or is erased.
    leavings: LeavingRows
    presence: Presence
    call_limits: CallLimits
    #: The dossiers that have an embedder.
    with_meaning: Callable[[], list[str]]
    #: Creates the record of what one worker has in progress; it also reports what dead workers had.
    in_hand: Callable[[], InHand]
    #: The secret key for a purpose; the same in every process on the data.
    key: Callable[[str], bytes]
    #: What services on several machines keep for each other; None: there is one service, which keeps it in memory.
    shelf: ServiceShelf | None = None
    #: The clock of the database, where programs on several machines share one; None: that of the machine.
    clock: Clock | None = None
    #: Where bodies are outside the store; None: they are in it.
    body_place: BodyPlace | None = None
    #: Whether `hosts` is another store's, so that the leases of this one's queue say nothing of them.
    has_foreign_hosts: bool = False
