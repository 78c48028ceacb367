"""Writing a backup: it gets its name once it is complete and on disk; until then it has another."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from veille.adapters.backup.files import STEP, lock, written
from veille.adapters.files import has_name, sync_folder
from veille.core.archive.backup_names import version_of
from veille.core.archive.backups import MANIFEST, Manifest, Packed
from veille.errors import ConfigError
from veille.failpoints import failpoint

#: A third of the size at 120 MB/s; level 6 takes twice as long and saves only a fifteenth more.
_LEVEL = 1


class Packing:
    """A zip in progress, and a folder for the copies that go into it."""

    def __init__(self, archive: ZipFile, folder: Path) -> None:
        self._archive = archive
        self._files: list[Packed] = []
        self.folder = folder

    def take(self, name: str, path: Path) -> None:
        """Put a file into the zip."""
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, self._archive.open(name, "w", force_zip64=True) as target:
            while piece := source.read(STEP):
                digest.update(piece)
                size += len(piece)
                target.write(piece)
        self._files.append(Packed(name=name, bytes=size, sha256=digest.hexdigest()))
        failpoint("during_backup")

    def finish(self, veille: str, created_at: str) -> None:
        """Write the manifest."""
        version = version_of(file.name for file in self._files)
        manifest = Manifest(version=version, veille=veille, created_at=created_at, files=tuple(self._files))
        self._archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        failpoint("during_backup")


@contextmanager
def packing(path: Path, *, force: bool) -> Iterator[Packing]:
    """A new backup, readable by its owner only. Remains of a killed backup are reused."""
    _check_name(path, force=force)
    part = path.with_name(f"{path.name}.part")
    with written(path), _alone(part) as file:
        folder = part.with_name(f"{part.name}.d")
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(mode=0o700)
            with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                yield Packing(archive, folder)
            file.flush()
            os.fsync(file.fileno())
            _check_name(path, force=force)
            part.replace(path)
            sync_folder(path.parent)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _check_name(path: Path, *, force: bool) -> None:
    if path.exists() and not (force and path.is_file()):
        raise ConfigError(f"{path} is there already: choose another name, or --force for a file.", code="backup.exists")


@contextmanager
def _alone(part: Path) -> Iterator[IO[bytes]]:
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        lock(descriptor, part)
        if not has_name(descriptor, part):
            # Another process renamed it while we waited for the lock: that backup is complete, and not ours.
            raise ConfigError(f"Another backup has just written {part.stem}: use that.", code="backup.busy")
        os.fchmod(descriptor, 0o600)
        file.truncate(0)
        yield file
