"""One open dossier: its parts, and the write transaction, which updates the catalog's hint of the next due time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite.alerts.alerts import SqliteAlerts
from veille.adapters.stores.sqlite.alerts.channels import SqliteChannels
from veille.adapters.stores.sqlite.alerts.happenings import SqliteAlertTimes, SqliteHappenings
from veille.adapters.stores.sqlite.alerts.rules import SqliteRules
from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
from veille.adapters.stores.sqlite.commit.figures import SqliteFigures
from veille.adapters.stores.sqlite.commit.frontier import Frontier
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.adapters.stores.sqlite.commit.quirks import SqliteQuirks
from veille.adapters.stores.sqlite.commit.retention import SqliteRetention
from veille.adapters.stores.sqlite.commit.sources import SqliteSources
from veille.adapters.stores.sqlite.commit.waiting import SqliteWaiting
from veille.adapters.stores.sqlite.commit.writer import SqliteWriter
from veille.adapters.stores.sqlite.daily.marks import SqliteMarks
from veille.adapters.stores.sqlite.daily.shares import SqliteShares
from veille.adapters.stores.sqlite.daily.tags import SqliteTags
from veille.adapters.stores.sqlite.daily.trash import SqliteTrash
from veille.adapters.stores.sqlite.meaning.vectors import SqliteMeaning
from veille.adapters.stores.sqlite.model_records import SqliteModelRecords
from veille.adapters.stores.sqlite.read.change_lists import SqliteChangeLists
from veille.adapters.stores.sqlite.read.crawls import SqliteCrawls
from veille.adapters.stores.sqlite.read.engines import SqliteEngines
from veille.adapters.stores.sqlite.read.imports import SqliteImports
from veille.adapters.stores.sqlite.read.news import SqliteNews
from veille.adapters.stores.sqlite.read.outbox import SqliteHandovers, SqliteOutbox
from veille.adapters.stores.sqlite.read.pictures import SqlitePictures
from veille.adapters.stores.sqlite.read.raw_answers import SqliteRawAnswers
from veille.adapters.stores.sqlite.read.readings import SqliteReadings
from veille.adapters.stores.sqlite.read.records import SqliteRecords
from veille.adapters.stores.sqlite.read.repairs import SqliteRepairs
from veille.adapters.stores.sqlite.read.runs import SqliteRuns
from veille.adapters.stores.sqlite.read.searches import SqliteSavedSearches, SqliteSearchLog
from veille.adapters.stores.sqlite.read.stories import SqliteStories
from veille.adapters.stores.sqlite.read.survey import SqliteSurvey
from veille.adapters.stores.sqlite.read.values import SqliteValues
from veille.adapters.stores.sqlite.read.vault import SqliteVault
from veille.adapters.stores.sqlite.search.index import SqliteIndex
from veille.failpoints import failpoint
from veille.ports import DossierStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from veille.adapters.stores.sqlite._db import Database
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey
    from veille.core.change.memory import Answer, Lookup


class SqliteDossier(DossierStore):
    """The port `DossierStore`, given an open database."""

    def __init__(self, dossier_id: str, db: Database, catalog: Catalog, key: Callable[[], VaultKey]) -> None:
        self.id = dossier_id
        self.db = db
        self._catalog = catalog
        self.frontier = Frontier(dossier_id, db)
        self._boilerplate = SqliteBoilerplate(db)
        self.sources = sources = SqliteSources(dossier_id, db, self.frontier, catalog)
        self.survey = SqliteSurvey(db)
        self.engines = SqliteEngines(db)
        self.imports = SqliteImports(db)
        self.records = SqliteRecords(db)
        self.stories = SqliteStories(db)
        self.quirks = SqliteQuirks(db)
        self.readings = SqliteReadings(db)
        self.raw_answers = SqliteRawAnswers(db)
        self.pictures = SqlitePictures(db)
        self.repairs = SqliteRepairs(db)
        self.runs = SqliteRuns(db, dossier_id)
        self.crawls = SqliteCrawls(db, dossier_id)
        self.outbox = SqliteOutbox(db, dossier_id)
        self.news = SqliteNews(db, lambda at: catalog.wake(dossier_id, at))
        self.waiting = SqliteWaiting(db, self.frontier)
        self.figures = SqliteFigures(db)
        self.handovers = SqliteHandovers(db)
        self.values = SqliteValues(db)
        self.vault = SqliteVault(db, key, dossier_id)
        self._open_search(db)
        self._open_daily(db, sources)
        self._open_alerts(db, key)

    def _open_search(self, db: Database) -> None:
        self.index = SqliteIndex(db, self.id)
        self.meaning = SqliteMeaning(db, self.id)
        self.saved_searches = SqliteSavedSearches(db)
        self.search_log = SqliteSearchLog(db)

    def _open_daily(self, db: Database, sources: SqliteSources) -> None:
        self.model_records = SqliteModelRecords(db)
        self.changes = SqliteChangeLists(db, self.id)
        self.marks = SqliteMarks(db)
        self.tags = SqliteTags(db)
        self.shares = SqliteShares(db)
        self.retained = SqliteRetention(db, self.id)
        self.trash = SqliteTrash(self.id, db, sources, self._catalog)

    def _open_alerts(self, db: Database, key: Callable[[], VaultKey]) -> None:
        self.rules = SqliteRules(db)
        self.channels = SqliteChannels(db, self.id, key)
        self.alerts = SqliteAlerts(db)
        times = SqliteAlertTimes(self._catalog.db)
        self.happenings = SqliteHappenings(db, lambda at: times.set(self.id, at))

    def version(self) -> object:
        return self.db.version()

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        return SqliteMemory(self.db, self._boilerplate).recall(questions)

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        with self.db.write():
            writer = SqliteWriter(self.db, self.frontier, self._boilerplate)
            yield writer
            writer.finish()
            failpoint("before_commit")
        failpoint("after_commit")
        if writer.earliest is not None:
            self._catalog.wake(self.id, writer.earliest)
