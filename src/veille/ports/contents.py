"""The contents of a dossier: sources, documents, stories, repairs, runs, the outbox and the search index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.models import Change, Json, Quirk, Request, Source
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
    from veille.core.report.read_share import BarelyRead
    from veille.core.report.source_status import SourceCounts
    from veille.core.search.answers import Hit, Labels, Ranking, Story, StoryLine
    from veille.core.search.query import Query
    from veille.core.search.spelling import Near
    from veille.errors import ConfigError


class SourceReader(Protocol):
    """The sources of a dossier, read-only."""

    def all(self) -> list[Source]:
        """All sources, in the order they were added."""

    def count(self) -> int:
        """The number of sources."""

    def get(self, source_id: str) -> Source | None:
        """The source of that id; None if there is none."""

    def ailing(self) -> list[Source]:
        """Sources in the states error, broken or suspect that are not paused, the longest failing first."""

    def find(self, name_or_id: str) -> Source:
        """The source with that id, name or address, or NotFoundError."""

    def muted(self) -> dict[str, int]:
        """Until when each source is or was muted, by source id; without those that never were."""

    def raw_hashes(self) -> dict[str, str]:
        """The raw hash of the last answer to a root request of each source, by source id."""


class Sources(SourceReader, Protocol):
    """The sources of a dossier."""

    def add(self, source: Source, requests: Iterable[Request]) -> None:
        """Save a source with its initial requests; no other source may have the address."""

    def add_many(self, sources: Iterable[tuple[Source, Iterable[Request]]]) -> list[ConfigError | None]:
        """Add many in one transaction. Returns for each the error that kept it from being saved, or None."""

    def update(self, source: Source, requests: Iterable[Request] | None = None) -> None:
        """Save a changed source; `requests`, if given, replace its initial ones."""

    def refuse(self, source_id: str, code: str, error: str) -> None:
        """Pause a source that may not be watched, and store the reason. Does not validate the source."""

    def retime(self, source_id: str, at: int | None, *, step: int | None = None) -> None:
        """Set the time of the next check; None: check only on request.

        Without `step` this moves only the root requests. With `step` it moves all recurring requests: one that is
        fetched at every Nth check is due N - 1 steps later.
        """

    def mute(self, source_id: str, until: int) -> None:
        """Its changes before this time count as read, and no rule fires on them; 0: all of them are loud again."""

    def waiting(self, source_id: str, now: int, limit: int) -> tuple[int, list[str]]:
        """The number of due addresses of a source, and the first `limit` of them."""

    def delete(self, source_id: str, told_at: int | None = None, *, is_moved: bool = False) -> None:
        """Delete the source, its requests, and the documents that no other source has.

        Sinks that know these are told, as of `told_at`, that they are removed; None: nobody is told. If it `is_moved`,
        they are in another dossier now, and only sinks that keep each dossier apart are told.
        """


class Engines(Protocol):
    """Search engines that belong to one dossier, as records by id."""

    def all(self) -> dict[str, Json]:
        """All engines, sorted by id."""

    def put(self, engine_id: str, record: Json, now: int) -> None:
        """Save an engine, replacing the one with that id."""


class Records(Protocol):
    """The documents of a dossier and their revisions."""

    def revision(self, document_id: str, n: int | None = None) -> Revision:
        """Revision `n` of a document (by default the current one), or NotFoundError.

        NotFoundError `revision_removed` if a rule of retention removed its content; ReadError `archive_missing` if its
        content is in an archive file that is not there.
        """

    def revision_before(self, document_id: str, n: int) -> Revision | None:
        """The last revision before number `n` whose content is kept; None if there is none."""

    def find(self, id_or_url: str) -> str:
        """The id of the document with that id, unique prefix of an id, or address; or NotFoundError."""

    def revisions(self, document_id: str) -> list[Revision]:
        """All revisions of a document, newest first."""

    def revision_lines(self, document_id: str) -> list[RevisionLine]:
        """All revisions of a document without their contents, newest first."""

    def documents(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        """The current revisions of documents, last changed first."""

    def page(
        self, before: tuple[int, int] | None, limit: int, source_id: str | None = None
    ) -> list[tuple[tuple[int, int], RevisionLine]]:
        """One page of `documents` without their contents, each with its position; `before`: the last position seen.

        Pages never repeat a document, even if documents change between calls.
        """

    def lines(
        self, wanted: DocumentFilter, before: tuple[int, int] | None, limit: int
    ) -> tuple[list[DocumentLine], tuple[int, int] | None]:
        """One page of matching documents without their contents, last changed first; and the position to continue from.

        Duplicates are left out, unless the filter names their state or their ids.

        One call scans a few thousand documents at most. So an empty page with a position is not the end.
        """

    def languages(self) -> list[str]:
        """The languages of the documents that changed last."""

    def history(self, document_id: str, before: int | None, limit: int) -> Iterator[Revision]:
        """Revisions of a document with numbers below `before`, newest first, loaded one at a time."""

    def times(self, document_id: str, limit: int) -> dict[int, int]:
        """When each revision of a document was fetched, by number, newest first."""

    def latest(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        """The newest revisions of all documents, current or not, newest first."""

    def tags(self, document_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The tags that rules gave to these documents, sorted; without documents that have none."""

    def totals(self) -> dict[str, int]:
        """The number of `sources`, `revisions` and `checks` (lines of reports)."""

    def walk(self, after: int, limit: int) -> list[tuple[int, Revision]]:
        """Current documents in a fixed order, each with its position; start after 0, continue after the last one."""

    def health(self, now: int) -> dict[str, object]:
        """Integrity and counts, for `veille doctor`."""

    def barely_read(self, least: float) -> list[BarelyRead]:
        """The sources with at least half of their current pages below this quality, and how many of them."""


