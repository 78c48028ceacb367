"""A folder of small pictures that can all be fetched again: the oldest make room for new ones."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from veille.adapters.files import replaced
from veille.adapters.private import private_folder

#: Most pictures in the folder: with 64 KB each, at most 64 MB.
MOST = 1000


class IconFolder:
    """Pictures by name. What is empty is known to be missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def age_s(self, name: str) -> float | None:
        """Seconds since it was written; None if it is unknown."""
        try:
            return time.time() - (self._folder / name).stat().st_mtime
        except OSError:
            return None

    def write(self, name: str, body: bytes) -> None:
        private_folder(self._folder)
        with replaced(self._folder / name, private=True) as file:
            file.write(body)
        kept = sorted(self._folder.iterdir(), key=lambda one: one.stat().st_mtime)
        for one in kept[:-MOST]:
            with contextlib.suppress(OSError):
                one.unlink()
