"""What a dossier holds: sources, documents and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.findings import Quirk
    from veille.core.models import Change, Json, Request, Source
    from veille.core.outgoing.delivery_attempts import Handover
    from veille.core.records import (
        DocumentFilter,
        DocumentLine,
        Event,
        Parcel,
        RepairRecord,
        Revision,
        RevisionLine,
        Run,
        RunItem,
    )
    from veille.core.report.figures import Count
    from veille.core.report.source_status import SourceCounts
    from veille.core.search.answers import Hit, Ranking, Story, StoryLine
    from veille.core.search.query import Query
    from veille.errors import ConfigError


class SourceReader(Protocol):
    """What a dossier watches, for reading."""

    def all(self) -> list[Source]:
        """In the order they were added."""

    def count(self) -> int:
        """How many there are."""

    def get(self, source_id: str) -> Source | None:
        """By id."""

    def ailing(self) -> list[Source]:
        """Those in error, broken or suspect that are not paused, the longest failing first."""

    def find(self, name_or_id: str) -> Source:
        """By id, name or address, or NotFoundError."""

    def raw_hashes(self) -> dict[str, str]:
        """The hash of what the address of each source last answered, by source; of several, the one asked last."""


class Sources(SourceReader, Protocol):
    """What a dossier watches."""

    def add(self, source: Source, requests: Iterable[Request]) -> None:
        """Save a source with its first requests; the address must not be watched already."""

    def add_many(self, sources: Iterable[tuple[Source, Iterable[Request]]]) -> list[ConfigError | None]:
        """The same for many in one transaction: for each, why it was not saved."""

    def update(self, source: Source, requests: Iterable[Request] | None = None) -> None:
        """Save the source as it is now; requests, if given, take the place of those it began with."""

    def refuse(self, source_id: str, code: str, error: str) -> None:
        """Pause a source that may not be watched as it is, whatever is wrong with it, and say why."""

    def retime(self, source_id: str, at: int | None, *, step: int | None = None) -> None:
        """Look again at `at`; None: only when somebody asks.

        With a step that is about all it looks at again and again, not only what it begins with: what has its turn at
        every third time only is looked at two steps later.
        """

    def waiting(self, source_id: str, now: int, limit: int) -> tuple[int, list[str]]:
        """How many of its addresses are due, and the first of them."""

    def delete(self, source_id: str) -> None:
        """Remove the source, its requests and the documents only it has."""


class Engines(Protocol):
    """The search engines of a dossier's own, as records by id."""

    def all(self) -> dict[str, Json]:
        """In the order of the ids."""

    def put(self, engine_id: str, record: Json, now: int) -> None:
        """In place of the one with that id."""

    def delete(self, engine_id: str) -> bool:
        """Whether there was one."""


