"""The newest one-time link in a file that its owner alone can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.files import replaced
from veille.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "setup-link"


class OwnersLinkFile:
    """The port `LinkFile` in the data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def write(self, text: str) -> None:
        try:
            with replaced(self._path, private=True) as file:
                file.write(f"{text}\n".encode())
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be written ({error.strerror}): check the rights of the data folder.",
                code="store.unreadable",
            ) from error

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)
