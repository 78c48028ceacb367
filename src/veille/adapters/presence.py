"""Which processes are alive, and what those that died had in hand.

Both by locks on files: the system releases them when their process ends in any way.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from veille.adapters.files import try_lock
from veille.adapters.private import private_folder

#: More than the ids of a batch take.
_MOST_BYTES = 1 << 20


class FilePresence:
    """The port `Presence`. A name is used only once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        private_folder(self._folder)
        descriptor = os.open(self._path(name), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            self._path(name).unlink(missing_ok=True)
            os.close(descriptor)

    def is_there(self, name: str) -> bool:
        try:
            descriptor = os.open(self._path(name), os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            # A shared lock: two processes that ask at once do not take each other for the owner.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        self._path(name).unlink(missing_ok=True)
        return False

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"


class FileInHand:
    """The port `InHand`.

    A write to an open file costs microseconds. It survives the process but not the machine: in a power failure, no
    request is to blame.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._descriptor = -1

    def take(self, dossier_id: str, *request_ids: str) -> None:
        # On a full disk nothing is recorded, and work continues.
        with suppress(OSError):
            if self._path is None:
                self._begin()
            # What is left of a longer line before is behind the end of this one.
            os.pwrite(self._descriptor, f"{' '.join((dossier_id, *request_ids))}\n".encode(), 0)

    def put_down(self) -> None:
        with suppress(OSError):
            if self._path is not None:
                os.pwrite(self._descriptor, b"\n", 0)

    def close(self) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._path = None

    def dropped(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for path in self._folder.glob("*.now"):
            dossier_id, *request_ids = _left_in(path) or [""]
            found += [(dossier_id, request_id) for request_id in request_ids]
        return found

    def _begin(self) -> None:
        private_folder(self._folder)
        name = f"{os.getpid()}-{secrets.token_hex(8)}"
        # Under another name until it is locked, so that nobody takes it for an abandoned one.
        made = self._folder / f"{name}.new"
        descriptor = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            path = made.rename(made.with_suffix(".now"))
        except OSError:
            os.close(descriptor)
            made.unlink(missing_ok=True)
            raise
        self._descriptor, self._path = descriptor, path


def _left_in(path: Path) -> list[str]:
    """The content of a file whose owner is gone; the file is removed, so that it is reported once."""
    with suppress(OSError), path.open("rb") as file:
        # Another process may report and remove it before this one has the lock.
        if try_lock(file.fileno()) and path.exists():
            words = file.read(_MOST_BYTES).partition(b"\n")[0].decode("ascii", "replace").split()
            path.unlink()
            return words
    return []
