"""The interfaces that services use and adapters implement; contract tests check every adapter."""

from veille.ports.contents import (
    Engines,
    Handovers,
    Index,
    Outbox,
    Quirks,
    Records,
    Repairs,
    Runs,
    Sources,
    Stories,
)
from veille.ports.crawls import Crawls, EventLog, Presence, Schedules
from veille.ports.dossiers import DossierReader, Dossiers, DossierStore, Duties, Offers, Queue, Sweeps, Writer
from veille.ports.news import News, Texts, Workbook, WorkbookPage
from veille.ports.outlets import Embedder, EmbedderConfig, Export, Means, Sender, Sink, SinkConfig
from veille.ports.outside import Clock, Fetcher, Hosts, InHand, Vault, Workshop
from veille.ports.readers import Figures, Imports, Marks, Readings, SavedSearches, SearchLog, Waiting
from veille.ports.store import Store
from veille.ports.survey import Survey

__all__ = [
    "Clock",
    "Crawls",
    "DossierReader",
    "DossierStore",
    "Dossiers",
    "Duties",
    "Embedder",
    "EmbedderConfig",
    "Engines",
    "EventLog",
    "Export",
    "Fetcher",
    "Figures",
    "Handovers",
    "Hosts",
    "Imports",
    "InHand",
    "Index",
    "Marks",
    "Means",
    "News",
    "Offers",
    "Outbox",
    "Presence",
    "Queue",
    "Quirks",
    "Readings",
    "Records",
    "Repairs",
    "Runs",
    "SavedSearches",
    "Schedules",
    "SearchLog",
    "Sender",
    "Sink",
    "SinkConfig",
    "Sources",
    "Store",
    "Stories",
    "Survey",
    "Sweeps",
    "Texts",
    "Vault",
    "Waiting",
    "Workbook",
    "WorkbookPage",
    "Workshop",
    "Writer",
]
