"""What the news workflow needs: its rows, a workbook to show them in, and a place for full texts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.news.facts import ArticleRow, FeedFacts, Written
    from veille.core.news.sheets import Row, Sheet


class News(Protocol):
    """The feeds and articles of a dossier as rows of a workbook, and what workbooks have of them."""

    def register(self, feed: FeedFacts) -> None:
        """Note what was found out about a feed, in place of what was noted before; validators are not noted."""

    def listed(self, source_id: str, request_ids: Sequence[str], newest_at: int | None, now: int) -> tuple[int, int]:
        """A feed was read, and these are in it; how many became rows, and how many have one already.

        The rows count as seen now. The time of the feed's newest article never goes back.
        """

    def number(self, now: int) -> int:
        """Give every article that feeds led to a row of its own, unless its address has one; how many were new.

        Of an address that several feeds list, one entry waits for a fetch; another only when that one failed.
        """

    def feeds(self) -> list[FeedFacts]:
        """The sources that are feeds, registered or not, in the order they were added."""

    def articles(self) -> list[ArticleRow]:
        """All rows by their numbers, each with its entries in the order they were found.

        A number is never given to another article. An entry goes with its feed, and a row with its last entry.
        """

    def log(self, run_id: str, record: Row) -> None:
        """Keep the figures of a run, until a workbook has them and afterwards; a run is logged once."""

    def logged(self) -> dict[str, Row]:
        """The figures of all runs by id, oldest first."""

    def written(self, book: str) -> Written:
        """What the workbook had when it was last saved; an empty `Written` before that."""

    def mark(self, book: str, written: Written) -> None:
        """The workbook was saved: it is this one, this often, and has these rows, beside those it had.

        What was noted of a workbook with another id is forgotten: it has none of its rows.
        """


class WorkbookPage(Protocol):
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

    def editing(self, sheets: Sequence[Sheet], *, patient: bool = True) -> AbstractContextManager[WorkbookPage]:
        """Open it, making it and its sheets if need be; one editor at a time. SinkError when it cannot be had now.

        Somebody who is not patient is told so at once; others wait some minutes for their turn, or for a quota.
        """


class Texts(Protocol):
    """Full texts, kept outside of workbooks."""

    def put(self, at: int, name: str, text: str) -> str:
        """Keep a text of that day under that name, in place of what it was before; how to find it."""
