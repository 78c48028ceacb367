"""The dossiers of a database: rows of the same tables, kept apart by `dossier_id`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.postgres.dossier import PostgresDossier
from veille.adapters.stores.sqlite.dossier_pool import DossierPool, dossier_path
from veille.errors import StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from veille.adapters.stores.postgres._pools import PostgresPools
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey
    from veille.core.models import Dossier


class PostgresDossiers(DossierPool):
    """The port `Dossiers`."""

    def __init__(
        self, folder: Path, catalog: Catalog, connections: PostgresPools, max_open: int, key: Callable[[], VaultKey]
    ) -> None:
        super().__init__(folder, catalog, max_open, key)
        self._connections = connections

    def check_room(self) -> None:
        """The server knows how much room it has, and says when there is none left."""

    def part(self) -> None:
        self._connections.part()

    def _add(self, dossier: Dossier, maker: str) -> None:
        self._catalog.add(dossier, maker)

    def _opened(self, dossier_id: str) -> PostgresDossier:
        if not self._catalog.has(dossier_id):
            raise StoreError(f"There is no dossier {dossier_id} in the database.", code="store.missing")
        db = PostgresDatabase(self._connections, dossier_path(self._folder, dossier_id), dossier_id)
        return PostgresDossier(dossier_id, db, self._catalog, self.key)

    def _forget(self, dossier_id: str) -> None:  # noqa: ARG002 - a folder needs it
        """Nothing: its rows went with its entry in the catalog."""
        failpoint("during_forget")
