"""The dossiers of a data folder: one SQLite file each."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from veille.adapters.private import private_folder
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._migrating import copies_of
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.adapters.stores.sqlite.dossier_pool import DossierPool, dossier_path
from veille.errors import ConfigError, StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey
    from veille.core.models import Dossier


class SqliteDossiers(DossierPool):
    """The port `Dossiers`."""

    def __init__(
        self,
        folder: Path,
        catalog: Catalog,
        max_open: int,
        min_free_mb: int = 0,
        key: Callable[[], VaultKey] | None = None,
    ) -> None:
        super().__init__(folder, catalog, max_open, key)
        self._min_free = min_free_mb * 1024 * 1024

    def part(self) -> None:
        """Nothing: files are there to the end."""

    def check_room(self) -> None:
        folder = self._catalog.db.path.parent
        if shutil.disk_usage(folder).free < self._min_free:
            raise StoreError(
                f"The disk of {folder} is nearly full: nothing is fetched while less than "
                f"{self._min_free >> 20} MB are free (min_free_mb). Free some space; nothing was lost.",
                code="store.full",
            )

    def _add(self, dossier: Dossier, maker: str) -> None:
        path = dossier_path(self._folder, dossier.id)
        try:
            private_folder(path.parent)
        except OSError as error:
            raise StoreError(
                f"The folder {path.parent} cannot be made ({error.strerror}): check the rights of the data folder.",
                code="store.unreadable",
            ) from error
        # The file first: a catalog entry must have its file, but a file without an entry does no harm.
        SqliteDatabase(path, _schema.DOSSIER, create=True).close()
        try:
            self._catalog.add(dossier, maker)
        except ConfigError:
            # If the existing dossier has the same id, this is its file: keep it.
            if self._catalog.made(dossier.name, maker) != dossier.id:
                self._forget(dossier.id)
            raise

    def _opened(self, dossier_id: str) -> SqliteDossier:
        db = SqliteDatabase(dossier_path(self._folder, dossier_id), _schema.DOSSIER, create=False)
        return SqliteDossier(dossier_id, db, self._catalog, self.key)

    def copy(self, dossier_id: str, path: Path) -> None:
        """Write a consistent snapshot of a dossier to a new file, without blocking writers."""
        with self.open(dossier_id) as store:
            assert isinstance(store.db, SqliteDatabase)  # noqa: S101 - `_opened` made it
            store.db.copy_to(path)

    def _forget(self, dossier_id: str) -> None:
        path = dossier_path(self._folder, dossier_id)
        for suffix in ("", "-wal", "-shm"):
            failpoint("during_forget")
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        for copy in copies_of(path):
            copy.unlink(missing_ok=True)
        failpoint("during_forget")
