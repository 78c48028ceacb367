"""The ports of the news workflow: its rows, the workbook that shows them, and a place for full texts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.news.facts import ArticleRow, FeedFacts, Written
    from veille.core.news.sheets import Row, Sheet


class News(Protocol):
    """The feeds and articles of a dossier as rows, and which rows each workbook has."""

    def register(self, feed: FeedFacts) -> None:
        """Save the facts about a feed, replacing the old ones; validators are not saved."""

    def listed(self, source_id: str, request_ids: Sequence[str], newest_at: int | None, now: int) -> tuple[int, int]:
        """Record the entries of a feed that was read; returns how many became rows, and how many had one already.

        Sets the time the rows were last seen. The time of the feed's newest article never moves back.
        """

    def number(self, now: int) -> int:
        """Add a row for every article in a feed whose address has none yet; returns how many were added.

        If several feeds list an address, only one entry is fetched; another one only if that fetch fails.
        """

    def feeds(self) -> list[FeedFacts]:
        """The sources that are feeds, registered or not, in the order they were added."""

    def articles(self) -> list[ArticleRow]:
        """All rows sorted by number, each with its entries in the order they were found.

        Numbers are never reused. An entry is deleted with its feed, and a row with its last entry.
        """

    def log(self, run_id: str, record: Row) -> None:
        """Store the figures of a run for good, for any workbook; a run is logged once."""

    def logged(self) -> dict[str, Row]:
        """The figures of all runs by id, oldest first."""

    def written(self, book: str) -> Written:
        """What the workbook contained when it was last saved; an empty `Written` before that."""

    def mark(self, book: str, written: Written) -> None:
        """Record that the workbook was saved: its id, its save counter, and the rows that were added.

        If the id is new, the records of the old workbook are deleted: the new one has none of its rows.
        """


class WorkbookPage(Protocol):
    """A workbook that is being edited. Others see the changes when the editing ends without an error."""

    def config(self) -> dict[str, str]:
        """The rows of the sheet `Config`."""

    def put(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        """Update the rows with the same key, and append the others; what people added to the sheet stays."""


class Workbook(Protocol):
    """A spreadsheet that people read. All values are text or numbers, never formulas."""

    @property
    def name(self) -> str:
        """Its path or address."""

    def editing(self, sheets: Sequence[Sheet], *, patient: bool = True) -> AbstractContextManager[WorkbookPage]:
        """Open the workbook for one editor at a time, creating it and its sheets if needed. SinkError if that fails.

        With `patient`, wait some minutes for another editor or for a quota; without, fail at once.
        """


class Texts(Protocol):
    """Full texts, stored outside of workbooks."""

    def put(self, at: int, name: str, text: str) -> str:
        """Store a text under its day and name, replacing an older one; returns where it is."""
