"""The services that work in dossiers, wired up for one set of dossiers: all of them, or those a user may use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from veille.services.reading.change_feed import FrontService
from veille.services.reading.export import ExportService
from veille.services.reading.search import SearchLogService, SearchService
from veille.services.watching.repairs import RepairService
from veille.services.watching.sources import SourceService

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from veille.ports import DossierReader, Dossiers
    from veille.services.house import House
    from veille.services.reading.documents import DocumentService
    from veille.services.reading.saved import SavedSearchService
    from veille.services.watching.adding import AddingService
    from veille.services.watching.catalogue import CatalogueService
    from veille.services.watching.lists import ListService
    from veille.services.watching.questions import QuestionService


class Services:
    """The services of the given dossiers; they reach no others."""

    def __init__(self, dossiers: Dossiers, house: House) -> None:
        self._reach = dossiers
        self._house = house
        self.clock = clock = house.clock
        self.sources = SourceService(dossiers, house)
        self.repairs = RepairService(dossiers, clock, self.sources.vet)
        self.searches = SearchService(dossiers, clock)
        self.search_log = SearchLogService(dossiers, clock, house.searches_kept)
        self.exports = ExportService(dossiers)
        self.front = FrontService(dossiers, clock)

    def reading(self, dossier_id: str) -> AbstractContextManager[DossierReader]:
        """Open a dossier for reading: the only way in which interfaces read it directly."""
        return self._reach.open(dossier_id)

    @cached_property
    def documents(self) -> DocumentService:
        """Documents, for people."""
        from veille.services.reading.documents import DocumentService  # noqa: PLC0415

        return DocumentService(self._reach, self.clock)

    @cached_property
    def adding(self) -> AddingService:
        """Adding what was detected. Created on first use, like everything that a worker does not need."""
        from veille.services.watching.adding import AddingService  # noqa: PLC0415

        return AddingService(self.sources, self.questions, self.lists)

    @cached_property
    def catalogue(self) -> CatalogueService:
        """The sources that come with veille."""
        from veille.services.watching.catalogue import CatalogueService  # noqa: PLC0415

        return CatalogueService(self._reach, self.sources, self._house.offers, self.clock)

    @cached_property
    def lists(self) -> ListService:
        """Import and export of lists of feeds."""
        from veille.services.watching.lists import ListService  # noqa: PLC0415

        return ListService(self._reach, self.sources, self.clock, self._house.outlines)

    @cached_property
    def questions(self) -> QuestionService:
        """Standing questions to search engines."""
        from veille.services.watching.questions import QuestionService  # noqa: PLC0415

        return QuestionService(self._reach, self.sources, self._house.offers, self.clock)

    @cached_property
    def saved(self) -> SavedSearchService:
        """Saved searches, and feeds."""
        from veille.services.reading.saved import SavedSearchService  # noqa: PLC0415

        return SavedSearchService(self._reach, self.searches, self.clock)