class Quirks(Protocol):
    """Lines of a document's page that change at every check, and so are no news."""

    def of(self, document_id: str) -> tuple[Quirk, ...]:
        """The quirks of a document that were learned last; empty if there are none."""

    def forget(self, document_id: str) -> None:
        """Delete the quirks of a document, so that they are learned again; does nothing if there are none."""


class Stories(Protocol):
    """Near-duplicates of a dossier, grouped as documents are written. A removed document is in no story."""

    def of(self, document_id: str, limit: int | None = None) -> Story | None:
        """The story of a document, or its first `limit` documents; None if no other document is in it."""

    def of_many(self, document_ids: Iterable[str]) -> dict[str, str]:
        """The ids of the stories of these documents, by document id; includes stories of one document."""

    def find(self, story_id: str, limit: int | None = None) -> Story:
        """The story of that id, or its first `limit` documents; or NotFoundError."""

    def all(self, limit: int = 50) -> list[Story]:
        """Stories of two or more documents, the one that grew last first."""

    def lines(self, before: tuple[int, int] | None, limit: int) -> list[StoryLine]:
        """One page of the same after the position `before`, each with its first document only."""


class Repairs(Protocol):
    """Repairs of sources: applied, proposed or undone."""

    def note(self, record: RepairRecord) -> None:
        """Store a new repair."""

    def all(self, limit: int = 100, source_id: str | None = None) -> list[RepairRecord]:
        """Repairs, newest first; if `source_id` is given, only those of that source."""

    def open(self, limit: int = 100) -> list[RepairRecord]:
        """Proposed repairs that wait for a decision, newest first."""

    def find(self, repair_id: str) -> RepairRecord:
        """The repair of that id, or the only one whose id ends with it; or NotFoundError."""

    def last(self, source_id: str, rule: str, after: Json) -> RepairRecord | None:
        """The newest repair of the source by this rule with the same result."""

    def mark(self, repair_id: str, *, applied_at: int | None, undone_at: int | None) -> None:
        """Set when a repair was applied and undone; does nothing if there is none of that id."""


class RunReader(Protocol):
    """Executions and their reports, read-only."""

    def recent(self, limit: int, before: int | None = None) -> list[Run]:
        """Runs without their lines, newest first; if `before` is given, only those that started before that time."""

    def report(self, run_id: str | None = None) -> Run | None:
        """A run with its lines; by default the last one."""

    def history(self, source_id: str, limit: int = 50) -> list[RunItem]:
        """The results of the checks of a source, newest first."""

    def checks(
        self, source_id: str, before: tuple[int, int] | None, limit: int
    ) -> list[tuple[tuple[int, int], RunItem]]:
        """One page of the same after the position `before`, each result with its position."""

    def one(self, run_id: str) -> Run:
        """The run without its lines, or NotFoundError."""

    def tallies(self, run_id: str, limit: int) -> list[SourceCounts]:
        """The counts of a run for each source, most errors first, then most new; after its end, as of its last end."""

    def lines(
        self, run_id: str, change: Change, after: tuple[str, int], limit: int, source_id: str = ""
    ) -> list[tuple[tuple[str, int], RunItem]]:
        """Lines of a run with one change, by source, each with its position; start after ("", 0)."""

    def series(self, source_id: str, lines: int | None = None) -> list[Count]:
        """The counts of every run for a source, oldest first; if `lines` is given, from its newest lines only."""


