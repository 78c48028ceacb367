"""Placing a data folder at once: the content of `restoring` is not used until all of it was checked.

The dossiers are moved first and the catalog last, and a folder without a catalog holds no data. A mark says that the
checks are done; dossiers beside it without a catalog were moved by a restore that was killed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from veille.adapters.backup.files import lock, no_space, written
from veille.adapters.files import sync_folder
from veille.core.archive.backup_names import CATALOG
from veille.errors import ConfigError
from veille.failpoints import failpoint

_ROOM, _DOSSIERS, _MARK = "restoring", "dossiers", "checked"


@contextmanager
def staging(folder: Path, size: int) -> Iterator[Path]:
    """A folder for this many bytes whose content is moved to the data folder on success, and deleted otherwise."""
    is_new = not folder.exists()
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            lock(descriptor, folder)
            room = _cleared(folder)
            if size > shutil.disk_usage(folder).free:
                raise no_space(folder)
            try:
                (room / _DOSSIERS).mkdir(parents=True)
                yield room
                _place(room, folder)
            finally:
                _discard(room, folder)
        finally:
            os.close(descriptor)
            if is_new:
                # Unless it is not empty now.
                with suppress(OSError):
                    folder.rmdir()


def _cleared(folder: Path) -> Path:
    room, dossiers = folder / _ROOM, folder / _DOSSIERS
    # Not only the catalog: the log of an old one would be taken for that of the new one.
    if _has_catalog(folder):
        raise _not_empty(folder)
    _discard(room, folder)
    if dossiers.exists() and any(dossiers.iterdir()):
        raise _not_empty(folder)
    return room


def _has_catalog(folder: Path) -> bool:
    return any(folder.glob(f"{CATALOG}*"))


def _discard(room: Path, folder: Path) -> None:
    """Delete the room, including the dossiers that were moved without the catalog."""
    if (room / _MARK).exists() and not (room / _DOSSIERS).exists() and not _has_catalog(folder):
        (folder / _DOSSIERS).replace(room / _DOSSIERS)
    shutil.rmtree(room, ignore_errors=True)


def _not_empty(folder: Path) -> ConfigError:
    return ConfigError(
        f"{folder} holds data already, which a restore never touches: name another folder with --data, or move what "
        "is in it away first.",
        code="backup.not_empty",
    )


def _place(room: Path, folder: Path) -> None:
    for inner in (*(room / _DOSSIERS).rglob("*/"), room / _DOSSIERS):
        sync_folder(inner)
    (room / _MARK).touch()
    sync_folder(room)
    (room / _DOSSIERS).replace(folder / _DOSSIERS)
    sync_folder(folder)
    failpoint("during_placing")
    # If there is a log, it is moved first.
    for path in sorted(room.glob(f"{CATALOG}*"), reverse=True):
        path.replace(folder / path.name)
    sync_folder(folder)
