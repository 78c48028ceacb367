"""What a dossier has for its readers: statistics, the status of sources, marks, changes, saved searches, imports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.access.accounts import Since
    from veille.core.readers.item_numbers import NumberRange
    from veille.core.readers.marked import MarkedDocument
    from veille.core.records import Event
    from veille.core.report.figures import CheckCounts, Stock
    from veille.core.report.imports import ImportReport
    from veille.core.report.source_status import Census, Progress, SourceFilter, SourceStatus
    from veille.core.search.answers import SavedSearch, SearchMade
    from veille.core.show.change_rows import ChangeFilter, ChangeLine
    from veille.core.show.reader import ReaderResult
    from veille.core.workload import Fetching, Pulse


class Figures(Protocol):
    """Statistics of a dossier. Days are in UTC; times are milliseconds since 1970."""

    def by_day(self, since: int) -> dict[int, CheckCounts]:
        """The counts of each day from the day of `since` on, by the start of the day; empty days are left out."""

    def by_host(self, since: int, limit: int) -> list[tuple[str, CheckCounts]]:
        """The counts of each host over the same days, most requests first, then by name."""

    def traffic(self, now: int) -> int:
        """Bytes received over the network on the day of `now`."""

    def stored(self) -> int:
        """Bytes in use. Deleting lowers this number, but may not shrink the file: freed space is reused.

        Space in the search index is freed later, by further writes.
        """

    def published(self) -> list[int]:
        """Publication times of the documents that changed last, where known; without duplicates, in any order."""

    def due(self, now: int, hours: int) -> list[int]:
        """How many requests become due in each of the coming hours; overdue ones count in the first hour.

        Requests of paused sources do not count.
        """

    def stock(self) -> Stock:
        """The current numbers of documents and bytes; slow for large dossiers, as it counts everything."""


class Survey(Protocol):
    """The status of the sources of a dossier, for tables: in bounded pages, and without one query per row."""

    def page(self, wanted: SourceFilter, now: int, after: tuple[str, str] | None, limit: int) -> list[SourceStatus]:
        """One page of sources sorted by name; `after`: name and id of the last one seen."""

    def one(self, source_id: str) -> SourceStatus:
        """The status of one source, or NotFoundError."""

    def census(self, now: int) -> list[Census]:
        """The number of sources by kind."""

    def activity(self, source_ids: Sequence[str], first_day: int) -> dict[str, dict[int, int]]:
        """The number of changes of each source per day, from `first_day` on (days since 1970, in UTC)."""

    def progress(self, source_id: str, since: int, now: int) -> Progress:
        """The progress of a check of a source that began at `since`."""


class MarkReader(Protocol):
    """What each user has read and kept (starred) in a dossier, read-only."""

    def unread(self, user_id: str) -> int:
        """The number of documents with unread changes; 1,000 stands for all that are more."""

    def unread_documents(self, user_id: str) -> list[str]:
        """The ids of the documents that `unread` counts, in any order."""

    def unread_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        """Those of these documents whose current revision the user has not read."""

    def items(self, user_id: str) -> list[MarkedDocument]:
        """Every document that is unread or kept, or among those that changed last, by its last change to be read."""

    def kept(self, user_id: str, limit: int, before: int | None = None) -> dict[str, int]:
        """The documents that the user keeps and since when, latest first; only those kept before a time, if given."""

    def kept_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        """Those of these documents that the user keeps."""


class Marks(MarkReader, Protocol):
    """What each user has read and kept (starred) in a dossier. Marks are deleted with their document."""

    def visit(self, user_id: str, now: int) -> Since:
        """Record a visit to the changes; returns where the previous visit ended."""

    def read(self, user_id: str, document_id: str, *, is_read: bool = True) -> None:
        """Mark the current revision as read; or as unread, until the document or everything is marked as read.

        Does nothing for a deleted document.
        """

    def read_changes(self, user_id: str, seqs: Sequence[int]) -> None:
        """Mark documents as read up to these changes of theirs; what came after them stays unread."""

    def read_all(self, user_id: str, seq: int) -> None:
        """Mark all changes up to this number as read; does nothing if the number is lower than before."""

    def keep(self, user_id: str, document_id: str, at: int | None) -> None:
        """Keep a document; with None, no longer. Does nothing for a deleted document."""


class Waiting(Protocol):
    """The current work in a dossier, for status pages: read-only, and counts are bounded."""

    def pulse(self, now: int) -> Pulse:
        """How much is due and in progress, when the next request is due, and the number of the last change."""

    def under_way(self, now: int, limit: int) -> list[Fetching]:
        """Requests that are being fetched, the longest running first."""

    def holders(self, now: int) -> dict[str, int]:
        """The number of leased requests of each worker, by worker."""

    def too_late(self, now: int) -> int:
        """How many requests are due later than the interval of their source allows, because the clock was ahead."""

    def coming(self, now: int, limit: int) -> list[Fetching]:
        """Requests that are or will be due, earliest first."""


class SavedSearches(Protocol):
    """The saved searches of a dossier."""

    def add(self, search: SavedSearch) -> None:
        """Save a search; the name must be free."""

    def all(self) -> list[SavedSearch]:
        """All saved searches, sorted by name."""

    def find(self, search_id: str) -> SavedSearch:
        """The saved search of that id, or NotFoundError."""

    def set_sink(self, search_id: str, sink: str) -> None:
        """Set the sink that receives new results; empty: none."""

    def matched(self) -> dict[str, int]:
        """The number of the last change that each search was matched against, by search id."""

    def note(self, search_id: str, seq: int, found: Mapping[str, int], lost: Collection[str] = ()) -> None:
        """Record a match up to `seq`: documents `found`, with the number of their change, and documents `lost`."""

    def alerts(self, search_id: str, limit: int) -> list[int]:
        """Numbers of the changes found since the search was saved, latest first; about the last thousand are kept."""

    def fresh(self, user_id: str) -> dict[str, int]:
        """How many alerts of each search are newer than the user's last `look`, by search id."""

    def look(self, user_id: str, search_id: str, seq: int) -> int:
        """Record that the user has seen the alerts up to `seq`; returns the previous number."""


