"""The stores that the contract suites run over. A second store is one more entry of `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from desk import LEASE_MS, Program, Store
from postgres_server import shared
from veille.bootstrap.stores import open_store
from veille.ports import Vault
from veille.settings import Settings


def sqlite_program(folder: Path, max_open: int = 8) -> Program:
    """One process on a folder of SQLite files."""
    return program_of(Settings(data=folder, open_dossiers=max_open, lease_s=LEASE_MS / 1000, min_free_mb=0))


def program_of(settings: Settings) -> Program:
    """One process on the store of these settings."""
    store = open_store(settings)

    @contextmanager
    def vault(dossier_id: str) -> Iterator[Vault]:
        with store.dossiers.open(dossier_id) as opened:
            yield opened.vault

    return Program(
        dossiers=store.dossiers,
        queue=store.queue(lambda: None),
        hosts=store.hosts,
        offers=store.offers,
        reader_numbers=store.reader_numbers,
        schedules=store.schedules,
        sweeps=store.sweeps,
        duties=store.duties,
        accounts=store.accounts,
        alert_times=store.alert_times,
        vault=vault,
    )


def _postgres_store(folder: Path) -> Store:
    """A store on a database of its own."""
    server = shared()
    database = server.database(server.ready)
    url = server.url(database)
    settings = Settings(data=folder, store=SecretStr(url), open_dossiers=8, lease_s=LEASE_MS / 1000, min_free_mb=0)
    return Store(lambda: program_of(settings), after=lambda: server.drop(database))


#: By name: opens a store in an empty folder of its own.
STORES: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: Store(lambda: sqlite_program(folder)),
    "postgres": _postgres_store,
}

#: For tests of what is the SQLite store's own.
ON_SQLITE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
