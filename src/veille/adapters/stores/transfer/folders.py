"""A data folder as a place to move from and to."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import apsw

from veille.adapters.files import sync_folder, try_lock
from veille.adapters.private import private_file, private_folder
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite.catalog.catalog import NAME
from veille.adapters.stores.sqlite.dossier_pool import dossier_path
from veille.adapters.stores.transfer.places import StorePlace, busy, check_folder_unused, not_empty
from veille.adapters.stores.transfer.sqlite_files import SqliteFilling, SqliteRows
from veille.errors import ConfigError, StoreError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: While there is such a file, the folder is none that a program would use: the catalog gets its name at the end.
_MARK, _DRAFT = "moving.db", "moving-catalog.db"
_PROGRESS = "CREATE TABLE IF NOT EXISTS progress (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"


class FolderPlace(StorePlace):
    """SQLite files, each a snapshot of its own. `source` is what a folder made from a backup is known by."""

    def __init__(self, folder: Path, source: str = "") -> None:
        self.folder = folder
        self.name = source or str(folder.resolve())

    def check_unused(self) -> None:
        check_folder_unused(self.folder)

    @contextmanager
    def reading(self, dossier_id: str = "") -> Iterator[SqliteRows]:
        with SqliteRows(self._path(dossier_id), _schema.DOSSIER if dossier_id else _schema.CATALOG) as rows:
            yield rows

    def _path(self, dossier_id: str) -> Path:
        if dossier_id:
            return dossier_path(self.folder, dossier_id)
        path = self.folder / NAME
        if not path.exists():
            raise ConfigError(
                f"{self.folder} is no data folder: name the one to move with --data.", code="move.nothing"
            )
        return path

    @contextmanager
    def beginning(self, source: str) -> Iterator[bool]:
        is_begun = self.check(source)
        try:
            private_folder(self.folder)
            private_file(self.folder / _MARK)
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise StoreError(
                f"The folder {self.folder} cannot be made or written ({error.strerror}): check its rights.",
                code="store.unreadable",
            ) from error
        try:
            if not try_lock(descriptor):
                raise busy(str(self.folder))
            with self._progress() as progress:
                progress.execute("INSERT OR IGNORE INTO progress VALUES ('source', ?)", (source,))
            yield is_begun
        finally:
            os.close(descriptor)

    def check(self, source: str) -> bool:
        try:
            names = {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()
        except OSError as error:
            raise StoreError(
                f"The folder {self.folder} cannot be read ({error.strerror}): check its rights.",
                code="store.unreadable",
            ) from error
        if _MARK in names:
            with self._progress() as progress:
                begun = [row[0] for row in progress.execute("SELECT value FROM progress WHERE key = 'source'")]
            if begun and begun[0] != source:
                raise not_empty(str(self.folder), f"has an unfinished move of {begun[0]}")
            return bool(begun)
        if names - {"lost+found"}:
            raise not_empty(str(self.folder))
        return False

    @contextmanager
    def _progress(self) -> Iterator[apsw.Connection]:
        with closing(apsw.Connection(str(self.folder / _MARK))) as connection:
            connection.execute(_PROGRESS)
            yield connection

    def done(self, dossier_id: str) -> str:
        with self._progress() as progress:
            return next(
                (row[0] for row in progress.execute("SELECT value FROM progress WHERE key = ?", (dossier_id,))), ""
            )

    def mark(self, dossier_id: str, digest: str) -> None:
        with self._progress() as progress:
            progress.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (dossier_id, digest))

    def note_key(self, key_id: str) -> None:
        """Nothing: a folder has the key itself."""

    def clear(self, dossier_id: str) -> None:
        with self._progress() as progress:
            progress.execute("DELETE FROM progress WHERE key = ?", (dossier_id,))
        _remove(dossier_path(self.folder, dossier_id))

    @contextmanager
    def filling(self, dossier_id: str) -> Iterator[SqliteFilling]:
        path = dossier_path(self.folder, dossier_id)
        private_folder(path.parent)
        with SqliteFilling(path, _schema.DOSSIER) as filling:
            yield filling

    @contextmanager
    def concluding(self) -> Iterator[SqliteFilling]:
        draft, path = self.folder / _DRAFT, self.folder / NAME
        # It may have been killed when all but the mark was done.
        if not path.exists():
            _remove(draft)
        else:
            path.replace(draft)
            _remove(draft)
        with SqliteFilling(draft, _schema.CATALOG) as filling:
            yield filling
        for inner in (*(self.folder / "dossiers").glob("*"), self.folder / "dossiers"):
            if inner.exists():
                sync_folder(inner)
        failpoint("before_end_of_move")
        draft.replace(path)
        failpoint("during_end_of_move")
        _remove(self.folder / _MARK)
        sync_folder(self.folder)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
