"""What is ours alone: folders and files that no other user of the machine can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077


def private_folder(folder: Path) -> None:
    """Make it, and what is missing above it, for nobody else; one that is there stays as it is."""
    if not folder.exists():
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file for nobody else; one that is there stays as it is. Files that SQLite puts beside it follow."""
    # Whoever opens it next tells what is wrong.
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def open_to_others(folder: Path, forbidden: int, leave: Path | None = None) -> Iterator[Path]:
    """The folder and what is below it, as far as others have rights that they must not have (octal bits)."""
    for path in (folder, *folder.rglob("*")):
        if leave is not None and path.is_relative_to(leave):
            continue
        # It may be gone meanwhile; and what a link leads to is not ours to judge.
        with suppress(OSError):
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & forbidden & OTHERS:
                yield path


def close_to_others(paths: Iterator[Path]) -> int:
    """Take everybody else's rights away; of how many."""
    closed = 0
    for path in paths:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
        closed += 1
    return closed