class Runs(RunReader, Protocol):
    """Executions and their reports."""

    def start(self, run_id: str, now: int) -> None:
        """Start a run; a run that was started before keeps its start time."""

    def finish(self, run_id: str, now: int) -> None:
        """Set the end of a run. A run that continues after that can be finished again."""


class Outbox(Protocol):
    """Changes in the order of commit, and the cursor of each sink. Delivery is at least once, in order."""

    def lock(self, sink: str, worker: str, until: int, now: int) -> bool:
        """Lock the sink for this worker until a time; False while another worker has the lock."""

    def unlock(self, sink: str, worker: str) -> None:
        """Release the lock; does nothing if another worker has it."""

    def holder(self, sink: str) -> str | None:
        """The worker that locked the sink last and has not released it, even if the lock has expired."""

    def waiting(self, sink: str, limit: int) -> list[Parcel]:
        """Changes that the sink has not received yet, oldest first.

        A document that is deleted by now is only told of as `removed`, with an empty revision.
        """

    def mark(self, sink: str, worker: str, seq: int, now: int) -> None:
        """Move the cursor of the sink to `seq`. It never moves back; without the lock, nothing changes."""

    def rewind(self, sink: str, worker: str, seq: int = 0) -> int:
        """Move the cursor of the sink back, so that it receives again what came after `seq`; returns where it was.

        Without the lock, nothing changes.
        """

    def events(self, since: int = 0, limit: int = 100) -> list[Event]:
        """Changes after the number `since`, oldest first; includes those of deleted documents."""

    def latest(self, before: int | None, limit: int) -> list[Event]:
        """Changes of existing documents with numbers below `before`, newest first; without those that rules hid."""

    def numbered(self, seqs: Sequence[int]) -> list[Event]:
        """The changes with these numbers, newest first."""

    def parcels(self, since: int, limit: int) -> list[Parcel]:
        """Changes after the number `since` with their revisions, oldest first; without those of deleted documents."""

    def parcels_of(self, seqs: Sequence[int]) -> list[Parcel]:
        """The changes with these numbers and their revisions; without those whose content is not kept any more."""

    def last_seq(self) -> int:
        """The number of the last change; 0 before the first."""

    def seq_before(self, at: int) -> int:
        """The number of the last change before a time; 0 if there is none."""

    def delivered_to(self) -> list[str]:
        """The sinks that have received changes, and not forgotten them, by name."""

    def pending(self, sink: str) -> int:
        """The number of changes that the sink has not received yet."""


class Handovers(Protocol):
    """The delivery log: attempts to deliver changes to sinks. About the last thousand of each sink are kept."""

    def record(self, handover: Handover) -> None:
        """Store an attempt as the latest of its sink."""

    def last(self, sink: str) -> Handover | None:
        """The latest attempt of a sink; None if there is none."""

    def recent(self, sink: str | None = None, limit: int = 50) -> list[Handover]:
        """Attempts, newest first; of one sink only, if given."""


class Index(Protocol):
    """Full-text search over the current revisions, never stale."""

    def ranked(self, query: Query, limit: int, *, newest: bool = False, floor: float = float("-inf")) -> Ranking:
        """Hits without snippets, best first; with `newest`, by date. Of very many matches only the newest are ranked.

        When sorted by score, hits with a score below `floor` may be left out. No query raises an error.
        """

    def answering(self, query: Query, limit: int, *, floor: float = float("-inf")) -> Ranking:
        """Hits with any of the words of a query, in any form, best first, of all documents that pass its filters.

        Words that most documents have are left out, but never all. Hits with a score below `floor` may be left out.
        """

    def named(self, document_ids: Sequence[str]) -> list[Hit]:
        """These documents as hits, with a score of 0 and without snippets."""

    def with_snippets(self, query: Query, hits: Sequence[Hit], *, any_form: bool = False) -> list[Hit]:
        """The same hits, with snippets of the text that matches; with `any_form`, in any form of the words."""

    def unknown(self, words: Mapping[str, str]) -> dict[str, str]:
        """Those of these words that no document has, in any form; each with the beginning of its forms, or nothing."""

    def nearest(self, word: str) -> Near:
        """The word of the index that may be meant by one it does not have, or by a part of it."""

    def labels(self, document_ids: Sequence[str]) -> dict[str, Labels]:
        """The topics and tags of these documents, without those that have none."""

    def matching(self, query: Query, document_ids: Sequence[str]) -> set[str]:
        """Those of these documents that match the query, without a limit."""

    def finding(self, query: Query, revisions: Sequence[Revision]) -> set[str]:
        """The ids of those of these revisions that match the query, whether they are current or not."""
