"""Which processes are alive, by locks on files: the system releases them when their process ends in any way."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veille.adapters.private import private_folder


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
