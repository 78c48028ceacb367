"""What documents are about, and what speaks for their popularity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.analyse.popularity import Signals
    from veille.core.analyse.records import AnalysisCounts, StoredAnalysis
    from veille.core.records import Revision


class AnalysisReader(Protocol):
    """The analyses of a dossier, read-only."""

    def of(self, document_ids: Sequence[str]) -> dict[str, StoredAnalysis]:
        """The latest analysis of the current revision of each of these documents; without those that have none."""

    def all_of(self, document_ids: Sequence[str]) -> list[StoredAnalysis]:
        """The latest analysis of each of these documents by each version, whatever revision it is of; oldest first."""

    def are_there(self) -> bool:
        """Whether anything was analysed."""

    def is_on(self) -> bool:
        """Whether documents of the dossier are analysed as they come."""

    def brands(self) -> tuple[str, ...]:
        """The brands that the dossier looks for, in the order they were given."""

    def counts(self, version: str) -> AnalysisCounts:
        """How many current documents this version has analysed, and how many wait for it."""


class Analyses(AnalysisReader, Protocol):
    """The analyses of a dossier. They are deleted with their revision."""

    def waiting(
        self, version: str, after: int, limit: int, source_id: str = "", *, only: Sequence[str] | None = None
    ) -> list[tuple[int, Revision]]:
        """Current documents that this version has not analysed as they are, in a fixed order, each with its position.

        Start after 0, continue after the last one. `only`: of these documents. Open analyses are among them.
        """

    def put(self, made: Sequence[StoredAnalysis], links: Mapping[str, Sequence[str]]) -> int:
        """Save analyses in one transaction, each replacing that of its revision and version; returns how many.

        `links`: the addresses that each document links to, by document id. Nothing is saved for a revision that was
        deleted meanwhile or has another text by now.
        """

    def words(self, words: Sequence[str]) -> tuple[int, dict[str, int]]:
        """The number of documents in the index, and how many of them have each of these words."""

    def switch(self, *, is_on: bool) -> None:
        """Have documents analysed as they come, or not."""

    def set_brands(self, brands: Sequence[str]) -> None:
        """Save the brands, replacing the previous ones."""


class PopularitySignals(Protocol):
    """What speaks for the popularity of documents; links and labels only of documents that were analysed."""

    def of(self, document_ids: Sequence[str]) -> dict[str, Signals]:
        """The signals of these documents without brands, with a number of queries that does not grow with them."""

    def recent(self, since: int, limit: int, source_id: str = "", tag: str = "") -> list[str]:
        """The current documents that were new or changed since a time, the latest first."""
