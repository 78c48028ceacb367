"""A folder as a place for bodies: one folder per dossier, one file per segment or archive."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

from veille.adapters.bodies import checked, is_name, missing
from veille.adapters.files import replaced, sync_folder
from veille.adapters.private import private_folder
from veille.errors import SettingError, StoreError
from veille.ports.bodies import BodyFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


#: A full disk passes, as soon as there is room.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class FolderBodies:
    """The port `Bodies`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.where = str(folder)

    def put(self, name: str, data: bytes) -> None:
        path = self.folder / checked(name, self.where)
        try:
            private_folder(self.folder)
            with replaced(path, private=True) as file:
                file.write(data)
            sync_folder(self.folder)
        except OSError as error:
            raise self._unreachable(error) from error

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        path = self.folder / checked(name, self.where)
        try:
            # No link: what somebody put in its place is not read.
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                file.seek(start)
                return file.read(-1 if length is None else length)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise missing(name, self.where) from error
        except OSError as error:
            raise self._unreachable(error) from error

    def names(self) -> Iterator[BodyFile]:
        try:
            found = list(os.scandir(self.folder))
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unreachable(error) from error
        for one in found:
            if is_name(one.name):
                try:
                    facts = one.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield BodyFile(name=one.name, bytes=facts.st_size, written_at=round(facts.st_mtime * 1000))

    def delete(self, name: str) -> None:
        try:
            (self.folder / checked(name, self.where)).unlink(missing_ok=True)
        except OSError as error:
            raise self._unreachable(error) from error

    def clear(self) -> None:
        try:
            shutil.rmtree(self.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: OSError) -> StoreError:
        code = "store.full" if error.errno in _FULL else "bodies.unreachable"
        return StoreError(
            f"The folder {self.folder} with kept answers, pictures and old texts cannot be used ({error.strerror}): "
            "check its disk and its rights.",
            code=code,
        )


class BodyFolder:
    """The port `BodyPlace`."""

    def __init__(self, folder: Path, setting: str) -> None:
        self.name = str(folder)
        self._folder = folder
        self._setting = setting

    def of(self, dossier_id: str) -> FolderBodies:
        # Sharded as the dossiers are: see `dossier_path`.
        return FolderBodies(self._folder / dossier_id[-2:] / dossier_id)

    def check(self) -> None:
        try:
            private_folder(self._folder)
            is_usable = os.access(self._folder, os.R_OK | os.W_OK | os.X_OK) and self._folder.is_dir()
            why = "no right to read and write there" if self._folder.is_dir() else "it is no folder"
        except OSError as error:
            is_usable, why = False, str(error.strerror)
        if not is_usable:
            raise SettingError(
                f"{self._setting}: {self._folder} cannot be used for bodies ({why}): name a folder that this user can "
                "write.",
                code="bodies.bad_place",
            )
