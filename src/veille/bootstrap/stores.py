"""Opens the store of the settings. Another kind of store is one more branch here."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from veille.adapters.bodies import place_of
from veille.adapters.call_limits import LocalCallLimits
from veille.adapters.presence import FileInHand, FilePresence
from veille.adapters.private import private_folder
from veille.adapters.stores.sqlite.alerts.happenings import SqliteAlertTimes
from veille.adapters.stores.sqlite.catalog.accounts import SqliteAccounts
from veille.adapters.stores.sqlite.catalog.catalog import SqliteCatalog
from veille.adapters.stores.sqlite.catalog.hosts import SqliteHosts
from veille.adapters.stores.sqlite.catalog.offers import SqliteOffers
from veille.adapters.stores.sqlite.catalog.periodic import SqliteDuties, SqliteSchedules, SqliteSweeps
from veille.adapters.stores.sqlite.catalog.reader_numbers import SqliteReaderNumbers
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.adapters.stores.sqlite.queue import SqliteQueue
from veille.adapters.stores.transfer.leaving import StoredLeavings
from veille.errors import SettingError, StoreError
from veille.ports import Store

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.dossier_pool import DossierPool
    from veille.adapters.vault import VaultKey
    from veille.ports import Clock, Presence
    from veille.ports.sharing import CallLimits, ServiceShelf
    from veille.settings import Settings


def open_store(settings: Settings) -> Store:
    """The store of the settings, created if needed."""
    data, name, lease_ms = settings.data, str(settings.data), round(settings.lease_s * 1000)
    clock: Clock | None = None
    presence: Presence = FilePresence(data / "present")
    call_limits: CallLimits = LocalCallLimits()
    shelf: ServiceShelf | None = None
    catalog: Catalog
    dossiers: DossierPool
    if settings.store is not None:
        from veille.adapters.stores.postgres.opening import open_database  # noqa: PLC0415 - seldom needed

        url = settings.store.get_secret_value()
        opened = open_database(url, data, settings.open_dossiers, lease_ms, settings.vault)
        name, catalog, dossiers, clock, presence, call_limits, shelf = opened
        # Not for a database that cannot be used.
        private_folder(data)
    else:
        catalog = file = SqliteCatalog(data)
        dossiers = SqliteDossiers(data, file, settings.open_dossiers, settings.min_free_mb, partial(_key, settings))
    _finish_opening(dossiers, settings)
    return Store(
        name=name,
        dossiers=dossiers,
        queue=lambda beat: SqliteQueue(catalog, dossiers, lease_ms, settings.quotas, beat=beat),
        hosts=SqliteHosts(catalog.db),
        schedules=SqliteSchedules(catalog.db),
        offers=SqliteOffers(catalog.db),
        reader_numbers=SqliteReaderNumbers(catalog.db),
        sweeps=SqliteSweeps(catalog.db),
        duties=SqliteDuties(catalog.db),
        alert_times=SqliteAlertTimes(catalog.db),
        accounts=SqliteAccounts(catalog.db),
        leavings=StoredLeavings(catalog.db, dossiers),
        presence=presence,
        call_limits=call_limits,
        shelf=shelf,
        with_meaning=catalog.with_meaning,
        in_hand=lambda: FileInHand(data / "in_hand"),
        key=lambda purpose: dossiers.key().derived(purpose),
        clock=clock,
        body_place=dossiers.place,
    )


def check_address(settings: Settings) -> None:
    """SettingError if the store of the settings is no address of a database."""
    if settings.store is None or find_spec("psycopg") is None:  # that it is missing is told when it is opened
        return
    from veille.adapters.stores.postgres._address import taken_apart  # noqa: PLC0415 - an extra

    try:
        taken_apart(settings.store.get_secret_value())
    except StoreError as error:
        raise SettingError(f"{settings.place('store')}: {error}", code=error.code) from error


def _finish_opening(dossiers: DossierPool, settings: Settings) -> None:
    # Deleted dossiers are deleted at the place of bodies, too.
    dossiers.place = place_of(settings.bodies, settings.place("bodies", "place"))
    dossiers.finish_deletions()


def _key(settings: Settings) -> VaultKey:
    from veille.adapters.vault import VaultKey  # noqa: PLC0415 - slow to import

    return VaultKey(settings.data, settings.vault)
