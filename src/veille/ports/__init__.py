"""The interfaces that services use and adapters implement; contract tests check every adapter.

Here are those that are imported elsewhere; the parts of a `DossierStore` are in the modules.
"""

from veille.ports.crawls import EventLog, Presence, Schedules
from veille.ports.dossiers import DossierReader, Dossiers, DossierStore, Offers, Queue, Store, Sweeps, Writer
from veille.ports.news import Texts, Workbook, WorkbookPage
from veille.ports.outlets import Embedder, EmbedderConfig, Export, Means, Recall, Sender, Sink, SinkConfig
from veille.ports.outside import Clock, Fetcher, Hosts, InHand, Vault, Workshop

__all__ = [
    "Clock",
    "DossierReader",
    "DossierStore",
    "Dossiers",
    "Embedder",
    "EmbedderConfig",
    "EventLog",
    "Export",
    "Fetcher",
    "Hosts",
    "InHand",
    "Means",
    "Offers",
    "Presence",
    "Queue",
    "Recall",
    "Schedules",
    "Sender",
    "Sink",
    "SinkConfig",
    "Store",
    "Sweeps",
    "Texts",
    "Vault",
    "Workbook",
    "WorkbookPage",
    "Workshop",
    "Writer",
]
