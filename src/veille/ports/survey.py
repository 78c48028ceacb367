"""What tables of sources show: read only, in bounded pieces, and never with one question for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.report.source_status import Census, Progress, SourceFilter, SourceStatus


class Survey(Protocol):
    """How the sources of a dossier are doing."""

    def page(self, wanted: SourceFilter, now: int, after: tuple[str, str] | None, limit: int) -> list[SourceStatus]:
        """Sources by name, those after a name and an id."""

    def one(self, source_id: str) -> SourceStatus:
        """One of them, or NotFoundError."""

    def census(self, now: int) -> list[Census]:
        """How many there are, by kind."""

    def activity(self, source_ids: Sequence[str], first_day: int) -> dict[str, dict[int, int]]:
        """How many changes each of these brought on which day from that one on (days since 1970, in UTC)."""

    def progress(self, source_id: str, since: int, now: int) -> Progress:
        """How far a look at it has come that began then."""
