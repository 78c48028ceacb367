"""The dossiers of a store: named in the catalog, and opened through a pool that limits how many are open."""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import TYPE_CHECKING

from veille.adapters.files import sync_folder
from veille.adapters.private import private_folder
from veille.adapters.stores.body_files import BodyFiles
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.core.fingerprint import uuid7
from veille.core.models import Dossier
from veille.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.vault import VaultKey
    from veille.ports.bodies import BodyPlace

MAX_NAME = 200
#: How long `delete` waits for other threads to finish with the dossier.
IN_USE_S = 2.0


class DossierPool(ABC):
    """The port `Dossiers`. The pool never closes a dossier in use; it closes idle ones, least recently used first."""

    def __init__(
        self, folder: Path, catalog: Catalog, max_open: int, key: Callable[[], VaultKey] | None = None
    ) -> None:
        self._folder = folder
        #: The key of the secrets, created on first use.
        self.key = cache(key or partial(_vault_key, folder))
        self._catalog = catalog
        self.all, self.find, self.some = catalog.all, catalog.find, catalog.some
        self._max_open = max_open
        #: Where bodies are outside the store; None: they are in it.
        self.place: BodyPlace | None = None
        self._lock = threading.Condition()
        self._open: OrderedDict[str, SqliteDossier] = OrderedDict()
        self._users: Counter[str] = Counter()
        #: Files that are named like dossiers whose deletion began: see `finish_deletions`.
        self._deleting = folder / "deleting"

    @abstractmethod
    def check_room(self) -> None:
        """Raise `store.full` if the disk is nearly full, before anything is fetched."""

    @abstractmethod
    def _add(self, dossier: Dossier, maker: str) -> None:
        """Make an empty dossier, and enter it into the catalog."""

    @abstractmethod
    def _opened(self, dossier_id: str) -> SqliteDossier:
        """Open a dossier; StoreError if it is not there."""

    def _files(self, dossier_id: str) -> BodyFiles:
        """The files of a dossier outside its database."""
        place = self.place.of(dossier_id) if self.place is not None else None
        return BodyFiles(dossier_path(self._folder, dossier_id), place)

    @abstractmethod
    def _forget(self, dossier_id: str) -> None:
        """Take away what is left of a dossier that was deleted from the catalog."""

    def create(self, name: str, now: int, maker: str = "") -> Dossier:
        _check_name(name)
        # A random part: two processes that create one name in the same millisecond must not share, and delete, a file.
        dossier = Dossier(id=uuid7(now, name, secrets.token_hex(8)), name=name, created_at=now)
        self._add(dossier, maker)
        return dossier

    def rename(self, dossier_id: str, name: str) -> None:
        _check_name(name)
        self._catalog.rename(dossier_id, name)

    def delete(self, dossier_id: str) -> None:
        with self._lock:
            # Another thread may finish with it soon.
            if not self._lock.wait_for(lambda: not self._users[dossier_id], IN_USE_S):
                raise StoreError("The dossier is in use; try again when its work is done.", code="store.busy")
            if store := self._open.pop(dossier_id, None):
                store.db.close()
        self._note_deletion(dossier_id)
        self._catalog.delete(dossier_id)
        # If this is part of a larger transaction that fails, the dossier stays, and so must what belongs to it.
        self._catalog.db.after_commit(lambda: self._finish_deletion(dossier_id))

    def finish_deletions(self) -> None:
        """Take away what is left of dossiers that were deleted by a process that was killed at it."""
        # What cannot be deleted now is tried again at the next start.
        with suppress(OSError):
            for note in list(self._deleting.iterdir()):
                # One that is in the catalog is being deleted now, or its deletion was killed before it was decided.
                if not self._catalog.has(note.name):
                    self._finish_deletion(note.name)

    def _note_deletion(self, dossier_id: str) -> None:
        # Nobody is kept from deleting by a disk that is full.
        with suppress(OSError):
            private_folder(self._deleting)
            (self._deleting / dossier_id).touch(mode=0o600)
            sync_folder(self._deleting)

    def _finish_deletion(self, dossier_id: str) -> None:
        self._forget(dossier_id)
        try:
            self._files(dossier_id).clear()
        except StoreError:
            # A place that cannot be reached is asked again at the next start.
            return
        with suppress(OSError):
            (self._deleting / dossier_id).unlink()

    @contextmanager
    def open(self, dossier_id: str) -> Iterator[SqliteDossier]:
        with self._lock:
            self._users[dossier_id] += 1
            store = self._open.get(dossier_id)
            if store:
                self._open.move_to_end(dossier_id)
        try:
            yield store or self._taken_in(dossier_id)
        finally:
            with self._lock:
                self._users[dossier_id] -= 1
                self._lock.notify_all()

    def _taken_in(self, dossier_id: str) -> SqliteDossier:
        # Opening and closing may wait for another process. Not under the lock: all dossiers would wait.
        opened = self._opened(dossier_id)
        opened.db.files = self._files(dossier_id)
        with self._lock:
            idle = [name for name in self._open if not self._users[name]]
            left = [self._open.pop(name) for name in idle[: max(0, len(self._open) - self._max_open + 1)]]
            # Another thread may have opened it first.
            store = self._open.setdefault(dossier_id, opened)
        for one in left if store is opened else (*left, opened):
            one.db.close()
        return store

    @abstractmethod
    def part(self) -> None:
        """Wait no longer for a server that does not answer."""

    def close(self) -> None:
        with self._lock:
            while self._open:
                self._open.popitem()[1].db.close()
        self._catalog.close()


def dossier_path(folder: Path, dossier_id: str) -> Path:
    """The path of a dossier's file in a data folder; beside it are its archive files."""
    # Sharded by the last two digits: a UUID v7 begins with its time, so its first digits stay the same for years.
    return folder / "dossiers" / dossier_id[-2:] / f"{dossier_id}.db"


def _vault_key(folder: Path) -> VaultKey:
    from veille.adapters.vault import VaultKey  # noqa: PLC0415 - slow to import

    return VaultKey(folder)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise ConfigError(f"A dossier's name has 1 to {MAX_NAME} printable characters.", code="bad_name")
