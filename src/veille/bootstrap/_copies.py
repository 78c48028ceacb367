"""Copies of the catalog and of dossiers as SQLite files, from either store, while programs use it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, ClassVar

from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite.catalog.catalog import SqliteCatalog
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.adapters.stores.transfer.copying import fill
from veille.adapters.stores.transfer.sqlite_files import SqliteFilling
from veille.adapters.stores.transfer.tables import catalog_tables, dossier_tables
from veille.bootstrap.moves import place_of
from veille.core.archive.backup_names import CATALOG
from veille.errors import ConfigError, NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.adapters.stores.transfer.places import StorePlace
    from veille.settings import Settings


class StoreCopy(ABC):
    """What a backup is made from."""

    #: Whether a dossier may be damaged while the others are not.
    is_apart: ClassVar[bool]

    @abstractmethod
    def copy_catalog(self, path: Path) -> None:
        """Write the catalog to a new file."""

    @abstractmethod
    def copy(self, dossier_id: str, path: Path) -> None:
        """Write a dossier to a new file."""

    @abstractmethod
    def has(self, dossier_id: str) -> bool:
        """Whether the dossier was there all the time."""


class _Files(StoreCopy):
    """The files of a data folder."""

    is_apart = True

    def __init__(self, catalog: SqliteCatalog, dossiers: SqliteDossiers) -> None:
        self._catalog = catalog
        self._dossiers = dossiers

    def copy_catalog(self, path: Path) -> None:
        self._catalog.file.copy_to(path)

    def copy(self, dossier_id: str, path: Path) -> None:
        self._dossiers.copy(dossier_id, path)

    def has(self, dossier_id: str) -> bool:
        try:
            return self._dossiers.find(dossier_id).id == dossier_id
        except NotFoundError:
            return False


class _Rows(StoreCopy):
    """The rows of a database, all as they were at one moment, written to such files."""

    is_apart = False

    def __init__(self, place: StorePlace) -> None:
        self._place = place

    def copy_catalog(self, path: Path) -> None:
        with self._place.reading() as rows, SqliteFilling(path, _schema.CATALOG) as file:
            fill(file, rows, catalog_tables())

    def copy(self, dossier_id: str, path: Path) -> None:
        with self._place.reading(dossier_id) as rows, SqliteFilling(path, _schema.DOSSIER) as file:
            fill(file, rows, dossier_tables())

    def has(self, dossier_id: str) -> bool:
        """Whatever was deleted meanwhile is in the snapshot."""
        return bool(dossier_id)


@contextmanager
def copying(settings: Settings) -> Iterator[StoreCopy]:
    """The store of the settings."""
    if settings.store is not None:
        with place_of(settings) as place:
            yield _Rows(place)
        return
    _check_there(settings.data)
    catalog = SqliteCatalog(settings.data)
    with closing(SqliteDossiers(settings.data, catalog, 1)) as dossiers:
        yield _Files(catalog, dossiers)


def _check_there(folder: Path) -> None:
    try:
        is_there = (folder / CATALOG).is_file()
    except OSError as error:
        raise StoreError(
            f"The data folder {folder} cannot be used ({error.strerror}): check its rights.", code="store.unreadable"
        ) from error
    if not is_there:
        raise ConfigError(f"{folder} is no data folder: name the one to back up with --data.", code="backup.nothing")
