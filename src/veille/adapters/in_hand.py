"""What a worker was processing when its process ended: recorded in a file that it kept locked."""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from veille.adapters.private import private_folder

if TYPE_CHECKING:
    from pathlib import Path

#: More than the ids of a batch take.
_MOST_BYTES = 1 << 20


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
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not path.exists():
            # Another process reported it while this one waited for the lock.
            return []
        words = os.pread(descriptor, _MOST_BYTES, 0).decode("ascii", "replace").partition("\n")[0].split()
        path.unlink()
    except OSError:
        return []
    else:
        return words
    finally:
        os.close(descriptor)