class Readings(Protocol):
    """A cache of pages in reader view."""

    def get(self, key: str, now: int) -> ReaderResult | None:
        """The cached page; None if there is none, it has expired, or it was stored while the clock was ahead."""

    def put(self, key: str, url: str, result: ReaderResult, now: int, until: int) -> None:
        """Cache a page until `until`, replacing the one with this key, and delete all expired pages."""

    def remember(self, page_id: str, url: str, now: int, keep: int) -> None:
        """Store the address of a page under an id; of all, the `keep` that were stored last stay."""

    def address(self, page_id: str) -> str | None:
        """The stored address, if there is one."""


class SearchLog(Protocol):
    """The most recent searches in a dossier."""

    def add(self, search: SearchMade, keep: int) -> None:
        """Store a search and delete all but the last `keep`; with 0, store none.

        While another program writes to the dossier nothing is stored: a search never waits for the log.
        """

    def recent(self, limit: int) -> list[SearchMade]:
        """The last searches, newest first."""


class ImportReader(Protocol):
    """Imports of lists of feeds, read-only."""

    def find(self, import_id: str) -> ImportReport | None:
        """The report of an import; None if there is none, or it was deleted."""

    def recent(self, user_id: str, limit: int) -> list[ImportReport]:
        """The imports of one user, newest first."""


class Imports(ImportReader, Protocol):
    """Imports of lists of feeds, with the result for every entry; only the last imports are kept."""

    def put(self, report: ImportReport) -> None:
        """Save a report, replacing the previous one of the same import."""


class ReaderNumbers(Protocol):
    """Numbers that never change, and are never given to anything else."""

    def of_names(self, names: Sequence[str]) -> dict[str, int]:
        """The number of each name; those that have none get one."""

    def number_up_to(self, dossier_id: str, seq: int) -> None:
        """Give a number to every change of a dossier up to this one: higher than all that were given before."""

    def ranges(self, dossier_ids: Sequence[str]) -> list[NumberRange]:
        """The numbers of the changes of these dossiers, the lowest first."""


class ChangeLists(Protocol):
    """Changes of existing documents, without those that rules hid or that only have another date."""

    def page(self, wanted: ChangeFilter, before: int | None, limit: int) -> tuple[list[ChangeLine], int]:
        """Changes with numbers below `before`, newest first; and the number to go on below, 0 if there are no more.

        A page that looked at very many changes may have fewer than `limit`, or none, and still not be the last.
        """

    def unread_of(self, user_id: str, document_ids: Sequence[str], limit: int) -> dict[str, list[Event]]:
        """The changes of these documents that a user has not read, newest first, at most so many in all."""

    def last_of(self, document_ids: Sequence[str]) -> dict[str, Event]:
        """The last change of each of these documents, by document."""

    def at_times(self, found: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Event]:
        """The change of a document at a time, by both."""

    def rules_of(self, events: Sequence[Event]) -> dict[int, tuple[str, ...]]:
        """The names of the rules that found these changes, or the story of one, by the number of the change."""

    def tellers(self, document_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        """The story of each document that others tell, too, and how many these are."""

    def trends(self, named: Sequence[tuple[str, str]], limit: int) -> dict[tuple[str, str], list[float]]:
        """The last numbers of these values, oldest first, by document and name."""
