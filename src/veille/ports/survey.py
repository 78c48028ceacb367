"""Data for tables of sources: read-only, in bounded pages, and without one query per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.report.source_status import Census, Progress, SourceFilter, SourceStatus


class Survey(Protocol):
    """The status of the sources of a dossier."""

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
