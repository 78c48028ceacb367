"""One open dossier: its parts, and the write transaction, which updates the catalog's hint of the next due time."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.sqlite.alerts.happenings import SqliteAlertTimes
from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
from veille.adapters.stores.sqlite.commit.figures import SqliteFigures
from veille.adapters.stores.sqlite.commit.frontier import Frontier
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory, SqliteRecollection
from veille.adapters.stores.sqlite.commit.quirks import SqliteQuirks
from veille.adapters.stores.sqlite.commit.sources import SqliteSources
from veille.adapters.stores.sqlite.commit.waiting import SqliteWaiting
from veille.adapters.stores.sqlite.commit.writer import SqliteWriter
from veille.adapters.stores.sqlite.read.runs import SqliteRuns
from veille.failpoints import failpoint
from veille.ports import DossierStore
from veille.registry import later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from veille.adapters.stores.database import Database
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey
    from veille.core.change.memory import Answer, Lookup
    from veille.ports.dossiers import Recollection


def _part(place: str, *parts: str) -> Any:
    """A port that a check does not need; see `later`."""
    return later(f"adapters.stores.sqlite.{place}", *parts)


class SqliteDossier(DossierStore):
    """The port `DossierStore`, given an open database."""

    survey = _part("read.survey:SqliteSurvey", "db")
    engines = _part("read.engines:SqliteEngines", "db")
    saved_searches = _part("read.searches:SqliteSavedSearches", "db")
    search_log = _part("read.searches:SqliteSearchLog", "db")
    imports = _part("read.imports:SqliteImports", "db")
    records = _part("read.records:SqliteRecords", "db")
    stories = _part("read.stories:SqliteStories", "db")
    readings = _part("read.readings:SqliteReadings", "db")
    raw_answers = _part("read.raw_answers:SqliteRawAnswers", "db")
    pictures = _part("read.pictures:SqlitePictures", "db")
    bodies = _part("bodies:SqliteBodyKeeping", "db", "id")
    repairs = _part("read.repairs:SqliteRepairs", "db")
    crawls = _part("read.crawls:SqliteCrawls", "db", "id")
    outbox = _part("read.outbox:SqliteOutbox", "db", "id")
    handovers = _part("read.outbox:SqliteHandovers", "db")
    news = _part("read.news:SqliteNews", "db", "_wake")
    index = _part("search.index:SqliteIndex", "db", "id")
    meaning = _part("meaning.vectors:SqliteMeaning", "db", "_tell_meaning")
    values = _part("read.values:SqliteValues", "db")
    vault = _part("read.vault:SqliteVault", "db", "_key", "id")
    changes = _part("read.change_lists:SqliteChangeLists", "db", "id")
    analyses = _part("analyse.analyses:SqliteAnalyses", "db")
    signals = _part("analyse.signals:SqliteSignals", "db")
    marks = _part("daily.marks:SqliteMarks", "db")
    tags = _part("daily.tags:SqliteTags", "db")
    shares = _part("daily.shares:SqliteShares", "db")
    retained = _part("commit.retention:SqliteRetention", "db", "id")
    model_records = _part("model_records:SqliteModelRecords", "db")
    trash = _part("daily.trash:SqliteTrash", "id", "db", "sources", "_catalog")
    trashed_setups = _part("daily.trashed_setups:SqliteTrashedSetups", "db", "id", "_wake_alerts")
    moving = _part("daily.moving:SqliteMoving", "db")
    rules = _part("alerts.rules:SqliteRules", "db")
    channels = _part("alerts.channels:SqliteChannels", "db", "id", "_key")
    alerts = _part("alerts.alerts:SqliteAlerts", "db")
    happenings = _part("alerts.happenings:SqliteHappenings", "db", "_wake_alerts")

    def __init__(self, dossier_id: str, db: Database, catalog: Catalog, key: Callable[[], VaultKey]) -> None:
        self.id = dossier_id
        self.db = db
        self._catalog = catalog
        self._key = key
        self.frontier = Frontier(dossier_id, db)
        self._boilerplate = SqliteBoilerplate(db)
        self.sources = SqliteSources(dossier_id, db, self.frontier, catalog)
        self.quirks = SqliteQuirks(db)
        self.runs = SqliteRuns(db, dossier_id)
        self.waiting = SqliteWaiting(db, self.frontier)
        self.figures = SqliteFigures(db)

    def _wake(self, at: int) -> None:
        self._catalog.wake(self.id, at)

    def _tell_meaning(self, *, is_on: bool) -> None:
        self._catalog.set_meaning(self.id, is_on=is_on)

    def _wake_alerts(self, at: int) -> None:
        SqliteAlertTimes(self._catalog.db).set(self.id, at)

    def recollection(self) -> Recollection:
        return SqliteRecollection(self.db, self._boilerplate)

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        return SqliteMemory(self.db, self._boilerplate).recall(questions)

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        with self.db.write():
            writer = SqliteWriter(self.db, self.frontier, self._boilerplate)
            yield writer
            writer.finish()
            failpoint("before_commit")
            self.db.after_commit(partial(failpoint, "after_commit"))
            if writer.earliest is not None:
                self._wake_after(writer.earliest)

    def _wake_after(self, at: int) -> None:
        """Something is due at this time, once the transaction is committed."""
        self.db.after_commit(partial(self._wake, at))
