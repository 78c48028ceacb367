"""The files of one dossier, wherever they are: at the place of the settings, or in the folder beside its database.

Without a place they are in that folder. With one, it still has what was there before the place was set, or came with a
restored backup or a source from another dossier; a duty carries it over.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from veille.adapters.bodies.folder import FolderBodies
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.ports.bodies import Bodies, BodyFile


class BodyFiles:
    """The port `Bodies` over both."""

    def __init__(self, database: Path, place: Bodies | None = None) -> None:
        self.beside = FolderBodies(archive_folder(database))
        self.place = place
        self._now: Bodies = place or self.beside
        self.where = self._now.where
        #: Where they were before, while they are brought over from there.
        self.former: Bodies | None = None

    def put(self, name: str, data: bytes) -> None:
        self._now.put(name, data)

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        # The folder first: it is near.
        *others, last = [one for one in (self.beside, self.place, self.former) if one is not None]
        for one in others:
            with suppress(NotFoundError):
                return one.read(name, start, length)
        return last.read(name, start, length)

    def names(self) -> Iterator[BodyFile]:
        yield from self.beside.names()
        if self.place is not None:
            yield from self.place.names()

    def delete(self, name: str) -> None:
        self.beside.delete(name)
        if self.place is not None:
            self.place.delete(name)

    def clear(self) -> None:
        self.beside.clear()
        if self.place is not None:
            self.place.clear()


def archive_folder(database: Path) -> Path:
    """The folder beside the database of a dossier."""
    return database.with_suffix(".archive")
