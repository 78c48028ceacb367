"""A folder of small pictures that can all be fetched again: the oldest make room for new ones."""

from __future__ import annotations

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
        # Others write beside this: what begins with a dot is not whole yet, and what is listed may be gone.
        names = [one.name for one in self._folder.iterdir() if not one.name.startswith(".")]
        if len(names) > MOST:
            names.sort(key=lambda name: self.age_s(name) or 0.0)
            for old in names[MOST:]:
                (self._folder / old).unlink(missing_ok=True)
