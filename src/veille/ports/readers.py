"""What a dossier keeps for the people who read it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.access.accounts import Since
    from veille.core.report.figures import CheckCounts, Stock
    from veille.core.report.imports import ImportReport
    from veille.core.search.answers import SavedSearch, SearchMade
    from veille.core.show.reader import ReaderResult
    from veille.core.workload import Fetching, Pulse


class Figures(Protocol):
    """What the days of a dossier came to. Days are those of UTC; times are milliseconds since 1970."""

    def by_day(self, since: int) -> dict[int, CheckCounts]:
        """From the day of that moment on, by when each day began; days without anything are left out."""

    def by_host(self, since: int, limit: int) -> list[tuple[str, CheckCounts]]:
        """The same by host, most requests first, then by name."""

    def traffic(self, now: int) -> int:
        """Bytes that came over the wire on the day of this moment."""

    def stored(self) -> int:
        """Bytes that are kept. What is deleted makes room for more, though as much of the disk may be in use.

        The part of it that is in the search index is freed later, as more is written.
        """

    def published(self) -> list[int]:
        """When the documents that changed last were published, as far as they say; in any order, without copies."""

    def due(self, now: int, hours: int) -> list[int]:
        """How many requests fall due in each of the coming hours; what is overdue counts in the first.

        What is paused is not due.
        """

    def stock(self) -> Stock:
        """How much there is now; takes longer the more there is."""


class MarkReader(Protocol):
    """What each person has seen of a dossier, and put by, for reading."""

    def unread(self, user_id: str) -> int:
        """How many documents have changes they have not read; no more than some thousands are counted."""

    def unread_documents(self, user_id: str) -> list[str]:
        """The ids of those that are counted, in any order."""

    def unread_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        """Those of these that they have not read as they are now."""

    def kept(self, user_id: str, limit: int, before: int | None = None) -> dict[str, int]:
        """The documents put by and when, the latest first; those put by before a time."""

    def kept_of(self, user_id: str, document_ids: Sequence[str]) -> set[str]:
        """Those of these that they put by."""


class Marks(MarkReader, Protocol):
    """What each person has seen of a dossier, and put by. Marks go with their document."""

    def visit(self, user_id: str, now: int) -> Since:
        """Note that they look at what changed; where their visit before this one ended."""

    def read(self, user_id: str, document_id: str, *, is_read: bool = True) -> None:
        """They have read it as it is now; or it counts as unread until they read it, or all, again.

        Of a document that is gone, nothing is kept.
        """

    def read_all(self, user_id: str, seq: int) -> None:
        """All changes up to this number count as read; with a lower number than before, nothing changes."""

    def keep(self, user_id: str, document_id: str, at: int | None) -> None:
        """Put a document by; with None, no longer. Of one that is gone, nothing is kept."""


class Waiting(Protocol):
    """What goes on in a dossier, for those who look on; nothing is changed, and no number is counted to the end."""

    def pulse(self, now: int) -> Pulse:
        """How much is due and under way, when the next falls due, and the number of the last change."""

    def under_way(self, now: int, limit: int) -> list[Fetching]:
        """What is fetched now, the longest first."""

    def holders(self, now: int) -> dict[str, int]:
        """Which workers have something under way, and how much."""

    def too_late(self, now: int) -> int:
        """How many addresses are due later than any turn of their source takes, because a clock was ahead."""

    def coming(self, now: int, limit: int) -> list[Fetching]:
        """What is due or will be, the first first."""


class SavedSearches(Protocol):
    """Searches that a dossier keeps under a name."""

    def add(self, search: SavedSearch) -> None:
        """The name must be free."""

    def all(self) -> list[SavedSearch]:
        """By name."""

    def find(self, search_id: str) -> SavedSearch:
        """The one of that id, or NotFoundError."""

    def delete(self, search_id: str) -> None:
        """With all it found. Does nothing when there is none."""

    def set_sink(self, search_id: str, sink: str) -> None:
        """The sink that is handed what it newly finds; empty: none."""

    def matched(self) -> dict[str, int]:
        """Up to which change each of them was matched, by id."""

    def note(self, search_id: str, seq: int, found: Mapping[str, int], lost: Collection[str] = ()) -> None:
        """Matched up to a change: it found these documents, each by the number of a change, and no longer those."""

    def alerts(self, search_id: str, limit: int) -> list[int]:
        """The changes that it found since it is kept, the latest first; the last thousand or so are kept."""

    def fresh(self, user_id: str) -> dict[str, int]:
        """How many of these came after a person last looked, by the ids of the searches."""

    def look(self, user_id: str, search_id: str, seq: int) -> int:
        """Note that they saw what was found up to a change; up to which they had before."""


class Readings(Protocol):
    """Pages that were read for people, kept for a while."""

    def get(self, key: str, now: int) -> ReaderResult | None:
        """What is kept under the key; None when there is nothing, its time is over, or it is of a later time."""

    def put(self, key: str, url: str, result: ReaderResult, now: int, until: int) -> None:
        """Keep it until then, in place of what is kept under the key. What is over takes no room from now on."""


class SearchLog(Protocol):
    """The last searches that were made in a dossier."""

    def add(self, search: SearchMade, keep: int) -> None:
        """Remember it and forget all but the last `keep`: with 0, all.

        While another program writes to the dossier, nothing is remembered: a search never waits for this.
        """

    def recent(self, limit: int) -> list[SearchMade]:
        """The last ones, newest first."""


class ImportReader(Protocol):
    """Lists of feeds that were taken in, for reading."""

    def find(self, import_id: str) -> ImportReport | None:
        """None when there is none, or it is no longer kept."""

    def recent(self, user_id: str, limit: int) -> list[ImportReport]:
        """Those of one person, the newest first."""


class Imports(ImportReader, Protocol):
    """Lists of feeds that were taken in, and what became of their entries; the last of them are kept."""

    def put(self, report: ImportReport) -> None:
        """Keep it, in place of what was kept of the same list."""