class Records(Protocol):
    """The documents of a dossier and their revisions."""

    def revision(self, document_id: str, n: int | None = None) -> Revision:
        """Revision `n` (the current one without it), or NotFoundError."""

    def find(self, id_or_url: str) -> str:
        """The id of the document with that id (or a beginning of it that no other has) or address, or NotFoundError."""

    def revisions(self, document_id: str) -> list[Revision]:
        """All of them, newest first."""

    def revision_lines(self, document_id: str) -> list[RevisionLine]:
        """The same without their contents."""

    def documents(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        """The current revisions, last changed first."""

    def page(
        self, before: tuple[int, int] | None, limit: int, source_id: str | None = None
    ) -> list[tuple[tuple[int, int], RevisionLine]]:
        """The same without their contents from a place on, each with its place.

        However much changes meanwhile, nothing is shown twice.
        """

    def lines(
        self, wanted: DocumentFilter, before: tuple[int, int] | None, limit: int
    ) -> tuple[list[DocumentLine], tuple[int, int] | None]:
        """Documents without their contents, last changed first, from a place on; and where to go on, if there is more.

        Duplicates are left out unless asked for by their state or their ids.

        However few fit, no more than some thousands are looked at: there may be more to come behind an empty list.
        """

    def languages(self) -> list[str]:
        """Those of the documents that changed last."""

    def history(self, document_id: str, before: int | None, limit: int) -> Iterator[Revision]:
        """Revisions of a document, newest first, read one after the other; those with lower numbers."""

    def times(self, document_id: str, limit: int) -> dict[int, int]:
        """When each revision of a document was read, by number, the newest first."""

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

    def of(self, document_id: str) -> tuple[Quirk, ...]:
        """What was learned last; none of a document about which nothing is known."""

    def forget(self, document_id: str) -> None:
        """Learn anew. Does nothing when nothing is known."""


class Stories(Protocol):
    """Near-duplicates of a dossier, grouped as documents are written. A removed document is in no story."""

    def of(self, document_id: str, limit: int | None = None) -> Story | None:
        """The story of a document; None when no other document tells the same. With a limit, its first documents."""

    def of_many(self, document_ids: Iterable[str]) -> dict[str, str]:
        """The ids of the stories of documents, also of those that nobody else tells, by the ids of the documents."""

    def find(self, story_id: str, limit: int | None = None) -> Story:
        """The story of that id, or NotFoundError; with a limit, its first documents."""

    def all(self, limit: int = 50) -> list[Story]:
        """Those of two documents or more, the one that last got another first."""

    def lines(self, before: tuple[int, int] | None, limit: int) -> list[StoryLine]:
        """The same from a place on, by their first documents alone."""


class Repairs(Protocol):
    """What was changed about sources, and what is proposed."""

    def note(self, record: RepairRecord) -> None:
        """Keep a new one."""

    def all(self, limit: int = 100, source_id: str | None = None) -> list[RepairRecord]:
        """Newest first; of one source only, if it is named."""

    def open(self, limit: int = 100) -> list[RepairRecord]:
        """Those that are proposed and wait for somebody to decide, newest first."""

    def find(self, repair_id: str) -> RepairRecord:
        """The repair of that id, or the only one whose id ends so; or NotFoundError."""

    def last(self, source_id: str, rule: str, after: Json) -> RepairRecord | None:
        """The newest of this rule that sets the same."""

    def mark(self, repair_id: str, *, applied_at: int | None, undone_at: int | None) -> None:
        """Set both times. Does nothing when there is none of that id."""


class RunReader(Protocol):
    """Executions and their reports, for reading."""

    def recent(self, limit: int, before: int | None = None) -> list[Run]:
        """The newest first, without their lines; those that started before a time."""

    def report(self, run_id: str | None = None) -> Run | None:
        """The run (the last one without an id) with its lines."""

    def history(self, source_id: str, limit: int = 50) -> list[RunItem]:
        """What the checks of a source came to, newest first."""

    def checks(
        self, source_id: str, before: tuple[int, int] | None, limit: int
    ) -> list[tuple[tuple[int, int], RunItem]]:
        """The same from a place on, each with its place."""

    def one(self, run_id: str) -> Run:
        """The run without its lines, or NotFoundError."""

    def tallies(self, run_id: str, limit: int) -> list[SourceCounts]:
        """What it counted for each source, those with most to tell first; of a run that ended, until it last did."""

    def lines(
        self, run_id: str, change: Change, after: tuple[str, int], limit: int, source_id: str = ""
    ) -> list[tuple[tuple[str, int], RunItem]]:
        """Its lines of one change, by source, each with its place; begin after ("", 0), go on after the last place."""

    def series(self, source_id: str, lines: int | None = None) -> list[Count]:
        """What every run counted for a source, oldest first; from so many of its newest lines only, if given."""


class Runs(RunReader, Protocol):
    """Executions and their reports."""

    def start(self, run_id: str, now: int) -> None:
        """Begin a run; one that was begun keeps its time."""

    def finish(self, run_id: str, now: int) -> None:
        """It ended now; if it goes on after that, it can end again."""


class Outbox(Protocol):
    """Changes in the order they were committed, and how far each sink has come. At least once, in order."""

    def lock(self, sink: str, worker: str, until: int, now: int) -> bool:
        """Take the sink's turn until a time; False while somebody else has it."""

    def unlock(self, sink: str, worker: str) -> None:
        """Give the turn back. Does nothing when somebody else has it."""

    def holder(self, sink: str) -> str | None:
        """Who took the sink's turn last, and has not given it back."""

    def waiting(self, sink: str, limit: int) -> list[Parcel]:
        """What the sink has not had yet, oldest first."""

    def mark(self, sink: str, worker: str, seq: int, now: int) -> None:
        """The sink has everything up to `seq`. A place never goes back; without the turn, nothing is marked."""

    def events(self, since: int = 0, limit: int = 100) -> list[Event]:
        """The changes after a number, oldest first; also of documents that are gone."""

    def latest(self, before: int | None, limit: int) -> list[Event]:
        """Of documents that are there, the newest first; those before a number."""

    def numbered(self, seqs: Sequence[int]) -> list[Event]:
        """Those with these numbers, the newest first."""

    def parcels(self, since: int, limit: int) -> list[Parcel]:
        """The changes after a number, oldest first, with what they brought; not of documents that are gone."""

    def last_seq(self) -> int:
        """The number of the last change; 0 before the first."""

    def pending(self, sink: str) -> int:
        """How many changes the sink has not had yet."""


class Handovers(Protocol):
    """What became of the attempts to hand changes to sinks; the last thousand or so of each sink are kept."""

    def record(self, handover: Handover) -> None:
        """Keep an attempt as the latest of its sink."""

    def last(self, sink: str) -> Handover | None:
        """The latest attempt of a sink."""

    def recent(self, sink: str | None = None, limit: int = 50) -> list[Handover]:
        """The attempts, newest first."""


class Index(Protocol):
    """Full-text search over the current revisions, never stale."""

    def search(self, query: Query, limit: int, offset: int = 0) -> list[Hit]:
        """Best first. Any query gives hits or none, never an error."""

    def ranked(self, query: Query, limit: int, *, newest: bool = False, floor: float = float("-inf")) -> Ranking:
        """The same without snippets; or by date, the newest first. Of very many matches only the last are ranked.

        Best first, hits whose score is below the floor may be left out.
        """

    def with_snippets(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """The hits with the pieces of text that match."""

    def matching(self, query: Query, document_ids: Sequence[str]) -> set[str]:
        """Those of these documents that the query finds, however many match."""
