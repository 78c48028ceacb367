"""Opens the store of the settings. Another kind of store is one more branch here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.presence import FileInHand, FilePresence
from veille.adapters.stores.sqlite.alerts.happenings import SqliteAlertTimes
from veille.adapters.stores.sqlite.catalog.accounts import SqliteAccounts
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.adapters.stores.sqlite.catalog.hosts import SqliteHosts
from veille.adapters.stores.sqlite.catalog.offers import SqliteOffers
from veille.adapters.stores.sqlite.catalog.periodic import SqliteDuties, SqliteSchedules, SqliteSweeps
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.adapters.stores.sqlite.queue import SqliteQueue
from veille.ports import Store

if TYPE_CHECKING:
    from veille.settings import Settings


def open_store(settings: Settings) -> Store:
    """The store of the data folder, created if needed."""
    data = settings.data
    catalog = Catalog(data)
    dossiers = SqliteDossiers(data, catalog, settings.open_dossiers, settings.min_free_mb)
    lease_ms = round(settings.lease_s * 1000)
    return Store(
        dossiers=dossiers,
        queue=lambda beat: SqliteQueue(catalog, dossiers, lease_ms, settings.quotas, beat=beat),
        hosts=SqliteHosts(catalog.db),
        schedules=SqliteSchedules(catalog.db),
        offers=SqliteOffers(catalog.db),
        sweeps=SqliteSweeps(catalog.db),
        duties=SqliteDuties(catalog.db),
        alert_times=SqliteAlertTimes(catalog.db),
        accounts=SqliteAccounts(catalog.db),
        presence=FilePresence(data / "present"),
        with_meaning=catalog.with_meaning,
        in_hand=lambda: FileInHand(data / "in_hand"),
        key=lambda purpose: dossiers.key().derived(purpose),
    )
