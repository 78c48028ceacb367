"""The stores that the contract suites run over. A second store is one more entry of `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desk import LEASE_MS, Program, Store
from veille.adapters.stores.sqlite.catalog.accounts import SqliteAccounts
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.adapters.stores.sqlite.catalog.hosts import SqliteHosts
from veille.adapters.stores.sqlite.catalog.offers import SqliteOffers
from veille.adapters.stores.sqlite.catalog.schedules import SqliteSchedules
from veille.adapters.stores.sqlite.catalog.sweeps import SqliteSweeps
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.adapters.stores.sqlite.queue import SqliteQueue
from veille.adapters.stores.sqlite.read.vault import SqliteVault
from veille.adapters.vault import VaultKey
from veille.ports import Vault


def sqlite_program(folder: Path, max_open: int = 8) -> Program:
    """One process on a folder of SQLite files."""
    catalog = Catalog(folder)
    dossiers = SqliteDossiers(folder, catalog, max_open)

    @contextmanager
    def vault(dossier_id: str) -> Iterator[Vault]:
        with dossiers.open(dossier_id) as opened:
            yield SqliteVault(opened.db, VaultKey(folder), dossier_id)

    return Program(
        dossiers=dossiers,
        queue=SqliteQueue(catalog, dossiers, LEASE_MS),
        hosts=SqliteHosts(catalog.db),
        offers=SqliteOffers(catalog.db),
        schedules=SqliteSchedules(catalog.db),
        sweeps=SqliteSweeps(catalog.db),
        accounts=SqliteAccounts(catalog.db),
        vault=vault,
    )


#: By name: opens a store in an empty folder of its own.
STORES: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: Store(lambda: sqlite_program(folder))}

#: For tests of what is the SQLite store's own.
ON_SQLITE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
