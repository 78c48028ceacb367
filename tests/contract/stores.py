"""The stores that the contract suites run over. A second store is one more entry of `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desk import LEASE_MS, Program, Store
from veille.bootstrap.stores import open_store
from veille.ports import Vault
from veille.settings import Settings


def sqlite_program(folder: Path, max_open: int = 8) -> Program:
    """One process on a folder of SQLite files."""
    store = open_store(Settings(data=folder, open_dossiers=max_open, lease_s=LEASE_MS / 1000, min_free_mb=0))

    @contextmanager
    def vault(dossier_id: str) -> Iterator[Vault]:
        with store.dossiers.open(dossier_id) as opened:
            yield opened.vault

    return Program(
        dossiers=store.dossiers,
        queue=store.queue(lambda: None),
        hosts=store.hosts,
        offers=store.offers,
        schedules=store.schedules,
        sweeps=store.sweeps,
        duties=store.duties,
        accounts=store.accounts,
        alert_times=store.alert_times,
        vault=vault,
    )


#: By name: opens a store in an empty folder of its own.
STORES: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: Store(lambda: sqlite_program(folder))}

#: For tests of what is the SQLite store's own.
ON_SQLITE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
