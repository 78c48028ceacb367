"""The dossiers of a data folder: created, found, and opened through a pool that limits the number of open files."""

from __future__ import annotations

import secrets
import shutil
import threading
from collections import Counter, OrderedDict
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

from veille.adapters.private import private_folder
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._db import Database
from veille.adapters.stores.sqlite.archive import archive_folder
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.core.fingerprint import uuid7
from veille.core.models import Dossier
from veille.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey

MAX_NAME = 200
#: How long `delete` waits for other threads to finish with the dossier.
IN_USE_S = 2.0


class SqliteDossiers:
    """The port `Dossiers`. The pool never closes a dossier in use; it closes idle ones, least recently used first."""

    def __init__(self, folder: Path, catalog: Catalog, max_open: int, min_free_mb: int = 0) -> None:
        self._min_free = min_free_mb * 1024 * 1024
        self._folder = folder
        #: The key of the secrets, created on first use.
        self.key = cache(partial(_vault_key, folder))
        self._catalog = catalog
        self.all, self.find = catalog.all, catalog.find
        self._max_open = max_open
        self._lock = threading.Condition()
        self._open: OrderedDict[str, SqliteDossier] = OrderedDict()
        self._users: Counter[str] = Counter()

    def create(self, name: str, now: int, maker: str = "") -> Dossier:
        _check_name(name)
        # A random part: two processes that create one name in the same millisecond must not share, and delete, a file.
        dossier = Dossier(id=uuid7(now, name, secrets.token_hex(8)), name=name, created_at=now)
        path = self._path(dossier.id)
        try:
            private_folder(path.parent)
        except OSError as error:
            raise StoreError(
                f"The folder {path.parent} cannot be made ({error.strerror}): check the rights of the data folder.",
                code="store.unreadable",
            ) from error
        # The file first: a catalog entry must have its file, but a file without an entry does no harm.
        Database(path, _schema.DOSSIER, create=True).close()
        try:
            self._catalog.add(dossier, maker)
        except ConfigError:
            # If the existing dossier has the same id, this is its file: keep it.
            if self._catalog.made(name, maker) != dossier.id:
                self._unlink(dossier.id)
            raise
        return dossier

    def rename(self, dossier_id: str, name: str) -> None:
        _check_name(name)
        self._catalog.rename(dossier_id, name)

    def check_room(self) -> None:
        """Raise `store.full` if the disk is nearly full, before anything is fetched."""
        free = shutil.disk_usage(self._catalog.db.path.parent).free
        if free < self._min_free:
            raise StoreError(
                f"The disk of {self._catalog.db.path.parent} is nearly full: nothing is fetched while less than "
                f"{self._min_free >> 20} MB are free (min_free_mb). Free some space; nothing was lost.",
                code="store.full",
            )

    def delete(self, dossier_id: str) -> None:
        with self._lock:
            # Another thread may finish with it soon.
            if not self._lock.wait_for(lambda: not self._users[dossier_id], IN_USE_S):
                raise StoreError("The dossier is in use; try again when its work is done.", code="store.busy")
            if store := self._open.pop(dossier_id, None):
                store.db.close()
        self._catalog.delete(dossier_id)
        # If this is part of a larger transaction that fails, the dossier stays, and so must its file.
        self._catalog.db.after_commit(lambda: self._unlink(dossier_id))

    @contextmanager
    def open(self, dossier_id: str) -> Iterator[SqliteDossier]:
        with self._lock:
            self._users[dossier_id] += 1
            store = self._open.get(dossier_id)
            if store:
                self._open.move_to_end(dossier_id)
        try:
            yield store or self._opened(dossier_id)
        finally:
            with self._lock:
                self._users[dossier_id] -= 1
                self._lock.notify_all()

    def _opened(self, dossier_id: str) -> SqliteDossier:
        # Opening and closing may wait for another process. Not under the lock: all dossiers would wait.
        db = Database(self._path(dossier_id), _schema.DOSSIER, create=False)
        opened = SqliteDossier(dossier_id, db, self._catalog, self.key)
        with self._lock:
            idle = [name for name in self._open if not self._users[name]]
            left = [self._open.pop(name) for name in idle[: max(0, len(self._open) - self._max_open + 1)]]
            # Another thread may have opened it first.
            store = self._open.setdefault(dossier_id, opened)
        for one in left if store is opened else (*left, opened):
            one.db.close()
        return store

    def _path(self, dossier_id: str) -> Path:
        return dossier_path(self._folder, dossier_id)

    def _unlink(self, dossier_id: str) -> None:
        path = self._path(dossier_id)
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        shutil.rmtree(archive_folder(path), ignore_errors=True)

    def close(self) -> None:
        with self._lock:
            while self._open:
                self._open.popitem()[1].db.close()
        self._catalog.close()


def dossier_path(folder: Path, dossier_id: str) -> Path:
    """The path of a dossier's file in a data folder."""
    # Sharded by the last two digits: a UUID v7 begins with its time, so its first digits stay the same for years.
    return folder / "dossiers" / dossier_id[-2:] / f"{dossier_id}.db"


def _vault_key(folder: Path) -> VaultKey:
    from veille.adapters.vault import VaultKey  # noqa: PLC0415 - slow to import

    return VaultKey(folder)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise ConfigError(f"A dossier's name has 1 to {MAX_NAME} printable characters.", code="bad_name")
