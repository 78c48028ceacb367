"""The newest one-time link in a file that its owner alone can read."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from veille.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "setup-link"


class OwnersLinkFile:
    """The port `LinkFile` in the data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def write(self, text: str) -> None:
        # Written as a draft and moved into place: a file or link that somebody put there is never written to.
        draft = self._path.with_name(f"{NAME}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(text + "\n")
            draft.replace(self._path)
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be written ({error.strerror}): check the rights of the data folder.",
                code="store.unreadable",
            ) from error

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)
