"""The services that work in dossiers, wired for one set of dossiers: all, or those that a user may access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from veille.registry import later
from veille.services.repairing.repairs import RepairService
from veille.services.watching.sources import SourceService

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from functools import cached_property

    from veille.ports import DossierReader, Dossiers
    from veille.services.alerts.channels import ChannelService
    from veille.services.alerts.rules import RuleService
    from veille.services.analyse.analysing import AnalyseService
    from veille.services.analyse.popular import PopularService
    from veille.services.house import House
    from veille.services.meaning.keeping import MeaningService
    from veille.services.model.consultation import ModelService
    from veille.services.reading.asking import AskService
    from veille.services.reading.change_feed import FrontService
    from veille.services.reading.documents import DocumentService
    from veille.services.reading.export import ExportService
    from veille.services.reading.local import LocalService
    from veille.services.reading.raw_answers import RawAnswerService
    from veille.services.reading.reader_apps import ReaderAppService
    from veille.services.reading.retention import RetentionService
    from veille.services.reading.saved import SavedSearchService
    from veille.services.reading.search import SearchLogService, SearchService
    from veille.services.reading.sharing import SharingService
    from veille.services.repairing.seeking import Seeker
    from veille.services.watching.adding import AddingService
    from veille.services.watching.bulk import BulkService
    from veille.services.watching.catalogue import CatalogueService
    from veille.services.watching.lists import ListService
    from veille.services.watching.moving import MovingService
    from veille.services.watching.questions import QuestionService
    from veille.services.watching.trash import TrashService


class Services:
    """The services for the given dossiers; they cannot reach others."""

    #: The changes of dossiers, and documents, for people.
    front: cached_property[FrontService] = later("services.reading.change_feed:FrontService", "_reach", "clock")
    documents: cached_property[DocumentService] = later("services.reading.documents:DocumentService", "_reach", "clock")
    #: Adds detected sources.
    adding: cached_property[AddingService] = later(
        "services.watching.adding:AddingService", "sources", "questions", "lists"
    )
    #: The sources that come with veille.
    catalogue: cached_property[CatalogueService] = later(
        "services.watching.catalogue:CatalogueService", "_reach", "sources", "_house.offers", "clock"
    )
    #: Import and export of lists of feeds.
    lists: cached_property[ListService] = later(
        "services.watching.lists:ListService", "_reach", "sources", "clock", "_house.outlines"
    )
    #: Queries of the command line over several dossiers at once.
    local: cached_property[LocalService] = later("services.reading.local:LocalService", "_reach", "clock")
    #: Which answers are kept as they came.
    raw_answers: cached_property[RawAnswerService] = later("services.reading.raw_answers:RawAnswerService", "_reach")
    #: How long revisions are kept.
    retention: cached_property[RetentionService] = later(
        "services.reading.retention:RetentionService", "_reach", "clock"
    )
    #: Standing questions to search engines.
    questions: cached_property[QuestionService] = later(
        "services.watching.questions:QuestionService", "_reach", "sources", "_house.offers", "clock"
    )
    search_log: cached_property[SearchLogService] = later(
        "services.reading.search:SearchLogService", "_reach", "clock", "_house.searches_kept"
    )
    #: Saved searches, and feeds.
    searches: cached_property[SearchService] = later(
        "services.reading.search:SearchService", "_reach", "clock", "_house.embedders"
    )
    exports: cached_property[ExportService] = later("services.reading.export:ExportService", "_reach")
    saved: cached_property[SavedSearchService] = later(
        "services.reading.saved:SavedSearchService", "_reach", "searches", "clock"
    )

    #: The language model of the operator.
    models: cached_property[ModelService] = later(
        "services.model.consultation:ModelService", "_reach", "_model", "clock"
    )

    #: Search by meaning, switched on and off, and kept up to date.
    meaning: cached_property[MeaningService] = later(
        "services.meaning.keeping:MeaningService", "_reach", "_house.embedders", "clock"
    )
    #: Questions to the documents of a dossier.
    asking: cached_property[AskService] = later(
        "services.reading.asking:AskService", "_reach", "models", "clock", "_house.embedders"
    )

    #: Feeds and items for reader apps.
    reader_apps: cached_property[ReaderAppService] = later(
        "services.reading.reader_apps:ReaderAppService", "_reach", "_house.reader_numbers", "clock"
    )
    #: Documents that are shared by a link.
    sharing: cached_property[SharingService] = later("services.reading.sharing:SharingService", "_reach", "clock")
    #: Actions on many at once, and deleted sources.
    bulk: cached_property[BulkService] = later(
        "services.watching.bulk:BulkService", "_reach", "sources", "moving", "clock"
    )
    moving: cached_property[MovingService] = later(
        "services.watching.moving:MovingService", "_reach", "sources", "clock"
    )
    trash: cached_property[TrashService] = later(
        "services.watching.trash:TrashService", "_reach", "clock", "sources.vet", "catalogue.renew"
    )

    #: Rules, and what they fired.
    rules: cached_property[RuleService] = later(
        "services.alerts.rules:RuleService", "_reach", "sources", "clock", "_house.alerts.rules"
    )
    #: The ways in which people are told.
    channels: cached_property[ChannelService] = later(
        "services.alerts.channels:ChannelService", "_reach", "clock", "_house.alerts.channels"
    )
    #: What documents are about, and which of them are popular.
    analyses: cached_property[AnalyseService] = later(
        "services.analyse.analysing:AnalyseService", "_reach", "models", "_house.text_facts", "clock"
    )
    popular: cached_property[PopularService] = later("services.analyse.popular:PopularService", "_reach", "clock")

    #: Looks for what broken sources used to find.
    _seeker: cached_property[Seeker] = later("services.repairing.seeking:Seeker", "_reach", "models")

    def __init__(self, dossiers: Dossiers, house: House) -> None:
        self._reach = dossiers
        self._house = house
        self.clock = clock = house.clock
        self.sources = SourceService(dossiers, house)
        self.repairs = RepairService(dossiers, clock, self.sources.vet, lambda: self._seeker)

    @property
    def _model(self) -> Any:
        return self._house.model()

    def reading(self, dossier_id: str) -> AbstractContextManager[DossierReader]:
        """Open a dossier for reading; interfaces have no other direct access to it."""
        return self._reach.open(dossier_id)
