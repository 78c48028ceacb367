"""Searches that a dossier keeps, and those that were made in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.answers import SavedSearch, SearchMade


class SavedSearches(Protocol):
    """Searches that a dossier keeps under a name."""

    def add(self, search: SavedSearch) -> None:
        """The name must be free."""

    def all(self) -> list[SavedSearch]: ...

    def find(self, search_id: str) -> SavedSearch:
        """The one of that id, or NotFoundError."""

    def delete(self, search_id: str) -> None: ...


class SearchLog(Protocol):
    """The last searches that were made in a dossier."""

    def add(self, search: SearchMade, keep: int) -> None:
        """Remember it and forget all but the last `keep`, if the dossier can be written to at once.

        A search never waits for this.
        """

    def recent(self, limit: int) -> list[SearchMade]:
        """Newest first."""
