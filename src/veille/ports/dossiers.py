"""All dossiers, their queue, what all of them share, and the inside of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from veille.core.change.memory import Memory

if TYPE_CHECKING:
    from veille.core.change.memory import Answer, Lookup
    from veille.core.discover.catalogue import Offer
    from veille.core.models import Dossier, Json, Lease, Plan, Scope
    from veille.core.report.sweeps import Sweep
    from veille.core.workload import Backlog, Limit, Room
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
    from veille.ports.crawls import Crawls
    from veille.ports.news import News
    from veille.ports.outside import Vault
    from veille.ports.readers import (
        Figures,
        ImportReader,
        Imports,
        MarkReader,
        Marks,
        Readings,
        SavedSearches,
        SearchLog,
        Waiting,
    )
    from veille.ports.survey import Survey


class Dossiers(Protocol):
    """The sealed workspaces, of one installation."""

    def create(self, name: str, now: int, maker: str = "") -> Dossier:
        """Make a dossier; the name must be free among those of its maker, so that it tells nothing of others'.

        ConfigError `dossier_exists` if it is not, `bad_name` if it cannot be shown; then nothing is made.
        """

    def rename(self, dossier_id: str, name: str) -> None:
        """Under the same rules. Does nothing when there is no such dossier."""

    def all(self) -> list[Dossier]:
        """By name."""

    def find(self, name_or_id: str) -> Dossier:
        """The dossier of that name or id, or NotFoundError; ConfigError `ambiguous_dossier` if several have it."""

    def delete(self, dossier_id: str) -> None:
        """With all in it. Does nothing when there is none; StoreError `store.busy` while this program uses it."""

    def open(self, dossier_id: str) -> AbstractContextManager[DossierStore]:
        """The dossier's store, kept open at least as long as the context lasts; StoreError `store.missing` if gone."""

    def close(self) -> None:
        """Free everything; nothing that was committed is lost."""


class Offers(Protocol):
    """What administrators offer to all dossiers: `engine`s and `source`s, as records by id."""

    def all(self, kind: str) -> dict[str, Offer]:
        """Those of a kind, by id and in the order of the ids."""

    def put(self, kind: str, offer_id: str, record: Json | None, now: int) -> None:
        """In place of what was there, which keeps the time it was made; None: nothing is offered under this id."""

    def delete(self, kind: str, offer_id: str) -> None:
        """As if it had never been put. Does nothing when there is none."""


class Sweeps(Protocol):
    """What the last sweep over the failing sources of all dossiers found."""

    def put(self, sweep: Sweep) -> None:
        """In place of the one before."""

    def last(self) -> Sweep | None:
        """None before the first."""


class Duties(Protocol):
    """What has to be done every so often by one of all programs, by name."""

    def take(self, name: str, now: int, every_ms: int) -> bool:
        """Whether the duty falls to the caller now. Of any number who ask, one gets it; nobody the first time.

        It is then due again after this time.
        """

    def is_due(self, name: str, now: int, every_ms: int) -> bool:
        """Whether somebody should take the duty; also when nobody ever asked, so that the time begins to count."""


class Queue(Protocol):
    """The frontiers of all dossiers as one queue, leased host by host."""

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        """Lease due requests. While a lease lasts, no other worker gets any request of that host.

        Paused sources count only where the scope names them.
        """

    def renew(self, worker: str, now: int) -> None:
        """Lengthen the leases this worker still holds; one that ran out stays lost."""

    def release(self, worker: str, now: int, dossiers: Iterable[str] = ()) -> None:
        """Give back everything this worker holds, due at once. Of a worker that died, name the dossiers it was in.

        A dossier that is gone is left out.
        """

    def take_back(self, is_gone: Callable[[str], bool], now: int) -> None:
        """Free what workers hold of whom this is said; asked of all others that hold something."""

    def blame(self, dossier_id: str, request_id: str) -> None:
        """Count that this request ended the worker that had it in hand; a request or dossier that is gone is none."""

    def rest(self, worker: str, hosts: Iterable[str]) -> None:
        """Let other workers have these hosts: this one has nothing of theirs under way."""

    def arm(self, dossier_id: str, now: int, source_ids: Sequence[str] | None = None) -> int:
        """Make all that these sources (all enabled ones without a list) look at again and again due now; how many."""

    def exhausted(self, now: int, scope: Scope) -> dict[str, Limit]:
        """The dossiers in scope that wait because they used up what they may have."""

    def backlog(self, now: int, scope: Scope) -> Backlog:
        """Counted in the dossiers themselves, so it is the truth even after a crash."""


class DossierReader(Protocol):
    """The read ports of one open dossier: what interfaces may read directly. Nothing here changes anything."""

    @property
    def id(self) -> str: ...

    @property
    def sources(self) -> SourceReader: ...

    @property
    def survey(self) -> Survey: ...

    @property
    def records(self) -> Records: ...

    @property
    def stories(self) -> Stories: ...

    @property
    def figures(self) -> Figures: ...

    @property
    def marks(self) -> MarkReader: ...

    @property
    def waiting(self) -> Waiting: ...

    @property
    def runs(self) -> RunReader: ...

    @property
    def imports(self) -> ImportReader: ...


class DossierStore(ABC):
    """One open dossier. Nothing in it can reach another. A store's own class sets the parts."""

    id: str
    sources: Sources
    survey: Survey
    engines: Engines
    records: Records
    stories: Stories
    quirks: Quirks
    figures: Figures
    marks: Marks
    waiting: Waiting
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
    vault: Vault

    @abstractmethod
    def version(self) -> object:
        """Differs after any write to the dossier, by whomever."""

    @abstractmethod
    def recall(self, questions: Iterable[Lookup]) -> Mapping[Lookup, Answer]:
        """What `Memory` answers to each of these, in a number of steps that does not grow with them."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Writer]:
        """One transaction: all of it is committed when the context ends well, nothing of it otherwise."""


class Writer(Memory, Protocol):
    """The inside of one write transaction. What it reads cannot change before it is committed."""

    def recall(self, questions: Iterable[Lookup]) -> Mapping[Lookup, Answer]:
        """As `DossierStore.recall`."""

    def held(self, leases: Sequence[Lease], now: int) -> set[str]:
        """The requests whose leases are still the worker's: same epoch, not run out. The others are not applied."""

    def apply(self, plans: Sequence[Plan], run_id: str, now: int) -> None:
        """Write revisions, follow-up requests, events, report lines and the next step of each request.

        The plans have to be independent, as `core.change.batch.independent` has it.
        """
