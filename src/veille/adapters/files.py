"""Files that survive crashes and rivals: locks that end with their process, and replacement in one step."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

_TRY_EVERY_S = 0.05


def try_lock(descriptor: int) -> bool:
    """Lock an open file, unless another process has the lock. It ends with the descriptor or the process."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(path: Path, patience_s: float, busy: Exception) -> Iterator[None]:
    """Hold the lock of this file while the context lasts; raises `busy` if others keep it for so many seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        deadline = time.monotonic() + patience_s
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise busy
            time.sleep(_TRY_EVERY_S)
        yield
    finally:
        os.close(descriptor)


def has_name(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at the path: it may have been renamed before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


@contextmanager
def replaced(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A file that gets its name once it is complete and on disk; until then an existing file stays.

    What somebody put in its place, such as a link, is replaced and never written to.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False) as draft:
        try:
            yield draft.file
            draft.flush()
            os.fsync(draft.fileno())
            os.chmod(draft.name, 0o600 if private else _usual_mode())  # noqa: PTH101 - a name, not a Path
            os.replace(draft.name, path)  # noqa: PTH105 - likewise
        except BaseException:
            os.unlink(draft.name)  # noqa: PTH108 - likewise
            raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _usual_mode() -> int:
    """The default permissions of a new file; drafts are created private."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
