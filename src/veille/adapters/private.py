"""Private folders and files, which no other user of the machine can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077


def private_folder(folder: Path) -> None:
    """Create it and its missing parents as private folders; an existing one stays as it is."""
    if not folder.exists():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Create an empty private file; an existing one stays as it is. Files that SQLite puts beside it get its mode."""
    # The next process that opens it reports the error.
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def open_to_others(folder: Path, forbidden: int, leave: Path | None = None) -> Iterator[Path]:
    """The folder and what is below it, as far as others have permissions that are forbidden (octal bits)."""
    for path in (folder, *folder.rglob("*")):
        if leave is not None and path.is_relative_to(leave):
            continue
        # It may be deleted meanwhile; and the target of a link is not ours to judge.
        with suppress(OSError):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & forbidden & OTHERS:
                yield path


def close_to_others(paths: Iterator[Path]) -> int:
    """Remove the permissions of all others; returns for how many paths."""
    closed = 0
    for path in paths:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
        closed += 1
    return closed
